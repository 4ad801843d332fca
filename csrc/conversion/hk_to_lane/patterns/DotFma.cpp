//===- DotFma.cpp - Lowers hk.dot_fma -----------------------------------------------===//
//
// Every lane holds all elements of the rows of a and the columns of b that its accumulators need. So a lane computes
//
//   acc[..., m, n] = fma(a[..., m, k], b[..., k, n], acc[..., m, n])     for k = 0, 1, ..., K-1, in this order
//
//   floats     llvm.intr.fma; a and b are extended to the type of the accumulator first
//   integers   llvm.mul, llvm.add
//
// Lane and warp indices shift the coordinates of a, b and acc by the same amounts, so it suffices to match the
// registers of lane 0 of warp 0.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/math/ExtendFloat.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/hk/ir/HkDialect.h"
#include <map>

using namespace mlir;

namespace hocket {

namespace {

/// The coordinates of the element that lane 0 of warp 0 holds in a register, in the order of the dimensions.
using RegisterCoords = SmallVector<int32_t, 3>;

RegisterCoords coordsOf(const LinearLayout &layout, int32_t reg) {
  Coords coords = layout.apply({{Dim::Register, reg}});
  RegisterCoords result;
  for (DimBits out : layout.getOutDims())
    result.push_back(coords[out.dim]);
  return result;
}

/// The registers of an operand by coordinates, extended to the accumulator's type.
class OperandRegisters {
public:
  OperandRegisters(OpBuilder &builder, Location loc, RankedTensorType type, ValueRange registers, Type accType) {
    LinearLayout layout = tensorLayout(type);
    for (int32_t reg = 0; reg < int32_t(registers.size()); ++reg) {
      auto [place, isNew] = values.try_emplace(coordsOf(layout, reg));
      if (!isNew)
        continue;
      place->second = registers[reg];
      if (registers[reg].getType() != accType)
        place->second = extendFloat(builder, loc, registers[reg], accType);
    }
  }
  Value at(const RegisterCoords &coords) const { return values.at(coords); }

private:
  std::map<RegisterCoords, Value> values;
};

struct DotFmaLowering : LoweringPattern<hk::DotFmaOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::DotFmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto aType = cast<RankedTensorType>(op.getA().getType()), bType = cast<RankedTensorType>(op.getB().getType());
    auto accType = cast<RankedTensorType>(op.getAcc().getType());
    Type element = elementType(accType);
    bool isFloat = isa<FloatType>(element);
    OperandRegisters a(rewriter, loc, aType, adaptor.getA(), element);
    OperandRegisters b(rewriter, loc, bType, adaptor.getB(), element);

    LinearLayout accLayout = tensorLayout(accType);
    int64_t depth = aType.getShape().back();
    SmallVector<Value> results;
    for (auto [reg, acc] : llvm::enumerate(adaptor.getAcc())) {
      RegisterCoords coords = coordsOf(accLayout, reg), aCoords = coords, bCoords = coords;
      size_t row = coords.size() - 2, column = coords.size() - 1;
      Value sum = acc;
      for (int32_t k = 0; k < depth; ++k) {
        aCoords[column] = k, bCoords[row] = k;
        Value left = a.at(aCoords), right = b.at(bCoords);
        if (isFloat)
          sum = LLVM::FMAOp::create(rewriter, loc, left, right, sum);
        else
          sum = LLVM::AddOp::create(rewriter, loc, LLVM::MulOp::create(rewriter, loc, left, right), sum);
      }
      results.push_back(sum);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void populateDotFmaPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<DotFmaLowering>(lowering);
}

} // namespace hocket
