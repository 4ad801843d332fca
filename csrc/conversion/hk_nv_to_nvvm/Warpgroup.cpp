//===- Warpgroup.cpp - Lowers hk_nv.warpgroup_mma and the waits for it -----------------------===//
//
// A warpgroup_mma is lowered to a chain of lane.wgmma along K for every 64 x N part of a warpgroup's results. One
// commit after all chains makes the chains one commit group. A lane.wgmma of a fused_warpgroup_mma has the concatenated
// accumulators of all fused wgmmas. Operands in shared memory are matrix descriptors (SharedOperand.h).
//
// A wgmma.fence precedes the first instruction of a chain, because lanes may have written the accumulators. If operand
// a is in registers, a fence precedes each instruction, because lanes have just written these registers. If use_acc is
// known to be false, the ignored accumulator is undefined instead of zero, so that no code writes its registers.
//
// PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/MmaOperand.h"
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_nv_to_nvvm/SharedOperand.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk_nv/WgmmaSelection.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "target/Features.h"

using namespace mlir;

namespace hocket {
namespace {

// Accumulators --------------------------------------------------------------------------------------------------------

/// Returns `values` as hardware registers: f32 and i32 unchanged, f16 packed in pairs.
SmallVector<Value> toHardware(OpBuilder &builder, Location loc, ArrayRef<Value> values) {
  if (!values.front().getType().isF16())
    return llvm::to_vector(values);
  SmallVector<Value> words;
  for (size_t i = 0; i < values.size(); i += 2)
    words.push_back(
        LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), packVector(builder, loc, values.slice(i, 2))));
  return words;
}

SmallVector<Value> fromHardware(OpBuilder &builder, Location loc, ValueRange registers, Type type) {
  if (!type.isF16())
    return llvm::to_vector(registers);
  SmallVector<Value> values;
  for (Value word : registers) {
    Value pair = LLVM::BitcastOp::create(builder, loc, VectorType::get(2, type), word);
    for (int64_t i : {0, 1}) {
      Value index = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), i);
      values.push_back(LLVM::ExtractElementOp::create(builder, loc, pair, index));
    }
  }
  return values;
}

/// States whether an instruction adds to its accumulator input or ignores it. An input of zeros is ignored, because
/// writing zeros to registers while other wgmmas are in flight would make ptxas serialize the wgmmas (warning C7517).
struct UseOfAcc {
  Value runtime;          ///< the use_acc operand; null if constant or missing
  bool isIgnored = false; ///< only valid if `runtime` is null

  UseOfAcc(ValueRange lowered, ArrayRef<ValueRange> accs) {
    IntegerAttr known;
    if (lowered.empty() || matchPattern(lowered.front(), m_Constant(&known)))
      isIgnored = (known && known.getValue().isZero()) || llvm::all_of(accs, areZeros);
    else
      runtime = lowered.front();
  }
  /// Returns the scale-d operand of the instruction; null if the instruction always adds to the accumulators.
  Value operand(OpBuilder &builder, Location loc) const {
    return isIgnored ? LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 0).getResult() : runtime;
  }

private:
  /// True if all registers of a tensor are the constant 0.
  static bool areZeros(ValueRange registers) {
    return llvm::all_of(
        registers, [](Value value) { return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero()); });
  }
};

/// Groups of registers, each of which is the operand of one wgmma. All groups are operands of one fence, and are
/// replaced by the results of the fence in the same order.
class Fenced {
public:
  void add(ArrayRef<Value> group) {
    registers.append(group.begin(), group.end());
    sizes.push_back(group.size());
  }
  void emit(OpBuilder &builder, Location loc) {
    auto fence = lane::WgmmaFenceOp::create(builder, loc, registers);
    registers.assign(fence.getResults().begin(), fence.getResults().end());
  }
  SmallVector<Value> take() {
    ArrayRef<Value> left = ArrayRef(registers).drop_front(numTaken);
    size_t size = sizes[numGroups++];
    numTaken += size;
    return llvm::to_vector(left.take_front(size));
  }

private:
  SmallVector<Value> registers;
  SmallVector<size_t> sizes;
  size_t numTaken = 0, numGroups = 0;
};

/// A warpgroup_mma or fused_warpgroup_mma, and the registers of its operands.
template <typename OpT>
struct WgmmaOperands {
  OpT op;
  RankedTensorType accType; ///< type that all accumulators have
  ValueRange a, b, useAcc;
  SmallVector<ValueRange> accs;
};

WgmmaOperands<hk_nv::WarpgroupMmaOp> operandsOf(hk_nv::WarpgroupMmaOp op,
                                                hk_nv::WarpgroupMmaOp::GenericAdaptor<ArrayRef<ValueRange>> adaptor) {
  return {op, op.getAcc().getType(), adaptor.getA(), adaptor.getB(), adaptor.getUseAcc(), {adaptor.getAcc()}};
}

WgmmaOperands<hk_nv::FusedWarpgroupMmaOp>
operandsOf(hk_nv::FusedWarpgroupMmaOp op, hk_nv::FusedWarpgroupMmaOp::GenericAdaptor<ArrayRef<ValueRange>> adaptor) {
  auto accType = cast<RankedTensorType>(op.getAccs().front().getType());
  return {op, accType, adaptor.getA(), adaptor.getB(), adaptor.getUseAcc(), llvm::to_vector(adaptor.getAccs())};
}

/// Checks that the shared memory of each CTA of a cluster contains the operands for its part of the result.
template <typename OpT>
LogicalResult checkParts(OpT op, RankedTensorType accType, unsigned numBlocks) {
  if (numBlocks == 1)
    return success();
  LinearLayout acc = tensorLayout(accType);
  for (unsigned own : {0u, 1u}) {
    auto type = dyn_cast<hk::MemDescType>(op->getOperand(own).getType());
    if (!type)
      continue; // the layout of an operand in registers is derived from the accumulator's layout
    LinearLayout shared = hk::toLinearLayout(type);
    for (unsigned bit = 0; bit < llvm::Log2_32(numBlocks); ++bit) {
      auto startOf = [&](const LinearLayout &layout, unsigned dim) {
        return bit < layout.getInDimSizeLog2(Dim::Block) ? layout.getBasis(Dim::Block, bit, tensorDim(dim)) : 0;
      };
      if (startOf(shared, own) != startOf(acc, own) || startOf(shared, 1 - own) != 0)
        return op.emitError("each block of the cluster must hold the part of `")
               << (own == 0 ? "a" : "b") << "` from which its part of the result is computed: cga_layout must split "
               << (own == 0 ? "the rows of `a`" : "the columns of `b`")
               << " like those of the accumulator, and must not split K";
    }
  }
  return success();
}

/// Returns the registers of one accumulator that belong to `tile`.
SmallVector<Value> accumulatorsOf(OpBuilder &builder, Location loc, const MatrixTile &tile, ValueRange acc,
                                  const UseOfAcc &use) {
  SmallVector<Value> values = llvm::map_to_vector(tile.registers, [&](unsigned reg) -> Value { return acc[reg]; });
  if (!use.isIgnored)
    return toHardware(builder, loc, values);
  Type type = values.front().getType();
  bool isPaired = type.isF16();
  Value undefined = LLVM::UndefOp::create(builder, loc, isPaired ? builder.getI32Type() : type);
  return SmallVector<Value>(isPaired ? values.size() / 2 : values.size(), undefined);
}

template <typename OpT>
struct WgmmaLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;

  LogicalResult matchAndRewrite(OpT op, typename OpConversionPattern<OpT>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LoweringContext &lowering = this->lowering;
    WgmmaOperands<OpT> wgmma = operandsOf(op, adaptor);
    const WgmmaInstruction instruction = *hk_nv::wgmmaOf(op);
    int64_t numFused = int64_t(wgmma.accs.size());
    if (!lowering.target.hasWgmma)
      return op.emitOpError() << "needs " << kWgmma.describe() << "; the target is " << StringRef(lowering.target.name);
    auto inRegisters = dyn_cast<RankedTensorType>(op.getA().getType());
    std::optional<SharedOperand> sharedA, sharedB;
    auto findShared = [&](StringRef name, Value operand, unsigned own, int64_t rows,
                          int64_t slots) -> std::optional<SharedOperand> {
      auto type = cast<hk::MemDescType>(operand.getType());
      FailureOr<SharedOperand> found = SharedOperand::find(op, name, type, own, rows, slots);
      return succeeded(found) ? std::optional(*std::move(found)) : std::nullopt;
    };
    if (!inRegisters && !(sharedA = findShared("a", op.getA(), 0, kWgmmaRows, 1)))
      return failure();
    if (!(sharedB = findShared("b", op.getB(), 1, instruction.n / numFused, numFused)))
      return failure();
    if (failed(checkParts(op, wgmma.accType, lowering.numBlocks)))
      return failure();

    LinearLayout acc = tensorLayout(wgmma.accType);
    std::optional<MmaOperand> registersOfA;
    if (inRegisters)
      registersOfA.emplace(inRegisters, 0, wgmma.a, 32 / bitsOf(instruction.a));
    else
      sharedA->begin(lowering, rewriter, loc, wgmma.a, acc);
    sharedB->begin(lowering, rewriter, loc, wgmma.b, acc);

    UseOfAcc useAcc(wgmma.useAcc, wgmma.accs);
    SmallVector<SmallVector<Value>> results(numFused, SmallVector<Value>(wgmma.accs.front().size()));
    auto depth = cast<ShapedType>(op.getB().getType()).getShape()[0];
    SmallVector<MatrixTile> tiles = matrixTilesOf(wgmma.accType, nvidiaMmaResultTile(instruction.n / numFused));
    Fenced fenced;
    for (const MatrixTile &tile : tiles) {
      SmallVector<Value> sums;
      for (ValueRange acc : wgmma.accs)
        sums.append(accumulatorsOf(rewriter, loc, tile, acc, useAcc));
      fenced.add(sums);
      for (int32_t k = 0; inRegisters && k < depth; k += instruction.k())
        fenced.add(registersOfA->words(rewriter, loc, tile, k / instruction.k(), /*rows=*/2));
    }
    fenced.emit(rewriter, loc);
    for (const MatrixTile &tile : tiles) {
      SmallVector<Value> sums = fenced.take();
      for (int32_t k = 0; k < depth; k += instruction.k()) {
        SmallVector<Value> a =
            inRegisters ? fenced.take() : SmallVector<Value>{sharedA->at(rewriter, loc, tile.origin[0], k)};
        Value b = sharedB->at(rewriter, loc, tile.origin[1], k);
        auto wgmma = lane::WgmmaOp::create(rewriter, loc, rewriter.getStringAttr(instruction.name()), a, b, sums,
                                           k == 0 ? useAcc.operand(rewriter, loc) : Value(),
                                           /*transposedA=*/sharedA && sharedA->isTransposed(),
                                           /*transposedB=*/sharedB->isTransposed());
        sums.assign(wgmma.getResults().begin(), wgmma.getResults().end());
      }
      SmallVector<Value> values = fromHardware(rewriter, loc, sums, wgmma.accType.getElementType());
      for (auto [i, value] : llvm::enumerate(values))
        results[i / tile.registers.size()][tile.registers[i % tile.registers.size()]] = value;
    }
    if (!op.getGroupGoesOn())
      NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, loc);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct WarpgroupMmaWaitLowering : LoweringPattern<hk_nv::WarpgroupMmaWaitOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::WarpgroupMmaWaitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> all;
    for (ValueRange acc : adaptor.getAccs())
      all.append(toHardware(rewriter, loc, llvm::to_vector(acc)));
    auto wait = lane::WgmmaWaitOp::create(rewriter, loc, all, op.getOutstandingAttr());
    SmallVector<SmallVector<Value>> results;
    ValueRange left = wait.getResults();
    for (ValueRange acc : adaptor.getAccs()) {
      Type type = acc.front().getType();
      size_t count = type.isF16() ? acc.size() / 2 : acc.size();
      results.push_back(fromHardware(rewriter, loc, left.take_front(count), type));
      left = left.drop_front(count);
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};

/// Lowers an operation that only marks the program point at which accumulators are read, and does not wait.
struct WarpgroupMmaFinishedLowering : LoweringPattern<hk_nv::WarpgroupMmaFinishedOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::WarpgroupMmaFinishedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> registers = toHardware(rewriter, loc, llvm::to_vector(adaptor.getAcc()));
    auto wait = lane::WgmmaWaitOp::create(rewriter, loc, registers, std::numeric_limits<int32_t>::max());
    Type type = adaptor.getAcc().front().getType();
    rewriter.replaceOpWithMultiple(op, {fromHardware(rewriter, loc, wait.getResults(), type)});
    return success();
  }
};

/// Lowers the fence that makes stores of lanes to shared or global memory visible to the async proxy (wgmma and bulk
/// copies).
struct ProxyFenceLowering : LoweringPattern<hk::ProxyFenceOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::ProxyFenceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    auto kind = op.getGlobal() ? NVVM::ProxyKind::async_global : NVVM::ProxyKind::async_shared;
    auto space = hk::kStoresToOtherCtasAttr.isOn(lowering.module) ? NVVM::SharedSpace::shared_cluster
                                                                  : NVVM::SharedSpace::shared_cta;
    auto spaceAttr = op.getGlobal() ? NVVM::SharedSpaceAttr() : NVVM::SharedSpaceAttr::get(context, space);
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(op, NVVM::ProxyKindAttr::get(context, kind), spaceAttr);
    return success();
  }
};

} // namespace

void populateWarpgroupPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<WgmmaLowering<hk_nv::WarpgroupMmaOp>, WgmmaLowering<hk_nv::FusedWarpgroupMmaOp>,
               WarpgroupMmaWaitLowering, WarpgroupMmaFinishedLowering, ProxyFenceLowering>(lowering);
}

} // namespace hocket
