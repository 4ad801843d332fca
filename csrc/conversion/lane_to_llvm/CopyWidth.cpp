//===- CopyWidth.cpp - Checks the width of copies from global memory to LDS --------===//
#include "conversion/lane_to_llvm/CopyWidth.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

std::string listCopyWidths(const TargetInfo &target) {
  std::string list;
  llvm::interleave(
      target.amdMemory->directToSharedBytes, [&](int bytes) { list += std::to_string(bytes); },
      [&] { list += " or "; });
  return list;
}

LogicalResult checkCopyWidth(Operation *op, int64_t bytes, const TargetInfo &target) {
  if (!target.amdMemory)
    return op->emitError() << op->getName() << " does not exist on " << StringRef(target.name);
  if (llvm::is_contained(target.amdMemory->directToSharedBytes, bytes))
    return success();
  return op->emitError() << op->getName() << " copies " << listCopyWidths(target) << " bytes per lane on "
                         << StringRef(target.name) << ", not " << bytes;
}

} // namespace hocket
