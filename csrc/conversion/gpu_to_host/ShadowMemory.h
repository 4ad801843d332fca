//===- ShadowMemory.h - Where the shadows of what memory holds are ---------------------===//
//
//   shared memory                a copy of it after it (host_abi::sharedShadowOffset)
//   arrays                       the emulator says where
//   operands of meetings         a second copy on the lane's stack, only written where a lane of the wave has an
//                                undefined operand
//   operands of warpgroups       a second copy on the lane's stack, which their products take along
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_SHADOWMEMORY_H
#define HOCKET_CONVERSION_GPU_TO_HOST_SHADOWMEMORY_H

#include "conversion/gpu_to_host/HostFunction.h"

namespace hocket {

class ShadowMemory {
public:
  explicit ShadowMemory(HostFunction &host) : host(host) {}

  /// Of what is at the checked `address` in shared memory, or in an array.
  mlir::Value shared(mlir::Value address);
  mlir::Value global(mlir::Value address, bool isWritten);
  /// Of an operand that is so many bytes from the beginning of all.
  mlir::Value matrix(int32_t field);
  mlir::Value warpgroup(int32_t field);

private:
  mlir::Value copyOf(mlir::Value &copy, int64_t bytes, int32_t field);
  mlir::Value after(mlir::Value address, int32_t bytes);

  HostFunction &host;
  mlir::Value matrices, warpgroups; ///< copies, once they are needed
};

} // namespace hocket

#endif
