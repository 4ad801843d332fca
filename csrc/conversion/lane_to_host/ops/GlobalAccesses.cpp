//===- GlobalAccesses.cpp - Converts accesses of global memory to checked accesses ---===//
//
//   lane.load %p, pred %c, other %o     ->  %q = global(lane, %p, site, %c); %v = llvm.load %q; select %c, %v, %o
//   lane.store %p, %v, pred %c          ->  %q = global(lane, %p, site, %c); llvm.store %v, %q
//   lane.atomic_rmw / atomic_cas        ->  %q = global(lane, %p, site, %c); llvm.atomicrmw / cmpxchg at %q, because
//                                           blocks run on several host threads; then ordered(lane, %q, site, %c,
//                                           stored) if the atomic can order accesses
//   lane.assert %c, "message"           ->  fault if %c is false
//   lane.print "text" [...] of ...      ->  print(lane, values, site)
//
// Accesses need no branches: if the predicate is false, the runtime returns the address of dummy memory. A load from
// dummy memory returns NaN (all bits set), which makes results that depend on a masked-off element without `other`
// conspicuous.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_llvm/Atomics.h"

#include "dialect/hk/facts/PrintText.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;

int64_t unusedCopiesOf(Operation *op) {
  auto copies = lane::kUnusedCopiesAttr.getAttr(op);
  return copies ? copies.getInt() : 0;
}

/// Returns the checked address for an access of `type` at `pointer`.
static Value checkedAddress(HostFunction &host, Operation *op, SiteKind kind, Value pointer, Type type,
                            Value predicate) {
  host_abi::SiteNumber site = host.sites.add(op, {.kind = kind,
                                                  .bytes = bitWidthOf(type) / 8,
                                                  .argument = host.parameters.originOf(pointer),
                                                  .unusedCopies = unusedCopiesOf(op)});
  return calls::global(host, pointer, site, predicate ? CallArgument<bool>(predicate) : true);
}

static void convertLoad(HostFunction &host, lane::LoadOp op) {
  Type type = op.getResult().getType();
  Value address = checkedAddress(host, op, SiteKind::Read, op.getPtr(), type, op.getPred());
  Value value = LLVM::LoadOp::create(host.builder, host.loc(), type, address, unsigned(bitWidthOf(type) / 8));
  if (op.getPred() && op.getOther())
    value = LLVM::SelectOp::create(host.builder, host.loc(), op.getPred(), value, op.getOther());
  op.getResult().replaceAllUsesWith(value);
}

static void convertStore(HostFunction &host, lane::StoreOp op) {
  Type type = op.getValue().getType();
  Value address = checkedAddress(host, op, SiteKind::Write, op.getPtr(), type, op.getPred());
  LLVM::StoreOp::create(host.builder, host.loc(), op.getValue(), address, unsigned(bitWidthOf(type) / 8));
}

void endAtomic(HostFunction &host, const Site &description, host_abi::SiteNumber site, Value address, Value predicate,
               Value stored) {
  if (description.order != host_abi::AtomicOrder::Relaxed || host.block.hasWarpFences)
    calls::ordered(host, address, site, predicate, stored);
}

/// Converts an atomic access: emits the check, the access and, if the access can order blocks, the runtime call after
/// the access. `emit` emits the access at a given address, and returns the old value and an i1 that is true if a value
/// has been stored.
template <typename Op>
static void convertAtomic(HostFunction &host, Op op, bool isStore,
                          function_ref<std::pair<Value, Value>(Value address)> emit) {
  Site description = {.kind = SiteKind::Atomic,
                      .bytes = bitWidthOf(op.getValue().getType()) / 8,
                      .argument = host.parameters.originOf(op.getPtr()),
                      .order = host_abi::AtomicOrder(op.getSem()),
                      .blockScope = op.getScope() == hk::MemScope::Cta,
                      .isStore = isStore};
  host_abi::SiteNumber site = host.sites.add(op, description);
  Value predicate = op.getPred() ? op.getPred() : host.i1(true);
  Value address = calls::global(host, op.getPtr(), site, predicate);
  auto [old, stored] = emit(address);
  endAtomic(host, description, site, address, predicate, stored);
  op.getResult().replaceAllUsesWith(old);
}

static void convertAtomicRmw(HostFunction &host, lane::AtomicRmwOp op) {
  bool isStore = op.getOp() == hk::AtomicOp::Xchg && op.getResult().use_empty();
  convertAtomic(host, op, isStore, [&](Value address) -> std::pair<Value, Value> {
    return {emitAtomicRmw(host.builder, op, address, orderingOf(op.getSem())), host.i1(true)};
  });
}

static void convertAtomicCas(HostFunction &host, lane::AtomicCasOp op) {
  convertAtomic(host, op, /*isStore=*/false, [&](Value address) -> std::pair<Value, Value> {
    Value old = emitAtomicCas(host.builder, op, address, orderingOf(op.getSem()));
    Value bits = widenToI64(host, old), expected = widenToI64(host, op.getCompare());
    return {old, LLVM::ICmpOp::create(host.builder, host.loc(), LLVM::ICmpPredicate::eq, bits, expected)};
  });
}

static void convertAssert(HostFunction &host, lane::AssertOp op) {
  bool isIndex = bool(op.getIndex());
  host_abi::SiteNumber site =
      host.sites.add(op, {.kind = isIndex ? SiteKind::Index : SiteKind::Assert, .message = op.getMessage().str()});
  Value violated = LLVM::XOrOp::create(host.builder, host.loc(), op.getCondition(), host.i1(true));
  Operation *branch = host.guards.faultIf(violated, site, isIndex ? op.getIndex() : host.i64(0), op);
  if (!isIndex)
    host.guards.makeBranchOfKernel(branch);
}

/// Converts a print. Each printed value is stored to the lane's stack with the width that the runtime reads.
static void convertPrint(HostFunction &host, lane::PrintOp op) {
  std::string format = hk::printedElement(op.getElement().size());
  format += *hk::printfFormat(op.getText(), llvm::to_vector(op.getValues().getTypes()));
  host_abi::SiteNumber site = host.sites.add(op, {.kind = SiteKind::Print, .message = std::move(format)});
  SmallVector<Value> values(op.getElement());
  llvm::append_range(values, op.getValues());
  Value memory = host.stack.allocate(int64_t(std::max<size_t>(values.size(), 1)));
  Type pointer = memory.getType();
  host.guards.buildIf(op.getPred() ? op.getPred() : host.i1(true), op, [&] {
    for (auto [i, value] : llvm::enumerate(values)) {
      if (value.getType().isF32())
        value = LLVM::FPExtOp::create(host.builder, host.loc(), host.builder.getF64Type(), value);
      Value place = LLVM::GEPOp::create(host.builder, host.loc(), pointer, host.builder.getI64Type(), memory,
                                        ArrayRef<LLVM::GEPArg>{int32_t(i)});
      LLVM::StoreOp::create(host.builder, host.loc(), widenToI64(host, value), place);
    }
    calls::print(host, memory, site);
  });
}

void addGlobalAccesses(OpConversions &table) {
  table.add(convertLoad);
  table.add(convertStore);
  table.add(convertAtomicRmw);
  table.add(convertAtomicCas);
  table.add(convertAssert);
  table.add(convertPrint);
}

} // namespace hocket
