//===- LayoutMaps.cpp - The linear map of each layout attribute -------------------===//
//
// This file also computes the linear maps of types with a layout. The file connects the IR with the library in layout/.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/layouts/LayoutCache.h"
#include "dialect/hk/layouts/Layouts.h"
#include "layout/Factories.h"

using namespace mlir;

namespace hocket::hk {

static BlockedParams paramsOf(BlockedAttr blocked) {
  return {blocked.getSizePerThread(), blocked.getThreadsPerWarp(), blocked.getWarpsPerCta(), blocked.getOrder()};
}

static SmallVector<DimBits> lastDimFirst(ArrayRef<int64_t> shape) {
  SmallVector<DimBits> sizes;
  for (unsigned dim = shape.size(); dim-- > 0;)
    sizes.push_back({tensorDim(dim), static_cast<uint8_t>(log2Exact(shape[dim]))});
  return sizes;
}

static SmallVector<Dim> dimsOf(ArrayRef<DimBits> sizes) {
  return llvm::map_to_vector(sizes, [](DimBits size) { return size.dim; });
}

static LinearLayout firstDimFirst(const LinearLayout &layout) {
  SmallVector<Dim> dims;
  for (unsigned dim = 0; dim < layout.getOutDims().size(); ++dim)
    dims.push_back(tensorDim(dim));
  return layout.transposeOuts(dims);
}

LinearLayout BlockedAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return overCluster(shape, getBlock(), [&](Sizes part) { return blockedLayout(part, paramsOf(*this)); });
}

LinearLayout BlockedAttr::operandLayout(unsigned opIdx, int64_t, ArrayRef<int64_t> shape) const {
  return overCluster(shape, operandRows(getBlock(), opIdx),
                     [&](Sizes part) { return fmaDotOperandLayout(opIdx, part, paramsOf(*this)); });
}

LinearLayout SliceAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> parentShape = llvm::to_vector(shape);
  parentShape.insert(parentShape.begin() + getDim(), 1);
  return sliceLayout(cast<DistributedLayout>(getParent()).toLinearLayout(parentShape), getDim());
}

LinearLayout LinearAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  // A layout repeats along the first listed dimension first. Therefore the last dimension, the fastest of a row-major
  // tensor, is listed first.
  SmallVector<DimBits> sizes = lastDimFirst(shape);
  return firstDimFirst(distributedFromBases(getReg(), getLane(), getWarp(), getBlock(), getShape())
                           .ensureNotLargerThan(sizes)
                           .removeZeroBases(Dim::Register)
                           .transposeOuts(dimsOf(sizes))
                           .ensureNotSmallerThan(sizes));
}

LinearLayout DotOperandAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return cast<AccumulatorLayout>(getParent()).operandLayout(getOpIdx(), getKWidth(), shape);
}

LinearLayout SwizzledSharedAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return overCluster(shape, getBlock(), [&](Sizes part) {
    return swizzledSharedLayout(part, getVec(), getPerPhase(), getMaxPhase(), getOrder());
  });
}

LinearLayout PaddedSharedAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  assert(shape == getShape() && "verified where the layout is attached to a type");
  return overCluster(shape, getBlock(), [&](Sizes part) { return sharedFromBases(getOffset(), {}, part); });
}

LinearLayout SharedLinearAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  assert(shape == ArrayRef<int64_t>(getShape()) && "verified where the layout is attached to a type");
  return sharedFromBases(getOffset(), getBlock(), getShape());
}

LinearLayout LayoutCache::find(Type type, llvm::function_ref<LinearLayout()> make) const {
  {
    std::lock_guard lock(mutex);
    if (auto known = layouts.find(type); known != layouts.end())
      return known->second;
  }
  LinearLayout layout = make();
  std::lock_guard lock(mutex);
  return layouts.try_emplace(type, layout).first->second;
}

static const LayoutCache &cacheOf(MLIRContext *context) {
  return *context->getLoadedDialect<HkDialect>()->getRegisteredInterface<LayoutCache>();
}

LinearLayout toLinearLayout(RankedTensorType type) {
  assert(!isUndecided(type.getEncoding()) && "refused by RequireDecidedLayouts before anything asks for a map");
  return cacheOf(type.getContext()).find(type, [&] {
    return cast<DistributedLayout>(type.getEncoding()).toLinearLayout(type.getShape());
  });
}

LinearLayout toLinearLayout(MemDescType type) {
  return cacheOf(type.getContext()).find(type, [&] {
    return cast<SharedLayout>(type.getLayout()).toLinearLayout(type.getAllocTileShape());
  });
}

bool areEquivalentLayouts(ArrayRef<int64_t> shape, Attribute a, Attribute b) {
  if (a == b)
    return true;
  if (auto left = dyn_cast<DistributedLayout>(a)) {
    auto right = dyn_cast<DistributedLayout>(b);
    return right && left.getRank() == right.getRank() && left.toLinearLayout(shape) == right.toLinearLayout(shape);
  }
  auto left = dyn_cast<SharedLayout>(a), right = dyn_cast<SharedLayout>(b);
  if (!left || !right || left.getRank() != right.getRank() || left.toLinearLayout(shape) != right.toLinearLayout(shape))
    return false;
  auto leftPaddings = left.getPaddings(), rightPaddings = right.getPaddings();
  llvm::sort(leftPaddings);
  llvm::sort(rightPaddings);
  return leftPaddings == rightPaddings;
}

bool mayBeEquivalentLayouts(ArrayRef<int64_t> shape, Attribute a, Attribute b) {
  return isUndecided(a) || isUndecided(b) || areEquivalentLayouts(shape, a, b);
}

LinearAttr linearAttrOf(MLIRContext *context, const LinearLayout &layout) {
  SmallVector<int64_t> shape;
  for (unsigned dim = 0; dim < layout.getOutDims().size(); ++dim)
    shape.push_back(layout.getOutDimSize(tensorDim(dim)));
  auto rows = [&](Dim in) { return layout.hasInDim(in) ? BasisRows(layout.getBasisRows(in)) : BasisRows(); };
  return LinearAttr::get(context, rows(Dim::Register), rows(Dim::Lane), rows(Dim::Warp), rows(Dim::Block), shape);
}

BasisRows operandRows(const BasisRows &accumulator, unsigned opIdx) {
  BasisRows rows = accumulator;
  for (std::vector<int32_t> &row : rows)
    row[row.size() - (opIdx == 0 ? 1 : 2)] = 0;
  return rows;
}

LinearLayout reshapeRowMajor(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  SmallVector<Dim> lastFirst;
  for (unsigned dim = layout.getOutDims().size(); dim-- > 0;)
    lastFirst.push_back(tensorDim(dim));
  return firstDimFirst(layout.transposeOuts(lastFirst).reshapeOuts(lastDimFirst(shape)));
}

LinearLayout permuteDims(const LinearLayout &layout, ArrayRef<int32_t> order) {
  SmallVector<Dim> sources;
  SmallVector<DimBits> renamed;
  for (auto [dim, source] : llvm::enumerate(order)) {
    sources.push_back(tensorDim(source));
    renamed.push_back({tensorDim(dim), static_cast<uint8_t>(layout.getOutDimSizeLog2(tensorDim(source)))});
  }
  return layout.transposeOuts(sources).reshapeOuts(renamed);
}

} // namespace hocket::hk
