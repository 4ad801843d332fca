//===- LaneStack.h - Stack memory of a lane for runtime calls ------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_LANESTACK_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_LANESTACK_H

#include "conversion/lane_to_host/HostBuilder.h"

namespace hocket {

/// Memory on a lane's stack that several operations of the kernel use, one after the other. The size of the memory is
/// the largest size that an operation needs.
class SharedStackMemory {
public:
  explicit SharedStackMemory(HostBuilder &host) : host(host) {}

  /// Returns the address of the memory, after enlarging it to at least `bytes`.
  mlir::Value reserve(int64_t bytes);
  bool isAt(mlir::Value other) const { return address && address == other; }
  int64_t size() const { return bytes; }

private:
  HostBuilder &host;
  mlir::Value address;
  int64_t bytes = 0;
};

class LaneStack {
public:
  explicit LaneStack(HostBuilder &host) : matrices(host), warpgroup(host), accesses(host), host(host) {}

  SharedStackMemory matrices;  ///< operands and results of MMAs and matrix loads
  SharedStackMemory warpgroup; ///< operands and results of wgmmas
  SharedStackMemory accesses;  ///< values that accesses of memory pass to the runtime

  /// Allocates memory for `count` 64-bit numbers.
  mlir::Value allocate(int64_t count);

private:
  HostBuilder &host;
};

} // namespace hocket

#endif
