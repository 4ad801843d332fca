//===- MemDescViews.h - From a handle of shared memory back to its buffer ---------===//
//
// Follows views (MemDescView) from a handle to the hk.local_alloc that they show:
//
//     %ring = hk.local_alloc                    bufferOf    slotOf        showsAll
//     %slot = hk.memdesc_index %ring[%k]        %ring       %ring[%k]     yes
//     %half = hk.memdesc_slice %slot [0, 16]    %ring       %ring[%k]     no
//     scf.for .. iter_args(%cur = %slot)        -           -             no
//
// A handle that control flow chooses has no such way; SharedAliases knows what it may be. Regions that run exactly once
// choose nothing.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_MEMDESCVIEWS_H
#define HOCKET_DIALECT_HK_MEMDESCVIEWS_H

#include "dialect/hk/HkDialect.h"

#include <optional>

namespace hocket::hk {

/// What `value` is in the end: the result of an operation that runs a region once is what the region yields.
mlir::Value lookThroughRegions(mlir::Value value);

/// What a loop passes round with `variable`, a variable of an scf.for: itself, what it becomes in the next iteration,
/// and so on, until it is itself again. Nothing if it does not come back, or is not passed on.
///
///     scf.for .. iter_args(%a = .., %b = .., %c = ..) {    %b: %b, %c, %a
///       scf.yield %b, %c, %a
llvm::SmallVector<mlir::BlockArgument> rotatedWith(mlir::BlockArgument variable);

/// A slot of a ring, or of the outermost dimension of a ring of rings.
struct RingSlot {
  LocalAllocOp ring;
  mlir::Value index;
};

/// The buffer that `handle` is, or is a view of; null where control flow decides it.
LocalAllocOp bufferOf(mlir::Value handle);

/// The slot that `handle` lies in; nothing if it may lie in several, or control flow decides it.
std::optional<RingSlot> slotOf(mlir::Value handle);

/// Does `handle` show all of its buffer, or of one slot of its ring?
bool showsAll(mlir::Value handle);

} // namespace hocket::hk

#endif
