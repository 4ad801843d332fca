//===- HostFunction.h - Builds the host function of a kernel ------------------------===//
//
// Holds the function being converted and the few things each conversion needs: constants, fields of the lane
// context, runtime calls, site numbers and the exit for errors.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_HOSTFUNCTION_H
#define HOCKET_CONVERSION_GPU_TO_HOST_HOSTFUNCTION_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "target/TargetInfo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace hocket {

class HostFunction {
public:
  /// Gives `kernel` the host signature: its parameters become loads from the argument slots. `module` has its facts
  /// (hk::requireFacts).
  HostFunction(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp kernel);

  mlir::ModuleOp module() const { return moduleOp; }
  mlir::LLVM::LLVMFuncOp function() const { return kernelOp; }
  /// Of one block.
  int64_t sharedBytes() const { return sharedSize; }
  /// Blocks of a cluster, their threads, and the distance of their shared memories.
  int64_t numCtas() const { return ctas; }
  int64_t blockThreads() const { return threads; }
  int64_t sharedStride() const { return host_abi::sharedStride(sharedSize); }
  int64_t clusterSharedBytes() const { return ctas > 1 ? ctas * sharedStride() : sharedSize; }
  const TargetInfo &target() const { return targetInfo; }
  int64_t warpSize() const { return targetInfo.warpSize; }

  mlir::OpBuilder builder;
  /// New operations go before `op` and carry its location.
  void at(mlir::Operation *op);
  mlir::Location loc() const { return location; }

  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value i1(bool value) { return constant(builder.getI1Type(), value); }
  mlir::Value i32(int64_t value) { return constant(builder.getI32Type(), value); }
  mlir::Value i64(int64_t value) { return constant(builder.getI64Type(), value); }

  mlir::Value lane() { return kernelOp.getArgument(0); }
  /// Loads a field of LaneContext or BlockContext by its offset.
  mlir::Value laneField(size_t offset, mlir::Type type);
  mlir::Value blockField(size_t offset, mlir::Type type);
  /// A matrix product that is computed in a row with the next one (MatrixRows.h).
  struct PendingProduct {
    mlir::Operation *op;
    int64_t operation;
    host_abi::MatrixStep step;
  };
  llvm::SmallVector<PendingProduct> pendingProducts;
  /// Transposed reads, or loads of matrices, that are exchanged in a row with the next one (TransposedReads.cpp).
  llvm::SmallVector<mlir::Operation *> pendingReads;
  /// Commits that the copy before them makes (CopiesToShared.cpp), and how many copies are started with the next one.
  llvm::DenseSet<mlir::Operation *> commitsOfCopies;
  unsigned pendingCopies = 0;
  /// Memory on the lane's stack for at least `bytes` of what meetings take and give. All of the kernel share it.
  mlir::Value matrixOperands(int64_t bytes) { return grow(operands, bytes); }
  /// The same for what products of a warpgroup take and give.
  mlir::Value warpgroupOperands(int64_t bytes) { return grow(accumulators, bytes); }
  bool isWarpgroupOperands(mlir::Value address) const {
    return accumulators.address && address == accumulators.address;
  }
  int64_t warpgroupOperandBytes() const { return accumulators.bytes; }

  /// Calls the runtime function `name`, declaring it at its first use. Null for a function without result.
  mlir::Value call(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments);

  /// What an access site can say about itself.
  struct Site {
    host_abi::SiteKind kind;
    int64_t bytes = 0;
    int64_t alignment = 0;                 ///< that an access must have; 0: its width
    std::optional<unsigned> argument = {}; ///< kernel parameter whose array is accessed, where it is known
    std::string message = {};
    std::string from = {};                                        ///< the reads that an undefined value comes from
    host_abi::AtomicOrder order = host_abi::AtomicOrder::Relaxed; ///< of an atomic access
    bool blockScope = false;                                      ///< an atomic access of the scope of its block
    int64_t unusedCopies = 0; ///< of a read: bits of the numbers of lanes whose result nobody uses
  };
  /// The number of the site of `op`, as a constant.
  mlir::Value site(mlir::Operation *op, Site site);
  /// From here on, sites are in the stage of a warp pipeline that has this label; null: in none.
  void enterStage(mlir::StringAttr label) { stage = label; }

  /// True while accesses of shared memory must call host_abi::kShared.
  mlir::Value isWatched();
  /// Builds `body` to run where `condition` holds. Splits the block: `op` starts the rest.
  void buildIf(mlir::Value condition, mlir::Operation *op, llvm::function_ref<void()> body);
  /// In a body that `buildIf` builds: skips the rest of it, to `op`, where `condition` holds.
  void skipIf(mlir::Value condition, mlir::Operation *op);
  /// Memory on the lane's stack for at least `bytes` of what accesses of shared memory show the runtime.
  mlir::Value accessMemory(int64_t bytes) { return grow(accesses, bytes); }
  /// Accesses of shared memory of one kind that are checked together with the next one (SharedAccesses.cpp).
  llvm::SmallVector<mlir::Operation *> pendingAccesses;

  /// Whether the lanes of a warp have met here, and none has stored to shared memory since.
  bool areLanesTogether = false;

  /// Memory on the lane's stack for `count` numbers of 64 bits.
  mlir::Value stackMemory(int64_t count);

  /// Whether fences order accesses between blocks, so that relaxed atomic accesses may have an order, too.
  bool hasBlockFences() const { return blockFences; }
  /// The same between the warps of a block.
  bool hasWarpFences() const { return warpFences; }

  /// Leaves with a fault at `site` where `condition` holds, and returns the branch. Splits the block: `op` starts the
  /// rest.
  mlir::Operation *faultIf(mlir::Value condition, mlir::Value site, mlir::Value detail, mlir::Operation *op);

  /// Branches made by `buildIf` and `faultIf` are guards, which decide nothing for the kernel.
  bool isGuard(mlir::Operation *branch) const { return guards.contains(branch); }
  /// Does `block` report faults, of which it is told by block arguments?
  bool isFault(mlir::Block *block) const { return block == fault; }
  /// `branch`, a guard until now, is one of the kernel.
  void makeBranchOfKernel(mlir::Operation *branch) { guards.erase(branch); }

  /// Addresses in the block's shared memory that have been checked, and their offsets.
  void addSharedAddress(mlir::Value address, mlir::Value offset) { sharedOffsets[address] = offset; }
  bool isSharedAddress(mlir::Value address) const { return sharedOffsets.contains(address); }
  mlir::Value sharedOffset(mlir::Value address) const { return sharedOffsets.lookup(address); }
  bool isMatrixOperands(mlir::Value address) const { return operands.address && address == operands.address; }
  int64_t matrixOperandBytes() const { return operands.bytes; }

  /// The address of an internal constant of these numbers, which those that are the same share.
  mlir::Value constantNumbers(llvm::ArrayRef<int32_t> numbers);

  /// The kernel parameter that `pointer` was computed from, if it is the same on every path.
  std::optional<unsigned> originOf(mlir::Value pointer);
  /// Does the runtime pass it, not the caller?
  bool isImplicit(unsigned parameter) const { return implicitParameters.contains(parameter); }

  /// Writes the table of sites onto the module.
  void finish();

private:
  void convertSignature();
  mlir::Block *faultBlock();
  /// Memory on the lane's stack that several share, as large as the largest need.
  struct StackMemory {
    mlir::Value address;
    int64_t bytes = 0;
  };
  mlir::Value grow(StackMemory &memory, int64_t bytes);

  mlir::ModuleOp moduleOp;
  mlir::LLVM::LLVMFuncOp kernelOp;
  mlir::Location location;
  int64_t sharedSize = 0, ctas = 1, threads = 0;
  bool blockFences = false, warpFences = false;
  const TargetInfo &targetInfo;
  mlir::Block *fault = nullptr;
  mlir::Value watched;
  StackMemory operands, accumulators, accesses;
  mlir::StringAttr stage;
  llvm::DenseSet<mlir::Operation *> guards;
  llvm::DenseMap<mlir::Value, mlir::Value> sharedOffsets;
  llvm::DenseMap<mlir::Value, unsigned> parameterOf; ///< loaded argument -> its number
  llvm::DenseSet<unsigned> implicitParameters;
  llvm::DenseMap<mlir::Value, std::optional<unsigned>> origins;
  llvm::MapVector<mlir::Attribute, int64_t> sites;
};

/// Whether the scope of `fence` is wider than a block.
bool isBetweenBlocks(mlir::LLVM::FenceOp fence);
/// The same for a warp, whose lanes are always in order.
bool isBetweenWarps(mlir::LLVM::FenceOp fence);

} // namespace hocket

#endif
