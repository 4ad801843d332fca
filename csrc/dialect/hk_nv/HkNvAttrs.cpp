//===- HkNvAttrs.cpp - Attributes of HkNvAttrs.td: verification and linear maps ---===//
#include "dialect/hk/layouts/LayoutChecks.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "layout/Limits.h"
#include "target/TmaLimits.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "dialect/hk_nv/HkNvAttrs.cpp.inc"

namespace hocket::hk_nv {

using hk::EmitError;

void HkNvDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hk_nv/HkNvAttrs.cpp.inc"
      >();
}

static LogicalResult verifyInstrShape(EmitError emitError, ArrayRef<int64_t> version, unsigned rank,
                                      ArrayRef<int64_t> instrShape) {
  if (version[0] == 2) {
    SmallVector<int64_t> expected(rank - 2, 1);
    expected.append({16, 8});
    if (instrShape != ArrayRef<int64_t>(expected))
      return emitError() << "instr_shape must be [" << expected << "] in version [" << version << "], but is ["
                         << instrShape << "]";
    return success();
  }
  bool isWgmma = instrShape.size() == 3 && instrShape[0] == 16 && instrShape[1] >= 8 && instrShape[1] <= 256 &&
                 llvm::isPowerOf2_64(instrShape[1]) && llvm::is_contained({8, 16, 32}, instrShape[2]);
  if (!isWgmma)
    return emitError() << "instr_shape must be [16, N, K] in version [3, 0], with N a power of two from 8 to 256 and K "
                          "8, 16 or 32, but is ["
                       << instrShape << "]";
  return success();
}

LogicalResult MmaAttr::verify(EmitError emitError, ArrayRef<int64_t> version, ArrayRef<int64_t> warpsPerCta,
                              ArrayRef<int64_t> instrShape, hk::BasisRows block) {
  static constexpr int64_t kVersions[][2] = {{2, 0}, {2, 1}, {3, 0}};
  if (!llvm::any_of(kVersions, [&](ArrayRef<int64_t> known) { return version == known; }))
    return emitError() << "version must be [2, 0], [2, 1] (mma.sync) or [3, 0] (wgmma), but is [" << version << "]";
  size_t rank = warpsPerCta.size();
  if (rank != 2 && rank != 3)
    return emitError() << "warps_per_cta must have an entry per dimension, 2 or 3, but has " << rank;
  if (failed(hk::verifyPowersOfTwo(emitError, "warps_per_cta", warpsPerCta)) ||
      failed(hk::verifyProduct(emitError, "warps_per_cta", warpsPerCta, kMaxLayoutLanes)))
    return failure();
  if (failed(verifyInstrShape(emitError, version, rank, instrShape)))
    return failure();
  return hk::verifyClusterRows(emitError, block, rank);
}

unsigned MmaAttr::getRank() const { return getWarpsPerCta().size(); }

LogicalResult MmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return hk::verifyRankAndSizes(emitError, shape, getRank(), *this);
}

LogicalResult MmaAttr::verifyOperand(unsigned opIdx, int64_t kWidth, EmitError emitError) const {
  constexpr int64_t kMaxWidth = 16; // number of 1-byte elements in the widest shared memory load
  if (kWidth <= 0 || kWidth > kMaxWidth || !llvm::isPowerOf2_64(kWidth))
    return emitError() << "k_width, the consecutive elements along K in a lane, must be a power of two from 1 to "
                       << kMaxWidth << ", but is " << kWidth;
  if (getMajorVersion() == 3 && opIdx != 0)
    return emitError() << "wgmma takes operand 1 from shared memory; only operand 0 can be in registers";
  return success();
}

std::string MmaAttr::whyNotWarpgroups() const {
  ArrayRef<int64_t> warps = getWarpsPerCta();
  if (getMajorVersion() != 3)
    return "the layout is of mma.sync (version [2, 0])";
  if (warps.size() != 2)
    return "wgmma has no batch dimension";
  if (warps[0] % 4 != 0)
    return "the four warps of a warpgroup are stacked along M: the first entry of warps_per_cta must be a multiple of "
           "4";
  return {};
}

LinearLayout MmaAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return overCluster(shape, getBlock(), [&](Sizes part) { return nvidiaMmaLayout(part, getParams()); });
}

LinearLayout MmaAttr::operandLayout(unsigned opIdx, int64_t kWidth, ArrayRef<int64_t> shape) const {
  return overCluster(shape, hk::operandRows(getBlock(), opIdx),
                     [&](Sizes part) { return nvidiaMmaOperandLayout(opIdx, kWidth, part, getParams()); });
}

// Shared memory -------------------------------------------------------------------------------------------------------

/// Number of rows after which the swizzle repeats.
static constexpr int64_t kSwizzledRows = 8;

LogicalResult MmaSharedAttr::verify(EmitError emitError, int64_t swizzle, int64_t elementBits, int64_t rank,
                                    bool transposed, hk::BasisRows block) {
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "swizzle must be 0, 32, 64 or 128 bytes, but is " << swizzle;
  if (!llvm::is_contained({8, 16, 32, 64}, elementBits))
    return emitError() << "element_bits must be 8, 16, 32 or 64, but is " << elementBits;
  if (rank < 1 || rank > kMaxTensorRank)
    return emitError() << "rank must be 1 to " << kMaxTensorRank << ", but is " << rank;
  if (transposed && rank != 2)
    return emitError() << "a transposed layout has rank 2, not " << rank;
  if (swizzle && rank < 2)
    return emitError() << "a swizzled layout has rank 2 or more";
  return hk::verifyClusterRows(emitError, block, unsigned(rank));
}

unsigned MmaSharedAttr::getRank() const { return unsigned(getDims()); }

int64_t MmaSharedAttr::getAlignment() const { return std::max(kTmaBoxAlignment, kSwizzledRows * getSwizzle()); }

LinearLayout MmaSharedAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return overCluster(shape, getBlock(), [&](Sizes part) { return nvidiaSharedLayout(part, getParams()); });
}

std::string MmaSharedAttr::whyNotForTma(Type elementType) const {
  int64_t bits = hk::storageBits(elementType);
  if (bits == getElementBits())
    return {};
  return "the layout is for elements of " + std::to_string(getElementBits()) + " bits, not of " + std::to_string(bits);
}

std::string MmaSharedAttr::whyNotTile(ArrayRef<int64_t> tile, Type) const {
  std::vector<int64_t> shape = partOfBlock(tile, getBlock());
  if (!getSwizzle())
    return {};
  int64_t length = getTransposed() ? shape.front() : shape.back(), elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (length < getParams().columns())
    return "with a swizzle of " + std::to_string(getSwizzle()) + " bytes, rows have at least " +
           std::to_string(getParams().columns()) + " elements, not " + std::to_string(length);
  if (elements / length < kSwizzledRows)
    return "a swizzled tile has at least " + std::to_string(kSwizzledRows) + " rows, not " +
           std::to_string(elements / length);
  return {};
}

/// Permuting the dimensions of a matrix leaves the memory unchanged and toggles `transposed`.
Attribute MmaSharedAttr::tryPermute(ArrayRef<int32_t> order) const {
  if (llvm::is_sorted(order))
    return *this;
  if (getRank() != 2)
    return {};
  hk::BasisRows block = getBlock();
  for (std::vector<int32_t> &row : block)
    std::swap(row[0], row[1]);
  return get(getContext(), getSwizzle(), getElementBits(), getDims(), !getTransposed(), block);
}

/// Returns the layout with the same parameters for `resultShape`; null if that layout changes the offsets of elements.
Attribute MmaSharedAttr::tryReshape(ArrayRef<int64_t> shape, ArrayRef<int64_t> resultShape) const {
  bool hasRank = !resultShape.empty() && (resultShape.size() > 1 || !getSwizzle()) &&
                 int64_t(resultShape.size()) <= kMaxTensorRank && !getTransposed() && getBlock().empty();
  if (!hasRank || !whyNotTile(resultShape, IntegerType::get(getContext(), getElementBits())).empty())
    return {};
  auto candidate = get(getContext(), getSwizzle(), getElementBits(), int64_t(resultShape.size()), false, {});
  LinearLayout map = toLinearLayout(shape);
  SmallVector<DimBits> outs;
  for (auto [dim, size] : llvm::enumerate(resultShape))
    outs.push_back({tensorDim(dim), uint8_t(llvm::Log2_64(size))});
  return candidate.toLinearLayout(resultShape) == hk::reshapeRowMajor(map, resultShape) ? candidate : MmaSharedAttr();
}

} // namespace hocket::hk_nv
