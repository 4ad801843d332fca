//===- Conversions.h - The steps of gpu_to_host --------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_CONVERSIONS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_CONVERSIONS_H

#include "conversion/gpu_to_host/HostFunction.h"

namespace hocket {

/// Each converts `op` if it is one of its family: true when it did, false when it is not its own, failure (with the
/// error reported) when it is but cannot be converted.
using Converted = mlir::FailureOr<bool>;
Converted convertLaneOp(HostFunction &host, mlir::Operation *op);
Converted convertSharedAccess(HostFunction &host, mlir::Operation *op);
Converted convertNvvmOp(HostFunction &host, mlir::Operation *op);
/// AMD's matrix instructions, reads that transpose on the way from shared memory, and buffer accesses.
Converted convertMfmaOp(HostFunction &host, mlir::Operation *op);
/// NVIDIA's matrix instructions.
Converted convertMmaOp(HostFunction &host, mlir::Operation *op);
/// NVIDIA's loads and stores of matrices.
Converted convertMatrixMove(HostFunction &host, mlir::Operation *op);
/// Products of NVIDIA's warpgroups, and waiting for them.
Converted convertWarpgroupOp(HostFunction &host, mlir::Operation *op);
Converted convertTransposedRead(HostFunction &host, mlir::Operation *op);
Converted convertBufferOp(HostFunction &host, mlir::Operation *op);
/// Asynchronous copies to shared memory, and waiting for them.
Converted convertCopyToShared(HostFunction &host, mlir::Operation *op);
/// Lets lanes that branch around a copy wait for those that make it. Before any copy is converted.
void gatherAfterCopies(HostFunction &host);
/// Blocks of tensors that TMA moves, and waiting for stores of them.
Converted convertTmaOp(HostFunction &host, mlir::Operation *op);
/// Barriers in shared memory.
Converted convertMbarrierOp(HostFunction &host, mlir::Operation *op);
Converted convertRocdlOp(HostFunction &host, mlir::Operation *op);
Converted convertIntrinsicCall(HostFunction &host, mlir::Operation *op);
/// Division by zero stops a host process, fences name GPU scopes.
Converted convertHostHazard(HostFunction &host, mlir::Operation *op);

/// An access of `type` at `pointer` in shared memory. `alignment` 0: that of the type.
struct CheckedAccess {
  mlir::Operation *op;
  host_abi::SiteKind kind;
  mlir::Value pointer;
  mlir::Type type;
  int64_t alignment;
};
/// The checked host addresses for accesses in a row, of which the last is about to be made. Every access of shared
/// memory asks here.
llvm::SmallVector<mlir::Value> checkedSharedAddresses(HostFunction &host, llvm::ArrayRef<CheckedAccess> accesses);

/// A call by which `op`'s lanes meet: an i64 from host_abi::kCrossLane. Null operands are 0.
mlir::Value crossLane(HostFunction &host, mlir::Operation *op, host_abi::CrossLaneOp kind, mlir::Value value,
                      mlir::Value a = nullptr, int64_t b = 0);

/// What a load says of lanes that do not use its result (lane::LaneDialect::kUnusedCopiesAttr).
int64_t unusedCopiesOf(mlir::Operation *op);

/// Follows the atomic access of `site` at the checked `address`: says whether it `stored`, if it can order warps.
void endAtomic(HostFunction &host, const HostFunction::Site &description, mlir::Value site, mlir::Value address,
               mlir::Value predicate, mlir::Value stored);

/// Where a buffer access of `bytes` goes, and whether that is inside of its resource (rocdl.make.buffer.rsrc).
struct BufferAddress {
  mlir::Value pointer, isInside;
};
mlir::FailureOr<BufferAddress> bufferAddress(HostFunction &host, mlir::Operation *op, mlir::Value resource,
                                             mlir::Value offset, mlir::Value scalarOffset, int64_t immediateOffset,
                                             int64_t bytes);

/// Removes what made buffer resources once all accesses through them are converted.
mlir::LogicalResult eraseBufferResources(HostFunction &host);

/// Whether `fence` orders accesses of "local" or "global" memory, as AMD's metadata names them.
bool concernsMemory(mlir::LLVM::FenceOp fence, llvm::StringRef memory);

/// `op` waits at the barrier `id`. `before`, `after`: FenceEffects of fences around it.
void callBarrier(HostFunction &host, mlir::Operation *op, mlir::Value id, mlir::Value threads, uint32_t before = 0,
                 uint32_t after = 0);
/// Makes fences around barriers, and waits for copies before them, part of the barriers. Once all operations are
/// converted.
void joinToBarriers(HostFunction &host);

/// For timing (TimedEvents.h): before the function is a HostFunction; and before anything of it is converted.
void removeCommonSubexpressions(mlir::LLVM::LLVMFuncOp kernel);
void insertTiming(HostFunction &host);

/// Makes the use of undefined values a fault. Once all operations are converted. `unwritten`: global memory may hold
/// such values.
void trackUndefined(HostFunction &host, bool unwritten);

/// Makes loops carry vectors rather than their elements. Before anything is converted.
void carryVectors(mlir::LLVM::LLVMFuncOp kernel);

/// Makes every loop give way to other lanes now and then.
void insertTicks(HostFunction &host);

/// Makes all pointers of the module plain host pointers.
void eraseAddressSpaces(mlir::ModuleOp module);

/// `x` (f32), or 0 where it is below the smallest normal number.
mlir::Value flushed(HostFunction &host, mlir::Value x);

/// Replaces `op` by a call of the LLVM intrinsic `name` on `arguments`.
void replaceByIntrinsic(HostFunction &host, mlir::Operation *op, llvm::StringRef name, mlir::ValueRange arguments);

/// `value` (an int, float or pointer of at most 64 bits, or a vector of that size) as an i64, and back.
mlir::Value widenToI64(HostFunction &host, mlir::Value value);
mlir::Value narrowFromI64(HostFunction &host, mlir::Value bits, mlir::Type type);
/// Size of a value of `type` in memory, 0 if it has none.
int64_t bitWidthOf(mlir::Type type);

} // namespace hocket

#endif
