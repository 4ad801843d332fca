//===- NvvmTargetLowering.cpp - NVIDIA's part of the lowering to lane form -------------===//
//
//   thread, program, grid     %tid.x, %ctaid, %nctaid         PTX ISA 10, "Special Registers"
//   nanoseconds               %globaltimer                    PTX ISA 10, "Special Registers"
//   exchange                  shfl.sync.bfly, .idx, .up, .down    PTX ISA 9.7.9.6
//   cluster                   %clusterid, %nclusterid, %cluster_ctarank, mapa, barrier.cluster (9.7.13.4)
//   block barrier             barrier.sync 0                  PTX ISA 9.7.13.1: orders shared and global accesses
//   barrier of a partition    barrier.sync number, threads    PTX ISA 9.7.13.1
//   warp barrier              bar.warp.sync                   PTX ISA 9.7.13.2
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/NvvmTargetLowering.h"

#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/lane/AddressSpaces.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {
namespace {

/// Operand `c` of shfl.sync: no sub-warps, sources up to lane 31 (down to lane 0 for .up).
constexpr int32_t kShuffleWholeWarp = 31;
constexpr int32_t kAllLanes = -1;
/// Maximum grid size per axis: 2^31 - 1 in x, 65535 in y and z.
constexpr int64_t kMaxGrid[] = {0x7fffffff, 65535, 65535};
/// A number that practically never occurs: the bits of a NaN that no floating-point operation returns.
constexpr int32_t kRareSum = 0x7fbf5eed;

/// Appends all bits of a number as i32 words.
void appendWords(OpBuilder &builder, Location loc, Value value, SmallVectorImpl<Value> &words) {
  Type i32 = builder.getI32Type();
  unsigned width = value.getType().getIntOrFloatBitWidth();
  Type bits = builder.getIntegerType(width);
  if (value.getType() != bits)
    value = LLVM::BitcastOp::create(builder, loc, bits, value);
  if (width < 32)
    value = LLVM::ZExtOp::create(builder, loc, i32, value);
  if (width <= 32) {
    words.push_back(value);
    return;
  }
  Value shift = LLVM::ConstantOp::create(builder, loc, builder.getIntegerAttr(bits, 32));
  words.push_back(LLVM::TruncOp::create(builder, loc, i32, value));
  words.push_back(LLVM::TruncOp::create(builder, loc, i32, LLVM::LShrOp::create(builder, loc, value, shift)));
}

class NvvmTargetLowering : public TargetLowering {
public:
  using TargetLowering::TargetLowering;

  Value predicateOf(Operation *op) const override {
    using namespace hk_nv;
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<TmaLoadOp, TmaLoadIm2colOp, MbarrierExpectOp, MbarrierArriveOp, MbarrierWaitOp>(
            [](auto predicated) { return Value(predicated.getPred()); })
        .Default([](Operation *) { return Value(); });
  }

  Value threadId(OpBuilder &builder, Location loc, int numThreads) const override {
    return NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type(), range(builder, 0, numThreads));
  }

  Value programId(OpBuilder &builder, Location loc, unsigned axis) const override {
    Type i32 = builder.getI32Type();
    auto below = range(builder, 0, kMaxGrid[axis]);
    // A cluster is one program, and extends along x. The program id along x is therefore the cluster id.
    if (axis == 0 && hasClusters(builder))
      return NVVM::ClusterIdXOp::create(builder, loc, i32, below);
    switch (axis) {
    case 0:
      return NVVM::BlockIdXOp::create(builder, loc, i32, below);
    case 1:
      return NVVM::BlockIdYOp::create(builder, loc, i32, below);
    default:
      return NVVM::BlockIdZOp::create(builder, loc, i32, below);
    }
  }

  Value nanoseconds(OpBuilder &builder, Location loc) const override {
    return NVVM::GlobalTimerOp::create(builder, loc, builder.getI64Type());
  }

  Value numPrograms(OpBuilder &builder, Location loc, unsigned axis) const override {
    Type i32 = builder.getI32Type();
    if (axis == 0 && hasClusters(builder))
      return NVVM::ClusterDimXOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    switch (axis) {
    case 0:
      return NVVM::GridDimXOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    case 1:
      return NVVM::GridDimYOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    default:
      return NVVM::GridDimZOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    }
  }

  Value blockRank(OpBuilder &builder, Location loc, int numBlocks) const override {
    return NVVM::ClusterId::create(builder, loc, builder.getI32Type(), range(builder, 0, numBlocks));
  }

  Value sharedOfBlock(OpBuilder &builder, Location loc, Value address, Value rank) const override {
    auto type = LLVM::LLVMPointerType::get(builder.getContext(), kClusterAddressSpace);
    return NVVM::MapaOp::create(builder, loc, type, address, rank);
  }

  void clusterArrive(OpBuilder &builder, Location loc, bool isRelaxed) const override {
    if (isRelaxed)
      NVVM::ClusterArriveRelaxedOp::create(builder, loc, builder.getUnitAttr());
    else
      NVVM::ClusterArriveOp::create(builder, loc, builder.getUnitAttr());
  }

  void clusterWait(OpBuilder &builder, Location loc) const override {
    NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
  }

  void blockBarrier(OpBuilder &builder, Location loc, BarrierScope scope) const override {
    hk::PartitionAttr partition = hk::partitionOf(builder.getInsertionBlock()->getParentOp());
    if (!partition) {
      NVVM::Barrier0Op::create(builder, loc);
      return;
    }
    if (partition.getNumWarps() == 1)
      return warpBarrier(builder, loc);
    NVVM::BarrierOp::create(builder, loc, Type(), i32(builder, loc, partition.getBarrier()),
                            i32(builder, loc, partition.getNumWarps() * target.warpSize), {}, Value());
  }

  void slotBarrier(OpBuilder &builder, Location loc, Value number, int numThreads, bool) const override {
    NVVM::BarrierOp::create(builder, loc, Type(), number, i32(builder, loc, numThreads), {}, Value());
  }

  void arriveAtNamedBarrier(OpBuilder &builder, Location loc, Value number, int numThreads) const override {
    NVVM::BarrierArriveOp::create(builder, loc, number, i32(builder, loc, numThreads));
  }

  Value uniform(OpBuilder &builder, Location loc, Value value) const override {
    return shuffleIndex32(builder, loc, value, i32(builder, loc, 0));
  }

  Value anyLane(OpBuilder &builder, Location loc, Value value) const override {
    return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(), i32(builder, loc, kAllLanes), value,
                                    NVVM::VoteSyncKind::any);
  }

  void warpBarrier(OpBuilder &builder, Location loc) const override {
    NVVM::SyncWarpOp::create(builder, loc, i32(builder, loc, kAllLanes));
  }

  /// ptxas does not move waits and barriers across an instruction that can put the warp to sleep. The lowering
  /// therefore emits a sleep of 0 ns that depends on `registers`. The sleep is executed only if the XOR of the words of
  /// `registers` is kRareSum, which practically never occurs.
  void requireComputed(RewriterBase &rewriter, Location loc, ArrayRef<Value> registers) const override {
    SmallVector<Value> words;
    unsigned width = 0;
    for (Value value : registers) {
      appendWords(rewriter, loc, value, words);
      width = std::max(width, value.getType().getIntOrFloatBitWidth());
    }
    Value sum = words.front();
    for (Value word : ArrayRef(words).drop_front())
      sum = LLVM::XOrOp::create(rewriter, loc, sum, word);
    // If the upper bits of the words are known to be 0, `rareSum` must have the same upper bits, because LLVM would
    // otherwise fold the comparison.
    int32_t rareSum = kRareSum & llvm::maskTrailingOnes<uint32_t>(std::min(width, 32u));
    Value isRare = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, sum, i32(rewriter, loc, rareSum));
    emitIf(rewriter, loc, isRare, [&] { NVVM::NanosleepOp::create(rewriter, loc, i32(rewriter, loc, 0)); });
  }

  Value flushedExp2(OpBuilder &builder, Location loc, Value x) const override {
    return LLVM::CallIntrinsicOp::create(builder, loc, builder.getF32Type(),
                                         builder.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"), x)
        .getResult(0);
  }

  void markKernel(LLVM::LLVMFuncOp function, const KernelLimits &limits) const override {
    OpBuilder builder(function);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), builder.getDenseI32ArrayAttr({limits.numThreads}));
    if (limits.numBlocks > 1)
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        builder.getDenseI32ArrayAttr({limits.numBlocks, 1, 1}));
    if (limits.maxRegisters)
      function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), builder.getI32IntegerAttr(*limits.maxRegisters));
    // Arguments that are passed in memory are not copied, because TMA does not accept a copy of a tensor map.
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()))
        function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
  }

  void populatePatterns(LoweringContext &lowering, RewritePatternSet &patterns) const override {
    populateAsyncCopyPatterns(lowering, patterns);
    populateAsyncStorePatterns(lowering, patterns);
    populateGridControlPatterns(lowering, patterns);
    populateMatrixMovePatterns(lowering, patterns);
    populateMbarrierPatterns(lowering, patterns);
    populateMmaPatterns(lowering, patterns);
    populateNamedBarrierPatterns(lowering, patterns);
    populateTmaPatterns(lowering, patterns);
    populateTmaDescriptorPatterns(lowering, patterns);
    populateWarpgroupPatterns(lowering, patterns);
  }

  StringRef blockScope() const override { return "block"; }

  StringRef clusterScope() const override { return "cluster"; }

  /// Returns 0, because all shared memory is dynamic (`extern .shared`): the launch determines its size.
  int64_t sharedArrayBytes(int64_t sharedBytes) const override { return 0; }

protected:
  Value shuffleXor32(OpBuilder &builder, Location loc, Value value, unsigned laneMask) const override {
    return shuffle(builder, loc, value, i32(builder, loc, laneMask), NVVM::ShflKind::bfly);
  }

  Value shuffleIndex32(OpBuilder &builder, Location loc, Value value, Value lane) const override {
    return shuffle(builder, loc, value, lane, NVVM::ShflKind::idx);
  }

  /// A lane below `distance` receives its own value.
  Value shuffleUp32(OpBuilder &builder, Location loc, Value value, Value, int distance) const override {
    return shuffle(builder, loc, value, i32(builder, loc, std::abs(distance)),
                   distance > 0 ? NVVM::ShflKind::up : NVVM::ShflKind::down);
  }

private:
  static Value i32(OpBuilder &builder, Location loc, int32_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
  }

  static bool hasClusters(OpBuilder &builder) { return hk::numCtasOf(builder.getInsertionBlock()->getParentOp()) > 1; }

  static LLVM::ConstantRangeAttr range(OpBuilder &builder, int64_t lower, int64_t upper) {
    return LLVM::ConstantRangeAttr::get(builder.getContext(), 32, lower, upper);
  }

  static Value shuffle(OpBuilder &builder, Location loc, Value value, Value offset, NVVM::ShflKind kind) {
    int32_t lastLane = kind == NVVM::ShflKind::up ? 0 : kShuffleWholeWarp;
    return NVVM::ShflOp::create(builder, loc, builder.getI32Type(), i32(builder, loc, kAllLanes), value, offset,
                                i32(builder, loc, lastLane), kind, UnitAttr());
  }
};

} // namespace

std::unique_ptr<TargetLowering> createNvvmTargetLowering(const TargetInfo &target) {
  return std::make_unique<NvvmTargetLowering>(target);
}

} // namespace hocket
