//===- CopyWidth.cpp - Checks the width of copies from global memory to LDS --------===//
#include "conversion/lane_to_llvm/CopyWidth.h"

using namespace mlir;

namespace hocket {

LogicalResult checkCopyWidth(Operation *op, int64_t bytes, const TargetInfo &target) {
  bool isWide = bytes == 12 || bytes == 16;
  if (bytes == 4 || (isWide && target.family == "CDNA4"))
    return success();
  return op->emitError() << op->getName() << " cannot copy " << bytes << " bytes per lane on " << StringRef(target.name)
                         << (target.family == "CDNA4" ? ": 4, 12 or 16" : ": only 4");
}

} // namespace hocket
