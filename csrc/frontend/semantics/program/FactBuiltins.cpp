//===- FactBuiltins.cpp - Facts for the optimizer: assume, multiple_of, ... ---------------------------===//
//
// multiple_of, max_contiguous and max_constancy attach an attribute to the operation that defines the value, or to the
// kernel argument. For a condition such as n % 16 == 0, assume also attaches an attribute to the operation that defines
// n. The analysis of contiguity and divisibility (AxisInfo) reads the attributes. The attributes are hk.divisibility
// (one i32 on an argument; one i32 per dimension on an operation), hk.contiguity and hk.constancy.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Casts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

static std::vector<int32_t> factAt(Emitter &e, const Arguments &args, const Runtime &value) {
  std::vector<int64_t> numbers =
      args["values"].asSequence() ? args.intsAt(e, "values") : std::vector<int64_t>{args.intAt(e, "values")};
  size_t expected = std::max<size_t>(value.type.rank(), 1);
  if (numbers.size() != expected)
    e.errorAt(args.where("values"), args.what("values") + " must hold one number per dimension (" +
                                        std::to_string(expected) + "), but holds " + std::to_string(numbers.size()));
  for (int64_t number : numbers)
    if (number < 1 || number > INT32_MAX)
      e.errorAt(args.where("values"), args.what("values") + " must be positive, but holds " + std::to_string(number));
  return std::vector<int32_t>(numbers.begin(), numbers.end());
}

static void markArgument(Emitter &e, mlir::BlockArgument argument, llvm::ArrayRef<int32_t> fact) {
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return; // not a kernel argument: a loop variable, for example, cannot have the attribute
  // The attribute is the largest power of two that divides the number, as in the specialization of kernel arguments.
  int32_t divisor = int32_t(1) << llvm::countr_zero(static_cast<uint32_t>(fact.front()));
  if (hk::kDivisibilityAttr.getOfArgument(function, argument.getArgNumber()).value_or(1) < divisor)
    hk::kDivisibilityAttr.setOfArgument(function, argument.getArgNumber(), divisor);
}

static Value markValue(Emitter &e, const Arguments &args, llvm::StringRef attribute) {
  Runtime value = tensorOrScalarAt(e, args, "input");
  std::vector<int32_t> fact = factAt(e, args, value);
  if (mlir::Operation *op = value.ir.getDefiningOp())
    op->setDiscardableAttr(attribute, e.builder.getDenseI32ArrayAttr(fact));
  else if (attribute == hk::kDivisibilityAttr.getName())
    markArgument(e, llvm::cast<mlir::BlockArgument>(value.ir), fact);
  return value;
}

/// Returns n and d if `condition` is `n % d == 0` or `n & (d - 1) == 0`, for a scalar n and a compile-time number d; a
/// null value otherwise.
static std::pair<mlir::Value, int32_t> multipleIn(mlir::Value condition) {
  auto comparison = condition.getDefiningOp<mlir::arith::CmpIOp>();
  if (!comparison || comparison.getPredicate() != mlir::arith::CmpIPredicate::eq)
    return {};
  mlir::Operation *remainder = comparison.getLhs().getDefiningOp();
  bool isMask = llvm::isa_and_nonnull<mlir::arith::AndIOp>(remainder);
  if (!isMask && !llvm::isa_and_nonnull<mlir::arith::RemSIOp, mlir::arith::RemUIOp>(remainder))
    return {};
  llvm::APInt divisor;
  bool isKnown = mlir::matchPattern(comparison.getRhs(), mlir::m_Zero()) &&
                 mlir::matchPattern(remainder->getOperand(1), mlir::m_ConstantInt(&divisor));
  if (!isKnown || !divisor.isSignedIntN(31))
    return {};
  int64_t number = divisor.getSExtValue() + isMask;
  return number > 1 ? std::pair(remainder->getOperand(0), static_cast<int32_t>(number)) : std::pair(mlir::Value(), 0);
}

/// Records the divisibility of a number that `condition` implies, as an attribute of the operation or kernel argument
/// that defines the number. Records nothing unless the number and the condition are in the same IR block, so that the
/// condition holds whenever the number is computed.
static void markMultiples(Emitter &e, mlir::Value condition) {
  if (auto both = condition.getDefiningOp<mlir::arith::AndIOp>()) {
    markMultiples(e, both.getLhs());
    return markMultiples(e, both.getRhs());
  }
  auto [value, divisor] = multipleIn(condition);
  if (!value || value.getParentBlock() != e.builder.getInsertionBlock())
    return;
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
    return markArgument(e, argument, divisor);
  llvm::StringRef name = hk::kDivisibilityAttr.getName();
  if (!value.getDefiningOp()->hasAttr(name))
    value.getDefiningOp()->setDiscardableAttr(name, e.builder.getDenseI32ArrayAttr(divisor));
}

static Value assume(Emitter &e, Arguments &args) {
  if (args["condition"].isCompileTime()) {
    tensorOrScalarAt(e, args, "condition");
    return Value::none();
  }
  mlir::Value condition = toCondition(e, args["condition"], args.what("condition")).ir;
  markMultiples(e, condition);
  e.create<hk::AssumeOp>(condition);
  return Value::none();
}

static Value multipleOf(Emitter &e, Arguments &args) { return markValue(e, args, hk::kDivisibilityAttr.getName()); }
static Value maxContiguous(Emitter &e, Arguments &args) { return markValue(e, args, hk::kContiguityAttr.getName()); }
static Value maxConstancy(Emitter &e, Arguments &args) { return markValue(e, args, hk::kConstancyAttr.getName()); }

std::span<const BuiltinEntry> factBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"assume", assume, "(condition)"},
      {"max_constancy", maxConstancy, "(input, values)"},
      {"max_contiguous", maxContiguous, "(input, values)"},
      {"multiple_of", multipleOf, "(input, values)"},
  };
  return entries;
}

} // namespace hocket::frontend
