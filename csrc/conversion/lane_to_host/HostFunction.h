//===- HostFunction.h - Builds the host function of a kernel ------------------------===//
//
// Contains the function being converted and the services that conversions need: constants, fields of the lane context,
// runtime calls, site numbers and the exit for errors.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_HOSTFUNCTION_H
#define HOCKET_CONVERSION_LANE_TO_HOST_HOSTFUNCTION_H

#include "emulator_abi/HostAbi.h"
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
  /// Changes `kernel` to the host signature: its parameters become loads from the argument slots. `module` must have
  /// its facts (hk::requireFacts).
  HostFunction(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp kernel);

  mlir::ModuleOp module() const { return moduleOp; }
  mlir::LLVM::LLVMFuncOp function() const { return kernelOp; }
  /// Size of the shared memory of one block.
  int64_t sharedBytes() const { return sharedSize; }
  /// Number of blocks of a cluster, of threads in a block, and distance of the blocks' shared memories.
  int64_t numCtas() const { return ctas; }
  int64_t blockThreads() const { return threads; }
  int64_t sharedStride() const { return host_abi::sharedStride(sharedSize); }
  int64_t clusterSharedBytes() const { return ctas > 1 ? ctas * sharedStride() : sharedSize; }
  const TargetInfo &target() const { return targetInfo; }
  int64_t warpSize() const { return targetInfo.warpSize; }

  mlir::OpBuilder builder;
  /// Inserts new operations before `op`, with its location.
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
  /// An MMA that is computed in one batch with the next one (MatrixRows.h).
  struct PendingProduct {
    mlir::Operation *op;
    int64_t operation;
    host_abi::MatrixStep step;
  };
  llvm::SmallVector<PendingProduct> pendingProducts;
  /// Transposed reads, or ldmatrix loads, that are exchanged in one batch with the next one (TransposedReads.cpp).
  llvm::SmallVector<mlir::Operation *> pendingReads;
  /// Commits that the copy before them includes (CopiesToShared.cpp), and the number of copies that start with the next
  /// one.
  llvm::DenseSet<mlir::Operation *> commitsOfCopies;
  unsigned pendingCopies = 0;
  /// Stack memory of at least `bytes` for operands and results of rendezvous. The whole kernel shares it.
  mlir::Value matrixOperands(int64_t bytes) { return grow(operands, bytes); }
  /// Stack memory of at least `bytes` for operands and results of wgmma. The whole kernel shares it.
  mlir::Value warpgroupOperands(int64_t bytes) { return grow(accumulators, bytes); }
  bool isWarpgroupOperands(mlir::Value address) const {
    return accumulators.address && address == accumulators.address;
  }
  int64_t warpgroupOperandBytes() const { return accumulators.bytes; }

  /// Emits a call of the function `name`, and declares it at its first use. `result`: null if there is none. Calls of
  /// the emulator's runtime are typed (RuntimeCalls.h).
  mlir::LLVM::CallOp call(llvm::StringRef name, mlir::Type result, mlir::TypeRange parameters,
                          mlir::ValueRange arguments);

  /// The properties of an access site.
  struct Site {
    host_abi::SiteKind kind;
    int64_t bytes = 0;
    int64_t alignment = 0;                 ///< required alignment; 0: the width
    std::optional<unsigned> argument = {}; ///< kernel parameter whose array is accessed, if known
    std::string message = {};
    std::string from = {};                                        ///< the reads that an undefined value originates from
    host_abi::AtomicOrder order = host_abi::AtomicOrder::Relaxed; ///< ordering of an atomic access
    bool blockScope = false;                                      ///< an atomic access of block scope
    bool isStore = false;                                         ///< an atomic exchange whose result is unused
    int64_t unusedCopies = 0; ///< mask for reads: lanes whose number has one of these bits read an unused value
  };
  /// Returns the number of a new site of `op`.
  host_abi::SiteNumber site(mlir::Operation *op, Site site);
  /// Sets the warp pipeline stage of subsequent sites to the one with this label; null: no stage.
  void enterStage(mlir::StringAttr label) { stage = label; }

  /// True while accesses of shared memory must call the runtime.
  mlir::Value isWatched();
  /// Builds `body` so that it runs if `condition` is true. Splits the block: `op` begins the rest.
  void buildIf(mlir::Value condition, mlir::Operation *op, llvm::function_ref<void()> body);
  /// In a body of `buildIf`: skips the rest of it, to `op`, if `condition` is true.
  void skipIf(mlir::Value condition, mlir::Operation *op);
  /// Stack memory of at least `bytes` for values that accesses of shared memory pass to the runtime.
  mlir::Value accessMemory(int64_t bytes) { return grow(accesses, bytes); }
  /// Accesses of shared memory of one kind that are checked in one batch with the next one (SharedAccesses.cpp).
  llvm::SmallVector<mlir::Operation *> pendingAccesses;

  /// True if the lanes of a warp have converged here and have not stored to shared memory since.
  bool areLanesTogether = false;

  /// Stack memory for `count` 64-bit numbers.
  mlir::Value stackMemory(int64_t count);

  /// True if the kernel has fences that order accesses between blocks, so that relaxed atomic accesses may order, too.
  bool hasBlockFences() const { return blockFences; }
  /// True if the kernel has fences that order accesses between the warps of a block.
  bool hasWarpFences() const { return warpFences; }

  /// Emits a fault at `site` if `condition` is true, and returns the branch. Splits the block: `op` begins the
  /// rest.
  mlir::Operation *faultIf(mlir::Value condition, host_abi::SiteNumber site, mlir::Value detail, mlir::Operation *op);

  /// True for branches of `buildIf` and `faultIf`: these guards are not branches of the kernel.
  bool isGuard(mlir::Operation *branch) const { return guards.contains(branch); }
  /// True if `block` reports faults, which its block arguments describe.
  bool isFault(mlir::Block *block) const { return block == fault; }
  /// Marks `branch`, a guard so far, as a branch of the kernel.
  void makeBranchOfKernel(mlir::Operation *branch) { guards.erase(branch); }

  /// Records an address in the block's shared memory that has been checked, with its offset.
  void addSharedAddress(mlir::Value address, mlir::Value offset) { sharedOffsets[address] = offset; }
  bool isSharedAddress(mlir::Value address) const { return sharedOffsets.contains(address); }
  mlir::Value sharedOffset(mlir::Value address) const { return sharedOffsets.lookup(address); }
  bool isMatrixOperands(mlir::Value address) const { return operands.address && address == operands.address; }
  int64_t matrixOperandBytes() const { return operands.bytes; }

  /// Returns the address of an internal constant with these numbers; equal constants are shared.
  mlir::Value constantNumbers(llvm::ArrayRef<int32_t> numbers);

  /// Returns the kernel parameter that `pointer` was computed from, if it is the same on every path.
  std::optional<unsigned> originOf(mlir::Value pointer);
  /// True if the runtime passes the parameter, not the caller.
  bool isImplicit(unsigned parameter) const { return implicitParameters.contains(parameter); }

  /// Sets the table of sites and the kernel's former signature on the module. `tracksUndefined`: the code computes
  /// shadows.
  void finish(bool tracksUndefined);

private:
  void convertSignature();
  mlir::Block *faultBlock();
  /// Stack memory with several users, as large as its largest user needs.
  struct StackMemory {
    mlir::Value address;
    int64_t bytes = 0;
  };
  mlir::Value grow(StackMemory &memory, int64_t bytes);

  mlir::ModuleOp moduleOp;
  mlir::LLVM::LLVMFuncOp kernelOp;
  llvm::SmallVector<mlir::NamedAttribute> formerKernel; ///< host_abi::kKernelAttr
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
  llvm::DenseMap<mlir::Value, unsigned> parameterOf; ///< maps a loaded argument to its number
  llvm::DenseSet<unsigned> implicitParameters;
  llvm::DenseMap<mlir::Value, std::optional<unsigned>> origins;
  llvm::MapVector<mlir::Attribute, host_abi::SiteNumber> sites;
};

/// True if the scope of `fence` is wider than a block.
bool isBetweenBlocks(mlir::LLVM::FenceOp fence);
/// True if the scope of `fence` is wider than a warp, whose lanes are always in order.
bool isBetweenWarps(mlir::LLVM::FenceOp fence);

} // namespace hocket

#endif
