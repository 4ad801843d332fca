//===- MemoryBuiltins.cpp - load, store: global memory through pointers -----------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/semantics/memory/CachePolicies.h"
#include "frontend/semantics/memory/MemoryAccess.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"

namespace hocket::frontend {

Runtime pointerAt(Emitter &e, const Arguments &args, size_t index) {
  const Runtime *pointer = args[index].asRuntime();
  if (pointer && pointer->type.isPointer())
    return *pointer;
  bool isShared = pointer && pointer->type.isMemDesc();
  e.errorAt(args.where(index),
            args.what(index) + " must be a pointer or a tensor of pointers, but is " + args[index].describe(),
            {{},
             isShared ? "shared memory has methods: smem.load(layout), smem.store(value)"
                      : "pointers come from the kernel's arguments: pointer + offsets"});
}

Runtime settledAddresses(Emitter &e, const Arguments &args, size_t index, const Runtime &addresses) {
  mlir::Attribute layout = addresses.type.layout;
  for (size_t other = 0; addresses.type.isTensor() && other < args.size(); ++other) {
    const Runtime *tensor = other == index ? nullptr : args[other].asRuntime();
    if (!tensor || !tensor->type.isTensor() || tensor->type.rank() != addresses.type.rank())
      continue;
    if (mlir::Attribute meeting = meetingLayout(layout, tensor->type.layout, addresses.type.shape))
      layout = meeting;
  }
  return settledIn(e, addresses, layout);
}

AccessPlace placeAt(Emitter &e, const Arguments &args, size_t index, Runtime &pointer) {
  pointer = settledAddresses(e, args, index, pointer);
  return {pointer.type, pointer.type.dtype(), args.parameter(index)};
}

/// Raises an error unless argument `index`, of type `type`, broadcasts to the shape of the access and has its layout.
static void checkFits(Emitter &e, const Arguments &args, size_t index, const ValueType &type,
                      const AccessPlace &place) {
  if (type.isScalar())
    return;
  std::string name = "`" + std::string(place.argument) + "`";
  auto fail = [&](const std::string &message, std::string hint) {
    e.errorAt(
        args.where(index), args.what(index) + message,
        {{{std::string(args.parameter(index)), type.toString()}, {std::string(place.argument), place.type.toString()}},
         hint});
  };
  if (place.type.isScalar())
    fail(" is a tensor, but " + name + " is a scalar", "use a tensor of pointers");
  bool fits = type.rank() == place.type.rank();
  if (fits)
    for (auto [size, wanted] : llvm::zip_equal(type.shape, place.type.shape))
      fits &= size == wanted || size == 1;
  if (!fits) {
    std::string subscript = expandingSubscript(type.layout, place.type.layout);
    fail(" does not have the shape of " + name,
         subscript.empty() ? "sizes must be those of " + name + ", or 1" : "expand it: append " + subscript);
  }
  if (!meetingLayout(type.layout, place.type.layout, place.type.shape))
    fail(" does not have the layout of " + name,
         "convert it, as in gl.convert_layout(" + std::string(args.parameter(index)) + ", " +
             std::string(place.argument) + ".layout), or make both in the same layout");
}

/// Broadcasts a value to the shape and layout of the access.
static Runtime stretchTo(Emitter &e, const Runtime &value, const AccessPlace &place) {
  if (value.type.isScalar())
    return place.type.isScalar() ? value : splat(e, value, place.type.shape, place.type.layout);
  return broadcastToShape(e, settledIn(e, value, place.type.layout), place.type.shape);
}

mlir::Value maskAt(Emitter &e, const Arguments &args, size_t index, const AccessPlace &place, bool takesIntegers) {
  const Value &value = args[index];
  if (value.isNone())
    return {};
  const Constexpr *constant = value.asConstexpr();
  if (constant && constant->object.ptr() == Py_True)
    return {};
  // 1 is True and 0 is False, like in Python and Gluon.
  if (constant && PyLong_CheckExact(constant->object.ptr()) &&
      (constant->object.equal(py::int_(0)) || constant->object.equal(py::int_(1)))) {
    if (constant->object.equal(py::int_(1)))
      return {};
    return stretchTo(e, e.scalarConstant(py::bool_(false), DType::Int1), place).ir;
  }
  Runtime mask = tensorOrScalarAt(e, args, index);
  if (takesIntegers && !mask.type.isPointer() && mask.type.dtype().isInteger())
    mask = castTo(e, mask, DType::Int1);
  if (mask.type.isPointer() || !mask.type.dtype().isBool())
    e.errorAt(args.where(index), args.what(index) + " must be of int1, but is " + value.describe(),
              {{}, "compare, as in mask=offsets < n"});
  checkFits(e, args, index, mask.type, place);
  return stretchTo(e, mask, place).ir;
}

Runtime elementsAt(Emitter &e, const Arguments &args, size_t index, const AccessPlace &place) {
  if (args[index].asRuntime())
    checkFits(e, args, index, tensorOrScalarAt(e, args, index).type, place);
  // A bool is stored as 0 or 1, whatever number it was converted from.
  Runtime value = valueAs(e, args, index, place.element);
  return stretchTo(e, castTo(e, value, memoryType(place.element)), place);
}

mlir::Value otherAt(Emitter &e, const Arguments &args, size_t index, size_t maskIndex, mlir::Value mask,
                    const AccessPlace &place) {
  if (args[index].isNone())
    return {};
  if (args[maskIndex].isNone())
    e.errorAt(args.where(index), args.what(index) + " needs `mask`: without one, every element is read");
  Runtime values = elementsAt(e, args, index, place);
  return mask ? values.ir : mlir::Value();
}

/// load(pointer, mask=None, other=None, cache_modifier="", eviction_policy="", volatile=False,
///      cache_policy=None)
static Value load(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, 0);
  AccessPlace place = placeAt(e, args, 0, pointer);
  mlir::Value mask = maskAt(e, args, 1, place), other = otherAt(e, args, 2, 1, mask, place);
  CacheHints cache = cacheHintsAt(e, args, CachedAccess::Load, {.modifier = 3, .eviction = 4, .policy = 6});
  ValueType type = pointer.type.withElement(memoryType(place.element));
  Runtime value = e.make<hk::LoadOp>(type, type.toMlir(e.context()), pointer.ir, mask, other, cache.modifier,
                                     cache.policy, args.boolAt(e, 5));
  return castTo(e, value, place.element);
}

/// store(pointer, value, mask=None, cache_modifier="", eviction_policy="", cache_policy=None)
static Value store(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, 0);
  AccessPlace place = placeAt(e, args, 0, pointer);
  Runtime value = elementsAt(e, args, 1, place);
  mlir::Value mask = maskAt(e, args, 2, place);
  CacheHints cache = cacheHintsAt(e, args, CachedAccess::Store, {.modifier = 3, .eviction = 4, .policy = 5});
  e.create<hk::StoreOp>(pointer.ir, value.ir, mask, cache.modifier, cache.policy);
  return Value::none();
}

std::span<const BuiltinEntry> memoryBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"load", load}, {"store", store}};
  return entries;
}

} // namespace hocket::frontend
