//===- ModuleAttrs.cpp - Verification of the attributes that passes record on the module -----===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/LayoutChecks.h"

using namespace mlir;

namespace hocket::hk {

static bool holdsStrings(ArrayAttr array) {
  return llvm::all_of(array, [](Attribute element) { return isa<StringAttr>(element); });
}

LogicalResult BufferAttr::verify(EmitError emitError, StringRef, int64_t offset, int64_t bytes, ArrayAttr arrivals,
                                 ArrayAttr copies) {
  if (offset < 0 || bytes < 0)
    return emitError() << "offset and bytes must not be negative, but are " << offset << " and " << bytes;
  if (bool(arrivals) != bool(copies) || (arrivals && (!holdsStrings(arrivals) || !holdsStrings(copies))))
    return emitError() << "a buffer of mbarriers needs both arrivals and copies, arrays of strings";
  return success();
}

LogicalResult WorkerAttr::verify(EmitError emitError, StringRef, int32_t firstWarp, int32_t numWarps) {
  if (firstWarp < 0 || numWarps <= 0)
    return emitError() << "first_warp must not be negative, and num_warps must be positive, but they are " << firstWarp
                       << " and " << numWarps;
  return success();
}

LogicalResult MessageSiteAttr::verify(EmitError emitError, StringRef, LocationAttr failsAt, bool showsIndex) {
  if (showsIndex && !failsAt)
    return emitError() << "a site with shows_index needs fails_at";
  return success();
}

LogicalResult SyncSiteAttr::verify(EmitError emitError, StringRef, LocationAttr, bool, StringRef earlier,
                                   LocationAttr earlierAt, StringRef later, LocationAttr laterAt, StringRef) {
  const bool isOrder = !earlier.empty();
  if (bool(earlierAt) != isOrder || later.empty() == isOrder || bool(laterAt) != isOrder)
    return emitError() << "earlier and later must be given together, with their locations";
  return success();
}

} // namespace hocket::hk
