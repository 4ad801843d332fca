//===- PerRegister.h - Base class of elementwise lowerings, register by register ---===//
//
// Operand and result layouts of an elementwise operation are equal, so register r of the result depends only on
// register r of each operand. A pattern derives from PerRegister<Op> and defines the operation on one register.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_PERREGISTER_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_PERREGISTER_H

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "llvm/ADT/STLExtras.h"

namespace hocket {

template <typename OpT>
class PerRegister : public LoweringPattern<OpT> {
public:
  using LoweringPattern<OpT>::LoweringPattern;
  using OneToNOpAdaptor = typename LoweringPattern<OpT>::OneToNOpAdaptor;

  mlir::LogicalResult matchAndRewrite(OpT op, OneToNOpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const final {
    if (mlir::failed(check(op)))
      return mlir::failure();
    llvm::ArrayRef<mlir::ValueRange> operands = adaptor.getOperands();
    mlir::Type resultType = op->getResult(0).getType();
    mlir::Type type = this->elementType(resultType);
    unsigned count = this->numRegisters(resultType);

    llvm::SmallVector<mlir::Value> results;
    llvm::SmallVector<mlir::Value, 4> arguments(operands.size());
    // If all registers of each operand are equal (splats), the operation is emitted once.
    if (llvm::all_of(operands, [](mlir::ValueRange registers) { return llvm::all_equal(registers); })) {
      for (auto [argument, registers] : llvm::zip(arguments, operands))
        argument = registers.front();
      results.assign(count, emit(op, type, arguments, rewriter));
    } else {
      results.reserve(count);
      for (unsigned r = 0; r < count; ++r) {
        // A scalar operand, e.g. the condition of a select, is used for every register.
        for (auto [argument, registers] : llvm::zip(arguments, operands))
          argument = registers.size() == 1 ? registers.front() : registers[r];
        results.push_back(emit(op, type, arguments, rewriter));
      }
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return mlir::success();
  }

protected:
  /// Checks that the operation can be lowered; otherwise emits an error.
  virtual mlir::LogicalResult check(OpT op) const { return mlir::success(); }
  /// Emits one register of the result, which has the type `type`.
  virtual mlir::Value emit(OpT op, mlir::Type type, llvm::ArrayRef<mlir::Value> operands,
                           mlir::OpBuilder &builder) const = 0;
};

/// Lowers operations without attributes that correspond to one LLVM operation.
template <typename OpT, typename LlvmOpT>
struct Plain : PerRegister<OpT> {
  using PerRegister<OpT>::PerRegister;
  mlir::Value emit(OpT op, mlir::Type type, llvm::ArrayRef<mlir::Value> operands,
                   mlir::OpBuilder &builder) const override {
    return LlvmOpT::create(builder, op.getLoc(), type, operands);
  }
};

} // namespace hocket

#endif
