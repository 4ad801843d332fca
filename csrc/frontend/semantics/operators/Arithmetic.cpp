//===- Arithmetic.cpp - Addition, subtraction, multiplication, division and remainder -===//
//
// Integers behave as in C.
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/operators/Arithmetic.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Comparison.h"
#include "frontend/semantics/operators/Promotion.h"
#include "frontend/values/CompileTime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

Runtime filledLike(Emitter &e, const ValueType &type, int64_t value) {
  mlir::Type ir = type.toMlir(e.context());
  mlir::Type element = mlir::getElementTypeOrSelf(ir);
  mlir::TypedAttr scalar;
  if (auto floatType = llvm::dyn_cast<mlir::FloatType>(element))
    scalar = e.builder.getFloatAttr(floatType, double(value));
  else
    scalar = e.builder.getIntegerAttr(element, value);
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(ir))
    return e.make<arith::ConstantOp>(type, mlir::DenseElementsAttr::get(tensor, mlir::Attribute(scalar)));
  return e.make<arith::ConstantOp>(type, scalar);
}

void rejectFloat8(Emitter &e, std::string_view verb, DType type) {
  if (type.isFloat8())
    e.error("cannot " + std::string(verb) + " " + std::string(type.name()) + " values",
            "float8 has conversions only; convert first, as in x.to(gl.float16)");
}

/// True if the insertion point is in the combine function of a reduction or scan. No overflow checks are emitted in a
/// combine function, because lanes also combine values that are not elements of the tensor.
static bool isInCombineRegion(Emitter &e) {
  mlir::Operation *around = e.builder.getInsertionBlock()->getParentOp();
  for (; around; around = around->getParentOp())
    if (llvm::isa<hk::CombineRegion>(around))
      return true;
  return false;
}

/// Emits an assertion that `result` equals the result of IntOp on `a` and `b` in 64 bits.
template <typename IntOp>
static void checkOverflow(Emitter &e, std::string_view verb, const Runtime &a, const Runtime &b,
                          const Runtime &result) {
  DType dtype = result.type.dtype();
  if (!e.options.sanitizeOverflow || !e.options.checksAsserts() || dtype.isBool() || dtype.bitWidth() >= 64 ||
      isInCombineRegion(e))
    return;
  auto widen = [&](const Runtime &value) { return castTo(e, value, DType::Int64); };
  Runtime wide = widen(result);
  Runtime exact = e.make<IntOp>(wide.type, widen(a).ir, widen(b).ir);
  Runtime holds = *compare(e, CompareOperator::Eq, wide, exact).asRuntime();
  std::string_view what = verb == "add" ? "an addition" : verb == "subtract" ? "a subtraction" : "a multiplication";
  e.create<hk::AssertOp>(holds.ir, std::string(dtype.name()) + " overflow in " + std::string(what),
                         /*late=*/!e.options.debug);
}

template <typename FloatOp, typename IntOp>
static Runtime arithmetic(Emitter &e, std::string_view verb, const Value &left, const Value &right) {
  auto [a, b] = promoteOperands(e, verb, left, right);
  rejectFloat8(e, verb, a.type.dtype());
  if (a.type.dtype().isFloat())
    return e.make<FloatOp>(a.type, a.ir, b.ir);
  Runtime result = e.make<IntOp>(a.type, a.ir, b.ir);
  checkOverflow<IntOp>(e, verb, a, b, result);
  return result;
}

static bool isPointer(const Value &value) { return value.asRuntime() && value.asRuntime()->type.isPointer(); }

/// Adds integer offsets to pointers, elementwise; subtracts them if `isBackward` is true. An int1 offset is 0 or 1.
static Runtime advance(Emitter &e, std::string_view verb, const Value &pointer, const Value &offset, bool isBackward) {
  Runtime count = e.toRuntime(offset, "the offset");
  bool isShared = count.type.isMemDesc();
  if (isShared || count.type.isPointer() || !count.type.dtype().isInteger())
    e.error("cannot " + std::string(verb) + " these values",
            {{{"left", pointer.describe()}, {"right", offset.describe()}},
             isShared ? "read the shared memory first: smem.load(layout)"
                      : "a pointer is advanced by integers; x.to(gl.int32) makes one of a float"});
  // The offset of AddPtrOp is signed. Unsigned offsets are converted to int64, so that a uint32 of 2^31 or more does
  // not become negative.
  DType dtype = count.type.dtype();
  if (dtype.isBool())
    count = castTo(e, count, DType::Int32);
  else if (dtype.isUnsigned())
    count = castTo(e, count, DType::Int64);
  if (isBackward)
    count = e.make<arith::SubIOp>(count.type, filledLike(e, count.type, 0).ir, count.ir);
  auto [base, amount] = broadcastPair(e, verb, *pointer.asRuntime(), count);
  return e.make<hk::AddPtrOp>(base.type, base.ir, amount.ir);
}

static std::vector<Value> concatenate(const std::vector<Value> &left, const std::vector<Value> &right) {
  std::vector<Value> all = left;
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

Value addValues(Emitter &e, const Value &left, const Value &right) {
  if (isPointer(left) && !isPointer(right))
    return advance(e, "add", left, right, /*isBackward=*/false);
  if (isPointer(right) && !isPointer(left))
    return advance(e, "add", right, left, /*isBackward=*/false);
  if (left.asTuple() || right.asTuple())
    if (auto a = left.asSequence(), b = right.asSequence(); a && b)
      return Tuple{concatenate(*a, *b), {}};
  return arithmetic<arith::AddFOp, arith::AddIOp>(e, "add", left, right);
}

Value subtractValues(Emitter &e, const Value &left, const Value &right) {
  if (isPointer(left) && !isPointer(right))
    return advance(e, "subtract", left, right, /*isBackward=*/true);
  return arithmetic<arith::SubFOp, arith::SubIOp>(e, "subtract", left, right);
}

Value multiplyValues(Emitter &e, const Value &left, const Value &right) {
  return arithmetic<arith::MulFOp, arith::MulIOp>(e, "multiply", left, right);
}

Value divideValues(Emitter &e, const Value &left, const Value &right) {
  auto [a, b] = promoteOperands(e, "divide", left, right, {.isDivision = true});
  rejectFloat8(e, "divide", a.type.dtype());
  if (a.type.dtype().isInteger()) {
    a = castTo(e, a, DType::Float32);
    b = castTo(e, b, DType::Float32);
  }
  return e.make<arith::DivFOp>(a.type, a.ir, b.ir);
}

static bool isZero(const Value &value) {
  const Constexpr *constant = value.asConstexpr();
  return constant && PyLong_Check(constant->object.ptr()) && !isTrue(constant->object);
}

static std::pair<Runtime, Runtime> integerOperands(Emitter &e, std::string_view spelling, std::string_view hint,
                                                   const Value &left, const Value &right) {
  auto isFloat = [](const Value &value) {
    if (const Runtime *runtime = value.asRuntime())
      return !runtime->type.isPointer() && runtime->type.dtype().isFloat();
    return value.asConstexpr() && PyFloat_Check(value.asConstexpr()->object.ptr());
  };
  if (isFloat(left) || isFloat(right))
    e.error("`" + std::string(spelling) + "` needs integers",
            {{{"left", left.describe()}, {"right", right.describe()}}, std::string(hint)});
  if (isZero(right))
    e.error("integer division by zero");
  return promoteOperands(e, "divide", left, right, {.isDivision = true, .isInteger = true});
}

Value divideIntegers(Emitter &e, std::string_view spelling, const Value &left, const Value &right) {
  auto [a, b] = integerOperands(e, spelling, "use gl.floor(x / y)", left, right);
  if (a.type.dtype().isSigned())
    return e.make<arith::DivSIOp>(a.type, a.ir, b.ir);
  return e.make<arith::DivUIOp>(a.type, a.ir, b.ir);
}

Value remainderOfIntegers(Emitter &e, std::string_view spelling, const Value &left, const Value &right) {
  auto [a, b] = integerOperands(e, spelling, "use x - y * gl.floor(x / y)", left, right);
  if (a.type.dtype().isSigned())
    return e.make<arith::RemSIOp>(a.type, a.ir, b.ir);
  return e.make<arith::RemUIOp>(a.type, a.ir, b.ir);
}

} // namespace hocket::frontend
