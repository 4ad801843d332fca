//===- Expansion.cpp - What expanding lane operations has in common on all GPUs -----------===//
#include "conversion/lane_to_llvm/Expansion.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

unsigned accessBits(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * vector.getElementTypeBitWidth();
  return isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

bool isAlways(Value pred) { return !pred || matchPattern(pred, m_One()); }

Value emitWhere(IRRewriter &rewriter, Location loc, Value pred, Value otherwise, function_ref<Value()> emit) {
  if (isAlways(pred))
    return emit();
  Block *before = rewriter.getInsertionBlock();
  Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  Block *where = rewriter.createBlock(after);
  Value value = emit();
  Block *end = rewriter.getInsertionBlock();

  SmallVector<Value> passed, skipped;
  Value result;
  if (value) {
    result = after->addArgument(value.getType(), loc);
    passed.push_back(value);
    rewriter.setInsertionPointToEnd(before);
    skipped.push_back(otherwise ? otherwise : LLVM::PoisonOp::create(rewriter, loc, value.getType()).getResult());
  }
  rewriter.setInsertionPointToEnd(end);
  LLVM::BrOp::create(rewriter, loc, passed, after);
  rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(rewriter, loc, pred, where, ValueRange(), after, skipped);
  rewriter.setInsertionPointToStart(after);
  return result;
}

StringRef ScopeNames::of(hk::MemScope scope) const {
  switch (scope) {
  case hk::MemScope::Cta:
    return cta;
  case hk::MemScope::Gpu:
    return gpu;
  case hk::MemScope::Sys:
    return sys;
  }
  llvm_unreachable("all scopes are handled");
}

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

static LLVM::AtomicBinOp binaryOf(hk::AtomicOp op) {
  switch (op) {
  case hk::AtomicOp::And:
    return LLVM::AtomicBinOp::_and;
  case hk::AtomicOp::Or:
    return LLVM::AtomicBinOp::_or;
  case hk::AtomicOp::Xor:
    return LLVM::AtomicBinOp::_xor;
  case hk::AtomicOp::Add:
    return LLVM::AtomicBinOp::add;
  case hk::AtomicOp::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case hk::AtomicOp::Max:
    return LLVM::AtomicBinOp::max;
  case hk::AtomicOp::Min:
    return LLVM::AtomicBinOp::min;
  case hk::AtomicOp::UMax:
    return LLVM::AtomicBinOp::umax;
  case hk::AtomicOp::UMin:
    return LLVM::AtomicBinOp::umin;
  case hk::AtomicOp::Xchg:
    return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("all operations are handled");
}

LLVM::AtomicRMWOp emitAtomicRmw(IRRewriter &rewriter, lane::AtomicRmwOp op, LLVM::AtomicOrdering ordering,
                                StringRef scope) {
  return LLVM::AtomicRMWOp::create(rewriter, op.getLoc(), binaryOf(op.getOp()), op.getPtr(), op.getValue(), ordering,
                                   scope);
}

Value emitAtomicCas(IRRewriter &rewriter, lane::AtomicCasOp op, LLVM::AtomicOrdering ordering, StringRef scope) {
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  Value compare = op.getCompare(), value = op.getValue();
  // LLVM compares integers only; equal bits is also what the machines compare.
  bool isFloat = isa<FloatType>(type);
  if (isFloat) {
    Type bits = rewriter.getIntegerType(type.getIntOrFloatBitWidth());
    compare = LLVM::BitcastOp::create(rewriter, loc, bits, compare);
    value = LLVM::BitcastOp::create(rewriter, loc, bits, value);
  }
  // A failed exchange only reads.
  LLVM::AtomicOrdering failure = ordering == LLVM::AtomicOrdering::acquire || ordering == LLVM::AtomicOrdering::acq_rel
                                     ? LLVM::AtomicOrdering::acquire
                                     : LLVM::AtomicOrdering::monotonic;
  Value pair = LLVM::AtomicCmpXchgOp::create(rewriter, loc, op.getPtr(), compare, value, ordering, failure, scope);
  Value old = LLVM::ExtractValueOp::create(rewriter, loc, pair, 0);
  return isFloat ? LLVM::BitcastOp::create(rewriter, loc, type, old).getResult() : old;
}

} // namespace hocket
