//===- Mma.cpp - Expands lane.mma to an intrinsic of NVVM ------------------------------------===//
//
// Each register is a separate operand of the mma.sync intrinsic. A register is a vector of two f16, or a word for other
// types. The intrinsic returns a struct. (NVVM's operation does not support 8-bit floats.)
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_nvvm/Expansions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "target/MmaInstructions.h"

using namespace mlir;

namespace hocket::nvvm {

static Value index(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

LogicalResult expandMma(IRRewriter &rewriter, lane::MmaOp op) {
  Location loc = op.getLoc();
  bool takesPairs = findMma(op.getInstruction())->a == NumberFormat::F16;
  SmallVector<Value> arguments;
  auto append = [&](Value vector, Type type) {
    for (int64_t i = 0; i < cast<VectorType>(vector.getType()).getNumElements(); ++i) {
      Value element = LLVM::ExtractElementOp::create(rewriter, loc, vector, index(rewriter, loc, i));
      arguments.push_back(type ? LLVM::BitcastOp::create(rewriter, loc, type, element).getResult() : element);
    }
  };
  Type word = takesPairs ? Type(VectorType::get(2, rewriter.getF16Type())) : Type();
  append(op.getA(), word);
  append(op.getB(), word);
  append(op.getC(), nullptr);
  VectorType accumulators = op.getC().getType();
  auto type = LLVM::LLVMStructType::getLiteral(rewriter.getContext(),
                                               SmallVector<Type>(kMmaAccumulators, accumulators.getElementType()));
  auto name = rewriter.getStringAttr("llvm.nvvm." + op.getInstruction());
  Value sums = LLVM::CallIntrinsicOp::create(rewriter, loc, type, name, arguments).getResult(0);
  Value result = LLVM::PoisonOp::create(rewriter, loc, accumulators);
  for (int64_t i = 0; i < kMmaAccumulators; ++i) {
    Value sum = LLVM::ExtractValueOp::create(rewriter, loc, sums, i);
    result = LLVM::InsertElementOp::create(rewriter, loc, result, sum, index(rewriter, loc, i));
  }
  rewriter.replaceOp(op, result);
  return success();
}

} // namespace hocket::nvvm
