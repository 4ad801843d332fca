// Stub.
#include "dialect/hk/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult ArangeOp::verify() { return success(); }
LogicalResult SplatOp::verify() { return success(); }
LogicalResult ExpandDimsOp::verify() { return success(); }
LogicalResult BroadcastOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult PermuteOp::verify() { return success(); }
LogicalResult ConvertLayoutOp::verify() { return success(); }
OpFoldResult SplatOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) { return {}; }
void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}

} // namespace hocket::hk
