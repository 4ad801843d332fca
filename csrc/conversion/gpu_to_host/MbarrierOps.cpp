//===- MbarrierOps.cpp - Barriers in shared memory as calls of the emulator --------------------===//
//
//   nvvm.mbarrier.init                 init(lane, offset, count, site)
//   nvvm.mbarrier.inval                invalidate(lane, offset, site)
//   nvvm.mbarrier.arrive               arrive(lane, offset, count, site)
//   nvvm.mbarrier.arrive.expect_tx     expect(lane, offset, bytes, site)
//   nvvm.cp.async.mbarrier.arrive      arrive_copies(lane, offset, increments, site)
//   lane.mbarrier_wait                 wait(lane, offset, parity, site)
//   nvvm.fence.mbarrier.init           nothing: an mbarrier is visible once it is initialised
//
// The numbers that arrivals return stand for phases that nobody asks for.
//
//===------------------------------------------------------------------------------===//
#include "conversion/gpu_to_host/Conversions.h"

#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "target/Mbarriers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;

/// Calls `function` with the lane, the offset of the mbarrier, `arguments` and the site.
static void callAt(HostFunction &host, Operation *op, StringRef function, SiteKind kind, Value barrier,
                   ValueRange arguments = {}) {
  Value offset = LLVM::PtrToIntOp::create(host.builder, host.loc(), host.builder.getI64Type(), barrier);
  SmallVector<Value> operands = {host.lane(), offset};
  llvm::append_range(operands, arguments);
  operands.push_back(host.site(op, {.kind = kind, .bytes = kMbarrierBytes, .alignment = kMbarrierBytes}));
  host.call(function, nullptr, operands);
}

Converted convertMbarrierOp(HostFunction &host, Operation *op) {
  if (op->getNumResults() && !op->use_empty() && isa<NVVM::MBarrierArriveOp, NVVM::MBarrierArriveExpectTxOp>(op))
    return op->emitError("the emulator does not know the state that ") << op->getName() << " returns";
  bool known = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::MBarrierInitOp init) {
        callAt(host, op, host_abi::kMbarrierInit, SiteKind::MbarrierSet, init.getAddr(), init.getCount());
      })
      .Case([&](NVVM::MBarrierInvalOp invalidate) {
        callAt(host, op, host_abi::kMbarrierInvalidate, SiteKind::MbarrierSet, invalidate.getAddr());
      })
      .Case([&](NVVM::MBarrierArriveOp arrive) {
        Value count = arrive.getCount() ? arrive.getCount() : host.i32(1);
        callAt(host, op, host_abi::kMbarrierArrive, SiteKind::MbarrierUse, arrive.getAddr(), count);
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp expect) {
        callAt(host, op, host_abi::kMbarrierExpect, SiteKind::MbarrierUse, expect.getAddr(), expect.getTxcount());
      })
      .Case([&](NVVM::CpAsyncMBarrierArriveOp arrive) {
        callAt(host, op, host_abi::kMbarrierArriveCopies, SiteKind::MbarrierUse, arrive.getAddr(),
               host.i1(!arrive.getNoinc()));
      })
      .Case([&](lane::MbarrierWaitOp wait) {
        callAt(host, op, host_abi::kMbarrierWait, SiteKind::MbarrierUse, wait.getBarrier(), wait.getParity());
      })
      .Case([](NVVM::FenceMbarrierInitOp) {})
      .Default([&](Operation *) { known = false; });
  if (known)
    op->erase();
  return known;
}

} // namespace hocket
