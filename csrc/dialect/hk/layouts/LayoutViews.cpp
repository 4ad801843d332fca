//===- LayoutViews.cpp - Layouts of views within each class of layouts ---------------===//
//
// If a class cannot express a view, LayoutInference.cpp falls back to the linear map.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/Permutations.h"
#include "plans/ClusterMovesPlan.h"

using namespace mlir;

namespace hocket::hk {

static BasisRows permutedRows(const BasisRows &rows, ArrayRef<int32_t> order) {
  BasisRows result = rows;
  for (auto [row, source] : llvm::zip_equal(result, rows))
    for (auto [dim, from] : llvm::enumerate(order))
      row[dim] = source[from];
  return result;
}

// Blocked -------------------------------------------------------------------------------------------------------------

/// The new dimension becomes the slowest: a dimension with one element can have any position in the order.
Attribute BlockedAttr::tryExpandDims(ArrayRef<int64_t>, unsigned axis) const {
  SmallVector<int64_t> order;
  for (int64_t dim : getOrder())
    order.push_back(dim < axis ? dim : dim + 1);
  order.push_back(axis);
  BasisRows block = getBlock();
  for (std::vector<int32_t> &row : block)
    row.insert(row.begin() + axis, 0);
  return BlockedAttr::get(getContext(), expandedShape(getSizePerThread(), axis),
                          expandedShape(getThreadsPerWarp(), axis), expandedShape(getWarpsPerCta(), axis), order,
                          block);
}

Attribute BlockedAttr::tryPermute(ArrayRef<int64_t>, ArrayRef<int32_t> order) const {
  return BlockedAttr::get(getContext(), permuted(getSizePerThread(), order), permuted(getThreadsPerWarp(), order),
                          permuted(getWarpsPerCta(), order), renamed(getOrder(), order),
                          permutedRows(getBlock(), order));
}

// Slice ---------------------------------------------------------------------------------------------------------------

Attribute SliceAttr::tryExpandDims(ArrayRef<int64_t> shape, unsigned axis) const {
  unsigned dim = getDim();
  if (dim == axis)
    return getParent();
  unsigned parentAxis = axis < dim ? axis : axis + 1;
  auto parent = inferExpandDims(getParent(), expandedShape(shape, dim), parentAxis);
  if (failed(parent)) // the parent would have too many dimensions
    return {};
  return SliceAttr::get(getContext(), parentAxis <= dim ? dim + 1 : dim, *parent);
}

/// Permutes the parent's dimensions, except the dimension that the slice removes, by `order`. The removed dimension
/// keeps its position.
Attribute SliceAttr::tryPermute(ArrayRef<int64_t> shape, ArrayRef<int32_t> order) const {
  int32_t dim = getDim();
  SmallVector<int32_t> parentOrder;
  for (int32_t source : order)
    parentOrder.push_back(source < dim ? source : source + 1);
  parentOrder.insert(parentOrder.begin() + dim, dim);
  auto parent = inferPermute(getParent(), expandedShape(shape, dim), parentOrder);
  return failed(parent) ? Attribute() : SliceAttr::get(getContext(), dim, *parent);
}

// Swizzled ------------------------------------------------------------------------------------------------------------

Attribute SwizzledSharedAttr::tryPermute(ArrayRef<int32_t> order) const {
  return get(getContext(), getVec(), getPerPhase(), getMaxPhase(), renamed(getOrder(), order),
             permutedRows(getBlock(), order));
}

/// Searches for an order of the dimensions of `resultShape` in which a layout with the same swizzle keeps the offsets
/// of all elements. Returns null if there is no such order.
Attribute SwizzledSharedAttr::tryReshape(ArrayRef<int64_t> shape, ArrayRef<int64_t> resultShape) const {
  LinearLayout map = reshapeRowMajor(toLinearLayout(shape), resultShape);
  SwizzledSharedAttr found;
  forEachOrder(resultShape.size(), [&](ArrayRef<int64_t> order) {
    auto candidate = get(getContext(), getVec(), getPerPhase(), getMaxPhase(), order, {});
    if (candidate.toLinearLayout(resultShape) == map)
      found = candidate;
    return found != nullptr;
  });
  return found;
}

// Padded --------------------------------------------------------------------------------------------------------------

Attribute PaddedSharedAttr::tryPermute(ArrayRef<int32_t> order) const {
  return get(getContext(), getIntervals(), getPaddingSizes(), permutedRows(getOffset(), order),
             permutedRows(getBlock(), order), permuted(getShape(), order));
}

/// Returns the rows of the parameter `block` (see #hk.blocked) that split a tile among CTAs in the same way as the
/// shared memory map `map`. Returns nullopt if the parts of the CTAs are not boxes.
static std::optional<BasisRows> dealtBoxes(const LinearLayout &map, const LinearLayout &part) {
  BasisRows rows = map.getBasisRows(Dim::Block);
  SmallVector<int32_t> next(map.getOutDims().size(), 1);
  for (std::vector<int32_t> &row : rows) {
    unsigned moved = 0;
    for (auto [dim, entry] : llvm::enumerate(row)) {
      if (entry == 0)
        continue;
      entry /= part.getOutDimSize(tensorDim(dim));
      if (entry != next[dim] || ++moved > 1)
        return std::nullopt;
      next[dim] *= 2;
    }
  }
  return rows;
}

/// Returns null if the tile is split among CTAs and the part of each CTA is not a box in the new shape.
Attribute PaddedSharedAttr::tryReshape(ArrayRef<int64_t> shape, ArrayRef<int64_t> resultShape) const {
  LinearLayout map = reshapeRowMajor(toLinearLayout(shape), resultShape);
  if (getBlock().empty())
    return get(getContext(), getIntervals(), getPaddingSizes(), map.getBasisRows(Dim::Offset), {}, resultShape);
  std::optional<LinearLayout> part = withinBlock(map);
  std::optional<BasisRows> rows = part ? dealtBoxes(map, *part) : std::nullopt;
  if (!rows)
    return {};
  return get(getContext(), getIntervals(), getPaddingSizes(), part->getBasisRows(Dim::Offset), *rows, resultShape);
}

// Shared linear -------------------------------------------------------------------------------------------------------

Attribute SharedLinearAttr::tryPermute(ArrayRef<int32_t> order) const {
  return get(getContext(), permutedRows(getOffset(), order), permutedRows(getBlock(), order), getAlignment());
}

Attribute SharedLinearAttr::tryReshape(ArrayRef<int64_t> shape, ArrayRef<int64_t> resultShape) const {
  LinearLayout map = reshapeRowMajor(toLinearLayout(shape), resultShape);
  return get(getContext(), map.getBasisRows(Dim::Offset), map.getBasisRows(Dim::Block), getAlignment());
}

} // namespace hocket::hk
