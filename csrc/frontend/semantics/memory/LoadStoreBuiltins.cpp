//===- LoadStoreBuiltins.cpp - load, store: global memory through pointers --------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/semantics/memory/CachePolicies.h"
#include "frontend/semantics/memory/MemoryAccess.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"

namespace hocket::frontend {

Runtime pointerAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *pointer = args[parameter].asRuntime();
  if (pointer && pointer->type.isPointer())
    return *pointer;
  bool isShared = pointer && pointer->type.isMemDesc();
  e.errorAt(args.where(parameter),
            args.what(parameter) + " must be a pointer or a tensor of pointers, but is " + args[parameter].describe(),
            {{},
             isShared ? "shared memory has methods: smem.load(layout), smem.store(value)"
                      : "pointers come from the kernel's arguments: pointer + offsets"});
}

Runtime settledAddresses(Emitter &e, const Arguments &args, ParameterName parameter, const Runtime &addresses) {
  mlir::Attribute layout = addresses.type.layout;
  if (!addresses.type.isTensor())
    return settledIn(e, addresses, layout);
  const Value &own = args[parameter];
  for (const Arguments::Slot &other : args.all()) {
    const Runtime *tensor = &other.value == &own ? nullptr : other.value.asRuntime();
    if (!tensor || !tensor->type.isTensor() || tensor->type.rank() != addresses.type.rank())
      continue;
    if (mlir::Attribute common = commonLayout(layout, tensor->type.layout, addresses.type.shape))
      layout = common;
  }
  return settledIn(e, addresses, layout);
}

AccessShape accessShapeAt(Emitter &e, const Arguments &args, ParameterName parameter, Runtime &pointer) {
  pointer = settledAddresses(e, args, parameter, pointer);
  return {pointer.type, pointer.type.dtype(), parameter.text};
}

/// Raises an error if argument `parameter`, a tensor of type `type`, does not broadcast to the shape of the access or
/// has another layout.
static void checkFits(Emitter &e, const Arguments &args, ParameterName parameter, const ValueType &type,
                      const AccessShape &shape) {
  if (type.isScalar())
    return;
  std::string name = "`" + std::string(shape.argument) + "`";
  auto fail = [&](const std::string &message, std::string hint) {
    e.errorAt(
        args.where(parameter), args.what(parameter) + message,
        {{{std::string(parameter.text), type.toString()}, {std::string(shape.argument), shape.type.toString()}}, hint});
  };
  if (shape.type.isScalar())
    fail(" is a tensor, but " + name + " is a scalar", "use a tensor of pointers");
  bool fits = type.rank() == shape.type.rank();
  if (fits)
    for (auto [size, wanted] : llvm::zip_equal(type.shape, shape.type.shape))
      fits &= size == wanted || size == 1;
  if (!fits) {
    std::string subscript = expandingSubscript(type.layout, shape.type.layout);
    fail(" does not have the shape of " + name,
         subscript.empty() ? "sizes must be those of " + name + ", or 1" : "expand it: append " + subscript);
  }
  if (!commonLayout(type.layout, shape.type.layout, shape.type.shape))
    fail(" does not have the layout of " + name, "convert it, as in gl.convert_layout(" + std::string(parameter.text) +
                                                     ", " + std::string(shape.argument) +
                                                     ".layout), or make both in the same layout");
}

/// Broadcasts `value` to the shape of the memory access, and converts it to the layout of the access.
static Runtime stretchTo(Emitter &e, const Runtime &value, const AccessShape &shape) {
  if (value.type.isScalar())
    return shape.type.isScalar() ? value : splat(e, value, shape.type.shape, shape.type.layout);
  return broadcastToShape(e, settledIn(e, value, shape.type.layout), shape.type.shape);
}

mlir::Value maskAt(Emitter &e, const Arguments &args, ParameterName parameter, const AccessShape &shape,
                   bool takesIntegers) {
  const Value &value = args[parameter];
  if (value.isNone())
    return {};
  const Constexpr *constant = value.asConstexpr();
  if (constant && constant->object.ptr() == Py_True)
    return {};
  // The constant masks 1 and 0 mean True and False, as in Python and Gluon.
  if (constant && PyLong_CheckExact(constant->object.ptr()) &&
      (constant->object.equal(py::int_(0)) || constant->object.equal(py::int_(1)))) {
    if (constant->object.equal(py::int_(1)))
      return {};
    return stretchTo(e, e.scalarConstant(py::bool_(false), DType::Int1), shape).ir;
  }
  Runtime mask = tensorOrScalarAt(e, args, parameter);
  if (takesIntegers && !mask.type.isPointer() && mask.type.dtype().isInteger())
    mask = castTo(e, mask, DType::Int1);
  if (mask.type.isPointer() || !mask.type.dtype().isBool())
    e.errorAt(args.where(parameter), args.what(parameter) + " must be of int1, but is " + value.describe(),
              {{}, "compare, as in mask=offsets < n"});
  checkFits(e, args, parameter, mask.type, shape);
  return stretchTo(e, mask, shape).ir;
}

Runtime elementsAt(Emitter &e, const Arguments &args, ParameterName parameter, const AccessShape &shape) {
  if (args[parameter].asRuntime())
    checkFits(e, args, parameter, tensorOrScalarAt(e, args, parameter).type, shape);
  // A bool is stored as 0 or 1, so any nonzero number becomes 1.
  Runtime value = valueAs(e, args, parameter, shape.element);
  return stretchTo(e, castTo(e, value, memoryType(shape.element)), shape);
}

mlir::Value otherAt(Emitter &e, const Arguments &args, ParameterName parameter, ParameterName maskName,
                    mlir::Value mask, const AccessShape &shape) {
  if (args[parameter].isNone())
    return {};
  if (args[maskName].isNone())
    e.errorAt(args.where(parameter), args.what(parameter) + " needs `mask`: without one, every element is read");
  Runtime values = elementsAt(e, args, parameter, shape);
  return mask ? values.ir : mlir::Value();
}

static Value load(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, "pointer");
  AccessShape shape = accessShapeAt(e, args, "pointer", pointer);
  mlir::Value mask = maskAt(e, args, "mask", shape), other = otherAt(e, args, "other", "mask", mask, shape);
  CacheHints cache = cacheHintsAt(e, args, CachedAccess::Load);
  ValueType type = pointer.type.withElement(memoryType(shape.element));
  Runtime value = e.make<hk::LoadOp>(type, type.toMlir(e.context()), pointer.ir, mask, other, cache.modifier,
                                     cache.policy, args.boolAt(e, "volatile"));
  return castTo(e, value, shape.element);
}

static Value store(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, "pointer");
  AccessShape shape = accessShapeAt(e, args, "pointer", pointer);
  Runtime value = elementsAt(e, args, "value", shape);
  mlir::Value mask = maskAt(e, args, "mask", shape);
  CacheHints cache = cacheHintsAt(e, args, CachedAccess::Store);
  e.create<hk::StoreOp>(pointer.ir, value.ir, mask, cache.modifier, cache.policy);
  return Value::none();
}

std::span<const BuiltinEntry> memoryBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"load", load,
       "(pointer, mask=None, other=None, cache_modifier='', eviction_policy='', volatile=False, cache_policy=None)"},
      {"store", store, "(pointer, value, mask=None, cache_modifier='', eviction_policy='', cache_policy=None)"}};
  return entries;
}

} // namespace hocket::frontend
