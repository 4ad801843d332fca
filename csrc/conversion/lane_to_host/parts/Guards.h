//===- Guards.h - Branches that the emulator adds to a kernel ------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_GUARDS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_GUARDS_H

#include "conversion/lane_to_host/HostBuilder.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket {

class Guards {
public:
  explicit Guards(HostBuilder &host) : host(host) {}

  /// Emits a fault at `site` if `condition` is true, and returns the branch. Splits the block: `op` begins the rest.
  mlir::Operation *faultIf(mlir::Value condition, host_abi::SiteNumber site, mlir::Value detail, mlir::Operation *op);
  /// Executes what `body` builds only if `condition` is true. Splits the block: `op` begins the rest.
  void buildIf(mlir::Value condition, mlir::Operation *op, llvm::function_ref<void()> body);
  /// In a body of `buildIf`: skips the rest of it, to `op`, if `condition` is true.
  void skipIf(mlir::Value condition, mlir::Operation *op);

  /// True for branches of these functions: they are not branches of the kernel.
  bool isGuard(mlir::Operation *branch) const { return guards.contains(branch); }
  /// Marks `branch`, a guard so far, as a branch of the kernel.
  void makeBranchOfKernel(mlir::Operation *branch) { guards.erase(branch); }
  /// True if `block` reports faults, which its block arguments describe.
  bool isFault(mlir::Block *block) const { return block == fault; }

private:
  mlir::Block *faultBlock();

  HostBuilder &host;
  mlir::Block *fault = nullptr;
  llvm::DenseSet<mlir::Operation *> guards;
};

} // namespace hocket

#endif
