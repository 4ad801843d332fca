//===- HkAmdAttrs.cpp - Attributes of HkAmdAttrs.td: verification and linear maps -===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_amd/MfmaSelection.h"
#include "target/MatrixInstructions.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "dialect/hk_amd/HkAmdAttrs.cpp.inc"

namespace hocket::hk_amd {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

void HkAmdDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hk_amd/HkAmdAttrs.cpp.inc"
      >();
}

static LogicalResult verifyPowersOfTwo(EmitError emitError, StringRef name, ArrayRef<int64_t> values) {
  for (int64_t value : values)
    if (value <= 0 || !llvm::isPowerOf2_64(value))
      return emitError() << name << " must hold powers of two, but has " << value;
  return success();
}

LogicalResult MfmaAttr::verify(EmitError emitError, int64_t version, ArrayRef<int64_t> instrShape, bool transposed,
                               ArrayRef<int64_t> warpsPerCta, int64_t elementBits, ArrayRef<int64_t> tilesPerWarp) {
  if (version != 3 && version != 4)
    return emitError() << "version must be 3 (CDNA3) or 4 (CDNA4), but is " << version;
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
  if (failed(verifyPowersOfTwo(emitError, "warps_per_cta", warpsPerCta)) ||
      failed(verifyPowersOfTwo(emitError, "tiles_per_warp", tilesPerWarp)))
    return failure();
  bool isF64Shape = instrShape == ArrayRef<int64_t>{16, 16, 4};
  if (elementBits != 32 && (elementBits != 64 || !isF64Shape))
    return emitError() << "element_bits must be 32, or 64 with instr_shape [16, 16, 4], but is " << elementBits
                       << " with [" << instrShape << "]";
  return success();
}

unsigned MfmaAttr::getRank() const { return getWarpsPerCta().size(); }

LogicalResult MfmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  if (shape.size() != getRank())
    return emitError() << "a tensor of rank " << shape.size() << " cannot have a layout of rank " << getRank() << ": "
                       << *this;
  return verifyPowersOfTwo(emitError, "the shape of a tensor with a layout", shape);
}

LogicalResult MfmaAttr::verifyOperand(unsigned opIdx, int64_t kWidth, EmitError emitError) const {
  constexpr int64_t kMaxWidth = 32; // a whole operand of the widest instruction
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
