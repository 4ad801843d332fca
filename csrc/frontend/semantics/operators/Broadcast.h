//===- Broadcast.h - Broadcasting of operands to a common shape --------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_BROADCAST_H
#define HOCKET_FRONTEND_SEMANTICS_BROADCAST_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Returns a tensor whose elements all equal `scalar`.
Runtime splat(Emitter &e, const Runtime &scalar, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout);

/// Broadcasts `left` and `right` to their common shape: scalars and dimensions of size 1 are broadcast; ranks and
/// layouts must agree. The element types of `left` and `right` stay unchanged. `verb` is inserted into messages such as
/// "cannot <verb> tensors whose shapes differ".
std::pair<Runtime, Runtime> broadcastPair(Emitter &e, std::string_view verb, const Runtime &left, const Runtime &right);

/// Returns the subscript, such as "[:, None]", that expands a tensor in `layout`, a slice of `parent`, to the rank of
/// `parent`. Returns "" if `layout` is not a slice of `parent`.
std::string expandingSubscript(mlir::Attribute layout, mlir::Attribute parent);

/// Broadcasts dimensions of size 1 of `value` to the sizes in `shape`. The rank and the layout of `value` stay
/// unchanged.
Runtime broadcastToShape(Emitter &e, const Runtime &value, llvm::ArrayRef<int64_t> shape);

/// Returns the text of a shape, such as "[64, 128]".
std::string describeShape(llvm::ArrayRef<int64_t> shape);

} // namespace hocket::frontend

#endif
