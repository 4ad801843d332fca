//===- Conversions.h - The steps of lane_to_host --------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_CONVERSIONS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_CONVERSIONS_H

#include "conversion/lane_to_host/OpConversions.h"
#include "conversion/lane_to_host/RuntimeCalls.h"

namespace hocket {

/// Makes lanes that branch around a copy wait for the lanes that execute it. Must run before any copy is converted.
void gatherAfterCopies(HostFunction &host);

/// An access of `type` at `pointer` in shared memory. An `alignment` of 0 means the natural alignment of the type.
struct CheckedAccess {
  mlir::Operation *op;
  host_abi::SiteKind kind;
  mlir::Value pointer;
  mlir::Type type;
  int64_t alignment;
};
/// Emits the checks for a batch of accesses at the last of them, and returns their host addresses. Every access of
/// shared memory uses this function.
llvm::SmallVector<mlir::Value> checkedSharedAddresses(HostFunction &host, llvm::ArrayRef<CheckedAccess> accesses);

/// Emits a rendezvous of `op`'s lanes and returns its i64 result: a call of `crossLane`. Null operands are 0.
mlir::Value crossLane(HostFunction &host, mlir::Operation *op, host_abi::CrossLaneOp kind, mlir::Value value,
                      mlir::Value a = nullptr, int64_t b = 0);

/// Returns the mask of lanes that do not use the result of a load (lane::LaneDialect::kUnusedCopiesAttr).
int64_t unusedCopiesOf(mlir::Operation *op);

/// Emits the runtime call that follows the atomic access of `site` at the checked `address`, if the access can order
/// warps. `stored` is an i1 that is true if the access has changed the memory.
void endAtomic(HostFunction &host, const Site &description, host_abi::SiteNumber site, mlir::Value address,
               mlir::Value predicate, mlir::Value stored);

/// The address of a buffer access, and an i1 that is true if it is inside the buffer resource (rocdl.make.buffer.rsrc).
struct BufferAddress {
  mlir::Value pointer, isInside;
};
mlir::FailureOr<BufferAddress> bufferAddress(HostFunction &host, mlir::Operation *op, mlir::Value resource,
                                             mlir::Value offset, mlir::Value scalarOffset, int64_t immediateOffset,
                                             int64_t bytes);

/// Erases the operations that create buffer resources. Must run after all accesses through them are converted.
mlir::LogicalResult eraseBufferResources(HostFunction &host);

/// True if `fence` orders accesses of "local" or "global" memory, as AMD's metadata names them.
bool concernsMemory(mlir::LLVM::FenceOp fence, llvm::StringRef memory);

/// Returns "named barrier 3" for an operation at a barrier that the kernel allocates; an empty string for others.
std::string nameOfBarrier(mlir::Operation *op);

/// Emits a wait of `op` at the barrier `id`. `before`, `after`: effects of fences around it.
void callBarrier(HostFunction &host, mlir::Operation *op, CallArgument<uint32_t> id, CallArgument<uint32_t> threads,
                 host_abi::FenceEffects before = {}, host_abi::FenceEffects after = {});
/// Merges fences around barriers, and waits for copies before them, into the barriers. Must run after all operations
/// are converted.
void joinToBarriers(HostFunction &host);

/// These two functions are for timing (TimedEvents.h). removeCommonSubexpressions runs before the function becomes a
/// HostFunction, the other function before any operation is converted.
void removeCommonSubexpressions(mlir::LLVM::LLVMFuncOp kernel);
void insertTiming(HostFunction &host);

/// Makes uses of undefined values a fault. Must run after all operations are converted. `unwritten`: global memory may
/// contain undefined values.
void trackUndefined(HostFunction &host, bool unwritten);

/// Makes loops carry vectors instead of their elements. Must run before any operation is converted.
void carryVectors(mlir::LLVM::LLVMFuncOp kernel);

/// Inserts ticks, at which a lane in a long loop yields to other lanes.
void insertTicks(HostFunction &host);

/// Replaces all pointer types of the module by plain host pointers.
void eraseAddressSpaces(mlir::ModuleOp module);

/// Returns `x` (f32), or 0 if its magnitude is below the smallest normal number.
mlir::Value flushed(HostFunction &host, mlir::Value x);

/// Replaces `op` by a call of the LLVM intrinsic `name` on `arguments`.
void replaceByIntrinsic(HostFunction &host, mlir::Operation *op, llvm::StringRef name, mlir::ValueRange arguments);

/// Converts `value` (an int, float or pointer of at most 64 bits, or a vector of that size) to an i64, and back.
mlir::Value widenToI64(HostFunction &host, mlir::Value value);
mlir::Value narrowFromI64(HostFunction &host, mlir::Value bits, mlir::Type type);
/// Returns the size of a value of `type` in memory, 0 if it has none.
int64_t bitWidthOf(mlir::Type type);

} // namespace hocket

#endif
