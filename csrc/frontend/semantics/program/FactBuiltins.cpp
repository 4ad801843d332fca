//===- FactBuiltins.cpp - Facts for the optimiser: assume, multiple_of, max_contiguous, max_constancy -===//
//
// The last three mark the operation that made the value (or the kernel argument) with an attribute that the analysis of
// contiguity and divisibility reads: hk.divisibility (an i32 on arguments, else one i32 per dimension), hk.contiguity,
// hk.constancy.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Casts.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

/// assume(condition)
static Value assume(Emitter &e, Arguments &args) {
  if (args[0].isCompileTime())
    return Value::none();
  e.create<hk::AssumeOp>(toCondition(e, args[0], args.what(0)).ir);
  return Value::none();
}

static std::vector<int32_t> factAt(Emitter &e, const Arguments &args, const Runtime &value) {
  std::vector<int64_t> numbers = args[1].asSequence() ? args.intsAt(e, 1) : std::vector<int64_t>{args.intAt(e, 1)};
  size_t expected = std::max<size_t>(value.type.rank(), 1);
  if (numbers.size() != expected)
    e.errorAt(args.where(1), args.what(1) + " must hold one number per dimension (" + std::to_string(expected) +
                                 "), but holds " + std::to_string(numbers.size()));
  for (int64_t number : numbers)
    if (number < 1 || number > INT32_MAX)
      e.errorAt(args.where(1), args.what(1) + " must be positive, but holds " + std::to_string(number));
  return std::vector<int32_t>(numbers.begin(), numbers.end());
}

static void markArgument(Emitter &e, mlir::BlockArgument argument, llvm::ArrayRef<int32_t> fact) {
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return; // a loop variable: nothing to write the fact on
  // Only the power of two in it matters, as for what the specialisation of arguments found.
  int32_t divisor = int32_t(1) << llvm::countr_zero(static_cast<uint32_t>(fact.front()));
  function.setArgAttr(argument.getArgNumber(), hk::HkDialect::kDivisibilityAttr, e.builder.getI32IntegerAttr(divisor));
}

static Value markValue(Emitter &e, const Arguments &args, llvm::StringRef attribute) {
  Runtime value = tensorOrScalarAt(e, args, 0);
  std::vector<int32_t> fact = factAt(e, args, value);
  if (mlir::Operation *op = value.ir.getDefiningOp())
    op->setDiscardableAttr(attribute, e.builder.getDenseI32ArrayAttr(fact));
  else if (attribute == hk::HkDialect::kDivisibilityAttr)
    markArgument(e, llvm::cast<mlir::BlockArgument>(value.ir), fact);
  return value;
}

static Value multipleOf(Emitter &e, Arguments &args) { return markValue(e, args, hk::HkDialect::kDivisibilityAttr); }
static Value maxContiguous(Emitter &e, Arguments &args) { return markValue(e, args, "hk.contiguity"); }
static Value maxConstancy(Emitter &e, Arguments &args) { return markValue(e, args, "hk.constancy"); }

std::span<const BuiltinEntry> factBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"assume", assume},
      {"max_constancy", maxConstancy},
      {"max_contiguous", maxContiguous},
      {"multiple_of", multipleOf},
  };
  return entries;
}

} // namespace hocket::frontend
