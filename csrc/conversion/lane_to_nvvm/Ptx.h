//===- Ptx.h - Builder of inline PTX --------------------------------------------------------===//
//
// Inline PTX is allowed only in this folder. LLVM has no operations for some PTX instructions: predicated accesses with
// hints, atomics with an ordering, and wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_PTX_H
#define HOCKET_CONVERSION_LANE_TO_NVVM_PTX_H

#include "conversion/lane_to_llvm/Expansion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <string>

namespace hocket::nvvm {

/// Builds one inline PTX statement. Operands are numbered in the order of their addition. Outputs must be added first.
/// Constraints are PTX register kinds: "h" 16 bits, "r" 32, "l" 64, "f" f32, "d" f64, "b" predicate.
class Ptx {
public:
  std::string text;

  std::string output(llvm::StringRef constraint) { return add("=" + constraint.str()); }
  std::string input(mlir::Value value, llvm::StringRef constraint) {
    operands.push_back(value);
    return add(constraint.str());
  }
  /// Adds an input in the register of output `number`.
  void tie(mlir::Value value, unsigned number) { input(value, std::to_string(number)); }
  /// Appends "@p " for the next instruction.
  void predicate(mlir::Value pred) {
    if (!isAlways(pred))
      text += "@" + input(pred, "b") + " ";
  }
  mlir::LLVM::InlineAsmOp emit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type result, bool hasSideEffects) {
    return mlir::LLVM::InlineAsmOp::create(builder, loc, result ? mlir::TypeRange(result) : mlir::TypeRange(), operands,
                                           text, constraints, hasSideEffects,
                                           /*is_align_stack=*/false, mlir::LLVM::tailcallkind::TailCallKind::None,
                                           mlir::LLVM::AsmDialectAttr(), mlir::ArrayAttr());
  }

private:
  std::string add(const std::string &constraint) {
    constraints += (constraints.empty() ? "" : ",") + constraint;
    return "$" + std::to_string(count++);
  }

  std::string constraints;
  llvm::SmallVector<mlir::Value> operands;
  unsigned count = 0;
};

} // namespace hocket::nvvm

#endif
