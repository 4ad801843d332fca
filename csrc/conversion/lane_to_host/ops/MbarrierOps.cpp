//===- MbarrierOps.cpp - Converts operations on mbarriers --------------------------------------===//
//
//   nvvm.mbarrier.init                 init(lane, offset, count, site)
//   nvvm.mbarrier.inval                invalidate(lane, offset, site)
//   nvvm.mbarrier.arrive               arrive(lane, offset, count, site)
//   nvvm.mbarrier.arrive.expect_tx     expect(lane, offset, bytes, site)
//   nvvm.cp.async.mbarrier.arrive      arrive_copies(lane, offset, increments, site)
//   lane.mbarrier_wait                 wait(lane, offset, parity, site)
//   lane.store_async                   store_async(lane, words, bytes, destination, offset, site)
//   nvvm.fence.mbarrier.init           nothing: an mbarrier is visible once it is initialized
//
// The states that arrivals return are not supported: no lowering uses them.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "dialect/lane/LaneClusterOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "target/Mbarriers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;

static Value offsetOf(HostFunction &host, Value address) {
  return LLVM::PtrToIntOp::create(host.builder, host.loc(), host.builder.getI64Type(), address);
}

static void convertStore(HostFunction &host, lane::StoreAsyncOp op) {
  OpBuilder &builder = host.builder;
  constexpr int64_t kWordBytes = sizeof(uint32_t);
  int64_t bytes = int64_t(op.getWords().size()) * kWordBytes;
  Value memory = host.accessMemory(bytes);
  for (auto [index, word] : llvm::enumerate(op.getWords())) {
    Value place = LLVM::GEPOp::create(builder, host.loc(), memory.getType(), builder.getI32Type(), memory,
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
    LLVM::StoreOp::create(builder, host.loc(), word, place);
  }
  Value site = host.site(op, {.kind = SiteKind::RemoteStore, .bytes = bytes, .alignment = bytes});
  host.call(host_abi::kStoreAsync, nullptr,
            {host.lane(), memory, host.i32(bytes), offsetOf(host, op.getDst()), offsetOf(host, op.getBarrier()), site});
}

/// Calls `function` with the lane, the offset of the mbarrier, `arguments` and the site.
static void callAt(HostFunction &host, Operation *op, StringRef function, SiteKind kind, Value barrier,
                   ValueRange arguments = {}) {
  SmallVector<Value> operands = {host.lane(), offsetOf(host, barrier)};
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
      .Case([&](lane::StoreAsyncOp store) { convertStore(host, store); })
      .Case([](NVVM::FenceMbarrierInitOp) {})
      .Default([&](Operation *) { known = false; });
  if (known)
    op->erase();
  return known;
}

} // namespace hocket
