//===- GlobalRangeForms.cpp - Derives addresses as functions of the iteration ------===//
//
// Traces pointers and offsets, through the operations that compute them, back to the base pointer, to hk.arange, and to
// scalars. RingForms.cpp expresses each scalar as a linear function of the iteration number.
//
//===------------------------------------------------------------------------------===//
#include "analysis/global/GlobalRange.h"

#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

GlobalRange::Part &GlobalRange::Part::operator+=(const Part &other) {
  start += other.start;
  strides.resize(std::max(strides.size(), other.strides.size()));
  for (auto [mine, added] : llvm::zip(strides, other.strides))
    mine += added;
  return *this;
}

GlobalRange::Part &GlobalRange::Part::operator*=(int64_t factor) {
  start *= factor;
  for (int64_t &stride : strides)
    stride *= factor;
  return *this;
}

namespace {
/// Symbolic value of a scalar or tensor of integers or pointers. The value is a sum of parts (terms with one factor
/// each) and of at most one unanalyzed SSA value, such as the base pointer.
struct Form {
  Value base;
  GlobalRange::Parts parts;
  /// True if the sum would contain more than one unanalyzed value; the symbolic value is then unknown.
  bool isLost = false;

  static Form ofBase(Value value) { return {value, {}, false}; }
  static Form ofPart(GlobalRange::Part part, Value factor = {}) {
    Form form;
    form.parts[factor] = std::move(part);
    return form;
  }
  Form &operator+=(const Form &other);
  Form &operator*=(int64_t factor);
  bool isLinear() const { return !isLost && !base; }
  /// Returns the part with factor 1 if the symbolic value consists only of this part; null otherwise.
  const GlobalRange::Part *onlyPart() const;
};

class FormBuilder {
public:
  explicit FormBuilder(scf::ForOp loop) : loop(loop) {}
  Form build(Value value);
  bool isFixed(Value value) { return !loop || loop.isDefinedOutsideOfLoop(value); }

private:
  Form ofOperation(Operation *op);
  Form ofView(Operation *op, llvm::function_ref<void(SmallVectorImpl<int64_t> &)> change);
  Form ofProduct(Operation *op);
  Form ofCarried(BlockArgument variable);
  Form ofUnknown(Value value);
  Value fixedFactor(Value value);

  scf::ForOp loop;
  /// Loop-carried variables whose symbolic values are being derived.
  llvm::SmallPtrSet<Value, 2> followed;
  unsigned numFollowed = 0;
};
} // namespace

Form &Form::operator+=(const Form &other) {
  isLost |= other.isLost || (base && other.base);
  if (!base)
    base = other.base;
  for (auto &[factor, part] : other.parts)
    parts[factor] += part;
  return *this;
}

Form &Form::operator*=(int64_t factor) {
  isLost |= base && factor != 1;
  for (auto &[value, part] : parts)
    part *= factor;
  return *this;
}

const GlobalRange::Part *Form::onlyPart() const {
  bool isOnly = isLinear() && parts.size() == 1 && !parts.begin()->first;
  return isOnly ? &parts.begin()->second : nullptr;
}

static int64_t bytesOf(Type element) {
  return isa<hk::PointerType>(element) ? 8 : std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1);
}

static unsigned rankOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

Form FormBuilder::ofUnknown(Value value) {
  if (rankOf(value.getType()) > 0 || !value.getType().isIntOrIndex())
    return Form::ofBase(value);
  return Form::ofPart({RingIndex::of(value, loop), {}});
}

Form FormBuilder::build(Value value) {
  value = hk::lookThroughRegions(value);
  if (std::optional<int64_t> constant = hk::constantOf(value))
    return Form::ofPart({RingIndex::ofConstant(*constant), SmallVector<int64_t, 2>(rankOf(value.getType()))});
  // Integers of fewer than 32 bits may overflow and are therefore not analyzed.
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
  if (++numFollowed > kFollowedValues || (integer && integer.getWidth() < 32))
    return ofUnknown(value);
  if (Operation *op = value.getDefiningOp())
    return op->getNumResults() == 1 ? ofOperation(op) : ofUnknown(value);
  auto argument = cast<BlockArgument>(value);
  if (followed.contains(argument))
    return Form::ofBase(argument);
  bool isCarried = loop && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
  return isCarried ? ofCarried(argument) : ofUnknown(argument);
}

/// Returns the symbolic value of an operation such as a splat or broadcast: the symbolic value of the operand, with the
/// strides changed by `change`. The result is unknown if the symbolic value of the operand contains an unanalyzed
/// tensor.
Form FormBuilder::ofView(Operation *op, llvm::function_ref<void(SmallVectorImpl<int64_t> &)> change) {
  Form form = build(op->getOperand(0));
  if (form.base && rankOf(form.base.getType()) > 0)
    return ofUnknown(op->getResult(0));
  for (auto &[factor, part] : form.parts)
    change(part.strides);
  return form;
}

Form FormBuilder::ofOperation(Operation *op) {
  using Strides = SmallVectorImpl<int64_t>;
  auto combine = [&](int64_t factor) {
    Form sum = build(op->getOperand(0)), other = build(op->getOperand(1));
    return sum += other *= factor;
  };
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](arith::AddIOp) { return combine(1); })
      .Case([&](arith::SubIOp) { return combine(-1); })
      .Case([&](arith::MulIOp) { return ofProduct(op); })
      .Case([&](hk::AddPtrOp) {
        auto pointer = cast<hk::PointerType>(getElementTypeOrSelf(op->getResult(0)));
        return combine(bytesOf(pointer.getPointee()));
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp, hk::PtrCastOp, hk::ConvertLayoutOp>(
          [&](auto) { return build(op->getOperand(0)); })
      .Case([&](hk::SplatOp splat) {
        return ofView(op, [&](Strides &strides) { strides.assign(rankOf(splat.getType()), 0); });
      })
      .Case([&](hk::ArangeOp range) { return Form::ofPart({RingIndex::ofConstant(range.getStart()), {1}}); })
      .Case([&](hk::ExpandDimsOp expand) {
        return ofView(op, [&](Strides &strides) { strides.insert(strides.begin() + expand.getAxis(), 0); });
      })
      .Case([&](hk::BroadcastOp broadcast) {
        ArrayRef<int64_t> shape = cast<RankedTensorType>(broadcast.getSrc().getType()).getShape();
        return ofView(op, [&](Strides &strides) {
          for (auto [stride, size] : llvm::zip(strides, shape))
            stride = size == 1 ? 0 : stride;
        });
      })
      .Case([&](hk::PermuteOp permute) {
        return ofView(op, [&](Strides &strides) {
          SmallVector<int64_t, 2> old(strides.begin(), strides.end());
          for (auto [stride, source] : llvm::zip(strides, permute.getOrder()))
            stride = old[source];
        });
      })
      .Default([&](Operation *) { return ofUnknown(op->getResult(0)); });
}

/// Returns the loop-invariant scalar to which `value`, or each element of `value`, is equal; null if none is known.
Value FormBuilder::fixedFactor(Value value) {
  value = hk::lookThroughRegions(value);
  if (auto splat = value.getDefiningOp<hk::SplatOp>())
    value = hk::lookThroughRegions(splat.getSrc());
  if (auto wide = value.getDefiningOp<arith::ExtSIOp>())
    value = hk::lookThroughRegions(wide.getIn());
  return value.getType().isIntOrIndex() && isFixed(value) ? value : Value();
}

static bool isOfKernel(Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  return argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

/// Returns the symbolic value of a multiplication by a constant or by a number known at launch. If both operands are
/// known at launch, a kernel argument is preferred as the factor.
Form FormBuilder::ofProduct(Operation *op) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (std::optional<int64_t> factor = hk::constantOf(right))
    return build(left) *= *factor;
  if (std::optional<int64_t> factor = hk::constantOf(left))
    return build(right) *= *factor;
  Value factor = fixedFactor(right), other = left;
  if (Value first = fixedFactor(left); first && (!factor || (isOfKernel(first) && !isOfKernel(factor)))) {
    factor = first;
    other = right;
  }
  Form form = factor ? build(other) : Form();
  const GlobalRange::Part *part = factor ? form.onlyPart() : nullptr;
  return part ? Form::ofPart(*part, factor) : ofUnknown(op->getResult(0));
}

/// Returns the symbolic value of a loop-carried variable; the value is known if the variable grows by a constant in
/// each iteration.
Form FormBuilder::ofCarried(BlockArgument variable) {
  Value init = initInFirstLoop(loop, variable);
  if (!init)
    return ofUnknown(variable);
  followed.insert(variable);
  Form next = build(loop.getTiedLoopYieldedValue(variable)->get());
  followed.erase(variable);
  auto addsConstant = [](auto &entry) {
    const GlobalRange::Part &part = entry.second;
    return part.start.getConstant() && llvm::all_of(part.strides, [](int64_t stride) { return stride == 0; });
  };
  if (next.isLost || next.base != variable || !llvm::all_of(next.parts, addsConstant))
    return ofUnknown(variable);
  Form form = build(init);
  for (auto &[factor, part] : next.parts) {
    GlobalRange::Part &mine = form.parts[factor];
    RingIndex growth = RingIndex::ofIteration();
    mine.start += growth *= *part.start.getConstant();
    mine.strides.resize(rankOf(variable.getType()));
  }
  return form;
}

GlobalRange GlobalRange::of(const hk::GlobalAddresses &addresses, scf::ForOp loop) {
  GlobalRange range;
  range.addresses = addresses;
  range.elementBytes = bytesOf(getElementTypeOrSelf(addresses.accessed));
  if (auto tensor = dyn_cast<RankedTensorType>(addresses.accessed))
    range.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  FormBuilder builder(loop);
  Form form = builder.build(addresses.addresses);
  if (addresses.base)
    (form *= range.elementBytes) += builder.build(addresses.base);
  // If the base is a tensor of pointers, each element may have any address.
  if (form.isLost || !form.base || rankOf(form.base.getType()) > 0) {
    range.varies = !builder.isFixed(addresses.addresses) || (addresses.base && !builder.isFixed(addresses.base));
    return range;
  }
  range.base = form.base;
  range.varies = !builder.isFixed(form.base);
  for (auto &[factor, part] : form.parts) {
    part.strides.resize(range.shape.size());
    bool isNothing = part.start.getConstant() == 0 && llvm::all_of(part.strides, [](int64_t s) { return s == 0; });
    if (!isNothing)
      range.parts[factor] = part;
  }
  return range;
}

} // namespace hocket
