//===- Assertions.cpp - Expands lane.assert for NVIDIA ---------------------------------------===//
//
// `__assertfail` is a system call of the driver: it prints message, file, line, function, block and thread, and stops
// the grid with an error that the next synchronization reports. The message contains the asserted expression. For an
// index that overflows 32 bits, the exact value of the index and the lane are printed first.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/Expansion.h"
#include "conversion/lane_to_nvvm/Expansions.h"
#include "dialect/hk/facts/Locations.h"
#include "support/CompileError.h"

#include <fstream>

using namespace mlir;

namespace hocket::nvvm {
namespace {

constexpr llvm::StringLiteral kAssertFail = "__assertfail";

LLVM::LLVMFuncOp declareAssertFail(IRRewriter &rewriter, ModuleOp module) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(kAssertFail))
    return found;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(module.getBody());
  MLIRContext *context = rewriter.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, pointer, i32, pointer, i64});
  return LLVM::LLVMFuncOp::create(rewriter, module.getLoc(), kAssertFail, type);
}

/// Returns the source text in the range of `where`, such as "gl.program_id(0) * n". Returns "" if the range spans
/// several lines or the file cannot be read, as is the case for notebook cells.
std::string sourceTextOf(const Diagnostic &where) {
  std::ifstream file(where.file);
  std::string line;
  for (int i = 0; i < where.line; ++i)
    if (!std::getline(file, line))
      return "";
  if (where.line == 0 || where.column >= where.endColumn || size_t(where.endColumn) > line.size())
    return "";
  return line.substr(where.column, where.endColumn - where.column);
}

/// Returns the message of the assertion, with the source text of the expression if the assertion is about an index or
/// the user has given no message.
std::string messageOf(lane::AssertOp op, const Diagnostic &where) {
  std::string message = op.getMessage().str(), expression = sourceTextOf(where);
  if (expression.empty() || !(op.getIndex() || message.empty()))
    return message;
  return message.empty() ? expression : message + ": " + expression;
}

} // namespace

LogicalResult expandAssert(IRRewriter &rewriter, lane::AssertOp op) {
  Location loc = op.getLoc();
  auto module = op->getParentOfType<ModuleOp>();
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  Diagnostic where = hk::diagnosticAt(loc);
  LLVM::LLVMFuncOp assertFail = declareAssertFail(rewriter, module);
  Value one = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(), rewriter.getBoolAttr(true));
  Value fails = LLVM::XOrOp::create(rewriter, loc, op.getCondition(), one);
  emitWhere(rewriter, loc, fails, Value(), [&]() -> Value {
    if (op.getIndex())
      emitPrintf(rewriter, op, "an index should be %lld", op.getIndex());
    Value message = stringAddress(rewriter, module, loc, messageOf(op, where));
    Value file = stringAddress(rewriter, module, loc, where.line ? where.file : "?");
    Value name = stringAddress(rewriter, module, loc, function.getSymName());
    Value line = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), where.line);
    Value charSize = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), rewriter.getI64IntegerAttr(1));
    LLVM::CallOp::create(rewriter, loc, assertFail, ValueRange{message, file, line, name, charSize});
    return Value();
  });
  rewriter.eraseOp(op);
  return success();
}

} // namespace hocket::nvvm
