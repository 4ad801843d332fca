//===- Warpgroup.cpp - hk_nv.warpgroup_mma, warpgroup_mma_wait, .._finished ------------------===//
//
// A product is a chain of lane.wgmma along K for every 64 x N of a warpgroup's results, and then one commit: a group.
// An operand in shared memory is a matrix descriptor (layout/MatrixDescriptor.h), made once for the warpgroup and
// operand:
//
//   address of the view + where the warpgroup's first row (column of b) is  ->  bits 0-13
//   distances and swizzle, read off the layout as a linear map              ->  the constant rest
//
// The instructions add constants to it: along K, and to further rows and columns. The first instruction of a chain
// comes after a wgmma.fence: lanes may have written the accumulators. All do where a is in registers, which lanes have
// written just before. An accumulator that does not count (use_acc is known to be false) is undefined instead of zero:
// nobody writes registers for it.
//
// PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/MmaOperand.h"
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_llvm/LoweringContext.h"
#include "conversion/hk_to_llvm/RegisterIndices.h"
#include "conversion/hk_to_llvm/SharedTile.h"
#include "dialect/hk/Layouts.h"
#include "dialect/hk/SharedOffsets.h"
#include "dialect/hk_nv/WgmmaSelection.h"
#include "dialect/lane/LaneDialect.h"
#include "layout/MatrixDescriptor.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {
namespace {

/// An operand in shared memory.
class SharedOperand {
public:
  /// `own`: its dimension of rows of a, columns of b, of which an instruction reads `rows`.
  static FailureOr<SharedOperand> find(hk_nv::WarpgroupMmaOp op, StringRef name, Value operand, unsigned own,
                                       int64_t rows);

  /// Makes the descriptor of what the warpgroup reads first. `lowered`: the handle; `acc`: the layout of the results.
  void begin(LoweringContext &lowering, OpBuilder &builder, Location loc, ValueRange lowered, const LinearLayout &acc);
  /// That of what is `row` further along its own dimension, and `k` along the other.
  Value at(OpBuilder &builder, Location loc, int32_t row, int32_t k) const {
    int32_t bytes = matrix.bytes.apply({{tensorDim(own), row}, {tensorDim(1 - own), k}})[Dim::Offset];
    return bytes ? add(builder, loc, first, MatrixDescriptor::advance(bytes)) : first;
  }
  bool isTransposed() const { return matrix.isTransposed; }

private:
  SharedOperand(hk::MemDescType type, unsigned own, DescribedMatrix matrix)
      : type(type), own(own), matrix(std::move(matrix)) {}
  static Value add(OpBuilder &builder, Location loc, Value descriptor, uint64_t bits) {
    Value constant = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), int64_t(bits));
    return LLVM::AddOp::create(builder, loc, descriptor, constant);
  }
  LinearLayout bytesOfWarpgroup(const LinearLayout &acc) const;

  hk::MemDescType type;
  unsigned own;
  DescribedMatrix matrix;
  Value first;
};

FailureOr<SharedOperand> SharedOperand::find(hk_nv::WarpgroupMmaOp op, StringRef name, Value operand, unsigned own,
                                             int64_t rows) {
  auto type = cast<hk::MemDescType>(operand.getType());
  if (type.getSlotRank() != 0)
    return op->emitError("wgmma cannot read all slots of a ring at once; select one with memdesc_index");
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  auto layout = cast<hk::SharedLayout>(type.getLayout());
  std::optional<DescribedMatrix> matrix;
  if (layout.getPaddings().empty())
    matrix = describeMatrix(hk::offsetsOfPart(type), tensorDim(own), tensorDim(1 - own), rows, bits);
  if (matrix)
    return SharedOperand(type, own, *std::move(matrix));
  InFlightDiagnostic error = op->emitError() << "wgmma cannot read `" << name << "` as it lies in shared memory: no "
                                             << "matrix descriptor says what the layout " << layout << " says";
  error.attachNote() << "hint: use an NVMMASharedLayout with a swizzle, as get_default_for makes"
                     << (bits == 16 ? "" : ", with K as the fastest dimension (transposed=True for b)");
  return failure();
}

/// Warps 0 to 3 of a warpgroup share a descriptor; other bits of a warp's number select rows or columns.
LinearLayout SharedOperand::bytesOfWarpgroup(const LinearLayout &acc) const {
  DimBits warps = {Dim::Warp, uint8_t(acc.getInDimSizeLog2(Dim::Warp))};
  LinearLayout result = LinearLayout::zeros(std::span(&warps, 1), matrix.bytes.getOutDims());
  for (unsigned bit = log2Exact(kWarpsPerWarpgroup); bit < warps.bits; ++bit) {
    int32_t row = acc.getBasis(Dim::Warp, bit, tensorDim(own));
    Coords bytes = matrix.bytes.apply({{tensorDim(own), row}});
    result.setBasis(Dim::Warp, bit, bytes);
  }
  return result;
}

void SharedOperand::begin(LoweringContext &lowering, OpBuilder &builder, Location loc, ValueRange lowered,
                          const LinearLayout &acc) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto constant = [&](int64_t value) { return LLVM::ConstantOp::create(builder, loc, i32, value); };
  Value address = LLVM::PtrToIntOp::create(builder, loc, i32, lowered.front());
  ViewStart start = emitViewStart(builder, loc, type, lowered.drop_front(), matrix.bytes);
  if (start.offset)
    address = LLVM::AddOp::create(builder, loc, address, start.offset);
  else if (start.constant)
    address = LLVM::AddOp::create(builder, loc, address, constant(start.constant));
  LinearLayout ofWarpgroup = bytesOfWarpgroup(acc);
  if (ofWarpgroup.getRank()) {
    Value warp = lowering.uniformWarpId(builder, loc);
    Value bytes = applyLayout(builder, loc, ofWarpgroup, {{Dim::Warp, warp}}).front();
    address = LLVM::AddOp::create(builder, loc, address, bytes);
  }
  constexpr int64_t kUnitBits = 4, kAddressMask = 0x3fff;
  Value units = LLVM::LShrOp::create(builder, loc, address, constant(kUnitBits));
  units = LLVM::AndOp::create(builder, loc, units, constant(kAddressMask));
  Value rest = LLVM::ConstantOp::create(builder, loc, i64, int64_t(matrix.descriptor.encode()));
  first = LLVM::OrOp::create(builder, loc, LLVM::ZExtOp::create(builder, loc, i64, units), rest);
}

// Accumulators --------------------------------------------------------------------------------------------------------

/// The registers of the hardware: f32 and i32 as they are, f16 in pairs.
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

/// Are all registers of a tile the constant 0?
bool areZeros(ValueRange registers) {
  return llvm::all_of(
      registers, [](Value value) { return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero()); });
}

/// What an instruction does with the accumulators that it finds. It ignores zeros: to write them to registers, between
/// products that are in flight, would have ptxas wait (C7517).
struct UseOfAcc {
  Value runtime;          ///< null: known
  bool isIgnored = false; ///< if known

  UseOfAcc(ValueRange lowered, ValueRange acc) {
    IntegerAttr known;
    if (lowered.empty() || matchPattern(lowered.front(), m_Constant(&known)))
      isIgnored = (known && known.getValue().isZero()) || areZeros(acc);
    else
      runtime = lowered.front();
  }
  /// The operand of the instruction; null where the accumulators count.
  Value operand(OpBuilder &builder, Location loc) const {
    return isIgnored ? LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), 0).getResult() : runtime;
  }
};

/// Registers that a product takes, in groups: all pass one fence, and are taken again in the order in which they came.
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

struct WarpgroupMmaLowering : LoweringPattern<hk_nv::WarpgroupMmaOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk_nv::WarpgroupMmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const WgmmaInstruction instruction = *hk_nv::wgmmaOf(op);
    if (!hasWgmma(lowering.target))
      return op.emitOpError() << "is not supported on " << StringRef(lowering.target.name)
                              << ": wgmma came with Hopper";
    auto inRegisters = dyn_cast<RankedTensorType>(op.getA().getType());
    std::optional<SharedOperand> sharedA, sharedB;
    auto findShared = [&](StringRef name, Value operand, unsigned own, int64_t rows) -> std::optional<SharedOperand> {
      FailureOr<SharedOperand> found = SharedOperand::find(op, name, operand, own, rows);
      return succeeded(found) ? std::optional(*std::move(found)) : std::nullopt;
    };
    if (!inRegisters && !(sharedA = findShared("a", op.getA(), 0, kWgmmaRows)))
      return failure();
    if (!(sharedB = findShared("b", op.getB(), 1, instruction.n)))
      return failure();
    if (failed(checkParts(op)))
      return failure();

    RankedTensorType accType = op.getAcc().getType();
    LinearLayout acc = tensorLayout(accType);
    std::optional<MmaOperand> registersOfA;
    if (inRegisters)
      registersOfA.emplace(inRegisters, 0, adaptor.getA(), 32 / bitsOf(instruction.a));
    else
      sharedA->begin(lowering, rewriter, loc, adaptor.getA(), acc);
    sharedB->begin(lowering, rewriter, loc, adaptor.getB(), acc);

    UseOfAcc useAcc(adaptor.getUseAcc(), adaptor.getAcc());
    SmallVector<Value> results(adaptor.getAcc().size());
    auto depth = cast<ShapedType>(op.getB().getType()).getShape()[0];
    SmallVector<MatrixTile> tiles = matrixTilesOf(accType, nvidiaMmaResultTile(instruction.n));
    Fenced fenced;
    for (const MatrixTile &tile : tiles) {
      fenced.add(accumulatorsOf(rewriter, loc, tile, adaptor.getAcc(), useAcc));
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
      SmallVector<Value> values = fromHardware(rewriter, loc, sums, adaptor.getAcc().front().getType());
      for (auto [reg, value] : llvm::zip_equal(tile.registers, values))
        results[reg] = value;
    }
    if (!op.getGroupGoesOn())
      NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, loc);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// The blocks of a cluster have in shared memory what their parts of the result need.
  LogicalResult checkParts(hk_nv::WarpgroupMmaOp op) const {
    if (lowering.numBlocks == 1)
      return success();
    LinearLayout acc = tensorLayout(op.getAcc().getType());
    for (unsigned own : {0u, 1u}) {
      auto type = dyn_cast<hk::MemDescType>(op->getOperand(own).getType());
      if (!type)
        continue; // in registers, its layout is made from the accumulator's
      LinearLayout shared = hk::toLinearLayout(type);
      for (unsigned bit = 0; bit < llvm::Log2_32(lowering.numBlocks); ++bit) {
        auto startOf = [&](const LinearLayout &layout, unsigned dim) {
          return bit < layout.getInDimSizeLog2(Dim::Block) ? layout.getBasis(Dim::Block, bit, tensorDim(dim)) : 0;
        };
        if (startOf(shared, own) != startOf(acc, own) || startOf(shared, 1 - own) != 0)
          return op.emitError("the blocks of the cluster hold other parts of `")
                 << (own == 0 ? "a" : "b") << "` than their parts of the result need: cga_layout deals "
                 << (own == 0 ? "its rows" : "its columns") << " as those of the accumulator, and copies all along K";
      }
    }
    return success();
  }

  static SmallVector<Value> accumulatorsOf(OpBuilder &builder, Location loc, const MatrixTile &tile, ValueRange acc,
                                           const UseOfAcc &use) {
    SmallVector<Value> values = llvm::map_to_vector(tile.registers, [&](unsigned reg) -> Value { return acc[reg]; });
    SmallVector<Value> sums;
    if (!use.isIgnored)
      return toHardware(builder, loc, values);
    Type type = values.front().getType();
    bool isPaired = type.isF16();
    Value undefined = LLVM::UndefOp::create(builder, loc, isPaired ? builder.getI32Type() : type);
    return SmallVector<Value>(isPaired ? values.size() / 2 : values.size(), undefined);
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

/// A wait that leaves everything in flight: only the place where accumulators are read.
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

/// What lanes have stored becomes visible to products and to copies that read shared memory.
struct ProxyFenceLowering : LoweringPattern<hk::ProxyFenceOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::ProxyFenceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(op,
                                                    NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
                                                    NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
    return success();
  }
};

} // namespace

void populateWarpgroupPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<WarpgroupMmaLowering, WarpgroupMmaWaitLowering, WarpgroupMmaFinishedLowering, ProxyFenceLowering>(
      lowering);
}

} // namespace hocket
