//===- MemDescViews.h - From a shared memory handle to its buffer -----------------===//
//
// Follows views (MemDescView) from a handle to its hk.local_alloc:
//
//     %ring = hk.local_alloc                    bufferOf    slotOf        showsAll
//     %slot = hk.memdesc_index %ring[%k]        %ring       %ring[%k]     yes
//     %half = hk.memdesc_slice %slot [0, 16]    %ring       %ring[%k]     no
//     scf.for ... iter_args(%cur = %slot)       -           -             no
//
// A handle that a branch or a loop yields has no unique buffer; MemoryAliases computes the possible buffers of such a
// handle. A handle that is yielded from a region that runs exactly once does have a unique buffer.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_MEMDESCVIEWS_H
#define HOCKET_DIALECT_HK_LAYOUTS_MEMDESCVIEWS_H

#include "dialect/hk/ir/HkDialect.h"

#include <optional>

namespace hocket::hk {

/// If `value` is a result of an operation that runs a region exactly once, returns the value that the region yields;
/// otherwise returns `value`.
mlir::Value lookThroughRegions(mlir::Value value);

/// Returns the constant to which all elements of `value` are equal; nullopt if there is none, or if it needs more than
/// 32 bits.
std::optional<int64_t> constantOf(mlir::Value value);

/// Returns the loop-carried variables that an scf.for permutes cyclically together with `variable`: `variable` itself,
/// the variable whose value `variable` gets in the next iteration, and so on, until `variable` is reached again. Empty
/// if `variable` is never reached again. For %b in
///
///     scf.for ... iter_args(%a = ..., %b = ..., %c = ...) {
///       scf.yield %b, %c, %a
///
/// the result is %b, %c, %a.
llvm::SmallVector<mlir::BlockArgument> rotatedWith(mlir::BlockArgument variable);

/// A slot of a ring buffer. If the buffer has several dimensions of slots, `index` is the index along the outermost of
/// these dimensions.
struct RingSlot {
  LocalAllocOp ring;
  mlir::Value index;
};

/// Returns the buffer to which `handle` refers, directly or as a view; null if control flow selects the handle.
LocalAllocOp bufferOf(mlir::Value handle);

/// Returns the slot that contains the memory of `handle`; nullopt if there are several such slots, or if control flow
/// selects the handle.
std::optional<RingSlot> slotOf(mlir::Value handle);

/// True if `handle` refers to the whole buffer, or to a whole slot of its ring buffer.
bool showsAll(mlir::Value handle);

} // namespace hocket::hk

#endif
