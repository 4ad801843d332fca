//===- Names.h - What the names in a kernel stand for --------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_NAMES_H
#define HOCKET_FRONTEND_EMIT_NAMES_H

#include "frontend/emit/Frames.h"

namespace hocket::frontend {

/// The value of a local, closure variable, global or builtin of Python; the current node is its place.
Value loadName(FrameEmitter &e, const ast::Name &name);

} // namespace hocket::frontend

#endif
