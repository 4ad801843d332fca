//===- Names.h - Lookup of names in a kernel -----------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_NAMES_H
#define HOCKET_FRONTEND_EMIT_NAMES_H

#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// Returns the value of `name`: a local variable, closure variable, global or Python builtin. Errors refer to the
/// source location of the current node.
Value loadName(FrameEmitter &e, const ast::Name &name);

} // namespace hocket::frontend

#endif
