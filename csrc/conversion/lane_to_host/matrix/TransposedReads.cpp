//===- TransposedReads.cpp - Converts LDS reads that transpose ---------------------------===//
//
//   %v = rocdl.ds.read.tr16.b64 %p    ->  gather(lane)
//   %w = rocdl.ds.read.tr16.b64 %q        words[0] = llvm.load of 8 checked bytes at %p       on the lane's stack
//                                         words[1] = llvm.load of 8 checked bytes at %q
//                                         crossLane(lane, TransposedReads, words, 2, element bits, ...)
//                                         %v, %w = words[0], words[1]
//
// A batch of reads needs one rendezvous (Rows.h), if only loads and arithmetic of the lane are between them.
//
// Lanes cooperate in groups of 16. A group reads a matrix in rows of 16 elements of `w` bits: w / 4 consecutive lanes
// have a row. Lane i of the group receives column i, which is 64 / w elements: element j of its result comes from lane
// j * w / 4 + i * w / 64, element i % (64 / w).
//
// "AMD Instinct CDNA4" ISA guide, "DS_READ_B64_TR_B16", "DS_READ_B64_TR_B8", "DS_READ_B64_TR_B4".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/matrix/Rows.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

static int64_t elementBitsOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](ROCDL::ds_read_tr16_b64) { return 16; })
      .Case([](ROCDL::ds_read_tr8_b64) { return 8; })
      .Case([](ROCDL::ds_read_tr4_b64) { return 4; })
      .Default([](Operation *) { return 0; });
}

/// True if the next read can be exchanged together with the pending ones.
static bool canGoOn(HostFunction &host) {
  constexpr size_t kMostReads = 32;
  if (host.pendingReads.size() == kMostReads)
    return false;
  Row row(host.pendingReads);
  auto isNext = [&](Operation *op) {
    return op->getName() == host.pendingReads.back()->getName() && !row.gives(op->getOperand(0));
  };
  return row.canGoOn(isNext, [](Operation *op) { return isa<LLVM::LoadOp>(op); });
}

/// Exchanges the results of the pending reads, at the last of them.
static void exchange(HostFunction &host) {
  constexpr int64_t kWordBytes = 8;
  auto wordAt = [&](size_t number) -> Value {
    auto offset = int32_t(int64_t(number) * kWordBytes);
    return LLVM::GEPOp::create(host.builder, host.loc(), LLVM::LLVMPointerType::get(host.builder.getContext()),
                               host.builder.getI8Type(), host.matrixOperands(0), ArrayRef<LLVM::GEPArg>{offset},
                               LLVM::GEPNoWrapFlags::inbounds);
  };
  auto count = int64_t(host.pendingReads.size());
  Value words = host.matrixOperands(count * kWordBytes);
  Operation *last = host.pendingReads.back();
  Type i64 = host.builder.getI64Type();
  SmallVector<CheckedAccess> accesses = llvm::map_to_vector(host.pendingReads, [&](Operation *op) {
    return CheckedAccess{op, host_abi::SiteKind::SharedRead, op->getOperand(0), i64, kWordBytes};
  });
  for (auto [number, address] : llvm::enumerate(checkedSharedAddresses(host, accesses))) {
    Value word = LLVM::LoadOp::create(host.builder, host.loc(), i64, address, unsigned(kWordBytes));
    LLVM::StoreOp::create(host.builder, host.loc(), word, wordAt(number), unsigned(kWordBytes));
  }
  crossLane(host, last, host_abi::CrossLaneOp::TransposedReads, words, host.i64(count), elementBitsOf(last));
  Row row(host.pendingReads);
  for (auto [number, read] : llvm::enumerate(host.pendingReads)) {
    Value column =
        LLVM::LoadOp::create(host.builder, host.loc(), host.builder.getI64Type(), wordAt(number), unsigned(kWordBytes));
    Value result = read->getResult(0);
    result.replaceAllUsesWith(narrowFromI64(host, column, result.getType()));
  }
  row.moveDependents(last);
  for (Operation *op : host.pendingReads)
    op->erase();
  host.pendingReads.clear();
}

Converted convertTransposedRead(HostFunction &host, Operation *op) {
  if (!elementBitsOf(op))
    return false;
  Type type = op->getResult(0).getType();
  if (!host.target().amdMemory || !host.target().amdMemory->hasTransposedReads)
    return op->emitError() << StringRef(host.target().name) << " has no " << op->getName();
  if (bitWidthOf(type) != 64)
    return op->emitError() << op->getName() << " returns 64 bits, not " << type;
  // The reads see earlier stores of other lanes: within a wave this takes no barrier.
  if (host.pendingReads.empty() && !host.areLanesTogether)
    calls::gather(host);
  host.pendingReads.push_back(op);
  if (!canGoOn(host))
    exchange(host);
  return true;
}

} // namespace hocket
