// Verification and registration of the layout attributes. Their linear maps are in LayoutMaps.cpp.
#include "dialect/hk/HkDialect.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "dialect/hk/HkLayoutInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hk/HkAttrs.cpp.inc"

namespace hocket::hk {

using EmitError = function_ref<InFlightDiagnostic()>;

void HkDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hk/HkAttrs.cpp.inc"
      >();
}

namespace {

LogicalResult verifyPowersOfTwo(EmitError emitError, StringRef name, ArrayRef<int64_t> values) {
  for (int64_t value : values)
    if (value <= 0 || !llvm::isPowerOf2_64(value))
      return emitError() << name << " must hold powers of two, but has " << value;
  return success();
}

LogicalResult verifyPermutation(EmitError emitError, ArrayRef<int64_t> order) {
  llvm::SmallBitVector seen(order.size());
  for (int64_t dim : order) {
    if (dim < 0 || dim >= static_cast<int64_t>(order.size()) || seen.test(dim))
      return emitError() << "order must be a permutation of 0.." << order.size() - 1 << ", but is [" << order << "]";
    seen.set(dim);
  }
  return success();
}

/// Rows of the width of `shape` whose entries are 0 or a power of two below the dimension.
LogicalResult verifyRows(EmitError emitError, StringRef name, const BasisRows &rows, ArrayRef<int64_t> shape) {
  for (const std::vector<int64_t> &row : rows) {
    if (row.size() != shape.size())
      return emitError() << "rows of " << name << " need " << shape.size() << " entries, one per dimension of shape ["
                         << shape << "], but one has " << row.size();
    for (auto [entry, size] : llvm::zip_equal(row, shape))
      if (entry < 0 || entry >= size)
        return emitError() << "entries of " << name << " must be coordinates within shape [" << shape << "], but ["
                           << ArrayRef<int64_t>(row) << "] is not";
  }
  return success();
}

LogicalResult verifyRankAndSizes(ArrayRef<int64_t> shape, unsigned layoutRank, Attribute layout, EmitError emitError) {
  if (shape.size() != layoutRank)
    return emitError() << "a tensor of rank " << shape.size() << " cannot have a layout of rank " << layoutRank << ": "
                       << layout;
  for (int64_t size : shape)
    if (size <= 0 || !llvm::isPowerOf2_64(size))
      return emitError() << "sizes of a tensor with a layout must be powers of two, but the shape is [" << shape << "]";
  return success();
}

} // namespace

// Blocked --------------------------------------------------------------------------------------------------------

LogicalResult BlockedAttr::verify(EmitError emitError, ArrayRef<int64_t> sizePerThread,
                                  ArrayRef<int64_t> threadsPerWarp, ArrayRef<int64_t> warpsPerCta,
                                  ArrayRef<int64_t> order) {
  size_t rank = order.size();
  if (rank == 0 || sizePerThread.size() != rank || threadsPerWarp.size() != rank || warpsPerCta.size() != rank)
    return emitError() << "size_per_thread, threads_per_warp, warps_per_cta and order need one entry per dimension, "
                          "but have "
                       << sizePerThread.size() << ", " << threadsPerWarp.size() << ", " << warpsPerCta.size() << " and "
                       << rank;
  if (failed(verifyPowersOfTwo(emitError, "size_per_thread", sizePerThread)) ||
      failed(verifyPowersOfTwo(emitError, "threads_per_warp", threadsPerWarp)) ||
      failed(verifyPowersOfTwo(emitError, "warps_per_cta", warpsPerCta)))
    return failure();
  return verifyPermutation(emitError, order);
}

unsigned BlockedAttr::getRank() const { return getOrder().size(); }

LogicalResult BlockedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return verifyRankAndSizes(shape, getRank(), *this, emitError);
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
  return verifyRankAndSizes(shape, getRank(), *this, emitError);
}

// Linear ---------------------------------------------------------------------------------------------------------

LogicalResult LinearAttr::verify(EmitError emitError, BasisRows reg, BasisRows lane, BasisRows warp,
                                 BasisRows block, ArrayRef<int64_t> shape) {
  return success();
}

unsigned LinearAttr::getRank() const { return getShape().size(); }

LogicalResult LinearAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  if (failed(verifyRankAndSizes(shape, getRank(), *this, emitError)))
    return failure();
  if (shape != getShape())
    return emitError() << "a tensor of shape [" << shape << "] cannot have a linear layout of shape [" << getShape()
                       << "]: the layout belongs to one shape";
  return success();
}

// Dot operand ----------------------------------------------------------------------------------------------------

LogicalResult DotOperandAttr::verify(EmitError emitError, int64_t opIdx, Attribute parent, int64_t kWidth) {
  if (opIdx != 0 && opIdx != 1)
    return emitError() << "op_idx must be 0 (left operand) or 1 (right operand), but is " << opIdx;
  if (!isa_and_nonnull<BlockedAttr>(parent))
    return emitError() << "the parent of a dot operand must be a layout that dots can have (#hk.blocked), but is "
                       << parent;
  if (kWidth != 0)
    return emitError() << "k_width must be 0 (left out) for a blocked parent, but is " << kWidth;
  return success();
}

unsigned DotOperandAttr::getRank() const { return cast<DistributedLayout>(getParent()).getRank(); }

LogicalResult DotOperandAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return verifyRankAndSizes(shape, getRank(), *this, emitError);
}

// Shared ---------------------------------------------------------------------------------------------------------

LogicalResult SwizzledSharedAttr::verify(EmitError emitError, int64_t vec, int64_t perPhase, int64_t maxPhase,
                                         ArrayRef<int64_t> order) {
  if (failed(verifyPowersOfTwo(emitError, "vec", vec)) || failed(verifyPowersOfTwo(emitError, "per_phase", perPhase)) ||
      failed(verifyPowersOfTwo(emitError, "max_phase", maxPhase)))
    return failure();
  return verifyPermutation(emitError, order);
}

unsigned SwizzledSharedAttr::getRank() const { return getOrder().size(); }

LogicalResult PaddedSharedAttr::verify(EmitError emitError, ArrayRef<int64_t> intervals, ArrayRef<int64_t> paddingSizes,
                                       BasisRows offset, BasisRows block, ArrayRef<int64_t> shape) {
  return success();
}

unsigned PaddedSharedAttr::getRank() const { return getShape().size(); }

SmallVector<std::pair<int64_t, int64_t>> PaddedSharedAttr::getPaddings() const {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (auto [interval, padding] : llvm::zip_equal(getIntervals(), getPaddingSizes()))
    pairs.push_back({interval, padding});
  return pairs;
}

} // namespace hocket::hk
