//===- Broadcast.h - Bringing operands to one shape and layout ---------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_BROADCAST_H
#define HOCKET_FRONTEND_SEMANTICS_BROADCAST_H

#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// A scalar as a tensor whose elements all equal it.
Runtime splat(Emitter &e, const Runtime &scalar, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout);

/// Stretches `left` and `right` to their common shape: scalars and dimensions of size 1 stretch; ranks and layouts must
/// agree. Elements are left alone. `verb` is for the message: "cannot <verb> tensors whose shapes differ".
std::pair<Runtime, Runtime> broadcastPair(Emitter &e, std::string_view verb, const Runtime &left, const Runtime &right);

/// The subscript that brings a value in the layout Slice(dim, parent) to the rank of `parent`: "[:, None]". Empty where
/// `layout` is no slice of `parent`.
std::string expandingSubscript(mlir::Attribute layout, mlir::Attribute parent);

/// Stretches dimensions of size 1 to `shape` of the same rank; the layout stays.
Runtime broadcastToShape(Emitter &e, const Runtime &value, llvm::ArrayRef<int64_t> shape);

/// "[64, 128]".
std::string describeShape(llvm::ArrayRef<int64_t> shape);

} // namespace hocket::frontend

#endif
