//===- Promotion.cpp - Promotion of operands to a common type ---------------------===//
//
// Promotion.h lists the rules for the common type of two operands.
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/operators/Promotion.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/Aggregates.h"

namespace hocket::frontend {

DType promoteIntegers(DType left, DType right) {
  if (left.isUnsigned() == right.isUnsigned())
    return left.bitWidth() >= right.bitWidth() ? left : right;
  DType isUnsigned = left.isUnsigned() ? left : right;
  DType isSigned = left.isUnsigned() ? right : left;
  return isUnsigned.bitWidth() >= isSigned.bitWidth() ? isUnsigned : isSigned;
}

std::optional<DType> commonType(DType left, DType right, bool isDivision) {
  auto either = [&](DType::Kind kind) { return left == kind || right == kind; };
  if (either(DType::Float64))
    return DType::Float64;
  if (either(DType::Float32))
    return DType::Float32;
  if (either(DType::Float16))
    return isDivision ? DType::Float32 : DType::Float16;
  if (either(DType::BFloat16))
    return left == right && !isDivision ? DType::BFloat16 : DType::Float32;
  if (left.isFloat8() || right.isFloat8()) {
    // A float8 and an integer promote to float16, which represents every float8.
    return left == right ? left : DType(DType::Float16);
  }
  if (isDivision && left.isUnsigned() != right.isUnsigned())
    return std::nullopt;
  return promoteIntegers(left, right);
}

std::optional<DType> literalType(py::handle number) {
  if (PyBool_Check(number.ptr()))
    return DType::Int1;
  if (PyFloat_Check(number.ptr()))
    return DType::Float32;
  if (!PyLong_Check(number.ptr()))
    return std::nullopt;
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow > 0) {
    unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
    bool tooLarge = large == static_cast<unsigned long long>(-1) && PyErr_Occurred();
    PyErr_Clear();
    return tooLarge ? std::nullopt : std::optional<DType>(DType::UInt64);
  }
  if (overflow < 0)
    return std::nullopt;
  if (value >= INT32_MIN && value <= INT32_MAX)
    return DType::Int32;
  return value >= 0 && value <= UINT32_MAX ? DType::UInt32 : DType::Int64;
}

namespace {

/// One operand of an operator: a run-time value, or a compile-time number.
struct Operand {
  const Runtime *runtime = nullptr;
  py::object number;
  DType dtype;

  bool isWeak() const { return !runtime; }
};

} // namespace

/// Returns the rank of the kind of `type` in the order bool < integer < float.
static int kindRank(DType type) { return type.isFloat() ? 2 : type.isBool() ? 0 : 1; }

static ErrorDetails sides(const Value &left, const Value &right, std::string hint = {}) {
  return {{{"left", left.describe()}, {"right", right.describe()}}, std::move(hint)};
}

static Operand classify(Emitter &e, std::string_view verb, const Value &value, const Value &left, const Value &right) {
  Operand operand;
  if (const Runtime *runtime = value.asRuntime(); runtime && !runtime->type.isMemDesc()) {
    operand.runtime = runtime;
    operand.dtype = runtime->type.dtype();
    if (!runtime->type.isPointer())
      return operand;
    e.error("cannot " + std::string(verb) + " pointers",
            sides(left, right, "pointers can be compared, advanced by integers, and passed to gl.load and gl.store"));
  }
  if (const Constexpr *constant = value.asConstexpr()) {
    if (std::optional<DType> type = literalType(constant->object)) {
      operand.number = constant->object;
      operand.dtype = *type;
      return operand;
    }
  }
  std::string hint;
  if (value.asRuntime())
    hint = "read the shared memory first: smem.load(layout)";
  else if (isAggregate(value))
    hint = "operators are for numbers and tensors: take fields by name, as in x.a, or call a method";
  else if (value.isNone())
    hint = "this argument was None; test it with `is None` before using it";
  e.error("cannot " + std::string(verb) + " these values", sides(left, right, hint));
}

static DType operandType(Emitter &e, std::string_view verb, const Operand &a, const Operand &b, const Value &left,
                         const Value &right, bool isDivision) {
  if (a.isWeak() != b.isWeak()) {
    const Operand &weak = a.isWeak() ? a : b, &strong = a.isWeak() ? b : a;
    if (kindRank(weak.dtype) <= kindRank(strong.dtype)) {
      bool isHalf = strong.dtype == DType::Float16 || strong.dtype == DType::BFloat16;
      return isDivision && isHalf ? DType(DType::Float32) : strong.dtype;
    }
  }
  if (std::optional<DType> type = commonType(a.dtype, b.dtype, isDivision))
    return *type;
  e.error("cannot " + std::string(verb) + " integers of different signedness",
          sides(left, right, "convert one side, as in x.to(gl.int32)"));
}

static Runtime convertOperand(Emitter &e, std::string_view verb, const Operand &operand, DType type) {
  if (operand.runtime)
    return castTo(e, *operand.runtime, type);
  return e.scalarConstant(operand.number, type);
}

/// Raises an error if `weak` is a negative compile-time number and `other` an unsigned run-time value, so that -1 is
/// not silently converted to 4294967295.
static void rejectNegative(Emitter &e, std::string_view verb, const Operand &weak, const Operand &other,
                           const Value &left, const Value &right) {
  if (!weak.isWeak() || other.isWeak() || !other.dtype.isUnsigned() || other.dtype.isBool() ||
      !PyLong_Check(weak.number.ptr()))
    return;
  if (weak.number < py::int_(0))
    e.error("cannot " + std::string(verb) + " an unsigned value and a negative number",
            sides(left, right, "convert the unsigned value first, as in x.to(gl.int32)"));
}

std::pair<Runtime, Runtime> promoteOperands(Emitter &e, std::string_view verb, const Value &left, const Value &right,
                                            PromotionOptions options) {
  Operand a = classify(e, verb, left, left, right);
  Operand b = classify(e, verb, right, left, right);
  if (options.isInteger && (a.dtype.isFloat() || b.dtype.isFloat()))
    e.error("cannot " + std::string(verb) + " floats",
            sides(left, right, "both sides must be integers; x.to(gl.int32, bitcast=True) gives the bits of a float"));
  rejectNegative(e, verb, a, b, left, right);
  rejectNegative(e, verb, b, a, left, right);
  DType type = operandType(e, verb, a, b, left, right, options.isDivision);
  return broadcastPair(e, verb, convertOperand(e, verb, a, type), convertOperand(e, verb, b, type));
}

} // namespace hocket::frontend
