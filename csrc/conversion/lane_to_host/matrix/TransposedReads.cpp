//===- TransposedReads.cpp - Converts LDS reads that transpose ---------------------------===//
//
//   %v = rocdl.ds.read.tr16.b64 %p    ->  gather(lane)
//   %w = rocdl.ds.read.tr16.b64 %q        words[0] = llvm.load of 8 checked bytes at %p       on the lane's stack
//                                         words[1] = llvm.load of 8 checked bytes at %q
//                                         crossLane(lane, TransposedReads, words, 2, element bits, ...)
//                                         %v, %w = words[0], words[1]
//
// A batch of reads needs one rendezvous of the wave's lanes (Rows.h), if only loads and arithmetic of the lane are
// between the reads.
//
// Lanes cooperate in groups of 16. A group reads a matrix in rows of 16 elements of `w` bits: w / 4 consecutive lanes
// read one row. Lane i of the group receives column i, which is 64 / w elements: element j of its result comes from
// lane j * w / 4 + i * w / 64, element i % (64 / w).
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

namespace {

/// Collects reads whose elements are exchanged in one rendezvous.
class Reads {
public:
  Converted add(HostFunction &host, Operation *op) {
    Type type = op->getResult(0).getType();
    if (!host.block.target.amdMemory || !host.block.target.amdMemory->hasTransposedReads)
      return op->emitError() << StringRef(host.block.target.name) << " has no " << op->getName();
    if (bitWidthOf(type) != 64)
      return op->emitError() << op->getName() << " returns 64 bits, not " << type;
    // Earlier stores of other lanes of the wave must be visible to the reads even without a barrier, so the lanes
    // converge first.
    if (pending.empty() && !host.shared.areLanesTogether)
      calls::gather(host);
    pending.push_back(op);
    if (!canGoOn())
      exchange(host);
    return true;
  }

private:
  bool canGoOn() const;
  void exchange(HostFunction &host);

  SmallVector<Operation *> pending;
};

/// True if the elements of the next read can be exchanged together with the elements of the pending reads.
bool Reads::canGoOn() const {
  constexpr size_t kMostReads = 32;
  if (pending.size() == kMostReads)
    return false;
  Row row(pending);
  auto isNext = [&](Operation *op) {
    return op->getName() == pending.back()->getName() && !row.gives(op->getOperand(0));
  };
  return row.canGoOn(isNext, [](Operation *op) { return isa<LLVM::LoadOp>(op); });
}

/// Emits the exchange of the elements of all pending reads, at the last of these reads.
void Reads::exchange(HostFunction &host) {
  constexpr int64_t kWordBytes = 8;
  auto wordAt = [&](size_t number) -> Value {
    auto offset = int32_t(int64_t(number) * kWordBytes);
    return LLVM::GEPOp::create(host.builder, host.loc(), LLVM::LLVMPointerType::get(host.builder.getContext()),
                               host.builder.getI8Type(), host.stack.matrices.reserve(0), ArrayRef<LLVM::GEPArg>{offset},
                               LLVM::GEPNoWrapFlags::inbounds);
  };
  auto count = int64_t(pending.size());
  Value words = host.stack.matrices.reserve(count * kWordBytes);
  Operation *last = pending.back();
  Type i64 = host.builder.getI64Type();
  SmallVector<CheckedAccess> accesses = llvm::map_to_vector(pending, [&](Operation *op) {
    return CheckedAccess{op, host_abi::SiteKind::SharedRead, op->getOperand(0), i64, kWordBytes};
  });
  for (auto [number, address] : llvm::enumerate(checkedSharedAddresses(host, accesses))) {
    Value word = LLVM::LoadOp::create(host.builder, host.loc(), i64, address, unsigned(kWordBytes));
    LLVM::StoreOp::create(host.builder, host.loc(), word, wordAt(number), unsigned(kWordBytes));
  }
  crossLane(host, last, host_abi::CrossLaneOp::TransposedReads, words, host.i64(count), elementBitsOf(last));
  Row row(pending);
  for (auto [number, read] : llvm::enumerate(pending)) {
    Value column =
        LLVM::LoadOp::create(host.builder, host.loc(), host.builder.getI64Type(), wordAt(number), unsigned(kWordBytes));
    Value result = read->getResult(0);
    result.replaceAllUsesWith(narrowFromI64(host, column, result.getType()));
  }
  row.moveDependents(last);
  for (Operation *op : pending)
    op->erase();
  pending.clear();
}

} // namespace

void addTransposedReads(OpConversions &table) {
  auto reads = std::make_shared<Reads>();
  table.addAll<ROCDL::ds_read_tr16_b64, ROCDL::ds_read_tr8_b64, ROCDL::ds_read_tr4_b64>(
      [reads](HostFunction &host, Operation *op) { return reads->add(host, op); });
}

} // namespace hocket
