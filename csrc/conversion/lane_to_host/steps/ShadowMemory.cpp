//===- ShadowMemory.cpp - Addresses of the shadows of memory ---------------------------===//
#include "conversion/lane_to_host/steps/ShadowMemory.h"

#include "conversion/lane_to_host/RuntimeCalls.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

Value ShadowMemory::after(Value address, int32_t bytes) {
  return LLVM::GEPOp::create(host.builder, host.loc(), address.getType(), host.builder.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value ShadowMemory::copyOf(Value &copy, int64_t bytes, int32_t field) {
  if (!copy)
    copy = host.stack.allocate(llvm::divideCeilSigned(bytes, sizeof(int64_t)));
  return after(copy, field);
}

Value ShadowMemory::shared(Value address) {
  return after(address, int32_t(host_abi::sharedShadowOffset(host.block.clusterSharedBytes())));
}

Value ShadowMemory::global(Value address, bool isWritten) { return calls::globalShadow(host, address, isWritten); }

Value ShadowMemory::matrix(int32_t field) { return copyOf(matrices, host.stack.matrices.size(), field); }
Value ShadowMemory::warpgroup(int32_t field) { return copyOf(warpgroups, host.stack.warpgroup.size(), field); }

} // namespace hocket
