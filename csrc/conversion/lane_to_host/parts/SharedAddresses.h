//===- SharedAddresses.h - The checked addresses in shared memory --------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_SHAREDADDRESSES_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_SHAREDADDRESSES_H

#include "conversion/lane_to_host/HostBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

class SharedAddresses {
public:
  explicit SharedAddresses(HostBuilder &host) : host(host) {}

  /// Records a checked address in shared memory, with its offset.
  void add(mlir::Value address, mlir::Value offset) { offsets[address] = offset; }
  bool contains(mlir::Value address) const { return offsets.contains(address); }
  mlir::Value offsetOf(mlir::Value address) const { return offsets.lookup(address); }

  /// Returns an i1 that is true if accesses of shared memory must call the runtime.
  mlir::Value isWatched();

  /// True if, at the current operation, the lanes of a warp have not stored to shared memory since they last converged.
  bool areLanesTogether = false;

private:
  HostBuilder &host;
  llvm::DenseMap<mlir::Value, mlir::Value> offsets;
  mlir::Value watched; ///< result of isWatched, loaded at the start of the kernel; null until its first use
};

} // namespace hocket

#endif
