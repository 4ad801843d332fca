//===- GlobalAccesses.cpp - Checked accesses of global memory ------------------------===//
//
//   lane.load %p, pred %c, other %o     ->  %q = global(lane, %p, site, %c); %v = llvm.load %q; select %c, %v, %o
//   lane.store %p, %v, pred %c          ->  %q = global(lane, %p, site, %c); llvm.store %v, %q
//   lane.atomic_rmw / atomic_cas        ->  the same with llvm.atomicrmw / cmpxchg: blocks run on several threads
//   lane.assert %c, "message"           ->  fault where %c is false
//
// No branch per access: where the predicate is false the runtime answers with memory of no meaning. Reading it gives
// NaN (all bits set), so a result that depends on an element that was masked off without `other` shows.
//
//===------------------------------------------------------------------------------===//
#include "conversion/gpu_to_host/Conversions.h"

#include "dialect/lane/LaneDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

using host_abi::SiteKind;

/// The checked address for an access of `type` at `pointer`.
static Value checkedAddress(HostFunction &host, Operation *op, SiteKind kind, Value pointer, Type type,
                            Value predicate) {
  Value site = host.site(op, {.kind = kind, .bytes = bitWidthOf(type) / 8, .argument = host.originOf(pointer)});
  Type plain = LLVM::LLVMPointerType::get(op->getContext());
  if (!predicate)
    predicate = host.i1(true);
  return host.call(host_abi::kGlobal, plain, {host.lane(), pointer, site, predicate});
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

static LLVM::AtomicOrdering orderingOf(hk::MemSemantic semantic) {
  switch (semantic) {
  case hk::MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case hk::MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case hk::MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case hk::MemSemantic::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("all orderings are listed");
}

static LLVM::AtomicBinOp binaryOf(hk::AtomicOp op, bool isFloat) {
  switch (op) {
  case hk::AtomicOp::And:
    return LLVM::AtomicBinOp::_and;
  case hk::AtomicOp::Or:
    return LLVM::AtomicBinOp::_or;
  case hk::AtomicOp::Xor:
    return LLVM::AtomicBinOp::_xor;
  case hk::AtomicOp::Add:
  case hk::AtomicOp::FAdd:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case hk::AtomicOp::Max:
    return isFloat ? LLVM::AtomicBinOp::fmax : LLVM::AtomicBinOp::max;
  case hk::AtomicOp::Min:
    return isFloat ? LLVM::AtomicBinOp::fmin : LLVM::AtomicBinOp::min;
  case hk::AtomicOp::UMax:
    return LLVM::AtomicBinOp::umax;
  case hk::AtomicOp::UMin:
    return LLVM::AtomicBinOp::umin;
  case hk::AtomicOp::Xchg:
    return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("all atomic operations are listed");
}

static void convertAtomicRmw(HostFunction &host, lane::AtomicRmwOp op) {
  Type type = op.getValue().getType();
  Value address = checkedAddress(host, op, SiteKind::Atomic, op.getPtr(), type, op.getPred());
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
  Value old = LLVM::AtomicRMWOp::create(host.builder, host.loc(), binaryOf(op.getOp(), isFloat), address, op.getValue(),
                                        orderingOf(op.getSem()));
  op.getResult().replaceAllUsesWith(old);
}

static void convertAtomicCas(HostFunction &host, lane::AtomicCasOp op) {
  Type type = op.getValue().getType();
  OpBuilder &builder = host.builder;
  Value address = checkedAddress(host, op, SiteKind::Atomic, op.getPtr(), type, op.getPred());
  Type bits = builder.getIntegerType(bitWidthOf(type));
  auto asBits = [&](Value value) -> Value {
    return isa<FloatType, VectorType>(type) ? LLVM::BitcastOp::create(builder, host.loc(), bits, value).getResult()
                                            : value;
  };
  LLVM::AtomicOrdering ordering = orderingOf(op.getSem());
  LLVM::AtomicOrdering onFailure = ordering == LLVM::AtomicOrdering::acq_rel   ? LLVM::AtomicOrdering::acquire
                                   : ordering == LLVM::AtomicOrdering::release ? LLVM::AtomicOrdering::monotonic
                                                                               : ordering;
  Value pair = LLVM::AtomicCmpXchgOp::create(builder, host.loc(), address, asBits(op.getCompare()),
                                             asBits(op.getValue()), ordering, onFailure);
  Value old = LLVM::ExtractValueOp::create(builder, host.loc(), pair, ArrayRef<int64_t>{0});
  if (old.getType() != type)
    old = LLVM::BitcastOp::create(builder, host.loc(), type, old);
  op.getResult().replaceAllUsesWith(old);
}

static void convertAssert(HostFunction &host, lane::AssertOp op) {
  Value site = host.site(op, {.kind = SiteKind::Assert, .message = op.getMessage().str()});
  Value violated = LLVM::XOrOp::create(host.builder, host.loc(), op.getCondition(), host.i1(true));
  host.faultIf(violated, site, host.i64(0), op);
}

Converted convertLaneOp(HostFunction &host, Operation *op) {
  if (!isa_and_nonnull<lane::LaneDialect>(op->getDialect()))
    return false;
  bool known = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](lane::LoadOp load) { convertLoad(host, load); })
      .Case([&](lane::StoreOp store) { convertStore(host, store); })
      .Case([&](lane::AtomicRmwOp atomic) { convertAtomicRmw(host, atomic); })
      .Case([&](lane::AtomicCasOp atomic) { convertAtomicCas(host, atomic); })
      .Case([&](lane::AssertOp assertion) { convertAssert(host, assertion); })
      .Default([&](Operation *) { known = false; });
  if (!known)
    return false;
  op->erase();
  return true;
}

} // namespace hocket
