//===- Partitions.cpp - Lowers the values that workers capture --------------------------===//
//
//   lane.start_workers     lane.start_workers, with the lane's registers of the captured values
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

namespace hocket {
namespace {

struct StartWorkersLowering : LoweringPattern<lane::StartWorkersOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(lane::StartWorkersOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    SmallVector<int32_t> counts;
    ArrayRef<ValueRange> captures = adaptor.getCaptures();
    for (int32_t count : op.getCounts()) {
      size_t before = values.size();
      for (ValueRange parts : captures.take_front(count))
        llvm::append_range(values, parts);
      captures = captures.drop_front(count);
      counts.push_back(int32_t(values.size() - before));
    }
    rewriter.replaceOpWithNewOp<lane::StartWorkersOp>(op, op.getWorkersAttr(), values,
                                                      rewriter.getDenseI32ArrayAttr(counts), op.getOffsetAttr(),
                                                      op.getEntryRegistersAttr(), op.getRegistersAttr());
    return success();
  }
};

} // namespace

void populatePartitionPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<StartWorkersLowering>(lowering);
}

} // namespace hocket
