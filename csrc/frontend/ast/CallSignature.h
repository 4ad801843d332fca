//===- CallSignature.h - The parameters of a Python function ------------------------===//
#ifndef HOCKET_FRONTEND_CALLSIGNATURE_H
#define HOCKET_FRONTEND_CALLSIGNATURE_H

#include <cstdint>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace hocket::frontend {

struct Parameter {
  enum Kind : uint8_t { Normal, KeywordOnly, VarArgs, VarKeywords };
  Kind kind;
  pybind11::object defaultValue; ///< null if there is none
  bool isConstexpr = false;      ///< annotated `gl.constexpr`
};

/// The information of inspect.signature, read from the code object at a hundredth of its cost.
struct CallSignature {
  std::string function;
  std::vector<std::string> names;
  std::vector<Parameter> parameters; ///< as `names`, in the order of the `def`
  size_t numPositional = 0;

  /// Returns the signature of a function defined with `def`. Read once per function.
  static const CallSignature &of(pybind11::handle function);

  /// Returns the parameter list as a user would write it: "(ptr, mask=None, *, other=None)".
  std::string toString() const;
};

} // namespace hocket::frontend

#endif
