//===- ShadowMemory.h - Addresses of the shadows of memory -----------------------------===//
//
//   shared memory                directly after the shared memory (host_abi::sharedShadowOffset)
//   arrays                       at an address that a runtime call returns
//   operands of rendezvous       on the lane's stack; only written if a lane of the wave has an undefined operand
//   operands of wgmma            on the lane's stack; passed to the call of the wgmma
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_STEPS_SHADOWMEMORY_H
#define HOCKET_CONVERSION_LANE_TO_HOST_STEPS_SHADOWMEMORY_H

#include "conversion/lane_to_host/HostFunction.h"

namespace hocket {

class ShadowMemory {
public:
  explicit ShadowMemory(HostFunction &host) : host(host) {}

  /// Returns the address of the shadow of the checked `address`, which is in shared memory or in an array.
  mlir::Value shared(mlir::Value address);
  mlir::Value global(mlir::Value address, bool isWritten);
  /// Returns the address of the shadow of the operand at byte offset `field`.
  mlir::Value matrix(int32_t field);
  mlir::Value warpgroup(int32_t field);

private:
  mlir::Value copyOf(mlir::Value &copy, int64_t bytes, int32_t field);
  mlir::Value after(mlir::Value address, int32_t bytes);

  HostFunction &host;
  mlir::Value matrices, warpgroups; ///< shadows of the operands, created at their first use
};

} // namespace hocket

#endif
