//===- CallSignature.h - Parameters of a Python function, and binding them ---------===//
#ifndef HOCKET_FRONTEND_CALLSIGNATURE_H
#define HOCKET_FRONTEND_CALLSIGNATURE_H

#include "frontend/emit/Emitter.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

struct Parameter {
  enum Kind : uint8_t { Normal, KeywordOnly, VarArgs, VarKeywords };
  Kind kind;
  py::object defaultValue;  ///< null where there is none
  bool isConstexpr = false; ///< annotated `gl.constexpr`
};

/// Read from the code object: what inspect.signature says, at a hundredth of its price.
struct CallSignature {
  std::string function;
  std::vector<std::string> names;
  std::vector<Parameter> parameters; ///< as `names`, in the order of the `def`
  size_t numPositional = 0;

  /// Of a function defined with `def`. Read once per function.
  static const CallSignature &of(py::handle function);
};

/// The arguments as written in a call, stars expanded.
struct CallArguments {
  struct Positional {
    Value value;
    SourceRange where;
  };
  struct Keyword {
    std::string name;
    Value value;
    SourceRange where;     ///< of the value
    SourceRange nameWhere; ///< of `name=value`
  };
  std::vector<Positional> positional;
  std::vector<Keyword> keywords;
};

/// One slot per parameter; extra positional arguments form the Tuple of `*args`. Errors are at the offending argument,
/// or at the call for a missing one. `displayName` is the callee in messages: "gl.load", "softmax_row".
std::vector<Arguments::Slot> bindArguments(Emitter &e, const CallSignature &signature, std::string_view displayName,
                                           CallArguments arguments);

} // namespace hocket::frontend

#endif
