//===- Guards.cpp - Branches that the emulator adds to a kernel ----------------------===//
#include "conversion/lane_to_host/parts/Guards.h"

#include "conversion/lane_to_host/RuntimeCalls.h"

using namespace mlir;

namespace hocket {

Block *Guards::faultBlock() {
  if (fault)
    return fault;
  OpBuilder::InsertionGuard guard(host.builder);
  Location saved = host.loc();
  host.setLoc(host.function().getLoc());
  Region &body = host.function().getBody();
  fault = host.builder.createBlock(&body, body.end(), {host.builder.getI32Type(), host.builder.getI64Type()},
                                   {host.loc(), host.loc()});
  calls::fault(host, fault->getArgument(0), fault->getArgument(1));
  LLVM::UnreachableOp::create(host.builder, host.loc());
  host.setLoc(saved);
  return fault;
}

Operation *Guards::faultIf(Value condition, host_abi::SiteNumber site, Value detail, Operation *op) {
  Block *exit = faultBlock();
  Block *before = op->getBlock();
  Block *rest = before->splitBlock(op);
  host.builder.setInsertionPointToEnd(before);
  Value number = host.i32(int64_t(site));
  Operation *branch = LLVM::CondBrOp::create(host.builder, host.loc(), condition, exit, ValueRange{number, detail},
                                             rest, ValueRange{}, std::pair<uint32_t, uint32_t>(1, 1u << 20));
  guards.insert(branch);
  host.builder.setInsertionPoint(op);
  return branch;
}

void Guards::buildIf(Value condition, Operation *op, llvm::function_ref<void()> body) {
  Block *before = op->getBlock();
  Block *rest = before->splitBlock(op);
  Block *inside = host.builder.createBlock(rest);
  body();
  LLVM::BrOp::create(host.builder, host.loc(), rest);
  host.builder.setInsertionPointToEnd(before);
  guards.insert(LLVM::CondBrOp::create(host.builder, host.loc(), condition, inside, rest));
  host.builder.setInsertionPoint(op);
}

void Guards::skipIf(Value condition, Operation *op) {
  Block *before = host.builder.getInsertionBlock();
  Block *rest = host.builder.createBlock(op->getBlock());
  host.builder.setInsertionPointToEnd(before);
  guards.insert(LLVM::CondBrOp::create(host.builder, host.loc(), condition, op->getBlock(), rest));
  host.builder.setInsertionPointToEnd(rest);
}

} // namespace hocket
