//===- Shadows.cpp - Computes shadows: the undefined bits of values --------------------===//
//
//   moves, extensions, truncations    the same operation on the shadows
//   x & y, x | y                      a bit is defined if it is defined in both operands, or if it is a defined 0
//                                     (for &) or a defined 1 (for |) in one operand
//   x + y, x - y, x * y               the lowest undefined bit and (by carries) all higher bits; x * 0 is defined
//   select c, x, y                    the shadow of the selected value; all bits if c is undefined
//   any other operation               all bits of an element, if any bit of its operands is undefined
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/steps/Shadows.h"

#include "conversion/lane_to_host/Conversions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

Type Shadows::typeFor(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<LLVM::LLVMPointerType>(type))
    return IntegerType::get(context, 64);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(typeFor(vector.getElementType()));
  if (auto fields = dyn_cast<LLVM::LLVMStructType>(type)) {
    SmallVector<Type> types = llvm::map_to_vector(fields.getBody(), typeFor);
    return LLVM::LLVMStructType::getLiteral(context, types, fields.isPacked());
  }
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return LLVM::LLVMArrayType::get(typeFor(array.getElementType()), array.getNumElements());
  return IntegerType::get(context, type.getIntOrFloatBitWidth());
}

Value Shadows::of(Value value) {
  Value shadow = find(value);
  return shadow ? shadow : zeros(typeFor(value.getType()));
}

Value Shadows::zeros(Type shadowType) { return make<LLVM::ZeroOp>(shadowType); }

/// Returns the types of the members of a struct or array; empty for other types.
static SmallVector<Type> partsOf(Type type) {
  if (auto fields = dyn_cast<LLVM::LLVMStructType>(type))
    return SmallVector<Type>(fields.getBody());
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return SmallVector<Type>(array.getNumElements(), array.getElementType());
  return {};
}

Value Shadows::spread(Value isUndefined, Type shadowType) {
  if (shadowType.isInteger())
    return extended(isUndefined, shadowType);
  if (isa<VectorType>(shadowType)) {
    Value bits = make<LLVM::SExtOp>(host.builder.getIntegerType(unsigned(bitWidthOf(shadowType))), isUndefined);
    return make<LLVM::BitcastOp>(shadowType, bits);
  }
  Value whole = make<LLVM::UndefOp>(shadowType);
  for (auto [i, type] : llvm::enumerate(partsOf(shadowType)))
    whole = make<LLVM::InsertValueOp>(whole, spread(isUndefined, type), int64_t(i));
  return whole;
}

Value Shadows::isAnySet(Value shadow) {
  Type type = shadow.getType();
  if (type.isInteger(1))
    return shadow;
  if (SmallVector<Type> parts = partsOf(type); !parts.empty()) {
    Value any = host.i1(false);
    for (size_t i = 0; i < parts.size(); ++i)
      any = make<LLVM::OrOp>(any, isAnySet(make<LLVM::ExtractValueOp>(shadow, int64_t(i))));
    return any;
  }
  if (isa<VectorType>(type)) {
    type = host.builder.getIntegerType(unsigned(bitWidthOf(type)));
    shadow = make<LLVM::BitcastOp>(type, shadow);
  }
  return make<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, shadow, zeros(type));
}

Value Shadows::isAnyUndefined(ValueRange values) {
  Value any;
  for (Value value : values)
    if (Value shadow = find(value)) {
      Value set = isAnySet(shadow);
      any = any ? make<LLVM::OrOp>(any, set) : set;
    }
  return any;
}

/// Returns a shadow with all bits set if any of `values` has an undefined bit, and zeros otherwise.
Value Shadows::joined(ValueRange values, Type shadowType) {
  Value any = isAnyUndefined(values);
  return any ? spread(any, shadowType) : zeros(shadowType);
}

static int64_t elementsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 0;
}

/// Returns a shadow with all bits set in the elements for which `isUndefined`, an i1 or a vector of i1, is true.
Value Shadows::extended(Value isUndefined, Type shadowType) {
  return isUndefined.getType() == shadowType ? isUndefined : make<LLVM::SExtOp>(shadowType, isUndefined);
}

/// Returns the shadow of an operation in which each result element depends on all bits of the same element of each
/// operand. If the numbers of elements differ, each result element depends on all operands.
Value Shadows::elementwise(Operation *op, Type shadowType) {
  int64_t elements = elementsOf(shadowType);
  if (!elements || llvm::any_of(op->getOperandTypes(), [&](Type type) { return elementsOf(type) != elements; }))
    return joined(op->getOperands(), shadowType);
  Value any;
  for (Value operand : op->getOperands())
    if (Value shadow = find(operand)) {
      Value set = make<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, shadow, zeros(shadow.getType()));
      any = any ? make<LLVM::OrOp>(any, set) : set;
    }
  return extended(any, shadowType);
}

/// Returns `shadow` with all bits above its lowest set bit set.
Value Shadows::upwards(Value shadow) {
  return make<LLVM::OrOp>(shadow, make<LLVM::SubOp>(zeros(shadow.getType()), shadow));
}

Value Shadows::ofProduct(Operation *op) {
  Value a = op->getOperand(0), b = op->getOperand(1), shadowA = of(a), shadowB = of(b);
  Value zero = zeros(shadowA.getType()), result = upwards(make<LLVM::OrOp>(shadowA, shadowB));
  for (auto [value, shadow] : {std::pair(a, shadowA), std::pair(b, shadowB)}) {
    Value isZero = make<LLVM::ICmpOp>(LLVM::ICmpPredicate::eq, make<LLVM::OrOp>(value, shadow), zero);
    result = make<LLVM::SelectOp>(isZero, zero, result);
  }
  return result;
}

/// Returns the shadow of a shift. If the shift amount is defined, the result is the operand's shadow, shifted by this
/// amount.
Value Shadows::ofShift(Operation *op, Type shadowType) {
  Value amount = op->getOperand(1);
  if (find(amount))
    return elementwise(op, shadowType);
  Value shadow = of(op->getOperand(0));
  if (isa<LLVM::ShlOp>(op))
    return make<LLVM::ShlOp>(shadow, amount);
  if (isa<LLVM::LShrOp>(op))
    return make<LLVM::LShrOp>(shadow, amount);
  return make<LLVM::AShrOp>(shadow, amount);
}

/// Returns the shadow of an operation that moves values; null for other operations.
Value Shadows::ofMove(Operation *op, Type shadowType) {
  auto shadowOf = [&](unsigned operand) { return of(op->getOperand(operand)); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](LLVM::ZExtOp) { return make<LLVM::ZExtOp>(shadowType, shadowOf(0)); })
      .Case([&](LLVM::SExtOp) { return make<LLVM::SExtOp>(shadowType, shadowOf(0)); })
      .Case([&](LLVM::TruncOp) { return make<LLVM::TruncOp>(shadowType, shadowOf(0)); })
      .Case<LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp, LLVM::FreezeOp>([&](auto) {
        Value shadow = shadowOf(0);
        int64_t from = bitWidthOf(shadow.getType()), to = bitWidthOf(shadowType);
        if (shadow.getType() == shadowType)
          return shadow;
        if (from == to)
          return make<LLVM::BitcastOp>(shadowType, shadow);
        return from < to ? make<LLVM::ZExtOp>(shadowType, shadow) : make<LLVM::TruncOp>(shadowType, shadow);
      })
      .Case([&](LLVM::ExtractElementOp) -> Value {
        if (find(op->getOperand(1)))
          return joined(op->getOperands(), shadowType);
        return make<LLVM::ExtractElementOp>(shadowOf(0), op->getOperand(1));
      })
      .Case([&](LLVM::InsertElementOp) -> Value {
        if (find(op->getOperand(2)))
          return joined(op->getOperands(), shadowType);
        return make<LLVM::InsertElementOp>(shadowOf(0), shadowOf(1), op->getOperand(2));
      })
      .Case([&](LLVM::ShuffleVectorOp shuffle) -> Value {
        return make<LLVM::ShuffleVectorOp>(shadowOf(0), shadowOf(1), shuffle.getMask());
      })
      .Case([&](LLVM::ExtractValueOp extract) -> Value {
        return make<LLVM::ExtractValueOp>(shadowOf(0), extract.getPosition());
      })
      .Case([&](LLVM::InsertValueOp insert) -> Value {
        return make<LLVM::InsertValueOp>(of(insert.getContainer()), of(insert.getValue()), insert.getPosition());
      })
      .Case([&](LLVM::SelectOp select) -> Value {
        Value chosen =
            make<LLVM::SelectOp>(select.getCondition(), of(select.getTrueValue()), of(select.getFalseValue()));
        Value choice = find(select.getCondition());
        if (!choice)
          return chosen;
        Value unknown = elementsOf(choice.getType()) ? extended(choice, shadowType) : spread(choice, shadowType);
        return partsOf(shadowType).empty() ? make<LLVM::OrOp>(chosen, unknown)
                                           : joined(select->getOperands(), shadowType);
      })
      .Default([](Operation *) { return Value(); });
}

Value Shadows::ofOperation(Operation *op, Type shadowType) {
  if (Value moved = ofMove(op, shadowType))
    return moved;
  auto shadowOf = [&](unsigned operand) { return of(op->getOperand(operand)); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](LLVM::XOrOp) { return make<LLVM::OrOp>(shadowOf(0), shadowOf(1)); })
      .Case<LLVM::AndOp, LLVM::OrOp>([&](auto) {
        // An undefined bit of one operand makes the result bit undefined, unless the other operand alone determines the
        // result bit.
        Value shadowA = shadowOf(0), shadowB = shadowOf(1), a = op->getOperand(0), b = op->getOperand(1);
        Value ones = spread(host.i1(true), shadowType);
        Value passesA = isa<LLVM::AndOp>(op) ? b : make<LLVM::XOrOp>(b, ones);
        Value passesB = isa<LLVM::AndOp>(op) ? a : make<LLVM::XOrOp>(a, ones);
        Value shows = make<LLVM::OrOp>(make<LLVM::AndOp>(shadowA, make<LLVM::OrOp>(passesA, shadowB)),
                                       make<LLVM::AndOp>(shadowB, passesB));
        return shows;
      })
      .Case<LLVM::AddOp, LLVM::SubOp>([&](auto) { return upwards(make<LLVM::OrOp>(shadowOf(0), shadowOf(1))); })
      .Case([&](LLVM::MulOp) { return ofProduct(op); })
      .Case<LLVM::ShlOp, LLVM::LShrOp, LLVM::AShrOp>([&](auto) { return ofShift(op, shadowType); })
      .Default([&](Operation *) { return elementwise(op, shadowType); });
}

void Shadows::compute(Operation *op) {
  if (llvm::none_of(op->getOperands(), [&](Value operand) { return find(operand); }))
    return;
  for (Value result : op->getResults())
    set(result, ofOperation(op, typeFor(result.getType())));
}

} // namespace hocket
