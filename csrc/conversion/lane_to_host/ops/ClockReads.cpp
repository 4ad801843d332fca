//===- ClockReads.cpp - Reads of clocks and hardware identifiers ----------------------------===//
//
//   %clock, %clock64, %globaltimer, s_memtime, s_memrealtime    clock(lane): all are the warp's virtual clock
//   %smid, XCC_ID                                               0
//   HW_ID                                                       the number of the warp in its block
//
// %warpid is the number of the warp, too (NvvmOps.cpp).
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/ops/ClockReads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

static StringRef intrinsicOf(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call ? call.getIntrin() : StringRef();
}

bool isClockRead(Operation *op) {
  return isa<NVVM::ClockOp, NVVM::Clock64Op, NVVM::GlobalTimerOp>(op) ||
         llvm::is_contained({"llvm.amdgcn.s.memtime", "llvm.amdgcn.s.memrealtime"}, intrinsicOf(op));
}

/// Returns the result of s_getreg_b32: the warp's number is in HW_ID's lowest bits, all other bits are 0.
static Value readRegister(HostFunction &host, LLVM::CallIntrinsicOp call) {
  constexpr uint64_t kHardwareId = 4, kIdBits = 0x3f, kOffsetBits = 0x1f;
  APInt operand;
  bool isKnown = matchPattern(call.getArgs()[0], m_ConstantInt(&operand));
  if (!isKnown || (operand.getZExtValue() & kIdBits) != kHardwareId || (operand.getZExtValue() >> 6 & kOffsetBits) != 0)
    return host.i32(0);
  return host.laneField(offsetof(host_abi::LaneContext, warp), host.builder.getI32Type());
}

Converted convertClockRead(HostFunction &host, Operation *op) {
  Value value;
  if (isClockRead(op))
    value = calls::clock(host);
  else if (isa<NVVM::SmIdOp>(op))
    value = host.i32(0);
  else if (intrinsicOf(op) == "llvm.amdgcn.s.getreg")
    value = readRegister(host, cast<LLVM::CallIntrinsicOp>(op));
  if (!value)
    return false;
  Type type = op->getResult(0).getType();
  if (type != value.getType())
    value = LLVM::TruncOp::create(host.builder, host.loc(), type, value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return true;
}

} // namespace hocket
