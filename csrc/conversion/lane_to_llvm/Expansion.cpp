//===- Expansion.cpp - Helpers that expand lane operations for both vendors ---------------===//
#include "conversion/lane_to_llvm/Expansion.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

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

} // namespace hocket
