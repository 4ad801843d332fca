//===- CallSignature.h - The parameters of a Python function ------------------------===//
#ifndef HOCKET_FRONTEND_CALLSIGNATURE_H
#define HOCKET_FRONTEND_CALLSIGNATURE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace hocket::frontend {

/// True for the texts of the annotations `constexpr` and `gl.constexpr`, with or without a subscript and quotes.
bool isConstexprText(llvm::StringRef annotation);

struct Parameter {
  enum Kind : uint8_t { Normal, KeywordOnly, VarArgs, VarKeywords };
  Kind kind;
  pybind11::object defaultValue; ///< null if the parameter has no default value
  bool isConstexpr = false;      ///< true if the parameter is annotated as `gl.constexpr`
};

/// The signature of a Python function, with the information of inspect.Signature. The signature is read from the code
/// object, which is about 100 times as fast as inspect.signature.
struct CallSignature {
  std::string function;
  std::vector<std::string> names;
  std::vector<Parameter> parameters; ///< parameters[i] describes the parameter names[i]; the order is that of the `def`
  size_t numPositional = 0;

  /// Returns the signature of a function defined with `def`. The signature is read once per function and cached.
  static const CallSignature &of(pybind11::handle function);

  /// Returns the parameter list in Python's syntax, such as "(ptr, mask=None, *, other=None)".
  std::string toString() const;
};

} // namespace hocket::frontend

#endif
