//===- BlockFacts.cpp - Properties of the blocks of a launch and of a kernel's fences ----===//
#include "conversion/lane_to_host/parts/BlockFacts.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"

using namespace mlir;

namespace hocket {

bool isBetweenBlocks(LLVM::FenceOp fence) {
  StringRef scope = fence.getSyncscope().value_or("");
  return !scope.starts_with("workgroup") && !scope.starts_with("wavefront") && !scope.starts_with("singlethread") &&
         !scope.starts_with("block");
}

bool isBetweenWarps(LLVM::FenceOp fence) {
  StringRef scope = fence.getSyncscope().value_or("");
  return !scope.starts_with("wavefront") && !scope.starts_with("singlethread");
}

BlockFacts::BlockFacts(ModuleOp module, LLVM::LLVMFuncOp kernel)
    : target(hk::targetOf(module)), numCtas(hk::numCtasOf(module)),
      threads(int64_t(hk::blockWarpsOf(module)) * target.warpSize) {
  if (std::optional<int64_t> bytes = hk::kSharedBytesAttr.get(module))
    sharedBytes = *bytes;
  kernel.walk([&](LLVM::FenceOp fence) {
    hasBlockFences |= isBetweenBlocks(fence);
    hasWarpFences |= isBetweenWarps(fence);
  });
}

} // namespace hocket
