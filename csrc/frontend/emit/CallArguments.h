//===- CallArguments.h - Arguments of a call, and binding to parameters ---------------===//
#ifndef HOCKET_FRONTEND_EMIT_CALLARGUMENTS_H
#define HOCKET_FRONTEND_EMIT_CALLARGUMENTS_H

#include "frontend/ast/CallSignature.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// The arguments of a call, after the expansion of `*` and `**`.
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

/// Error for a call whose result must be used, but is not used.
struct UnusedResult {
  std::string what, hint;
};

/// Returns one slot per parameter; extra positional arguments form the Tuple of `*args`. Errors are raised at the wrong
/// argument or, for a missing argument, at the call. `displayName` is the name of the callee in messages, such as
/// "gl.load".
std::vector<Arguments::Slot> bindArguments(Emitter &e, const CallSignature &signature, std::string_view displayName,
                                           CallArguments arguments);

} // namespace hocket::frontend

#endif
