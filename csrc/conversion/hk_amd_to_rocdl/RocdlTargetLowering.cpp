//===- RocdlTargetLowering.cpp - AMD's part of the lowering to lane form ----------------===//
//
// Numbers in the last column are sections of the "AMD Instinct MI300" ISA guide.
//
//   thread, program           v0 (workitem id), SGPRs (workgroup id)
//   grid                      rocdl.grid.dim, which lane_to_rocdl reads from the implicit kernel arguments
//   nanoseconds               s_memrealtime
//   exchange, within 32       ds_swizzle_b32, XOR mode: no address register       12.13.1
//   exchange, any lane        ds_bpermute_b32: address = 4 x lane                 12.13.3
//   swap of lanes, CDNA4      v_permlane{16,32}_swap_b32
//   block barrier             s_barrier between a release and an acquire fence of workgroup scope. The fences
//                             become waits for accesses of LDS (lgkmcnt) and, if the barrier also orders global
//                             memory, of global memory (vmcnt).
//   scheduling barrier        sched_barrier, with the bits of hk.sched_barrier. Empty inline assembly with side effects
//                             precedes the barrier, and reads the values that must be computed before the barrier.
//                             Otherwise LLVM could sink arithmetic below the barrier, to the first use of the result.
//   warp barrier              s_wave_barrier, which only keeps the compiler from reordering: lanes run in lockstep
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/RocdlTargetLowering.h"

#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "target/MatrixInstructions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hocket {
namespace {

/// ds_swizzle_b32 in bit-mask mode: offset = xor << 10 | or << 5 | and, on the five lane bits of each half wave.
constexpr unsigned kSwizzleXorShift = 10;
constexpr unsigned kSwizzleKeepAllBits = 0x1f;
constexpr unsigned kSwizzleLanes = 32;

class RocdlTargetLowering : public TargetLowering {
public:
  using TargetLowering::TargetLowering;

  Value threadId(OpBuilder &builder, Location loc, int numThreads) const override {
    auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, numThreads);
    return ROCDL::ThreadIdXOp::create(builder, loc, builder.getI32Type(), range);
  }

  Value programId(OpBuilder &builder, Location loc, unsigned axis) const override {
    Type i32 = builder.getI32Type();
    switch (axis) {
    case 0:
      return ROCDL::BlockIdXOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    case 1:
      return ROCDL::BlockIdYOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    default:
      return ROCDL::BlockIdZOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    }
  }

  Value numPrograms(OpBuilder &builder, Location loc, unsigned axis) const override {
    Type i32 = builder.getI32Type();
    switch (axis) {
    case 0:
      return ROCDL::GridDimXOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    case 1:
      return ROCDL::GridDimYOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    default:
      return ROCDL::GridDimZOp::create(builder, loc, i32, LLVM::ConstantRangeAttr());
    }
  }

  Value nanoseconds(OpBuilder &builder, Location loc) const override {
    Type i64 = builder.getI64Type();
    Value ticks = LLVM::CallIntrinsicOp::create(builder, loc, i64, builder.getStringAttr("llvm.amdgcn.s.memrealtime"),
                                                ValueRange())
                      .getResult(0);
    return LLVM::MulOp::create(builder, loc, ticks, LLVM::ConstantOp::create(builder, loc, i64, target.steadyClockNs));
  }

  Value uniform(OpBuilder &builder, Location loc, Value value) const override {
    return ROCDL::ReadfirstlaneOp::create(builder, loc, value.getType(), value);
  }

  Value anyLane(OpBuilder &builder, Location loc, Value value) const override {
    Type i64 = builder.getI64Type();
    Value lanes = ROCDL::BallotOp::create(builder, loc, i64, value);
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, lanes,
                                LLVM::ConstantOp::create(builder, loc, i64, 0));
  }

  // The fences prevent the compiler from moving accesses across the barrier.
  void blockBarrier(OpBuilder &builder, Location loc, BarrierScope scope) const override {
    fence(builder, loc, LLVM::AtomicOrdering::release, scope);
    ROCDL::SBarrierOp::create(builder, loc);
    fence(builder, loc, LLVM::AtomicOrdering::acquire, scope);
  }

  // The barrier does not wait for accesses of this warp. It need not wait for accesses of other warps either: if
  // another warp has waited for data, the data are in LDS, which all warps share. The fences keep the compiler from
  // moving accesses across the barrier, and emit no instruction. Only with `finishesReads`, the second fence becomes
  // s_waitcnt lgkmcnt(0).
  void slotBarrier(OpBuilder &builder, Location loc, Value, int, bool finishesReads) const override {
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::release, "singlethread");
    auto barrier = ROCDL::SBarrierOp::create(builder, loc);
    lane::kAcquiresAttr.set(barrier);
    if (finishesReads)
      fence(builder, loc, LLVM::AtomicOrdering::acquire, BarrierScope::Shared);
    else
      LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acquire, "singlethread");
  }

  void setPriority(OpBuilder &builder, Location loc, uint32_t priority) const override {
    ROCDL::SetPrioOp::create(builder, loc, priority);
  }

  void warpBarrier(OpBuilder &builder, Location loc) const override {
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::release, "wavefront");
    LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr("llvm.amdgcn.wave.barrier"), ValueRange());
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acquire, "wavefront");
  }

  StringRef blockScope() const override { return "workgroup"; }

  Operation *schedBarrier(OpBuilder &builder, Location loc, uint32_t allow) const override {
    return ROCDL::SchedBarrier::create(builder, loc, allow);
  }

  void requireComputed(RewriterBase &rewriter, Location loc, ArrayRef<Value> registers) const override {
    SmallVector<Value> read;
    while (!registers.empty())
      read.push_back(takeRegisters(rewriter, loc, registers));
    SmallVector<StringRef> inVectorRegisters(read.size(), "v");
    LLVM::InlineAsmOp::create(rewriter, loc, /*resultTypes=*/TypeRange(), read, /*asm_string=*/"",
                              llvm::join(inVectorRegisters, ","), /*has_side_effects=*/true, /*is_align_stack=*/false,
                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  }

  Value flushedExp2(OpBuilder &builder, Location loc, Value x) const override {
    return ROCDL::ROCDLExp2::create(builder, loc, builder.getF32Type(), x);
  }

  void markKernel(LLVM::LLVMFuncOp function, const KernelLimits &limits) const override {
    OpBuilder builder(function);
    std::string size = std::to_string(limits.numThreads);
    function->setAttr(ROCDL::ROCDLDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    function->setAttr("rocdl.reqd_work_group_size", builder.getDenseI32ArrayAttr({limits.numThreads, 1, 1}));
    function->setAttr("rocdl.flat_work_group_size", builder.getStringAttr(size + "," + size));
    function->setAttr("rocdl.uniform_work_group_size", builder.getBoolAttr(true));
    if (limits.wavesPerUnit)
      function->setAttr("rocdl.waves_per_eu", builder.getI32IntegerAttr(*limits.wavesPerUnit));
  }

  void populatePatterns(LoweringContext &lowering, RewritePatternSet &patterns) const override {
    populateBufferAccessPatterns(lowering, patterns);
    populateBufferAtomicPatterns(lowering, patterns);
    populateDirectToSharedPatterns(lowering, patterns);
    populateTransposedReadPatterns(lowering, patterns);
    populateMfmaPatterns(lowering, patterns);
    populateMfmaScaledPatterns(lowering, patterns);
    populateSchedulingPatterns(lowering, patterns);
  }

  int64_t sharedArrayBytes(int64_t sharedBytes) const override { return sharedBytes; }

  std::pair<Value, Value> swapLanes(OpBuilder &builder, Location loc, Value a, Value b,
                                    unsigned laneMask) const override {
    Type i32 = builder.getI32Type();
    auto pair = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i32, i32});
    Value swapped =
        laneMask == 32 ? ROCDL::Permlane32SwapOp::create(builder, loc, pair, a, b, /*fi=*/false, /*boundControl=*/false)
                             .getResult()
                       : ROCDL::Permlane16SwapOp::create(builder, loc, pair, a, b, /*fi=*/false, /*boundControl=*/false)
                             .getResult();
    return {LLVM::ExtractValueOp::create(builder, loc, swapped, 0),
            LLVM::ExtractValueOp::create(builder, loc, swapped, 1)};
  }

protected:
  Value shuffleXor32(OpBuilder &builder, Location loc, Value value, unsigned laneMask) const override {
    if (laneMask < kSwizzleLanes) {
      Value pattern = i32(builder, loc, laneMask << kSwizzleXorShift | kSwizzleKeepAllBits);
      return ROCDL::DsSwizzleOp::create(builder, loc, builder.getI32Type(), value, pattern);
    }
    // The lane's index in the wave, independent of the number of threads.
    Value zero = i32(builder, loc, 0), all = i32(builder, loc, -1);
    Value low = ROCDL::MbcntLoOp::create(builder, loc, builder.getI32Type(), all, zero, ArrayAttr(), ArrayAttr());
    Value lane = ROCDL::MbcntHiOp::create(builder, loc, builder.getI32Type(), all, low, ArrayAttr(), ArrayAttr());
    Value partner = LLVM::XOrOp::create(builder, loc, lane, i32(builder, loc, laneMask));
    return shuffleIndex32(builder, loc, value, partner);
  }

  Value shuffleIndex32(OpBuilder &builder, Location loc, Value value, Value lane) const override {
    Value address = LLVM::ShlOp::create(builder, loc, lane, i32(builder, loc, 2));
    return ROCDL::DsBpermuteOp::create(builder, loc, builder.getI32Type(), address, value);
  }

private:
  /// Returns an operand of the inline assembly that reads the first of `registers`, and removes the registers that the
  /// operand covers from `registers`. 16-bit and 8-bit numbers are packed like MMA operands and scales, because other
  /// vector types would require copies.
  Value takeRegisters(OpBuilder &builder, Location loc, ArrayRef<Value> &registers) const {
    Type type = registers.front().getType();
    if (!type.isIntOrFloat())
      return registers.consume_front();
    const unsigned bits = type.getIntOrFloatBitWidth();
    const size_t together = bits == 16 ? (target.mfmaVersion == 3 ? 4 : 8) : bits == 8 ? 4 : 1;
    auto isAlike = [&](Value value) { return value.getType() == type; };
    if (together > 1 && registers.size() >= together && llvm::all_of(registers.take_front(together), isAlike)) {
      Value operand = LLVM::PoisonOp::create(builder, loc, VectorType::get(int64_t(together), type));
      for (size_t i = 0; i < together; ++i)
        operand = LLVM::InsertElementOp::create(builder, loc, operand, registers.consume_front(),
                                                i32(builder, loc, int32_t(i)));
      return bits == 16 ? operand : LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), operand);
    }
    Value alone = registers.consume_front();
    return bits < 16 ? LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), alone) : alone;
  }

  /// Creates a fence of workgroup scope for the memories of `scope`. A tag of LLVM's "memory model relaxation
  /// annotations" restricts the fence to LDS.
  static void fence(OpBuilder &builder, Location loc, LLVM::AtomicOrdering ordering, BarrierScope scope) {
    auto fence = LLVM::FenceOp::create(builder, loc, ordering, "workgroup");
    if (scope == BarrierScope::Shared)
      fence->setAttr(LLVM::LLVMDialect::getMmraAttrName(),
                     LLVM::MMRATagAttr::get(builder.getContext(), "amdgpu-synchronize-as", "local"));
  }

  static Value i32(OpBuilder &builder, Location loc, int32_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
  }
};

} // namespace

std::unique_ptr<TargetLowering> createRocdlTargetLowering(const TargetInfo &target) {
  return std::make_unique<RocdlTargetLowering>(target);
}

} // namespace hocket
