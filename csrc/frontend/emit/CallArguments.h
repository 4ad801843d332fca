//===- CallArguments.h - Arguments of a call, and binding to parameters ---------------===//
#ifndef HOCKET_FRONTEND_EMIT_CALLARGUMENTS_H
#define HOCKET_FRONTEND_EMIT_CALLARGUMENTS_H

#include "frontend/ast/CallSignature.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// The arguments as written in a call, stars expanded.
struct CallArguments {
  struct Positional {
    Value value;
    SourceRange where;
  };
  struct Keyword {
    std::string name;
    Value value;
    SourceRange where;     ///< range of the value
    SourceRange nameWhere; ///< range of `name=value`
  };
  std::vector<Positional> positional;
  std::vector<Keyword> keywords;
};

/// Error for a call whose result is unused.
struct UnusedResult {
  std::string what, hint;
};

/// Returns one slot per parameter; extra positional arguments form the Tuple of `*args`. Errors are at the offending
/// argument, or at the call for a missing one. `displayName` is the callee in messages: "gl.load", "softmax_row".
std::vector<Arguments::Slot> bindArguments(Emitter &e, const CallSignature &signature, std::string_view displayName,
                                           CallArguments arguments);

} // namespace hocket::frontend

#endif
