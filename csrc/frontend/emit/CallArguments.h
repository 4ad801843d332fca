//===- CallArguments.h - Arguments of a call, and binding to parameters ---------------===//
#ifndef HOCKET_FRONTEND_EMIT_CALLARGUMENTS_H
#define HOCKET_FRONTEND_EMIT_CALLARGUMENTS_H

#include "frontend/ast/CallSignature.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// The arguments of a call, after the expansion of `*`.
struct CallArguments {
  struct Positional {
    Value value;
    SourceRange where;
  };
  struct Keyword {
    std::string name;
    Value value;
    SourceRange where;     ///< source range of the keyword's value
    SourceRange nameWhere; ///< source range of `name=value`
  };
  std::vector<Positional> positional;
  std::vector<Keyword> keywords;
};

/// Text of the error for a call whose result is not used, although the result must be used.
struct UnusedResult {
  std::string what, hint;
};

/// Binds `arguments` to the parameters of `signature`, and returns one slot for each parameter. Additional positional
/// arguments form the Tuple of `*args`. An error is raised at the wrong argument or, if an argument is missing, at the
/// call. `displayName` is the name of the callee in messages, such as "gl.load".
std::vector<Arguments::Slot> bindArguments(Emitter &e, const CallSignature &signature, std::string_view displayName,
                                           CallArguments arguments);

} // namespace hocket::frontend

#endif
