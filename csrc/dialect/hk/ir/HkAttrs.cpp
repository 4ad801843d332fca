//===- HkAttrs.cpp - Verification and registration of the attributes --------------===//
//
// The linear maps of layouts are in LayoutMaps.cpp.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/LayoutChecks.h"
#include "layout/Factories.h"
#include "layout/Limits.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "dialect/hk/layouts/HkLayoutInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hk/ir/HkAttrs.cpp.inc"

namespace hocket::hk {

void HkDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hk/ir/HkAttrs.cpp.inc"
      >();
}

LogicalResult verifyPowersOfTwo(EmitError emitError, StringRef name, ArrayRef<int64_t> values) {
  for (int64_t value : values)
    if (value <= 0 || !llvm::isPowerOf2_64(value))
      return emitError() << name << " must hold powers of two, but has " << value;
  return verifyProduct(emitError, name, values, kMaxTensorElements);
}

LogicalResult verifyProduct(EmitError emitError, StringRef name, ArrayRef<int64_t> factors, int64_t limit) {
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (factor > limit / product)
      return emitError() << name << " may multiply to at most " << limit << ", not [" << factors << "]";
    product *= factor;
  }
  return success();
}

LogicalResult verifyTensorSizes(EmitError emitError, ArrayRef<int64_t> shape) {
  for (int64_t size : shape)
    if (size <= 0 || !llvm::isPowerOf2_64(size))
      return emitError() << "sizes of a tensor with a layout must be powers of two, but the shape is [" << shape << "]";
  return verifyProduct(emitError, "the sizes of a tensor with a layout", shape, kMaxTensorElements);
}

LogicalResult verifyRankAndSizes(EmitError emitError, ArrayRef<int64_t> shape, unsigned layoutRank, Attribute layout) {
  if (shape.size() != layoutRank)
    return emitError() << "a tensor of rank " << shape.size() << " cannot have a layout of rank " << layoutRank << ": "
                       << layout;
  return verifyTensorSizes(emitError, shape);
}

LogicalResult verifyClusterRows(EmitError emitError, const BasisRows &rows, unsigned rank) {
  if (rows.size() > kMaxClusterBits)
    return emitError() << "block may have at most " << kMaxClusterBits << " rows, but has " << rows.size();
  SmallVector<int32_t> next(rank, 1);
  for (const std::vector<int32_t> &row : rows) {
    if (row.size() != rank)
      return emitError() << "rows of block need " << rank << " entries, one per dimension, but one has " << row.size();
    unsigned moved = 0;
    for (auto [entry, expected] : llvm::zip_equal(row, next)) {
      if (entry == 0)
        continue;
      if (entry != expected || ++moved > 1)
        return emitError() << "a row of block must be zeros, or the next of 1, 2, 4, ... along one dimension, but ["
                           << ArrayRef<int32_t>(row) << "] is not";
      expected *= 2;
    }
  }
  return success();
}

namespace {

LogicalResult verifyPermutation(EmitError emitError, ArrayRef<int64_t> order) {
  if (order.empty() || order.size() > kMaxTensorRank)
    return emitError() << "order must have 1 to " << kMaxTensorRank << " entries, but has " << order.size();
  llvm::SmallBitVector seen(order.size());
  for (int64_t dim : order) {
    if (dim < 0 || dim >= static_cast<int64_t>(order.size()) || seen.test(dim))
      return emitError() << "order must be a permutation of 0.." << order.size() - 1 << ", but is [" << order << "]";
    seen.set(dim);
  }
  return success();
}

LogicalResult verifyTileShape(EmitError emitError, ArrayRef<int64_t> shape) {
  if (shape.empty() || shape.size() > kMaxTensorRank)
    return emitError() << "shape must have 1 to " << kMaxTensorRank << " dimensions, but has " << shape.size();
  return verifyPowersOfTwo(emitError, "shape", shape);
}

/// Verifies that each row is a coordinate inside `shape`.
LogicalResult verifyRows(EmitError emitError, StringRef name, const BasisRows &rows, ArrayRef<int64_t> shape) {
  for (const std::vector<int32_t> &row : rows) {
    if (row.size() != shape.size())
      return emitError() << "rows of " << name << " need " << shape.size() << " entries, one per dimension of shape ["
                         << shape << "], but one has " << row.size();
    for (auto [entry, size] : llvm::zip_equal(row, shape))
      if (entry < 0 || entry >= size)
        return emitError() << "rows of " << name << " must be coordinates within shape [" << shape << "], but ["
                           << ArrayRef<int32_t>(row) << "] is not";
  }
  return success();
}

} // namespace

// Blocked --------------------------------------------------------------------------------------------------------

LogicalResult BlockedAttr::verify(EmitError emitError, ArrayRef<int64_t> sizePerThread,
                                  ArrayRef<int64_t> threadsPerWarp, ArrayRef<int64_t> warpsPerCta,
                                  ArrayRef<int64_t> order, BasisRows block) {
  size_t rank = order.size();
  if (rank == 0 || rank > kMaxTensorRank)
    return emitError() << "a layout must have 1 to " << kMaxTensorRank << " dimensions, but order has " << rank
                       << " entries";
  if (sizePerThread.size() != rank || threadsPerWarp.size() != rank || warpsPerCta.size() != rank)
    return emitError() << "size_per_thread, threads_per_warp, warps_per_cta and order need one entry per dimension, "
                          "but have "
                       << sizePerThread.size() << ", " << threadsPerWarp.size() << ", " << warpsPerCta.size() << " and "
                       << rank;
  if (failed(verifyPowersOfTwo(emitError, "size_per_thread", sizePerThread)) ||
      failed(verifyPowersOfTwo(emitError, "threads_per_warp", threadsPerWarp)) ||
      failed(verifyPowersOfTwo(emitError, "warps_per_cta", warpsPerCta)) ||
      failed(verifyProduct(emitError, "threads_per_warp", threadsPerWarp, kMaxLayoutLanes)) ||
      failed(verifyProduct(emitError, "warps_per_cta", warpsPerCta, kMaxLayoutLanes)) ||
      failed(verifyPermutation(emitError, order)))
    return failure();
  return verifyClusterRows(emitError, block, rank);
}

unsigned BlockedAttr::getRank() const { return getOrder().size(); }

LogicalResult BlockedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return verifyRankAndSizes(emitError, shape, getRank(), *this);
}

LogicalResult BlockedAttr::verifyOperand(unsigned, int64_t kWidth, EmitError emitError) const {
  if (kWidth != 0)
    return emitError() << "k_width must be 0 (left out) for a blocked parent, but is " << kWidth;
  return success();
}

// Slice ----------------------------------------------------------------------------------------------------------

LogicalResult SliceAttr::verify(EmitError emitError, int64_t dim, Attribute parent) {
  auto layout = dyn_cast_or_null<DistributedLayout>(parent);
  if (!layout)
    return emitError() << "the parent of a slice must be a distributed layout, but is " << parent;
  if (layout.getRank() < 2)
    return emitError() << "the parent of a slice must have rank 2 or more, but " << parent << " has rank "
                       << layout.getRank();
  if (dim < 0 || dim >= layout.getRank())
    return emitError() << "cannot remove dimension " << dim << " of a parent of rank " << layout.getRank();
  return success();
}

unsigned SliceAttr::getRank() const { return cast<DistributedLayout>(getParent()).getRank() - 1; }

LogicalResult SliceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return verifyRankAndSizes(emitError, shape, getRank(), *this);
}

// Linear ---------------------------------------------------------------------------------------------------------

LogicalResult LinearAttr::verify(EmitError emitError, BasisRows reg, BasisRows lane, BasisRows warp, BasisRows block,
                                 ArrayRef<int64_t> shape) {
  if (failed(verifyTileShape(emitError, shape)) || failed(verifyRows(emitError, "reg", reg, shape)) ||
      failed(verifyRows(emitError, "lane", lane, shape)) || failed(verifyRows(emitError, "warp", warp, shape)) ||
      failed(verifyRows(emitError, "block", block, shape)))
    return failure();
  LinearLayout layout = distributedFromBases(reg, lane, warp, block, shape);
  if (!layout.isSurjective())
    return emitError() << "the rows reach only " << (int64_t(1) << layout.getRank()) << " of the "
                       << layout.getTotalOutDimSize() << " elements of shape [" << shape
                       << "]: add rows for the missing coordinates";
  return success();
}

unsigned LinearAttr::getRank() const { return getShape().size(); }

LogicalResult LinearAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return verifyRankAndSizes(emitError, shape, getRank(), *this);
}

// Dot operand ----------------------------------------------------------------------------------------------------

LogicalResult DotOperandAttr::verify(EmitError emitError, int64_t opIdx, Attribute parent, int64_t kWidth) {
  if (opIdx != 0 && opIdx != 1)
    return emitError() << "op_idx must be 0 (left operand) or 1 (right operand), but is " << opIdx;
  auto accumulator = dyn_cast_or_null<AccumulatorLayout>(parent);
  if (!accumulator)
    return emitError() << "the parent of a dot operand must be a layout that accumulators can have (#hk.blocked, or of "
                          "a matrix unit), but is "
                       << parent;
  unsigned rank = cast<DistributedLayout>(parent).getRank();
  if (rank != 2 && rank != 3)
    return emitError() << "the parent of a dot operand must have rank 2 or 3, but " << parent << " has rank " << rank;
  return accumulator.verifyOperand(opIdx, kWidth, emitError);
}

unsigned DotOperandAttr::getRank() const { return cast<DistributedLayout>(getParent()).getRank(); }

LogicalResult DotOperandAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return verifyRankAndSizes(emitError, shape, getRank(), *this);
}

// Undecided ------------------------------------------------------------------------------------------------------

static LogicalResult verifyUndecided(EmitError emitError, ArrayRef<int64_t> shape) {
  if (shape.empty() || shape.size() > kMaxTensorRank)
    return emitError() << "a tensor with a layout has 1 to " << kMaxTensorRank << " dimensions, not " << shape.size();
  return verifyTensorSizes(emitError, shape);
}

LogicalResult AutoAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return verifyUndecided(emitError, shape);
}

LogicalResult CoalescedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return verifyUndecided(emitError, shape);
}

// Shared ---------------------------------------------------------------------------------------------------------

LogicalResult SwizzledSharedAttr::verify(EmitError emitError, int64_t vec, int64_t perPhase, int64_t maxPhase,
                                         ArrayRef<int64_t> order, BasisRows block) {
  if (failed(verifyPowersOfTwo(emitError, "vec", vec)) || failed(verifyPowersOfTwo(emitError, "per_phase", perPhase)) ||
      failed(verifyPowersOfTwo(emitError, "max_phase", maxPhase)) || failed(verifyPermutation(emitError, order)))
    return failure();
  return verifyClusterRows(emitError, block, order.size());
}

unsigned SwizzledSharedAttr::getRank() const { return getOrder().size(); }

LogicalResult PaddedSharedAttr::verify(EmitError emitError, ArrayRef<int64_t> intervals, ArrayRef<int64_t> paddingSizes,
                                       BasisRows offset, BasisRows block, ArrayRef<int64_t> shape) {
  if (intervals.empty() || intervals.size() != paddingSizes.size())
    return emitError() << "intervals and paddings need the same number of entries, at least 1, but have "
                       << intervals.size() << " and " << paddingSizes.size();
  if (failed(verifyPowersOfTwo(emitError, "intervals", intervals)) ||
      failed(verifyPowersOfTwo(emitError, "paddings", paddingSizes)))
    return failure();
  SmallVector<int64_t> sorted = llvm::to_vector(intervals);
  llvm::sort(sorted);
  if (auto twice = llvm::adjacent_find(sorted); twice != sorted.end())
    return emitError() << "intervals must be distinct, but " << *twice << " appears twice: add up its paddings";
  if (failed(verifyTileShape(emitError, shape)) || failed(verifyClusterRows(emitError, block, shape.size())))
    return failure();
  std::vector<int64_t> part = partOfBlock(shape, block);
  if (failed(verifyRows(emitError, "offset", offset, part)))
    return failure();
  LinearLayout layout = sharedFromBases(offset, {}, part);
  if (!layout.isInvertible())
    return emitError() << "offset must give every element of shape [" << ArrayRef(part)
                       << "] one offset: " << layout.getTotalInBits() << " rows reach "
                       << (int64_t(1) << layout.getRank()) << " of " << layout.getTotalOutDimSize() << " elements";
  return success();
}

unsigned PaddedSharedAttr::getRank() const { return getShape().size(); }

SmallVector<std::pair<int64_t, int64_t>> PaddedSharedAttr::getPaddings() const {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (auto [interval, padding] : llvm::zip_equal(getIntervals(), getPaddingSizes()))
    pairs.push_back({interval, padding});
  return pairs;
}

/// Returns the reason why a layout that is valid only for the shape `own` cannot be used for `shape`.
static std::string whyNotShape(ArrayRef<int64_t> own, ArrayRef<int64_t> shape) {
  if (shape == own)
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  auto printShape = [&](ArrayRef<int64_t> sizes) {
    os << "[";
    llvm::interleaveComma(sizes, os);
    os << "]";
  };
  os << "the layout was made for the shape ";
  printShape(own);
  os << ", not for ";
  printShape(shape);
  return text;
}

std::string PaddedSharedAttr::whyNotTile(ArrayRef<int64_t> shape, Type) const { return whyNotShape(getShape(), shape); }

/// Returns the smallest shape, in powers of two, that contains the coordinates of all rows.
static SmallVector<int64_t> shapeReachedBy(const BasisRows &offset, const BasisRows &block) {
  const BasisRows &rows = offset.empty() ? block : offset;
  SmallVector<int64_t> shape(rows.empty() ? 0 : rows.front().size(), 1);
  for (const BasisRows *part : {&offset, &block})
    for (const std::vector<int32_t> &row : *part)
      for (auto [size, entry] : llvm::zip(shape, row))
        size = std::max<int64_t>(size, llvm::NextPowerOf2(std::max(entry, 0)));
  return shape;
}

LogicalResult SharedLinearAttr::verify(EmitError emitError, BasisRows offset, BasisRows block, int64_t alignment) {
  if (alignment < 1 || !llvm::isPowerOf2_64(alignment))
    return emitError() << "alignment must be a power of two, but is " << alignment;
  SmallVector<int64_t> shape = shapeReachedBy(offset, block);
  if (failed(verifyTileShape(emitError, shape)) || failed(verifyRows(emitError, "offset", offset, shape)) ||
      failed(verifyRows(emitError, "block", block, shape)))
    return failure();
  BasisRows dealing = block;
  llvm::erase_if(dealing, [](const std::vector<int32_t> &row) {
    return llvm::all_of(row, [](int32_t entry) { return entry == 0; });
  });
  LinearLayout layout = sharedFromBases(offset, dealing, shape);
  if (!layout.isInvertible())
    return emitError() << "offset and block must give every element of shape [" << shape
                       << "] one offset: " << layout.getTotalInBits() << " rows reach "
                       << (int64_t(1) << layout.getRank()) << " of " << layout.getTotalOutDimSize() << " elements";
  return success();
}

LogicalResult CachePolicyAttr::verify(EmitError emitError, EvictionPolicy, EvictionPolicy l2, FloatAttr fraction,
                                      EvictionPolicy secondary, int64_t prefetch) {
  if (l2 == EvictionPolicy::NoAllocate)
    return emitError() << "no_allocate is a priority of l1, not of l2";
  if (secondary != EvictionPolicy::None && secondary != EvictionPolicy::EvictFirst &&
      secondary != EvictionPolicy::EvictUnchanged)
    return emitError() << "secondary must be none, evict_first or evict_unchanged, but is "
                       << stringifyEvictionPolicy(secondary);
  if (fraction && !(fraction.getValueAsDouble() > 0 && fraction.getValueAsDouble() <= 1))
    return emitError() << "fraction must be above 0 and at most 1, but is " << fraction.getValueAsDouble();
  if (prefetch != 0 && prefetch != 64 && prefetch != 128 && prefetch != 256)
    return emitError() << "prefetch must be 0, 64, 128 or 256, but is " << prefetch;
  return success();
}

SmallVector<int64_t> SharedLinearAttr::getShape() const { return shapeReachedBy(getOffset(), getBlock()); }

unsigned SharedLinearAttr::getRank() const { return getShape().size(); }

std::string SharedLinearAttr::whyNotTile(ArrayRef<int64_t> shape, Type) const { return whyNotShape(getShape(), shape); }

LogicalResult AccessAttr::verify(EmitError emitError, int32_t dim, int32_t width) {
  if (dim < 0 || width < 2)
    return emitError() << "dim must not be negative, and width must be at least 2, but they are " << dim << " and "
                       << width;
  return success();
}

} // namespace hocket::hk
