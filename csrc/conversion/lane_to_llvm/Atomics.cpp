//===- Atomics.cpp - Converts atomic lane operations to LLVM atomics ----------------------===//
#include "conversion/lane_to_llvm/Atomics.h"

#include "dialect/lane/AtomicBinOp.h"

using namespace mlir;

namespace hocket {

LLVM::AtomicOrdering orderingOf(hk::MemSemantic semantic) {
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
  llvm_unreachable("all orderings are handled");
}

LLVM::AtomicRMWOp emitAtomicRmw(OpBuilder &builder, lane::AtomicRmwOp op, Value address, LLVM::AtomicOrdering ordering,
                                StringRef scope) {
  return LLVM::AtomicRMWOp::create(builder, op.getLoc(), lane::binaryOf(op.getOp()), address, op.getValue(), ordering,
                                   scope);
}

Value emitAtomicCas(OpBuilder &builder, lane::AtomicCasOp op, Value address, LLVM::AtomicOrdering ordering,
                    StringRef scope) {
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  Value compare = op.getCompare(), value = op.getValue();
  // LLVM's cmpxchg has no float operands. Like the hardware, cmpxchg compares bits.
  bool isFloat = isa<FloatType>(type);
  if (isFloat) {
    Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
    compare = LLVM::BitcastOp::create(builder, loc, bits, compare);
    value = LLVM::BitcastOp::create(builder, loc, bits, value);
  }
  // A failed compare-and-swap only reads, so its ordering cannot be a release.
  LLVM::AtomicOrdering failure = ordering == LLVM::AtomicOrdering::acquire || ordering == LLVM::AtomicOrdering::acq_rel
                                     ? LLVM::AtomicOrdering::acquire
                                     : LLVM::AtomicOrdering::monotonic;
  Value pair = LLVM::AtomicCmpXchgOp::create(builder, loc, address, compare, value, ordering, failure, scope);
  Value old = LLVM::ExtractValueOp::create(builder, loc, pair, 0);
  return isFloat ? LLVM::BitcastOp::create(builder, loc, type, old).getResult() : old;
}

} // namespace hocket
