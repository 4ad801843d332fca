//===- MatrixMoves.cpp - Lowers loads and stores of tiles to ldmatrix and stmatrix ---------------------===//
//
// In the layout of an MMA operand or result, each lane holds words of 4 bytes, so a plain access would load or store
// one word per lane. If the layouts are suitable (layout/MatrixAccess.h), one instruction loads or stores four matrices
// of 8 rows of 16 bytes for a warp:
//
//   hk.local_load                      ldmatrix.x4{.trans}
//   hk.local_store, hk.local_alloc     stmatrix.x4{.trans}, from Hopper on
//
// hk_to_lane/patterns/SharedMemory.cpp lowers all other accesses.
//
// PTX ISA 9.0, "Warp-level matrix load instruction: ldmatrix", "stmatrix".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "layout/MatrixAccess.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

/// The matrix accesses of a tile, and the address of the tile.
struct MatrixMove {
  MatrixAccess access;
  Type element;
  hk::MemDescType memory;
  LinearLayout bufferOffsets;

  /// Returns the rows of the tile in shared memory; `buffer` is the lowered handle of the tile.
  SharedTile rowsIn(LoweringContext &lowering, OpBuilder &builder, Location loc, ValueRange buffer) const {
    return SharedTile(lowering, builder, loc, buffer.front(), access.rows, element,
                      cast<hk::SharedLayout>(memory.getLayout()).getPaddings(),
                      emitViewStart(builder, loc, memory, buffer.drop_front(), bufferOffsets));
  }
  NVVM::MMALayout layout() const { return access.transposes ? NVVM::MMALayout::col : NVVM::MMALayout::row; }
};

/// Plans the matrix accesses of a tile; returns nullopt if plain accesses must be used.
std::optional<MatrixMove> planMove(const LoweringContext &lowering, hk::MemDescType memory, RankedTensorType tensor,
                                   const ClusterAccess &plan) {
  Type element = lowering.typeConverter.elementType(tensor);
  if (memory.getSlotRank() != 0 || !element.isIntOrFloat() || !plan.isOwn)
    return std::nullopt;
  LinearLayout bufferOffsets = hk::offsetsOfBuffer(memory);
  std::optional<MatrixAccess> access =
      planMatrixAccess(plan.offsetInPart(), int32_t(element.getIntOrFloatBitWidth()),
                       cast<hk::SharedLayout>(memory.getLayout()).getPaddings(), hk::startBits(memory, bufferOffsets));
  if (!access)
    return std::nullopt;
  return MatrixMove{*access, element, memory, bufferOffsets};
}

NVVM::LdStMatrixShapeAttr shapeOfMatrix(MLIRContext *context) {
  return NVVM::LdStMatrixShapeAttr::get(context, kMatrixRows, kMatrixRows);
}

struct MatrixLoadLowering : LoweringPattern<hk::LocalLoadOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tensor = cast<RankedTensorType>(op.getType());
    auto memory = cast<hk::MemDescType>(op.getSrc().getType());
    std::optional<MatrixMove> move =
        planMove(lowering, memory, tensor, hk::planLoad(tensor, memory, lowering.numBlocks));
    if (!move)
      return rewriter.notifyMatchFailure(op, "not by matrices");
    Location loc = op.getLoc();
    SharedTile rows = move->rowsIn(lowering, rewriter, loc, adaptor.getSrc());
    SmallVector<Value> results(numRegisters(tensor));
    for (auto [number, words] : llvm::enumerate(move->access.words)) {
      Value loaded = emitLoad(rewriter, loc, *move, rows.address(rows.registerOffset(number)));
      for (auto [matrix, registers] : llvm::enumerate(words)) {
        Value word = words.size() == 1
                         ? loaded
                         : LLVM::ExtractValueOp::create(rewriter, loc, loaded, ArrayRef<int64_t>{int64_t(matrix)});
        Value elements = LLVM::BitcastOp::create(rewriter, loc, vectorType(move->element, registers.size()), word);
        unpackVector(rewriter, loc, elements, registers, results);
      }
    }
    for (auto [reg, representative] : llvm::enumerate(move->access.representative))
      results[reg] = results[representative];
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// Emits an ldmatrix; the result is a word or a struct of words.
  static Value emitLoad(OpBuilder &builder, Location loc, const MatrixMove &move, Value row) {
    Type word = builder.getI32Type(), type = word;
    int32_t matrices = move.access.matrices;
    if (matrices > 1)
      type = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(matrices, word));
    return NVVM::LdMatrixOp::create(builder, loc, type, row, matrices, move.layout(),
                                    shapeOfMatrix(builder.getContext()), NVVM::LdStMatrixEltType::B16);
  }
};

void emitStore(LoweringContext &lowering, OpBuilder &builder, Location loc, const MatrixMove &move, ValueRange buffer,
               ValueRange registers) {
  SharedTile rows = move.rowsIn(lowering, builder, loc, buffer);
  for (auto [number, words] : llvm::enumerate(move.access.words)) {
    SmallVector<Value> sources;
    for (const std::vector<int32_t> &word : words) {
      Value packed = packVector(builder, loc, vectorType(move.element, word.size()), pick(registers, word));
      sources.push_back(LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), packed));
    }
    NVVM::StMatrixOp::create(builder, loc, rows.address(rows.registerOffset(number)), sources, move.layout(),
                             shapeOfMatrix(builder.getContext()), NVVM::LdStMatrixEltType::B16);
  }
}

struct MatrixStoreLowering : LoweringPattern<hk::LocalStoreOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto memory = cast<hk::MemDescType>(op.getDst().getType());
    auto tensor = cast<RankedTensorType>(op.getValue().getType());
    std::optional<MatrixMove> move =
        planMove(lowering, memory, tensor, hk::planStore(tensor, memory, lowering.numBlocks));
    if (!move)
      return rewriter.notifyMatchFailure(op, "not by matrices");
    emitStore(lowering, rewriter, op.getLoc(), *move, adaptor.getDst(), adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

struct MatrixAllocLowering : LoweringPattern<hk::LocalAllocOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::LocalAllocOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<hk::MemDescType>(op.getType());
    std::optional<MatrixMove> move;
    if (op.getSrc()) {
      auto tensor = cast<RankedTensorType>(op.getSrc().getType());
      move = planMove(lowering, type, tensor, hk::planStore(tensor, type, lowering.numBlocks));
    }
    Value base = move ? lowering.allocatedAddress(rewriter, op) : Value();
    if (!base)
      return rewriter.notifyMatchFailure(op, "not by matrices");
    SmallVector<Value> buffer = {base};
    Value zero = LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), 0);
    buffer.append(type.getTileShape().size(), zero);
    emitStore(lowering, rewriter, op.getLoc(), *move, buffer, llvm::to_vector(adaptor.getSrc()));
    rewriter.replaceOpWithMultiple(op, {buffer});
    return success();
  }
};

} // namespace

void populateMatrixMovePatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  // Because of this benefit, these patterns are tried before the patterns for plain accesses in hk_to_lane.
  constexpr unsigned kBenefit = 2;
  if (lowering.target.sharedPhases->loadsMatrices)
    patterns.add<MatrixLoadLowering>(lowering, kBenefit);
  if (lowering.target.sharedPhases->storesMatrices)
    patterns.add<MatrixStoreLowering, MatrixAllocLowering>(lowering, kBenefit);
}

} // namespace hocket
