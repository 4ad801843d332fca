//===- Conversions.h - Conversions and steps of lane_to_host ------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_CONVERSIONS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_CONVERSIONS_H

#include "conversion/lane_to_host/OpConversions.h"
#include "conversion/lane_to_host/RuntimeCalls.h"
#include "dialect/lane/LaneFacts.h"

namespace hocket {

/// Makes lanes that branch around a copy wait for the lanes that execute the copy. Must run before any copy is
/// converted.
void gatherAfterCopies(HostFunction &host);

/// An access of `type` at `pointer` in shared memory. An `alignment` of 0 means the natural alignment of the type.
struct CheckedAccess {
  mlir::Operation *op;
  host_abi::SiteKind kind;
  mlir::Value pointer;
  mlir::Type type;
  int64_t alignment;
};
/// Emits the checks for a batch of accesses before the last access of the batch. Returns the host addresses of all
/// accesses. Every conversion of an access of shared memory uses this function.
llvm::SmallVector<mlir::Value> checkedSharedAddresses(HostFunction &host, llvm::ArrayRef<CheckedAccess> accesses);

/// Emits a call of the runtime function crossLane for `op`, in which the lanes of a warp wait for each other and
/// exchange values; returns its i64 result. A null operand means 0.
mlir::Value crossLane(HostFunction &host, mlir::Operation *op, host_abi::CrossLaneOp kind, mlir::Value value,
                      mlir::Value a = nullptr, int64_t b = 0);

/// Returns the mask of lanes that do not use the result of a load (lane::kUnusedCopiesAttr).
int64_t unusedCopiesOf(mlir::Operation *op);

/// Emits the runtime call after an atomic access at the checked `address`, if the access can order warps. `site` is the
/// number of the access in the table of sites. `stored` is an i1 that is true if the access has changed the memory.
void endAtomic(HostFunction &host, const Site &description, host_abi::SiteNumber site, mlir::Value address,
               mlir::Value predicate, mlir::Value stored);

/// The address of a buffer access, and an i1 that is true if the address is inside the buffer resource
/// (rocdl.make.buffer.rsrc).
struct BufferAddress {
  mlir::Value pointer, isInside;
};
mlir::FailureOr<BufferAddress> bufferAddress(HostFunction &host, mlir::Operation *op, mlir::Value resource,
                                             mlir::Value offset, mlir::Value scalarOffset, int64_t immediateOffset,
                                             int64_t bytes);

/// Erases the operations that create buffer resources. Must run after all accesses through buffer resources are
/// converted.
mlir::LogicalResult eraseBufferResources(HostFunction &host);

/// True if `fence` orders accesses of "local" or "global" memory, as AMD's metadata names them.
bool concernsMemory(mlir::LLVM::FenceOp fence, llvm::StringRef memory);

/// Returns a text such as "named barrier 3" for an operation on a named barrier that the kernel has allocated; an empty
/// string for other operations.
std::string nameOfBarrier(mlir::Operation *op);

/// Emits the call by which `op` waits at the barrier `id`. `before` and `after` are the effects of fences before and
/// after the barrier.
void callBarrier(HostFunction &host, mlir::Operation *op, CallArgument<uint32_t> id, CallArgument<uint32_t> threads,
                 host_abi::FenceEffects before = {}, host_abi::FenceEffects after = {});
/// Merges fences around a barrier, and waits for copies before the barrier, into the call for the barrier. Must run
/// after all operations are converted.
void joinToBarriers(HostFunction &host);

/// Steps for timing (TimedEvents.h). removeCommonSubexpressions must run before the function becomes a HostFunction.
/// insertTiming must run before any operation is converted.
void removeCommonSubexpressions(mlir::LLVM::LLVMFuncOp kernel);
void insertTiming(HostFunction &host);

/// Inserts faults at uses of undefined values. Must run after all operations are converted. `unwritten` is true if
/// global memory can contain undefined values.
void trackUndefined(HostFunction &host, bool unwritten);

/// Makes loops carry vectors instead of the elements of vectors. Must run before any operation is converted.
void carryVectors(mlir::LLVM::LLVMFuncOp kernel);

/// Inserts ticks into loops: calls in which a lane that runs for long yields to other lanes.
void insertTicks(HostFunction &host);

/// Replaces all pointer types of the module by plain host pointers.
void eraseAddressSpaces(mlir::ModuleOp module);

/// Returns `x` (f32), or 0 if its magnitude is below the smallest normal number.
mlir::Value flushed(HostFunction &host, mlir::Value x);

/// Replaces `op` by a call of the LLVM intrinsic `name` on `arguments`.
void replaceByIntrinsic(HostFunction &host, mlir::Operation *op, llvm::StringRef name, mlir::ValueRange arguments);

/// Functions that convert a value (an int, float, pointer or vector of at most 64 bits) to an i64, and back.
mlir::Value widenToI64(HostFunction &host, mlir::Value value);
mlir::Value narrowFromI64(HostFunction &host, mlir::Value bits, mlir::Type type);
/// Returns the number of bits of a value of `type` in memory; 0 if the type has no size.
int64_t bitWidthOf(mlir::Type type);

} // namespace hocket

#endif
