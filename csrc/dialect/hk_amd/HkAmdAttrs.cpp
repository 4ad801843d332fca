//===- HkAmdAttrs.cpp - Attributes of HkAmdAttrs.td: verification and linear maps -===//
#include "dialect/hk/layouts/LayoutChecks.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_amd/MfmaSelection.h"
#include "layout/Limits.h"
#include "target/MatrixInstructions.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket::hk_amd {

// Text form of the parameters with a default: [, element_bits = 64] [, tiles_per_warp = [2, 1]]. Each parameter is
// printed only if it differs from the default.

static ParseResult parseMfmaOptions(AsmParser &parser, int64_t &elementBits, SmallVector<int64_t> &tilesPerWarp) {
  constexpr int64_t kDefaultBits = 32;
  elementBits = kDefaultBits;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "element_bits") {
      if (parser.parseInteger(elementBits))
        return failure();
    } else if (name == "tiles_per_warp") {
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                         [&] { return parser.parseInteger(tilesPerWarp.emplace_back()); }))
        return failure();
    } else {
      return parser.emitError(location) << "expected element_bits or tiles_per_warp, not " << name;
    }
  }
  return success();
}

static void printMfmaOptions(AsmPrinter &printer, int64_t elementBits, ArrayRef<int64_t> tilesPerWarp) {
  if (elementBits != 32)
    printer << ", element_bits = " << elementBits;
  if (!tilesPerWarp.empty())
    printer << ", tiles_per_warp = [" << tilesPerWarp << "]";
}

} // namespace hocket::hk_amd

#define GET_ATTRDEF_CLASSES
#include "dialect/hk_amd/HkAmdAttrs.cpp.inc"

namespace hocket::hk_amd {

using hk::EmitError;

void HkAmdDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hk_amd/HkAmdAttrs.cpp.inc"
      >();
}

LogicalResult MfmaAttr::verify(EmitError emitError, int64_t version, ArrayRef<int64_t> instrShape, bool transposed,
                               ArrayRef<int64_t> warpsPerCta, int64_t elementBits, ArrayRef<int64_t> tilesPerWarp) {
  if (version < 1 || version > 4)
    return emitError() << "version must be 1 (gfx908), 2 (gfx90a), 3 (CDNA3) or 4 (CDNA4), but is " << version;
  if (instrShape.size() != 3)
    return emitError() << "instr_shape must be [M, N, K], but is [" << instrShape << "]";
  if (!hasMfmaShape(version, instrShape[0], instrShape[1], instrShape[2]))
    return emitError() << mfmaVersionName(version) << " has no matrix instruction of shape [" << instrShape
                       << "]; its shapes are " << describeMfmaShapes(version);
  size_t rank = warpsPerCta.size();
  if (rank != 2 && rank != 3)
    return emitError() << "warps_per_cta must have an entry per dimension, 2 or 3, but has " << rank;
  if (!tilesPerWarp.empty() && tilesPerWarp.size() != rank)
    return emitError() << "tiles_per_warp needs " << rank << " entries, as warps_per_cta has, but has "
                       << tilesPerWarp.size();
  if (failed(hk::verifyPowersOfTwo(emitError, "warps_per_cta", warpsPerCta)) ||
      failed(hk::verifyPowersOfTwo(emitError, "tiles_per_warp", tilesPerWarp)) ||
      failed(hk::verifyProduct(emitError, "warps_per_cta", warpsPerCta, kMaxLayoutLanes)))
    return failure();
  bool isF64Shape = instrShape == ArrayRef<int64_t>{16, 16, 4};
  if (elementBits != 32 && (elementBits != 64 || !isF64Shape))
    return emitError() << "element_bits must be 32, or 64 with instr_shape [16, 16, 4], but is " << elementBits
                       << " with [" << instrShape << "]";
  return success();
}

unsigned MfmaAttr::getRank() const { return getWarpsPerCta().size(); }

LogicalResult MfmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  return hk::verifyRankAndSizes(emitError, shape, getRank(), *this);
}

LogicalResult MfmaAttr::verifyOperand(unsigned opIdx, int64_t kWidth, EmitError emitError) const {
  constexpr int64_t kMaxWidth = 32; // elements of an operand in one lane, for the widest instruction
  if (kWidth <= 0 || kWidth > kMaxWidth || !llvm::isPowerOf2_64(kWidth))
    return emitError() << "k_width, the consecutive elements along K in a lane, must be a power of two from 1 to "
                       << kMaxWidth << ", but is " << kWidth;
  return success();
}

LinearLayout MfmaAttr::toLinearLayout(ArrayRef<int64_t> shape) const { return mfmaLayout(shape, getParams()); }

LinearLayout MfmaAttr::operandLayout(unsigned opIdx, int64_t kWidth, ArrayRef<int64_t> shape) const {
  return mfmaOperandLayout(opIdx, kWidth, shape, getParams());
}

} // namespace hocket::hk_amd
