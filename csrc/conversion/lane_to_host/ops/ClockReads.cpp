//===- ClockReads.cpp - Converts reads of clocks and hardware identifiers -------------------===//
//
//   %clock, %clock64, %globaltimer, s_memtime, s_memrealtime    clock(lane): the virtual clock of the warp
//   %smid, XCC_ID                                               0
//   HW_ID                                                       the number of the warp in its block
//
// NvvmOps.cpp converts %warpid to the number of the warp in its block.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/ops/ClockReads.h"
#include "conversion/lane_to_host/Conversions.h"

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

static Value narrowed(HostFunction &host, Value value, Type type) {
  return type == value.getType() ? value : LLVM::TruncOp::create(host.builder, host.loc(), type, value).getResult();
}

static Value readClock(HostFunction &host, Operation *op) {
  return narrowed(host, calls::clock(host), op->getResult(0).getType());
}

/// Returns the result of s_getreg_b32. The lowest bits of HW_ID are the number of the warp; all other bits are 0.
static Value readRegister(HostFunction &host, Operation *op) {
  constexpr uint64_t kHardwareId = 4, kIdBits = 0x3f, kOffsetBits = 0x1f;
  APInt operand;
  bool isKnown = matchPattern(cast<LLVM::CallIntrinsicOp>(op).getArgs()[0], m_ConstantInt(&operand));
  if (!isKnown || (operand.getZExtValue() & kIdBits) != kHardwareId || (operand.getZExtValue() >> 6 & kOffsetBits) != 0)
    return host.i32(0);
  return host.laneField(offsetof(host_abi::LaneContext, warp), host.builder.getI32Type());
}

void addClockReads(OpConversions &table) {
  table.addAll<NVVM::ClockOp, NVVM::Clock64Op, NVVM::GlobalTimerOp>(readClock);
  table.addIntrinsics("llvm.amdgcn.s.memtime", readClock);
  table.addIntrinsics("llvm.amdgcn.s.memrealtime", readClock);
  table.addIntrinsics("llvm.amdgcn.s.getreg", readRegister);
  table.add([](HostFunction &host, NVVM::SmIdOp) { return host.i32(0); });
}

} // namespace hocket
