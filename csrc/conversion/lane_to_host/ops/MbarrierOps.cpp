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
  host_abi::SiteNumber site = host.site(op, {.kind = SiteKind::RemoteStore, .bytes = bytes, .alignment = bytes});
  calls::storeAsync(host, memory, bytes, offsetOf(host, op.getDst()), offsetOf(host, op.getBarrier()), site);
}

Converted convertMbarrierOp(HostFunction &host, Operation *op) {
  if (op->getNumResults() && !op->use_empty() && isa<NVVM::MBarrierArriveOp, NVVM::MBarrierArriveExpectTxOp>(op))
    return op->emitError("the emulator does not know the state that ") << op->getName() << " returns";
  auto siteOf = [&](SiteKind kind) {
    return host.site(op, {.kind = kind, .bytes = kMbarrierBytes, .alignment = kMbarrierBytes});
  };
  bool known = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::MBarrierInitOp init) {
        calls::mbarrierInit(host, offsetOf(host, init.getAddr()), init.getCount(), siteOf(SiteKind::MbarrierSet));
      })
      .Case([&](NVVM::MBarrierInvalOp invalidate) {
        calls::mbarrierInvalidate(host, offsetOf(host, invalidate.getAddr()), siteOf(SiteKind::MbarrierSet));
      })
      .Case([&](NVVM::MBarrierArriveOp arrive) {
        Value count = arrive.getCount() ? arrive.getCount() : host.i32(1);
        calls::mbarrierArrive(host, offsetOf(host, arrive.getAddr()), count, siteOf(SiteKind::MbarrierUse));
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp expect) {
        calls::mbarrierExpect(host, offsetOf(host, expect.getAddr()), expect.getTxcount(),
                              siteOf(SiteKind::MbarrierUse));
      })
      .Case([&](NVVM::CpAsyncMBarrierArriveOp arrive) {
        calls::mbarrierArriveCopies(host, offsetOf(host, arrive.getAddr()), !arrive.getNoinc(),
                                    siteOf(SiteKind::MbarrierUse));
      })
      .Case([&](lane::MbarrierWaitOp wait) {
        calls::mbarrierWait(host, offsetOf(host, wait.getBarrier()), wait.getParity(), siteOf(SiteKind::MbarrierUse));
      })
      .Case([&](lane::StoreAsyncOp store) { convertStore(host, store); })
      .Case([](NVVM::FenceMbarrierInitOp) {})
      .Default([&](Operation *) { known = false; });
  if (known)
    op->erase();
  return known;
}

} // namespace hocket
