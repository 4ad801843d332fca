//===- AxisTransfer.cpp - Transfer functions of axis facts -----------------------------===//
//
// Many transfer functions divide a dimension into groups of c elements, and need a divisor of the first values of all
// groups. The function `divisorAt` returns this divisor. The divisor is the operand's divisibility if each group of c
// elements begins where a contiguous group of the operand begins. Otherwise the divisor is at most c. `divisorAt` with
// c = 1 returns a divisor of all values.
//
//   x = 4 5 6 7 20 21 22 23 (contiguity 4, divisibility 4):  divisorAt(4) = 4, divisorAt(2) = 2, divisorAt(1) = 1
//
//===------------------------------------------------------------------------------===//
#include "analysis/axis/AxisInfo.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {
namespace {

int64_t powerOfTwoDivisor(int64_t value) { return value == 0 ? kMaxDivisibility : (value & -value); }
int64_t multiplyCapped(int64_t a, int64_t b) { return a >= kMaxDivisibility / b ? kMaxDivisibility : a * b; }

/// Returns a divisor of the first values of all groups of `group` elements. Adjacent values of a contiguous range
/// differ by `step`.
int64_t divisorAt(const AxisFacts &facts, int64_t group, int64_t step = 1) {
  return facts.contiguity <= group ? facts.divisibility : std::min(facts.divisibility, multiplyCapped(group, step));
}

/// Returns the size in bytes of the elements to which pointers of type `type` point.
int64_t pointeeBytes(Type type) {
  auto pointer = dyn_cast<hk::PointerType>(getElementTypeOrSelf(type));
  if (!pointer)
    return 1;
  Type pointee = pointer.getPointee();
  return isa<hk::PointerType>(pointee) ? 8 : std::max<int64_t>(pointee.getIntOrFloatBitWidth() / 8, 1);
}

/// Combines the facts of the operands `a` and `b` with `rule`, dimension by dimension.
template <typename Rule>
AxisInfo combine(const AxisInfo &a, const AxisInfo &b, Rule rule) {
  AxisInfo result;
  for (auto [x, y] : llvm::zip(a.dims, b.dims))
    result.dims.push_back(rule(x, y));
  return result;
}

template <typename Rule>
AxisInfo mapDims(const AxisInfo &a, Rule rule) {
  AxisInfo result;
  for (const AxisFacts &x : a.dims)
    result.dims.push_back(rule(x));
  return result;
}

/// Returns the facts of the result of any elementwise function. Only constancy can be derived: equal operands have
/// equal results.
AxisInfo keepConstancy(Operation *op, unsigned index, ArrayRef<AxisInfo> operands) {
  AxisInfo result = AxisInfo::unknown(op->getResult(index).getType());
  if (operands.empty() || !op->hasTrait<OpTrait::Elementwise>())
    return result;
  for (unsigned dim = 0; dim < result.rank(); ++dim) {
    int64_t constancy = kMaxDivisibility;
    for (const AxisInfo &operand : operands)
      if (operand.rank() == result.rank())
        constancy = std::min(constancy, operand.dims[dim].constancy);
    result.dims[dim].constancy = constancy == kMaxDivisibility ? 1 : constancy;
  }
  return result;
}

/// Returns `value` wrapped to the width of the integer type `type`, as a signed number.
int64_t wrap(Type type, int64_t value) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer && integer.getWidth() < 64 ? llvm::SignExtend64(value, integer.getWidth()) : value;
}

AxisInfo constantInfo(Type type, int64_t value) {
  value = wrap(type, value);
  AxisInfo info = AxisInfo::unknown(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (auto [dim, facts] : llvm::enumerate(info.dims)) {
    facts.divisibility = powerOfTwoDivisor(value);
    facts.constancy = tensor ? tensor.getDimSize(dim) : 1;
  }
  info.constant = value;
  info.nonNegative = value >= 0;
  return info;
}

/// Returns the facts of integers of fewer than 32 bits after they have been extended. Consecutive values may wrap
/// around in the narrow type, but not within an aligned group of at most half the range of this type. (32-bit indices
/// are assumed not to overflow.)
AxisInfo widen(const AxisInfo &a, Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!integer || integer.getWidth() >= 32)
    return a;
  int64_t halfRange = int64_t(1) << (integer.getWidth() - 1);
  AxisInfo result = a;
  for (AxisFacts &facts : result.dims) {
    int64_t group = std::min({facts.contiguity, divisorAt(facts, facts.contiguity), halfRange});
    facts.divisibility = std::min(divisorAt(facts, group), halfRange);
    facts.contiguity = group;
  }
  return result;
}

/// Returns the facts of a + scale * b. If `a` contains pointers, `scale` is the size of an element in bytes, and
/// adjacent values in a contiguous group of `a` differ by `scale`.
AxisInfo addScaled(const AxisInfo &a, const AxisInfo &b, int64_t scale) {
  AxisInfo result = combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts facts;
    facts.contiguity = std::max(std::min(x.contiguity, y.constancy), std::min(x.constancy, y.contiguity));
    facts.constancy = std::min(x.constancy, y.constancy);
    facts.divisibility =
        std::min(divisorAt(x, facts.contiguity, scale), multiplyCapped(divisorAt(y, facts.contiguity), scale));
    return facts;
  });
  result.nonNegative = a.nonNegative && b.nonNegative;
  return result;
}

AxisInfo subtract(const AxisInfo &a, const AxisInfo &b) {
  return combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts facts;
    facts.contiguity = std::min(x.contiguity, y.constancy);
    facts.constancy = std::min(x.constancy, y.constancy);
    facts.divisibility = std::min(divisorAt(x, facts.contiguity), divisorAt(y, facts.contiguity));
    return facts;
  });
}

AxisInfo multiply(const AxisInfo &a, const AxisInfo &b) {
  if (a.constant == 1)
    return b;
  if (b.constant == 1)
    return a;
  AxisInfo result = combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts facts;
    facts.constancy = std::min(x.constancy, y.constancy);
    facts.divisibility = multiplyCapped(divisorAt(x, 1), divisorAt(y, 1));
    return facts;
  });
  result.nonNegative = a.nonNegative && b.nonNegative;
  return result;
}

/// Returns the facts of a / b; `roundsDown` is true if the division is known to round down. If b is a multiple of g,
/// then g consecutive dividends that begin at a multiple of g have the same quotient.
AxisInfo divide(const AxisInfo &a, const AxisInfo &b, bool roundsDown) {
  if (b.constant == 1)
    return a;
  AxisInfo result = combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts facts;
    facts.constancy = std::min(x.constancy, y.constancy);
    if (roundsDown)
      facts.constancy =
          std::max(facts.constancy, std::min({x.contiguity, divisorAt(x, x.contiguity), y.constancy, divisorAt(y, 1)}));
    if (b.constant && *b.constant > 0 && powerOfTwoDivisor(*b.constant) == *b.constant && x.contiguity == 1)
      facts.divisibility = std::max<int64_t>(x.divisibility / *b.constant, 1);
    return facts;
  });
  result.nonNegative = a.nonNegative && b.nonNegative;
  return result;
}

/// Returns the facts of the remainder of a / b; `roundsDown` is true if the division is known to round down. If b is a
/// multiple of g, then g consecutive dividends that begin at a multiple of g have consecutive remainders.
AxisInfo remainder(const AxisInfo &a, const AxisInfo &b, bool roundsDown) {
  AxisInfo result = combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts facts;
    facts.constancy = std::min(x.constancy, y.constancy);
    if (roundsDown)
      facts.contiguity = std::min({x.contiguity, divisorAt(x, x.contiguity), y.constancy, divisorAt(y, 1)});
    facts.divisibility = std::min(divisorAt(x, facts.contiguity), divisorAt(y, 1));
    return facts;
  });
  result.nonNegative = a.nonNegative;
  return result;
}

/// Returns the facts of a & b. With b = 2^k - 1, the result is the remainder a mod 2^k. With b = ~(2^k - 1), the result
/// is a, rounded down to a multiple of 2^k.
AxisInfo bitAnd(const AxisInfo &a, const AxisInfo &b) {
  if (a.constant && !b.constant)
    return bitAnd(b, a);
  AxisInfo result = combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts facts;
    facts.constancy = std::min(x.constancy, y.constancy);
    if (b.constant && *b.constant >= 0 && powerOfTwoDivisor(*b.constant + 1) == *b.constant + 1)
      facts.contiguity = std::min({x.contiguity, divisorAt(x, x.contiguity), *b.constant + 1});
    else if (b.constant)
      facts.constancy = std::max(facts.constancy,
                                 std::min({x.contiguity, divisorAt(x, x.contiguity), powerOfTwoDivisor(*b.constant)}));
    facts.divisibility =
        facts.contiguity > 1 ? divisorAt(x, facts.contiguity) : std::max(divisorAt(x, 1), divisorAt(y, 1));
    return facts;
  });
  result.nonNegative = a.nonNegative || b.nonNegative;
  return result;
}

/// Returns the facts of a comparison. Consider a group of g elements in which x takes consecutive values that begin at
/// a multiple of g, and y has a single value that is a multiple of g. Then x < y has one result in the whole group, and
/// so does x >= y. (The result of x <= y may change in the group, after x == y.)
AxisInfo compare(arith::CmpIPredicate predicate, const AxisInfo &a, const AxisInfo &b) {
  using P = arith::CmpIPredicate;
  bool leftCounts = predicate == P::slt || predicate == P::sge || predicate == P::ult || predicate == P::uge;
  bool rightCounts = predicate == P::sgt || predicate == P::sle || predicate == P::ugt || predicate == P::ule;
  auto against = [](const AxisFacts &x, const AxisFacts &y) {
    return std::min({x.contiguity, divisorAt(x, x.contiguity), y.constancy, divisorAt(y, 1)});
  };
  return combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts facts;
    facts.constancy = std::min(x.constancy, y.constancy);
    if (leftCounts)
      facts.constancy = std::max(facts.constancy, against(x, y));
    if (rightCounts)
      facts.constancy = std::max(facts.constancy, against(y, x));
    return facts;
  });
}

AxisInfo select(const AxisInfo &condition, const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result = a.join(b);
  bool isScalar = condition.rank() != result.rank() || condition.dims.empty();
  for (auto [dim, facts] : llvm::enumerate(result.dims)) {
    int64_t same = isScalar ? kMaxDivisibility : condition.dims[dim].constancy;
    int64_t contiguity = std::min(facts.contiguity, same);
    facts.divisibility = divisorAt(facts, contiguity);
    facts.contiguity = contiguity;
    facts.constancy = std::min(facts.constancy, same);
  }
  return result;
}

AxisInfo minOrMax(const AxisInfo &a, const AxisInfo &b, bool isMax) {
  AxisInfo result = combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    return AxisFacts{1, std::min(divisorAt(x, 1), divisorAt(y, 1)), std::min(x.constancy, y.constancy)};
  });
  result.nonNegative = isMax ? (a.nonNegative || b.nonNegative) : (a.nonNegative && b.nonNegative);
  return result;
}

AxisInfo expandDims(hk::ExpandDimsOp op, const AxisInfo &source) {
  AxisInfo result = source;
  // The new dimension has size 1, so each group along it has one element.
  int64_t divisor = kMaxDivisibility;
  for (const AxisFacts &facts : source.dims)
    divisor = std::min(divisor, divisorAt(facts, 1));
  result.dims.insert(result.dims.begin() + op.getAxis(), AxisFacts{1, divisor, 1});
  return result;
}

AxisInfo broadcast(hk::BroadcastOp op, const AxisInfo &source) {
  AxisInfo result = source;
  auto from = cast<RankedTensorType>(op.getSrc().getType()), to = cast<RankedTensorType>(op.getType());
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (from.getDimSize(dim) != to.getDimSize(dim))
      result.dims[dim] = AxisFacts{1, source.dims[dim].divisibility, to.getDimSize(dim)};
  return result;
}

AxisInfo splat(RankedTensorType type, const AxisInfo &source) {
  AxisInfo result = AxisInfo::unknown(type);
  for (auto [facts, size] : llvm::zip(result.dims, type.getShape()))
    facts = AxisFacts{1, source.dims[0].divisibility, size};
  result.constant = source.constant;
  result.nonNegative = source.nonNegative;
  return result;
}

AxisInfo arange(hk::ArangeOp op) {
  AxisInfo result = AxisInfo::unknown(op.getType());
  // getStart() returns an unsigned number, although the start is signed.
  auto start = static_cast<int32_t>(op.getStart());
  result.dims[0] = AxisFacts{cast<RankedTensorType>(op.getType()).getDimSize(0), powerOfTwoDivisor(start), 1};
  result.nonNegative = start >= 0;
  return result;
}

/// Returns the facts of a reshaped tensor. Contiguity and constancy are lost, because a reshape may reorder elements. A
/// constant remains known, and so does a divisor of all values.
AxisInfo reshape(hk::ReshapeOp op, const AxisInfo &source) {
  if (source.constant)
    return constantInfo(op.getType(), *source.constant);
  AxisInfo result = AxisInfo::unknown(op.getType());
  int64_t divisor = kMaxDivisibility;
  for (const AxisFacts &facts : source.dims)
    divisor = std::min(divisor, divisorAt(facts, 1));
  for (AxisFacts &facts : result.dims)
    facts.divisibility = divisor;
  result.nonNegative = source.nonNegative;
  return result;
}

} // namespace

AxisInfo addOffsets(const AxisInfo &base, const AxisInfo &offsets, RankedTensorType offsetsType, int64_t elementBytes) {
  return addScaled(splat(offsetsType, base), offsets, elementBytes);
}

AxisInfo transferAxisInfo(Operation *op, unsigned index, ArrayRef<AxisInfo> in) {
  auto unsignedIsDown = [&](unsigned operand) { return in[operand].nonNegative; };
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp constant) {
        Attribute value = constant.getValue();
        if (auto dense = dyn_cast<SplatElementsAttr>(value))
          value = dense.getSplatValue<Attribute>();
        if (auto integer = dyn_cast<IntegerAttr>(value))
          return constantInfo(op->getResult(0).getType(), integer.getValue().getSExtValue());
        AxisInfo info = constantInfo(op->getResult(0).getType(), 1);
        info.constant.reset();
        return info;
      })
      .Case([&](hk::ArangeOp range) { return arange(range); })
      .Case([&](hk::SplatOp op) { return splat(cast<RankedTensorType>(op.getType()), in[0]); })
      .Case([&](hk::ExpandDimsOp expand) { return expandDims(expand, in[0]); })
      .Case([&](hk::BroadcastOp stretch) { return broadcast(stretch, in[0]); })
      .Case([&](hk::ReshapeOp view) { return reshape(view, in[0]); })
      .Case([&](hk::PermuteOp permute) {
        AxisInfo result = in[0];
        for (auto [dim, source] : llvm::enumerate(permute.getOrder()))
          result.dims[dim] = in[0].dims[source];
        return result;
      })
      .Case<hk::ProgramIdOp, hk::NumProgramsOp>([&](auto) {
        AxisInfo result = AxisInfo::unknown(op->getResult(0).getType());
        result.nonNegative = true;
        return result;
      })
      .Case<hk::ConvertLayoutOp, hk::SetLayoutOp>([&](auto) { return in[0]; })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) { return widen(in[0], op->getOperand(0).getType()); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        AxisInfo result = widen(in[0], op->getOperand(0).getType());
        // Zero extension turns a negative constant into a large unsigned number.
        if (result.constant && *result.constant < 0)
          result.constant.reset();
        result.nonNegative = true;
        return result;
      })
      .Case([&](arith::TruncIOp) {
        AxisInfo result = in[0];
        result.nonNegative = false;
        if (result.constant)
          result.constant = wrap(op->getResult(0).getType(), *result.constant);
        // A group of at most `halfRange` consecutive values wraps around at most once in the narrow type.
        int64_t halfRange = int64_t(1) << (getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth() - 1);
        for (AxisFacts &facts : result.dims) {
          int64_t group = std::min(facts.contiguity, halfRange);
          facts = {group, divisorAt(facts, group), facts.constancy};
        }
        return result;
      })
      .Case([&](hk::AddPtrOp add) {
        return addScaled(in[0], widen(in[1], add.getOffset().getType()), pointeeBytes(add.getPtr().getType()));
      })
      .Case<hk::PtrToIntOp, hk::PtrCastOp, hk::IntToPtrOp>([&](auto) {
        int64_t from = pointeeBytes(op->getOperand(0).getType()), to = pointeeBytes(op->getResult(0).getType());
        AxisInfo result = mapDims(in[0], [&](const AxisFacts &x) {
          return from == to ? x : AxisFacts{1, divisorAt(x, 1, from), x.constancy};
        });
        return result;
      })
      .Case([&](arith::AddIOp) {
        AxisInfo result = addScaled(in[0], in[1], 1);
        if (in[0].constant && in[1].constant)
          return constantInfo(op->getResult(0).getType(), *in[0].constant + *in[1].constant);
        return result;
      })
      .Case([&](arith::SubIOp) {
        if (in[0].constant && in[1].constant)
          return constantInfo(op->getResult(0).getType(), *in[0].constant - *in[1].constant);
        return subtract(in[0], in[1]);
      })
      .Case([&](arith::MulIOp) {
        if (in[0].constant && in[1].constant)
          return constantInfo(op->getResult(0).getType(), *in[0].constant * *in[1].constant);
        return multiply(in[0], in[1]);
      })
      .Case([&](arith::ShLIOp) {
        if (in[1].constant && *in[1].constant >= 0 && *in[1].constant < 32)
          return multiply(in[0], constantInfo(op->getOperand(1).getType(), int64_t(1) << *in[1].constant));
        return keepConstancy(op, index, in);
      })
      // A right shift rounds down, also for negative numbers.
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) {
        if (!in[1].constant || *in[1].constant < 0 || *in[1].constant >= 32)
          return keepConstancy(op, index, in);
        return divide(in[0], constantInfo(op->getOperand(1).getType(), int64_t(1) << *in[1].constant), true);
      })
      .Case([&](arith::DivSIOp) { return divide(in[0], in[1], unsignedIsDown(0)); })
      .Case([&](arith::DivUIOp) { return divide(in[0], in[1], true); })
      .Case([&](arith::RemSIOp) { return remainder(in[0], in[1], unsignedIsDown(0)); })
      .Case([&](arith::RemUIOp) { return remainder(in[0], in[1], true); })
      .Case([&](arith::AndIOp) { return bitAnd(in[0], in[1]); })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return minOrMax(in[0], in[1], false); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return minOrMax(in[0], in[1], true); })
      .Case([&](arith::CmpIOp cmp) { return compare(cmp.getPredicate(), in[0], in[1]); })
      .Case([&](arith::SelectOp) { return select(in[0], in[1], in[2]); })
      .Default([&](Operation *) { return keepConstancy(op, index, in); });
}

} // namespace hocket
