//===- ProfAttrs.cpp - Attributes of ProfAttrs.td: verification and linear maps ---===//
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/prof/ProfDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "dialect/prof/ProfEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/prof/ProfAttrs.cpp.inc"

namespace hocket::prof {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

void ProfDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/prof/ProfAttrs.cpp.inc"
      >();
}

static constexpr int64_t kFewestBytes = 2 * kRecordBytes, kMostBytes = int64_t(1) << 24;

LogicalResult ConfigAttr::verify(EmitError emitError, Space space, Policy policy, int64_t clock, Units,
                                 ArrayRef<int64_t> warps, int64_t bytes, bool, int64_t maxCtas, Waits) {
  if (clock != 32 && clock != 44)
    return emitError() << "clock must be 32 or 44, but is " << clock;
  if (bytes != 0 && (bytes < kFewestBytes || bytes > kMostBytes || !llvm::isPowerOf2_64(bytes)))
    return emitError() << "bytes must be 0, or a power of two from " << kFewestBytes << " to " << kMostBytes
                       << ", but is " << bytes;
  for (size_t i = 0; i < warps.size(); ++i)
    if (warps[i] < 0 || (i > 0 && warps[i] <= warps[i - 1]))
      return emitError() << "warps must be numbers of warps in ascending order, but are [" << warps << "]";
  if (space == Space::Static ? maxCtas < 1 : maxCtas != 0)
    return emitError() << "max_ctas must be " << (space == Space::Static ? "at least 1" : "0") << " where the space is "
                       << stringifySpace(space) << ", but is " << maxCtas;
  if (policy == Policy::Flush && space != Space::Auto && space != Space::Shared)
    return emitError() << "policy flush moves records out of shared memory, but the space is " << stringifySpace(space);
  return success();
}

LogicalResult RecordsAttr::verify(EmitError emitError, Space space) {
  if (space == Space::Auto)
    return emitError() << "the space of records must be shared, device or static";
  return success();
}

// RecordsAttr --------------------------------------------------------------------------------------------------------

unsigned RecordsAttr::getRank() const { return 1; }

LinearLayout RecordsAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return LinearLayout::identity1D(int32_t(shape.front()), Dim::Offset, Dim::Dim0) *
         LinearLayout::identity1D(1, Dim::Block, Dim::Dim0);
}

Attribute RecordsAttr::tryPermute(ArrayRef<int32_t>) const { return {}; }
Attribute RecordsAttr::tryReshape(ArrayRef<int64_t>, ArrayRef<int64_t>) const { return {}; }

} // namespace hocket::prof
