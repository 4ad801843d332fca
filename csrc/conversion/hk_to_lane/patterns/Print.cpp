//===- Print.cpp - Lowers hk.print ----------------------------------------------------===//
//
//   hk.print   one lane.print for each element, in the first lane that holds it; for a scalar, in thread 0
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

namespace hocket {
namespace {

struct PrintLowering : LoweringPattern<hk::PrintOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::PrintOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getValues().empty() ? rewriter.getI32Type() : op.getValues().front().getType();
    LinearLayout layout = lowering.layoutOf(type);
    Value isFirst = emitIsFirstCopy(lowering, rewriter, loc, layout);
    SmallVector<Coordinate> elements(numRegisters(type));
    if (isa<RankedTensorType>(type))
      elements = emitIndices(lowering, rewriter, loc, layout);
    Coords free = layout.getFreeVariableMasks();
    for (unsigned reg = 0; reg < elements.size(); ++reg) {
      if (reg & unsigned(free[Dim::Register]))
        continue;
      SmallVector<Value> values;
      for (ValueRange registers : adaptor.getValues())
        values.push_back(registers[reg]);
      lane::PrintOp::create(rewriter, loc, op.getTextAttr(), elements[reg], values, isFirst);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populatePrintPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<PrintLowering>(lowering);
}

} // namespace hocket
