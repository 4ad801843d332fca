//===- Casts.cpp - Lowers conversions between number types --------------------------===//
//
//   extf, truncf, sitofp, uitofp,
//   extsi, extui, trunci, index_cast                  the LLVM operation with the same name
//   fptosi, fptoui                                    lane.float_to_int, which is defined for every float
//   bitcast                                           llvm.bitcast; nothing if the types are equal
//
// Narrowing floats rounds to nearest even. f32 -> bf16 is one instruction on sm_80, sm_90a and gfx950, and several
// integer instructions on gfx942 (codegen/amd/ir/ExpandF32ToBf16.h). Conversions between bf16 and any type except f32
// go through f32, as in NumPy's ml_dtypes, because no GPU has a direct conversion. Float8.h lowers conversions of 8-bit
// floats. Conversions between 8-bit floats and integers go through f32.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/math/ExtendFloat.h"
#include "conversion/hk_to_lane/math/Float8.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/PerRegister.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "target/Features.h"

using namespace mlir;

namespace hocket {
namespace {

/// Converts `value` to f32 if `to` is bf16; otherwise returns `value`.
Value toF32First(OpBuilder &builder, Location loc, Type from, Type to, Value value, bool isSigned) {
  if (!to.isBF16() || from.isF32())
    return value;
  Type f32 = builder.getF32Type();
  if (isa<FloatType>(from))
    return from.getIntOrFloatBitWidth() < 32 ? extendFloat(builder, loc, value, f32)
                                             : LLVM::FPTruncOp::create(builder, loc, f32, value).getResult();
  return isSigned ? LLVM::SIToFPOp::create(builder, loc, f32, value).getResult()
                  : LLVM::UIToFPOp::create(builder, loc, f32, value).getResult();
}

/// Base class of the lowerings of casts between numbers, which rejects 8-bit floats that Float8.h does not support.
template <typename OpT>
struct NumberCast : PerRegister<OpT> {
  using PerRegister<OpT>::PerRegister;
  LogicalResult check(OpT op) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType()), to = getElementTypeOrSelf(op.getType());
    for (Type element : {from, to})
      if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8 && !isFloat8(element))
        return emitError(op.getLoc()) << "the conversion from " << from << " to " << to
                                      << " is not supported for target " << this->lowering.target.name;
    return success();
  }
};

template <typename OpT, typename LlvmOpT>
struct Cast : NumberCast<OpT> {
  using NumberCast<OpT>::NumberCast;
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    if (operands[0].getType() == type) // an index_cast between i64 and index
      return operands[0];
    return LlvmOpT::create(builder, op.getLoc(), type, operands[0]);
  }
};

/// Lowers conversions from integers or floats to floats. Conversions to bf16 go through f32; Float8.h converts to 8-bit
/// floats.
template <typename OpT, typename LlvmOpT, bool kSigned>
struct CastToFloat : NumberCast<OpT> {
  using NumberCast<OpT>::NumberCast;
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    Value value = operands[0];
    if (Type element = getElementTypeOrSelf(op.getType()); isFloat8(element)) {
      if (isa<IntegerType>(value.getType()))
        value = LlvmOpT::create(builder, op.getLoc(), builder.getF32Type(), value);
      bool hasInstruction =
          kFloat8Convert.isOn(this->lowering.target) && isa<Float8E5M2Type, Float8E4M3FNType>(element);
      auto narrow = hasInstruction ? narrowByInstruction : narrowToFloat8;
      return narrow(builder, op.getLoc(), value, cast<FloatType>(element));
    }
    Value through = toF32First(builder, op.getLoc(), value.getType(), type, value, kSigned);
    if (through != value)
      return LLVM::FPTruncOp::create(builder, op.getLoc(), type, through);
    return LlvmOpT::create(builder, op.getLoc(), type, value);
  }
};

/// Lowers conversions from floats to integers. bf16 and 8-bit floats are widened first.
template <typename OpT>
struct CastToInteger : NumberCast<OpT> {
  using NumberCast<OpT>::NumberCast;
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    Value value = operands[0];
    if (Type element = getElementTypeOrSelf(op.getIn().getType()); isFloat8(element))
      value = widenFloat8(builder, op.getLoc(), cast<FloatType>(element), builder.getF32Type(), value);
    else if (value.getType().isBF16())
      value = extendFloat(builder, op.getLoc(), value, builder.getF32Type());
    return lane::FloatToIntOp::create(builder, op.getLoc(), type, value, std::is_same_v<OpT, arith::FPToUIOp>);
  }
};

/// Widens floats. 8-bit floats are represented by their bits.
struct ExtendFloat : NumberCast<arith::ExtFOp> {
  using NumberCast::NumberCast;
  Value emit(arith::ExtFOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    Value value = operands[0];
    if (Type element = getElementTypeOrSelf(op.getIn().getType()); isFloat8(element))
      return widenFloat8(builder, op.getLoc(), cast<FloatType>(element), type, value);
    return extendFloat(builder, op.getLoc(), value, type);
  }
};

/// Lowers index casts; index is lowered to i64.
template <typename OpT, typename ExtendOpT>
struct IndexCast : PerRegister<OpT> {
  using PerRegister<OpT>::PerRegister;
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    unsigned from = operands[0].getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    if (from == to)
      return operands[0];
    return from < to ? ExtendOpT::create(builder, op.getLoc(), type, operands[0]).getResult()
                     : LLVM::TruncOp::create(builder, op.getLoc(), type, operands[0]).getResult();
  }
};

struct Bitcast : PerRegister<arith::BitcastOp> {
  using PerRegister::PerRegister;
  Value emit(arith::BitcastOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    return operands[0].getType() == type ? operands[0]
                                         : LLVM::BitcastOp::create(builder, op.getLoc(), type, operands[0]);
  }
};

} // namespace

void populateCastPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns
      .add<Cast<arith::ExtSIOp, LLVM::SExtOp>, Cast<arith::ExtUIOp, LLVM::ZExtOp>, Cast<arith::TruncIOp, LLVM::TruncOp>,
           CastToFloat<arith::TruncFOp, LLVM::FPTruncOp, true>, CastToFloat<arith::SIToFPOp, LLVM::SIToFPOp, true>,
           CastToFloat<arith::UIToFPOp, LLVM::UIToFPOp, false>, CastToInteger<arith::FPToSIOp>,
           CastToInteger<arith::FPToUIOp>, IndexCast<arith::IndexCastOp, LLVM::SExtOp>,
           IndexCast<arith::IndexCastUIOp, LLVM::ZExtOp>, ExtendFloat, Bitcast>(lowering);
}

} // namespace hocket
