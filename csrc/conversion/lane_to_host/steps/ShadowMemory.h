//===- ShadowMemory.h - Addresses of the shadows of memory -----------------------------===//
//
//   shared memory                a copy after it (host_abi::sharedShadowOffset)
//   arrays                       a runtime call returns the address
//   operands of rendezvous       a second copy on the lane's stack, which is only written if a lane of the wave has an
//                                undefined operand
//   operands of wgmma            a second copy on the lane's stack, which the call of the wgmma passes
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_STEPS_SHADOWMEMORY_H
#define HOCKET_CONVERSION_LANE_TO_HOST_STEPS_SHADOWMEMORY_H

#include "conversion/lane_to_host/HostFunction.h"

namespace hocket {

class ShadowMemory {
public:
  explicit ShadowMemory(HostFunction &host) : host(host) {}

  /// Address of the shadow of the checked `address`, in shared memory or in an array.
  mlir::Value shared(mlir::Value address);
  mlir::Value global(mlir::Value address, bool isWritten);
  /// Address of the shadow of the operand at byte offset `field`.
  mlir::Value matrix(int32_t field);
  mlir::Value warpgroup(int32_t field);

private:
  mlir::Value copyOf(mlir::Value &copy, int64_t bytes, int32_t field);
  mlir::Value after(mlir::Value address, int32_t bytes);

  HostFunction &host;
  mlir::Value matrices, warpgroups; ///< the copies, created at their first use
};

} // namespace hocket

#endif
