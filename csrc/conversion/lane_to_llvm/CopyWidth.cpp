//===- CopyWidth.cpp - Checks the width of copies from global memory to LDS --------===//
#include "conversion/lane_to_llvm/CopyWidth.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

LogicalResult checkCopyWidth(Operation *op, int64_t bytes, const TargetInfo &target) {
  if (!target.amdMemory)
    return op->emitError() << op->getName() << " does not exist on " << StringRef(target.name);
  std::span<const int> widths = target.amdMemory->directToSharedBytes;
  if (llvm::is_contained(widths, bytes))
    return success();
  std::string list;
  for (size_t i = 0; i < widths.size(); ++i)
    list += (i == 0 ? "" : i + 1 == widths.size() ? " or " : ", ") + std::to_string(widths[i]);
  return op->emitError() << op->getName() << " cannot copy " << bytes << " bytes per lane on " << StringRef(target.name)
                         << (widths.size() == 1 ? ": only " : ": ") << list;
}

} // namespace hocket
