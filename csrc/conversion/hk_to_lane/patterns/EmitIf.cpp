//===- EmitIf.cpp - Emits a branch in the middle of a lowering -----------------------===//
#include "conversion/hk_to_lane/patterns/EmitIf.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {

void emitIf(RewriterBase &rewriter, Location loc, Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise) {
  Block *before = rewriter.getInsertionBlock();
  Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  auto branch = [&](llvm::function_ref<void()> emit) {
    if (!emit)
      return after;
    Block *block = rewriter.createBlock(after);
    emit();
    LLVM::BrOp::create(rewriter, loc, ValueRange(), after);
    return block;
  };
  Block *thenBlock = branch(then), *otherwiseBlock = branch(otherwise);
  rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(rewriter, loc, condition, thenBlock, otherwiseBlock);
  rewriter.setInsertionPointToStart(after);
}

Value emitValueIf(RewriterBase &rewriter, Location loc, Value condition, llvm::function_ref<Value()> then) {
  Block *before = rewriter.getInsertionBlock();
  Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  Block *where = rewriter.createBlock(after);
  Value value = then();
  Block *end = rewriter.getInsertionBlock();
  Block *merge = rewriter.createBlock(after, {value.getType()}, {loc});
  LLVM::BrOp::create(rewriter, loc, ValueRange(), after);
  rewriter.setInsertionPointToEnd(end);
  LLVM::BrOp::create(rewriter, loc, ValueRange{value}, merge);
  rewriter.setInsertionPointToEnd(before);
  Value undefined = LLVM::PoisonOp::create(rewriter, loc, value.getType());
  LLVM::CondBrOp::create(rewriter, loc, condition, where, ValueRange(), merge, ValueRange{undefined});
  rewriter.setInsertionPointToStart(after);
  return merge->getArgument(0);
}

} // namespace hocket
