//===- Math.cpp - Lowers the math dialect ---------------------------------------------===//
//
//   absf, absi, ctpop, ctlz, cttz, copysign       the LLVM intrinsic, any width
//   fma                                           llvm.fma: rounded once
//   floor, ceil, trunc, round, roundeven          the LLVM intrinsic; f16 and bf16 through f32
//   sqrt                                          llvm.sqrt; for f32 the GPU's approximation (1 ulp) is allowed,
//                                                 unless the operation has hk.round_nearest
//   exp2                                          F32Functions, F64Functions; f32 with fastmath<afn>: TargetLowering
//   exp, log, log2, log10, sin, cos, tanh,
//   erf, rsqrt                                    F32Functions, F64Functions; f16 and bf16 through f32
//
//===------------------------------------------------------------------------------===//
#include "mlir/Dialect/Math/IR/Math.h"
#include "conversion/hk_to_lane/math/ExtendFloat.h"
#include "conversion/hk_to_lane/math/F32Functions.h"
#include "conversion/hk_to_lane/math/F64Functions.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/PerRegister.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

/// Lowers absi, ctlz and cttz. The flag of the LLVM intrinsic is false, so that the result for INT_MIN or zero is
/// defined.
template <typename OpT, typename LlvmOpT>
struct FlaggedIntrinsic : PerRegister<OpT> {
  using PerRegister<OpT>::PerRegister;
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    return LlvmOpT::create(builder, op.getLoc(), type, operands[0], /*flag=*/false);
  }
};

using FunctionOfOne = Value (*)(OpBuilder &, Location, Value);

/// Lowers a function of one float. Floats narrower than f32 are widened first.
template <typename OpT, FunctionOfOne ofF32, FunctionOfOne ofF64 = ofF32>
struct Function : PerRegister<OpT> {
  using PerRegister<OpT>::PerRegister;
  LogicalResult check(OpT op) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (element.isF16() || element.isBF16() || element.isF32() || element.isF64())
      return success();
    return emitError(op.getLoc()) << "'" << op->getName() << "' of " << element << " is not supported for target "
                                  << this->lowering.target.name;
  }
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    Location loc = op.getLoc();
    if (type.isF64())
      return ofF64(builder, loc, operands[0]);
    if (type.isF32())
      return ofF32(builder, loc, operands[0]);
    Value wide = extendFloat(builder, loc, operands[0], builder.getF32Type());
    return LLVM::FPTruncOp::create(builder, loc, type, ofF32(builder, loc, wide));
  }
};

/// With fastmath<afn>, subnormal f32 results are flushed to 0.
struct Exp2 : Function<math::Exp2Op, emitExp2, f64::emitExp2> {
  using Function::Function;
  Value emit(math::Exp2Op op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    if (type.isF32() && bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return lowering.targetLowering.flushedExp2(builder, op.getLoc(), operands[0]);
    return Function::emit(op, type, operands, builder);
  }
};

struct SquareRoot : PerRegister<math::SqrtOp> {
  using PerRegister::PerRegister;
  Value emit(math::SqrtOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    Location loc = op.getLoc();
    if (type.isF64())
      return LLVM::SqrtOp::create(builder, loc, operands[0]);
    bool isRounded = hk::kRoundNearestAttr.isOn(op);
    auto flags = isRounded ? LLVM::FastmathFlags::none : LLVM::FastmathFlags::afn;
    if (type.isF32())
      return LLVM::SqrtOp::create(builder, loc, operands[0], flags);
    Value wide = extendFloat(builder, loc, operands[0], builder.getF32Type());
    return LLVM::FPTruncOp::create(builder, loc, type, LLVM::SqrtOp::create(builder, loc, wide, flags));
  }
};

template <typename LlvmOpT>
Value unary(OpBuilder &builder, Location loc, Value x) {
  return LlvmOpT::create(builder, loc, x.getType(), x);
}

} // namespace

void populateMathPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<Plain<math::AbsFOp, LLVM::FAbsOp>, Plain<math::CopySignOp, LLVM::CopySignOp>,
               Plain<math::FmaOp, LLVM::FMAOp>, Plain<math::CtPopOp, LLVM::CtPopOp>,
               FlaggedIntrinsic<math::AbsIOp, LLVM::AbsOp>,
               FlaggedIntrinsic<math::CountLeadingZerosOp, LLVM::CountLeadingZerosOp>,
               FlaggedIntrinsic<math::CountTrailingZerosOp, LLVM::CountTrailingZerosOp>, SquareRoot,
               Function<math::FloorOp, unary<LLVM::FFloorOp>>, Function<math::CeilOp, unary<LLVM::FCeilOp>>,
               Function<math::TruncOp, unary<LLVM::FTruncOp>>, Function<math::RoundOp, unary<LLVM::RoundOp>>,
               Function<math::RoundEvenOp, unary<LLVM::RoundEvenOp>>, Function<math::ExpOp, emitExp, f64::emitExp>,
               Exp2, Function<math::LogOp, emitLog, f64::emitLog>, Function<math::Log2Op, emitLog2, f64::emitLog2>,
               Function<math::Log10Op, emitLog10, f64::emitLog10>, Function<math::SinOp, emitSin, f64::emitSin>,
               Function<math::CosOp, emitCos, f64::emitCos>, Function<math::TanhOp, emitTanh, f64::emitTanh>,
               Function<math::ErfOp, emitErf, f64::emitErf>, Function<math::RsqrtOp, emitRsqrt>>(lowering);
}

} // namespace hocket
