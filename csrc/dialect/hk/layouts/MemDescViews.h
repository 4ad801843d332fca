//===- MemDescViews.h - From a shared memory handle to its buffer -----------------===//
//
// Follows views (MemDescView) from a handle to its hk.local_alloc:
//
//     %ring = hk.local_alloc                    bufferOf    slotOf        showsAll
//     %slot = hk.memdesc_index %ring[%k]        %ring       %ring[%k]     yes
//     %half = hk.memdesc_slice %slot [0, 16]    %ring       %ring[%k]     no
//     scf.for ... iter_args(%cur = %slot)       -           -             no
//
// For a handle that control flow selects, there is no such path; MemoryAliases computes its possible buffers. Regions
// that run exactly once do not select.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_MEMDESCVIEWS_H
#define HOCKET_DIALECT_HK_LAYOUTS_MEMDESCVIEWS_H

#include "dialect/hk/ir/HkDialect.h"

#include <optional>

namespace hocket::hk {

/// Returns the value that `value` forwards: for a result of an operation that runs a region once, the yielded value.
mlir::Value lookThroughRegions(mlir::Value value);

/// Returns the loop-carried variables that an scf.for rotates together with `variable`: `variable` itself, the variable
/// that gets its value in the next iteration, and so on, until `variable` is reached again. Empty if the sequence does
/// not lead back to `variable`. For %b in
///
///     scf.for ... iter_args(%a = ..., %b = ..., %c = ...) {
///       scf.yield %b, %c, %a
///
/// the result is %b, %a, %c.
llvm::SmallVector<mlir::BlockArgument> rotatedWith(mlir::BlockArgument variable);

/// A slot of a ring buffer; if it has several dimensions of slots, of the outermost one.
struct RingSlot {
  LocalAllocOp ring;
  mlir::Value index;
};

/// Returns the buffer that `handle` is, or is a view of; null if control flow selects it.
LocalAllocOp bufferOf(mlir::Value handle);

/// Returns the slot that contains `handle`; nullopt if there are several candidates, or control flow selects it.
std::optional<RingSlot> slotOf(mlir::Value handle);

/// True if `handle` contains all of its buffer, or of one slot of its ring.
bool showsAll(mlir::Value handle);

} // namespace hocket::hk

#endif
