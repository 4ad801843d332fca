//===- IndexRanges.cpp - Ranges of 32-bit values of a lane -------------------------------===//
#include "conversion/hk_to_lane/passes/IndexRanges.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace hocket {

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || number.getBitWidth() > 64)
    return std::nullopt;
  return number.getSExtValue();
}

IndexRange IndexRanges::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  // A loop-carried value that depends on itself gets the full range.
  known[value] = {};
  IndexRange range = compute(value);
  return known[value] = range.fitsInt32() ? range : IndexRange();
}

std::optional<IndexRange> IndexRanges::inWideArithmetic(Operation *op) {
  if (!isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp>(op) || !op->getResult(0).getType().isInteger(32))
    return std::nullopt;
  IndexRange a = of(op->getOperand(0));
  if (isa<LLVM::ShlOp>(op)) {
    std::optional<int64_t> amount = constantOf(op->getOperand(1));
    if (!amount || *amount < 0 || *amount > 31)
      return std::nullopt;
    return IndexRange{a.low * (int64_t(1) << *amount), a.high * (int64_t(1) << *amount)};
  }
  IndexRange b = of(op->getOperand(1));
  if (isa<LLVM::AddOp>(op))
    return IndexRange{a.low + b.low, a.high + b.high};
  if (isa<LLVM::SubOp>(op))
    return IndexRange{a.low - b.high, a.high - b.low};
  auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return IndexRange{low, high};
}

/// Returns the range of a bitwise OR of numbers in the ranges `a` and `b`, which must not be negative.
static IndexRange upToBitsOf(IndexRange a, IndexRange b) {
  if (a.low < 0 || b.low < 0)
    return {};
  return {0, int64_t(llvm::NextPowerOf2(uint64_t(std::max(a.high, b.high)))) - 1};
}

IndexRange IndexRanges::compute(Value value) {
  if (std::optional<int64_t> constant = constantOf(value))
    return {*constant, *constant};
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (std::optional<IndexRange> wide = inWideArithmetic(op))
    return *wide;
  if (auto range = op->getAttrOfType<LLVM::ConstantRangeAttr>("range"))
    return {range.getLower().getSExtValue(), range.getUpper().getSExtValue() - 1};
  return llvm::TypeSwitch<Operation *, IndexRange>(op)
      .Case<ROCDL::BlockIdXOp, ROCDL::BlockIdYOp, ROCDL::BlockIdZOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp,
            NVVM::BlockIdZOp>([](auto) { return IndexRange{0, INT32_MAX - 1}; })
      .Case([&](LLVM::AndOp) {
        IndexRange a = of(op->getOperand(0)), b = of(op->getOperand(1));
        if (a.low < 0 && b.low < 0)
          return IndexRange();
        return IndexRange{0, a.low < 0 ? b.high : b.low < 0 ? a.high : std::min(a.high, b.high)};
      })
      .Case<LLVM::OrOp, LLVM::XOrOp>([&](auto) { return upToBitsOf(of(op->getOperand(0)), of(op->getOperand(1))); })
      .Case<LLVM::LShrOp, LLVM::AShrOp>([&](auto) {
        IndexRange a = of(op->getOperand(0));
        std::optional<int64_t> amount = constantOf(op->getOperand(1));
        bool isKnown = amount && *amount >= 0 && *amount < 32 && (isa<LLVM::AShrOp>(op) || a.low >= 0);
        if (isKnown)
          return IndexRange{a.low >> *amount, a.high >> *amount};
        bool isPositive = amount && *amount > 0 && *amount < 32 && isa<LLVM::LShrOp>(op);
        return isPositive ? IndexRange{0, int64_t(UINT32_MAX >> *amount)} : IndexRange();
      })
      .Case<LLVM::URemOp, LLVM::SRemOp>([&](auto) {
        IndexRange a = of(op->getOperand(0));
        std::optional<int64_t> divisor = constantOf(op->getOperand(1));
        if (!divisor || *divisor <= 0)
          return a.low >= 0 ? IndexRange{0, a.high} : IndexRange();
        return IndexRange{isa<LLVM::SRemOp>(op) && a.low < 0 ? 1 - *divisor : 0, *divisor - 1};
      })
      .Case([&](LLVM::SDivOp) {
        IndexRange a = of(op->getOperand(0));
        std::optional<int64_t> divisor = constantOf(op->getOperand(1));
        return divisor && *divisor > 0 ? IndexRange{a.low / *divisor, a.high / *divisor} : IndexRange();
      })
      .Case([&](LLVM::SelectOp select) {
        IndexRange a = of(select.getTrueValue()), b = of(select.getFalseValue());
        return IndexRange{std::min(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case([&](LLVM::SMinOp) {
        IndexRange a = of(op->getOperand(0)), b = of(op->getOperand(1));
        return IndexRange{std::min(a.low, b.low), std::min(a.high, b.high)};
      })
      .Case([&](LLVM::SMaxOp) {
        IndexRange a = of(op->getOperand(0)), b = of(op->getOperand(1));
        return IndexRange{std::max(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case([&](LLVM::ZExtOp zext) {
        unsigned width = zext.getArg().getType().isInteger() ? zext.getArg().getType().getIntOrFloatBitWidth() : 32;
        return width < 32 ? IndexRange{0, (int64_t(1) << width) - 1} : IndexRange();
      })
      .Default([](Operation *) { return IndexRange(); });
}

} // namespace hocket
