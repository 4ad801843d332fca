//===- TensorOps.cpp - Operations of TensorOps.td: layouts, verification, folding -===//
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/Permutations.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace hocket::hk {

// Folding ---------------------------------------------------------------------------------------------------------

/// Folds a view of a splat constant to a splat constant of another shape and layout.
static OpFoldResult foldView(Attribute operand, RankedTensorType result) {
  if (auto dense = dyn_cast_or_null<SplatElementsAttr>(operand))
    return dense.resizeSplat(result);
  return {};
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  auto type = cast<RankedTensorType>(getType());
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSrc()))
    return DenseElementsAttr::get(type, adaptor.getSrc());
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return foldView(adaptor.getSrc(), getType()); }

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getType() == getSrc().getType())
    return getSrc();
  return foldView(adaptor.getSrc(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getType() == getSrc().getType())
    return getSrc();
  return foldView(adaptor.getSrc(), getType());
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())) && getType() == getSrc().getType())
    return getSrc();
  return foldView(adaptor.getSrc(), getType());
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getType() == getSrc().getType())
    return getSrc();
  // The result has the same elements at the same coordinates, so any constant can take the new type.
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    return dense.reshape(getType());
  return {};
}

// Canonicalization --------------------------------------------------------------------------------------------------

namespace {

/// view(splat x) -> splat x, because all elements are equal.
template <typename ViewOp>
struct ViewOfSplat : OpRewritePattern<ViewOp> {
  using OpRewritePattern<ViewOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ViewOp op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().template getDefiningOp<SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "operand is not a splat");
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

/// convert(convert x) -> convert x, because only the last layout is observable.
struct ConvertOfConvert : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<ConvertLayoutOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is not a conversion");
    rewriter.replaceOpWithNewOp<ConvertLayoutOp>(op, op.getType(), inner.getSrc());
    return success();
  }
};

} // namespace

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ViewOfSplat<ExpandDimsOp>>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ViewOfSplat<BroadcastOp>>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ViewOfSplat<ReshapeOp>>(context);
}

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ViewOfSplat<PermuteOp>>(context);
}

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ViewOfSplat<ConvertLayoutOp>, ConvertOfConvert>(context);
}

// Layouts -----------------------------------------------------------------------------------------------------------

FailureOr<Attribute> ExpandDimsOp::inferResultLayout(Attribute operandLayout, std::string *whyNot) {
  return inferExpandDims(operandLayout, getSrc().getType().getShape(), getAxis(), whyNot);
}

FailureOr<Attribute> ExpandDimsOp::inferOperandLayout(Attribute resultLayout, std::string *whyNot) {
  return inferReduce(resultLayout, getType().getShape(), getAxis(), whyNot);
}

FailureOr<Attribute> BroadcastOp::inferResultLayout(Attribute operandLayout, std::string *) {
  return inferBroadcast(operandLayout);
}

FailureOr<Attribute> BroadcastOp::inferOperandLayout(Attribute resultLayout, std::string *) {
  return inferBroadcast(resultLayout);
}

FailureOr<Attribute> ReshapeOp::inferResultLayout(Attribute operandLayout, std::string *whyNot) {
  return inferReshape(operandLayout, getSrc().getType().getShape(), getType().getShape(), whyNot);
}

FailureOr<Attribute> ReshapeOp::inferOperandLayout(Attribute resultLayout, std::string *whyNot) {
  return inferReshape(resultLayout, getType().getShape(), getSrc().getType().getShape(), whyNot);
}

FailureOr<Attribute> PermuteOp::inferResultLayout(Attribute operandLayout, std::string *whyNot) {
  return inferPermute(operandLayout, getSrc().getType().getShape(), getOrder(), whyNot);
}

FailureOr<Attribute> PermuteOp::inferOperandLayout(Attribute resultLayout, std::string *whyNot) {
  return inferPermute(resultLayout, getType().getShape(), inverseOrder(getOrder()), whyNot);
}

FailureOr<Attribute> JoinOp::inferResultLayout(Attribute operandLayout, std::string *whyNot) {
  return inferJoin(operandLayout, getLhs().getType().getShape(), whyNot);
}

FailureOr<Attribute> JoinOp::inferOperandLayout(Attribute resultLayout, std::string *whyNot) {
  return inferSplit(resultLayout, getType().getShape(), whyNot);
}

FailureOr<Attribute> SplitOp::inferResultLayout(Attribute operandLayout, std::string *whyNot) {
  return inferSplit(operandLayout, getSrc().getType().getShape(), whyNot);
}

FailureOr<Attribute> SplitOp::inferOperandLayout(Attribute resultLayout, std::string *whyNot) {
  return inferJoin(resultLayout, getLhs().getType().getShape(), whyNot);
}

// Verification ------------------------------------------------------------------------------------------------------

static LogicalResult verifySameElementType(Operation *op, RankedTensorType src, RankedTensorType result) {
  if (src.getElementType() != result.getElementType())
    return op->emitOpError() << "keeps the element type, but turns " << src.getElementType() << " into "
                             << result.getElementType();
  return success();
}

LogicalResult ArangeOp::verify() {
  auto start = static_cast<int32_t>(getStart()), end = static_cast<int32_t>(getEnd());
  if (start >= end)
    return emitOpError() << "needs start < end, but start is " << start << " and end " << end;
  auto type = cast<RankedTensorType>(getType());
  int64_t count = int64_t(end) - start;
  if (type.getRank() != 1 || type.getDimSize(0) != count || !type.getElementType().isSignlessInteger(32))
    return emitOpError() << "from " << start << " to " << end << " makes a 1-D tensor of " << count << " i32, not "
                         << type;
  return success();
}

LogicalResult SplatOp::verify() {
  Type elementType = cast<RankedTensorType>(getType()).getElementType();
  if (elementType != getSrc().getType())
    return emitOpError() << "of " << getSrc().getType() << " cannot make a tensor of " << elementType;
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType src = getSrc().getType(), result = getType();
  if (failed(verifySameElementType(*this, src, result)))
    return failure();
  int64_t axis = getAxis();
  if (axis < 0 || axis > src.getRank())
    return emitOpError() << "axis must be in 0.." << src.getRank() << ", but is " << axis;
  SmallVector<int64_t> shape = expandedShape(src.getShape(), axis);
  if (result.getShape() != ArrayRef(shape))
    return emitOpError() << "of shape [" << src.getShape() << "] at axis " << axis << " has shape [" << shape
                         << "], not [" << result.getShape() << "]";
  std::string whyNot;
  FailureOr<Attribute> slice = inferOperandLayout(result.getEncoding(), &whyNot);
  if (failed(slice))
    return emitOpError() << whyNot;
  if (!mayBeEquivalentLayouts(src.getShape(), src.getEncoding(), *slice))
    return emitOpError() << "needs an operand in the result's layout sliced along axis " << axis << "; convert "
                         << src.getEncoding() << " to " << *slice << " first";
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType src = getSrc().getType(), result = getType();
  if (failed(verifySameElementType(*this, src, result)))
    return failure();
  if (src.getRank() != result.getRank())
    return emitOpError() << "keeps the rank, but turns shape [" << src.getShape() << "] into [" << result.getShape()
                         << "]; use hk.expand_dims first";
  if (!canBroadcast(src.getShape(), result.getShape()))
    return emitOpError() << "must stretch only dimensions of size 1, but changes the shape [" << src.getShape()
                         << "] into [" << result.getShape() << "]";
  if (src.getEncoding() != result.getEncoding() && !isUndecided(src.getEncoding()) &&
      !isUndecided(result.getEncoding()))
    return emitOpError() << "must keep the layout, but changes " << src.getEncoding() << " into "
                         << result.getEncoding();
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType src = getSrc().getType(), result = getType();
  if (failed(verifySameElementType(*this, src, result)))
    return failure();
  if (src.getNumElements() != result.getNumElements())
    return emitOpError() << "keeps the number of elements, but turns shape [" << src.getShape() << "] into ["
                         << result.getShape() << "]";
  if (!hasReshapedLayout(src, result))
    return emitOpError() << "moves no data, but layouts " << src.getEncoding() << " of shape [" << src.getShape()
                         << "] and " << result.getEncoding() << " of shape [" << result.getShape()
                         << "] hold row-major elements at different positions";
  return success();
}

LogicalResult PermuteOp::verify() {
  RankedTensorType src = getSrc().getType(), result = getType();
  if (failed(verifySameElementType(*this, src, result)))
    return failure();
  if (!isPermutationOf(getOrder(), src.getRank()))
    return emitOpError() << "needs an order that names each of the " << src.getRank() << " dimensions once, not ["
                         << getOrder() << "]";
  SmallVector<int64_t> shape = permuted(src.getShape(), getOrder());
  if (result.getShape() != ArrayRef(shape))
    return emitOpError() << "of shape [" << src.getShape() << "] by [" << getOrder() << "] has shape [" << shape
                         << "], not [" << result.getShape() << "]";
  std::string whyNot;
  FailureOr<Attribute> layout = inferResultLayout(src.getEncoding(), &whyNot);
  if (failed(layout))
    return emitOpError() << whyNot;
  if (!mayBeEquivalentLayouts(result.getShape(), result.getEncoding(), *layout))
    return emitOpError() << "moves no data, but layout " << result.getEncoding() << " is not " << src.getEncoding()
                         << " permuted by [" << getOrder() << "]";
  return success();
}

/// Verifies a join or split between two tensors of type `half` and one tensor of type `pairs`. `to` is the result's
/// type, and `inferred` is the layout that the result must have.
static LogicalResult verifyPairs(Operation *op, RankedTensorType half, RankedTensorType pairs,
                                 FailureOr<Attribute> inferred, RankedTensorType to, StringRef whyNot) {
  SmallVector<int64_t> shape = llvm::to_vector(half.getShape());
  shape.push_back(2);
  if (pairs.getShape() != ArrayRef(shape) || pairs.getElementType() != half.getElementType())
    return op->emitOpError() << "converts between two tensors and one tensor with a last dimension of 2, but has "
                             << half << " and " << pairs;
  if (failed(inferred))
    return op->emitOpError() << whyNot;
  if (!mayBeEquivalentLayouts(to.getShape(), to.getEncoding(), *inferred))
    return op->emitOpError() << "moves no data, so its result has the layout " << *inferred << ", not "
                             << to.getEncoding();
  return success();
}

LogicalResult JoinOp::verify() {
  std::string whyNot;
  FailureOr<Attribute> layout = inferResultLayout(getLhs().getType().getEncoding(), &whyNot);
  return verifyPairs(*this, getLhs().getType(), getType(), layout, getType(), whyNot);
}

LogicalResult SplitOp::verify() {
  std::string whyNot;
  FailureOr<Attribute> layout = inferResultLayout(getSrc().getType().getEncoding(), &whyNot);
  return verifyPairs(*this, getLhs().getType(), getSrc().getType(), layout, getLhs().getType(), whyNot);
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType src = getSrc().getType(), result = getType();
  if (src.getShape() != result.getShape() || src.getElementType() != result.getElementType())
    return emitOpError() << "changes the layout only, but turns " << src << " into " << result;
  return success();
}

LogicalResult SetLayoutOp::verify() {
  RankedTensorType src = getSrc().getType(), result = getType();
  if (src.getShape() != result.getShape() || src.getElementType() != result.getElementType())
    return emitOpError() << "changes the layout only, but turns " << src << " into " << result;
  if (!isUndecided(src.getEncoding()) && !isUndecided(result.getEncoding()))
    return emitOpError() << "needs a layout that is not decided, but has " << src.getEncoding() << " and "
                         << result.getEncoding() << "; use hk.convert_layout";
  return success();
}

} // namespace hocket::hk
