//===- Guards.h - Branches that the emulator adds to a kernel ------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_GUARDS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_GUARDS_H

#include "conversion/lane_to_host/HostBuilder.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket {

class Guards {
public:
  explicit Guards(HostBuilder &host) : host(host) {}

  /// Emits a branch to a fault at `site` that is taken if `condition` is true, and returns the branch. The function
  /// splits the basic block before `op`.
  mlir::Operation *faultIf(mlir::Value condition, host_abi::SiteNumber site, mlir::Value detail, mlir::Operation *op);
  /// Emits a branch, taken if `condition` is true, to the code that `body` builds. The function splits the basic block
  /// before `op`.
  void buildIf(mlir::Value condition, mlir::Operation *op, llvm::function_ref<void()> body);
  /// Emits a branch to `op` that is taken if `condition` is true. Must be called in the body of a `buildIf`.
  void skipIf(mlir::Value condition, mlir::Operation *op);

  /// True if a Guards function has emitted `branch`, so that it is not a branch of the kernel itself.
  bool isGuard(mlir::Operation *branch) const { return guards.contains(branch); }
  /// Marks `branch`, which a Guards function has emitted, as a branch of the kernel.
  void makeBranchOfKernel(mlir::Operation *branch) { guards.erase(branch); }
  /// True if `block` is the basic block that reports faults. Its block arguments describe the fault.
  bool isFault(mlir::Block *block) const { return block == fault; }

private:
  mlir::Block *faultBlock();

  HostBuilder &host;
  mlir::Block *fault = nullptr;
  llvm::DenseSet<mlir::Operation *> guards;
};

} // namespace hocket

#endif
