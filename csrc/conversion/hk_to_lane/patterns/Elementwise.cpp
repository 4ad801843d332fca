//===- Elementwise.cpp - Lowers arith and the arithmetic of hk ----------------------===//
//
// Output: for each register, one LLVM operation with the same name. There are four special cases:
//
//   * Only addf, subf and mulf get the flag `contract`, with which a * b + c can become a fused multiply-add. No
//     operation gets `contract` if the module has hk.fp_fusion = false. `fastmath` flags of the operation are kept.
//   * divf of f32 gets the flag `arcp`: the error of the quotient can be 2 ulp over the whole range. lane_to_nvvm turns
//     a division with `arcp` into div.full.f32; AMD and the emulator divide with correct rounding. Registers that are
//     divided by the same divisor (such as a row of softmax by its sum) are multiplied by the reciprocal of the
//     divisor. An operation with the attribute hk.round_nearest is rounded correctly on every target.
//   * A shift by at least the width (or by a negative number) shifts every bit out. In LLVM, shifts by at least the
//     width are poison, so a select is emitted. LLVM folds the select into the PTX shift, which shifts every bit out.
//     On AMD, the select takes one or two instructions.
//   * minimumf and maximumf propagate NaN, minnumf and maxnumf do not.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/PerRegister.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {
namespace {

/// Lowers integer operations that have flags for "no overflow"; the flags are dropped.
template <typename OpT, typename LlvmOpT>
struct Wrapping : PerRegister<OpT> {
  using PerRegister<OpT>::PerRegister;
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    auto flags = arith::convertArithOverflowFlagsToLLVM(op.getOverflowFlags());
    return LlvmOpT::create(builder, op.getLoc(), type, operands[0], operands[1], flags);
  }
};

/// Returns the bit width of `type`, minus `less`, as a constant of type `type`.
Value shiftLimit(OpBuilder &builder, Location loc, Type type, int64_t less = 0) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, type.getIntOrFloatBitWidth() - less));
}

bool isLessThanWidth(Value amount) {
  APInt constant;
  return matchPattern(amount, m_ConstantInt(&constant)) && constant.ult(constant.getBitWidth());
}

/// Lowers shifts that fill with zeros; the result is 0 if every bit is shifted out.
template <typename OpT, typename LlvmOpT>
struct ShiftInZeros : PerRegister<OpT> {
  using PerRegister<OpT>::PerRegister;
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    Location loc = op.getLoc();
    Value amount = operands[1];
    if (isLessThanWidth(amount))
      return LlvmOpT::create(builder, loc, type, operands);
    Value isInside =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, amount, shiftLimit(builder, loc, type));
    // For PTX, LLVM 22 folds the select into shl, but truncates a 64-bit amount to 32 bits, so that 2^32 becomes 0.
    // LLVM does not fold the select if the amount is masked, so 64-bit amounts are masked here.
    if (type.isInteger(64))
      amount = LLVM::AndOp::create(builder, loc, amount, shiftLimit(builder, loc, type, /*less=*/1));
    Value shifted = LlvmOpT::create(builder, loc, type, operands[0], amount);
    Value zero = LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, 0));
    return LLVM::SelectOp::create(builder, loc, isInside, shifted, zero);
  }
};

/// Lowers shifts that fill with the sign. The shift amount is limited to the width minus one, which leaves only sign
/// bits.
struct ShiftInSigns : PerRegister<arith::ShRSIOp> {
  using PerRegister::PerRegister;
  Value emit(arith::ShRSIOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    Location loc = op.getLoc();
    Value amount = operands[1];
    if (!isLessThanWidth(amount))
      amount = LLVM::UMinOp::create(builder, loc, amount, shiftLimit(builder, loc, type, /*less=*/1));
    return LLVM::AShrOp::create(builder, loc, operands[0], amount);
  }
};

/// Lowers float operations, and keeps their fastmath flags.
template <typename OpT, typename LlvmOpT, bool kMayContract = false>
struct Float : PerRegister<OpT> {
  using PerRegister<OpT>::PerRegister;
  Value emit(OpT op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    auto flags = arith::convertArithFastMathFlagsToLLVM(op.getFastmath());
    if (kMayContract && this->lowering.mayFuse)
      flags = flags | LLVM::FastmathFlags::contract;
    auto result = LlvmOpT::create(builder, op.getLoc(), type, operands);
    result.setFastmathFlags(flags);
    return result;
  }
};

struct Divide : PerRegister<arith::DivFOp> {
  using PerRegister::PerRegister;
  Value emit(arith::DivFOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    auto flags = arith::convertArithFastMathFlagsToLLVM(op.getFastmath());
    if (type.isF32() && !hk::kRoundNearestAttr.isOn(op))
      flags = flags | LLVM::FastmathFlags::arcp;
    return LLVM::FDivOp::create(builder, op.getLoc(), operands[0], operands[1], flags);
  }
};

/// Lowers the division of several registers by the same f32: multiplies the registers by the reciprocal of the divisor,
/// with an error of at most 2 ulp over the whole range.
struct DivideBySplat : LoweringPattern<arith::DivFOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // Minimum number of registers for which a reciprocal is faster than one division for each register.
    constexpr unsigned kWorthwhile = 4;
    ValueRange dividends = adaptor.getOperands()[0], divisors = adaptor.getOperands()[1];
    if (!elementType(op.getType()).isF32() || hk::kRoundNearestAttr.isOn(op))
      return rewriter.notifyMatchFailure(op, "must be rounded as the operation requires");
    if (divisors.size() < kWorthwhile || !llvm::all_equal(divisors))
      return rewriter.notifyMatchFailure(op, "the registers have different divisors");

    Location loc = op.getLoc();
    Value divisor = divisors.front();
    auto constant = [&](float value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc, divisor.getType(), rewriter.getF32FloatAttr(value));
    };
    // The reciprocal of a very large divisor is subnormal, and the reciprocal of a very small divisor is infinite.
    // Dividend and divisor are therefore scaled.
    Value size = LLVM::FAbsOp::create(rewriter, loc, divisor);
    Value isLarge = LLVM::FCmpOp::create(rewriter, loc, LLVM::FCmpPredicate::ogt, size, constant(0x1p64f));
    Value isSmall = LLVM::FCmpOp::create(rewriter, loc, LLVM::FCmpPredicate::olt, size, constant(0x1p-64f));
    Value scale = LLVM::SelectOp::create(rewriter, loc, isSmall, constant(0x1p64f), constant(1.0f));
    scale = LLVM::SelectOp::create(rewriter, loc, isLarge, constant(0x1p-64f), scale);
    Value scaled = LLVM::FMulOp::create(rewriter, loc, divisor, scale);
    Value reciprocal = LLVM::FDivOp::create(rewriter, loc, constant(1.0f), scaled, LLVM::FastmathFlags::arcp);
    SmallVector<Value> quotients;
    for (Value dividend : dividends) {
      Value product = LLVM::FMulOp::create(rewriter, loc, dividend, scale);
      quotients.push_back(LLVM::FMulOp::create(rewriter, loc, product, reciprocal));
    }
    rewriter.replaceOpWithMultiple(op, {quotients});
    return success();
  }
};

struct CompareIntegers : PerRegister<arith::CmpIOp> {
  using PerRegister::PerRegister;
  Value emit(arith::CmpIOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    // The arith dialect and the LLVM dialect use the same numbers for comparison predicates.
    auto predicate = static_cast<LLVM::ICmpPredicate>(op.getPredicate());
    return LLVM::ICmpOp::create(builder, op.getLoc(), predicate, operands[0], operands[1]);
  }
};

struct CompareFloats : PerRegister<arith::CmpFOp> {
  using PerRegister::PerRegister;
  Value emit(arith::CmpFOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    auto predicate = static_cast<LLVM::FCmpPredicate>(op.getPredicate());
    auto flags = arith::convertArithFastMathFlagsToLLVM(op.getFastmath());
    return LLVM::FCmpOp::create(builder, op.getLoc(), predicate, operands[0], operands[1], flags);
  }
};

struct Select : PerRegister<arith::SelectOp> {
  using PerRegister::PerRegister;
  /// A select of views of shared memory is lowered in SharedMemoryViews.cpp.
  LogicalResult check(arith::SelectOp op) const override { return failure(isa<hk::MemDescType>(op.getType())); }
  Value emit(arith::SelectOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    return LLVM::SelectOp::create(builder, op.getLoc(), operands[0], operands[1], operands[2]);
  }
};

struct AddPointer : PerRegister<hk::AddPtrOp> {
  using PerRegister::PerRegister;
  Value emit(hk::AddPtrOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    auto pointer = cast<hk::PointerType>(getElementTypeOrSelf(op.getPtr().getType()));
    Type pointee = elementType(pointer.getPointee());
    // In memory, an i1 takes a byte.
    if (pointee.isInteger(1))
      pointee = builder.getI8Type();
    return LLVM::GEPOp::create(builder, op.getLoc(), type, pointee, operands[0], operands[1]);
  }
};

struct PointerToInteger : PerRegister<hk::PtrToIntOp> {
  using PerRegister::PerRegister;
  Value emit(hk::PtrToIntOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    return LLVM::PtrToIntOp::create(builder, op.getLoc(), type, operands[0]);
  }
};

struct IntegerToPointer : PerRegister<hk::IntToPtrOp> {
  using PerRegister::PerRegister;
  Value emit(hk::IntToPtrOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    return LLVM::IntToPtrOp::create(builder, op.getLoc(), type, operands[0]);
  }
};

/// Lowers casts between pointers, which are no-ops, because lowered pointers have no element type.
struct CastPointer : PerRegister<hk::PtrCastOp> {
  using PerRegister::PerRegister;
  Value emit(hk::PtrCastOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    return operands[0];
  }
};

/// Lowers mul_hi to the upper half of a multiplication in twice the width. LLVM recognizes this pattern.
struct MultiplyHigh : PerRegister<hk::MulHiOp> {
  using PerRegister::PerRegister;
  Value emit(hk::MulHiOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    Location loc = op.getLoc();
    unsigned bits = type.getIntOrFloatBitWidth();
    Type wide = builder.getIntegerType(2 * bits);
    Value lhs = LLVM::ZExtOp::create(builder, loc, wide, operands[0]);
    Value rhs = LLVM::ZExtOp::create(builder, loc, wide, operands[1]);
    Value product = LLVM::MulOp::create(builder, loc, lhs, rhs);
    Value shift = LLVM::ConstantOp::create(builder, loc, wide, builder.getIntegerAttr(wide, bits));
    return LLVM::TruncOp::create(builder, loc, type, LLVM::LShrOp::create(builder, loc, product, shift));
  }
};

struct Poison : PerRegister<ub::PoisonOp> {
  using PerRegister::PerRegister;
  Value emit(ub::PoisonOp op, Type type, ArrayRef<Value> operands, OpBuilder &builder) const override {
    return LLVM::PoisonOp::create(builder, op.getLoc(), type);
  }
};

} // namespace

void populateElementwisePatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  constexpr bool kMayContract = true;
  patterns.add<
      // Integers.
      Wrapping<arith::AddIOp, LLVM::AddOp>, Wrapping<arith::SubIOp, LLVM::SubOp>, Wrapping<arith::MulIOp, LLVM::MulOp>,
      ShiftInZeros<arith::ShLIOp, LLVM::ShlOp>, ShiftInZeros<arith::ShRUIOp, LLVM::LShrOp>, ShiftInSigns,
      Plain<arith::DivSIOp, LLVM::SDivOp>, Plain<arith::DivUIOp, LLVM::UDivOp>, Plain<arith::RemSIOp, LLVM::SRemOp>,
      Plain<arith::RemUIOp, LLVM::URemOp>, Plain<arith::AndIOp, LLVM::AndOp>, Plain<arith::OrIOp, LLVM::OrOp>,
      Plain<arith::XOrIOp, LLVM::XOrOp>, Plain<arith::MaxSIOp, LLVM::SMaxOp>, Plain<arith::MaxUIOp, LLVM::UMaxOp>,
      Plain<arith::MinSIOp, LLVM::SMinOp>, Plain<arith::MinUIOp, LLVM::UMinOp>,
      // Floats.
      Float<arith::AddFOp, LLVM::FAddOp, kMayContract>, Float<arith::SubFOp, LLVM::FSubOp, kMayContract>,
      Float<arith::MulFOp, LLVM::FMulOp, kMayContract>, Float<arith::NegFOp, LLVM::FNegOp>,
      Float<arith::RemFOp, LLVM::FRemOp>, Float<arith::MaximumFOp, LLVM::MaximumOp>,
      Float<arith::MinimumFOp, LLVM::MinimumOp>, Float<arith::MaxNumFOp, LLVM::MaxNumOp>,
      Float<arith::MinNumFOp, LLVM::MinNumOp>, Divide,
      // Comparisons and pointers.
      CompareIntegers, CompareFloats, Select, AddPointer, PointerToInteger, IntegerToPointer, CastPointer, MultiplyHigh,
      Poison>(lowering);
  patterns.add<DivideBySplat>(lowering, /*benefit=*/2);
}

} // namespace hocket
