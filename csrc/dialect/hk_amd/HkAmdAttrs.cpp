//===- HkAmdAttrs.cpp - Attributes of HkAmdAttrs.td: verification and linear maps -===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "llvm/ADT/TypeSwitch.h"

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

LogicalResult MfmaAttr::verify(EmitError emitError, int64_t version, ArrayRef<int64_t> instrShape, bool transposed,
                               ArrayRef<int64_t> warpsPerCta, int64_t elementBits, ArrayRef<int64_t> tilesPerWarp) {
  if (version != 3 && version != 4)
    return emitError() << "version must be 3 (CDNA3) or 4 (CDNA4), but is " << version;
  if (instrShape.size() != 3)
    return emitError() << "instr_shape must be [M, N, K], but is [" << instrShape << "]";
  return success();
}

unsigned MfmaAttr::getRank() const { return getWarpsPerCta().size(); }

LogicalResult MfmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  if (shape.size() != getRank())
    return emitError() << "a tensor of rank " << shape.size() << " cannot have a layout of rank " << getRank();
  return success();
}

LogicalResult MfmaAttr::verifyOperand(unsigned opIdx, int64_t kWidth, EmitError emitError) const { return success(); }

LinearLayout MfmaAttr::toLinearLayout(ArrayRef<int64_t> shape) const { return LinearLayout(); }

LinearLayout MfmaAttr::operandLayout(unsigned opIdx, int64_t kWidth, ArrayRef<int64_t> shape) const {
  return LinearLayout();
}

} // namespace hocket::hk_amd
