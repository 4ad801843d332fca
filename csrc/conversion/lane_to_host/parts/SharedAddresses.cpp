//===- SharedAddresses.cpp - The checked addresses in shared memory ------------------===//
#include "conversion/lane_to_host/parts/SharedAddresses.h"

using namespace mlir;

namespace hocket {

Value SharedAddresses::isWatched() {
  if (watched)
    return watched;
  OpBuilder::InsertionGuard guard(host.builder);
  host.builder.setInsertionPointToStart(&host.function().getBody().front());
  Value flag = host.laneField(offsetof(host_abi::LaneContext, watched), host.builder.getI8Type());
  Value off = host.constant(host.builder.getI8Type(), 0);
  return watched = LLVM::ICmpOp::create(host.builder, host.loc(), LLVM::ICmpPredicate::ne, flag, off);
}

} // namespace hocket
