//===- EmitIf.cpp - A branch in the middle of a lowering -----------------------------===//
#include "conversion/hk_to_llvm/EmitIf.h"

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

} // namespace hocket
