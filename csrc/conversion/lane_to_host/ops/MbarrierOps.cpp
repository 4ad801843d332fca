//===- MbarrierOps.cpp - Converts operations on mbarriers --------------------------------------===//
//
//   nvvm.mbarrier.init                 init(lane, offset, count, site)
//   nvvm.mbarrier.inval                invalidate(lane, offset, site)
//   nvvm.mbarrier.arrive               arrive(lane, offset, count, site)
//   nvvm.mbarrier.arrive.expect_tx     expect(lane, offset, bytes, site)
//   nvvm.cp.async.mbarrier.arrive      arrive_copies(lane, offset, increments, site)
//   lane.mbarrier_wait                 wait(lane, offset, parity, site)
//   lane.store_async                   store_async(lane, words, bytes, destination, offset, site)
//   nvvm.fence.mbarrier.init           nothing: an mbarrier is visible as soon as it is initialized
//
// The state tokens that arrivals return are not supported, because no lowering uses them.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "dialect/lane/LaneClusterOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "target/Mbarriers.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;
using host_abi::SiteNumber;

static Value offsetOf(HostFunction &host, Value address) {
  return LLVM::PtrToIntOp::create(host.builder, host.loc(), host.builder.getI64Type(), address);
}

static void convertStore(HostFunction &host, lane::StoreAsyncOp op) {
  OpBuilder &builder = host.builder;
  constexpr int64_t kWordBytes = sizeof(uint32_t);
  int64_t bytes = int64_t(op.getWords().size()) * kWordBytes;
  Value memory = host.stack.accesses.reserve(bytes);
  for (auto [index, word] : llvm::enumerate(op.getWords())) {
    Value place = LLVM::GEPOp::create(builder, host.loc(), memory.getType(), builder.getI32Type(), memory,
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
    LLVM::StoreOp::create(builder, host.loc(), word, place);
  }
  SiteNumber site = host.sites.add(op, {.kind = SiteKind::RemoteStore, .bytes = bytes, .alignment = bytes});
  calls::storeAsync(host, memory, bytes, offsetOf(host, op.getDst()), offsetOf(host, op.getBarrier()), site);
}

static SiteNumber siteOf(HostFunction &host, Operation *op, SiteKind kind) {
  return host.sites.add(op, {.kind = kind, .bytes = kMbarrierBytes, .alignment = kMbarrierBytes});
}

static LogicalResult requireNoState(Operation *op) {
  if (op->getNumResults() && !op->use_empty())
    return op->emitError("the emulator does not support uses of the state that ") << op->getName() << " returns";
  return success();
}

static LogicalResult convertArrive(HostFunction &host, NVVM::MBarrierArriveOp op) {
  if (failed(requireNoState(op)))
    return failure();
  Value count = op.getCount() ? op.getCount() : host.i32(1);
  calls::mbarrierArrive(host, offsetOf(host, op.getAddr()), count, siteOf(host, op, SiteKind::MbarrierUse));
  return success();
}

static LogicalResult convertExpect(HostFunction &host, NVVM::MBarrierArriveExpectTxOp op) {
  if (failed(requireNoState(op)))
    return failure();
  calls::mbarrierExpect(host, offsetOf(host, op.getAddr()), op.getTxcount(), siteOf(host, op, SiteKind::MbarrierUse));
  return success();
}

void addMbarrierOps(OpConversions &table) {
  table.add([](HostFunction &host, NVVM::MBarrierInitOp op) {
    calls::mbarrierInit(host, offsetOf(host, op.getAddr()), op.getCount(), siteOf(host, op, SiteKind::MbarrierSet));
  });
  table.add([](HostFunction &host, NVVM::MBarrierInvalOp op) {
    calls::mbarrierInvalidate(host, offsetOf(host, op.getAddr()), siteOf(host, op, SiteKind::MbarrierSet));
  });
  table.add(convertArrive);
  table.add(convertExpect);
  table.add([](HostFunction &host, NVVM::CpAsyncMBarrierArriveOp op) {
    calls::mbarrierArriveCopies(host, offsetOf(host, op.getAddr()), !op.getNoinc(),
                                siteOf(host, op, SiteKind::MbarrierUse));
  });
  table.add([](HostFunction &host, lane::MbarrierWaitOp op) {
    calls::mbarrierWait(host, offsetOf(host, op.getBarrier()), op.getParity(), siteOf(host, op, SiteKind::MbarrierUse));
  });
  table.add(convertStore);
  table.add([](HostFunction &, NVVM::FenceMbarrierInitOp) {});
}

} // namespace hocket
