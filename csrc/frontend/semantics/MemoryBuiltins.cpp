//===- MemoryBuiltins.cpp - load, store: global memory through pointers -----------===//
#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/Broadcast.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/Conversions.h"
#include "frontend/semantics/MemoryAccess.h"
#include "frontend/semantics/Operators.h"

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

/// Stops unless argument `index`, of type `type`, stretches to the shape of the pointers and has their layout.
static void checkFitsPointer(Emitter &e, const Arguments &args, size_t index, const ValueType &type,
                             const ValueType &pointer) {
  if (type.isScalar())
    return;
  auto fail = [&](std::string_view message, std::string hint) {
    e.errorAt(args.where(index), args.what(index) + std::string(message),
              {{{std::string(args.parameter(index)), type.toString()}, {"pointer", pointer.toString()}}, hint});
  };
  if (pointer.isScalar())
    fail(" is a tensor, but `pointer` is a scalar", "use a tensor of pointers");
  bool fits = type.rank() == pointer.rank();
  if (fits)
    for (auto [size, wanted] : llvm::zip_equal(type.shape, pointer.shape))
      fits &= size == wanted || size == 1;
  if (!fits) {
    std::string subscript = expandingSubscript(type.layout, pointer.layout);
    fail(" does not have the shape of `pointer`",
         subscript.empty() ? "sizes must be those of `pointer`, or 1" : "expand it: append " + subscript);
  }
  if (type.layout != pointer.layout)
    fail(" does not have the layout of `pointer`",
         "convert it with gl.convert_layout, or make both in the same layout");
}

/// A value that fits the pointers, in their shape and layout.
static Runtime stretchToPointer(Emitter &e, const Runtime &value, const ValueType &pointer) {
  if (value.type.isScalar())
    return pointer.isScalar() ? value : splat(e, value, pointer.shape, pointer.layout);
  return broadcastToShape(e, value, pointer.shape);
}

mlir::Value maskAt(Emitter &e, const Arguments &args, size_t index, const Runtime &pointer) {
  const Value &value = args[index];
  if (value.isNone())
    return {};
  const Constexpr *constant = value.asConstexpr();
  if (constant && constant->object.ptr() == Py_True)
    return {};
  Runtime mask = tensorOrScalarAt(e, args, index);
  if (mask.type.isPointer() || !mask.type.dtype().isBool())
    e.errorAt(args.where(index), args.what(index) + " must be of int1, but is " + value.describe(),
              {{}, "compare, as in mask=offsets < n"});
  checkFitsPointer(e, args, index, mask.type, pointer.type);
  return stretchToPointer(e, mask, pointer.type).ir;
}

Runtime elementsAt(Emitter &e, const Arguments &args, size_t index, const Runtime &pointer) {
  DType element = memoryType(pointer.type.dtype());
  if (const Runtime *runtime = args[index].asRuntime())
    checkFitsPointer(e, args, index, runtime->type, pointer.type);
  // A bool is stored as 0 or 1, whatever number it was made from.
  Runtime value = valueAs(e, args, index, pointer.type.dtype());
  return stretchToPointer(e, castTo(e, value, element), pointer.type);
}

static hk::EvictionPolicy evictionAt(Emitter &e, const Arguments &args, size_t index) {
  return enumAt<hk::EvictionPolicy>(e, args, index,
                                    {{"", hk::EvictionPolicy::None},
                                     {"evict_first", hk::EvictionPolicy::EvictFirst},
                                     {"evict_last", hk::EvictionPolicy::EvictLast},
                                     {"evict_normal", hk::EvictionPolicy::None}});
}

/// load(pointer, mask=None, other=None, cache_modifier="", eviction_policy="", volatile=False)
static Value load(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, 0);
  mlir::Value mask = maskAt(e, args, 1, pointer);
  mlir::Value other;
  if (!args[2].isNone()) {
    if (args[1].isNone())
      e.errorAt(args.where(2), "`other` of load needs `mask`: without one, every element is read");
    Runtime values = elementsAt(e, args, 2, pointer);
    other = mask ? values.ir : mlir::Value();
  }
  auto cache = enumAt<hk::CacheModifier>(e, args, 3,
                                         {{"", hk::CacheModifier::None},
                                          {".ca", hk::CacheModifier::CA},
                                          {".cg", hk::CacheModifier::CG},
                                          {".cs", hk::CacheModifier::CS},
                                          {".cv", hk::CacheModifier::CV}});
  hk::EvictionPolicy eviction = evictionAt(e, args, 4);
  DType element = pointer.type.dtype();
  ValueType type = pointer.type.withElement(memoryType(element));
  Runtime value =
      e.make<hk::LoadOp>(type, type.toMlir(e.context()), pointer.ir, mask, other, cache, eviction, args.boolAt(e, 5));
  return castTo(e, value, element);
}

/// store(pointer, value, mask=None, cache_modifier="", eviction_policy="")
static Value store(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, 0);
  Runtime value = elementsAt(e, args, 1, pointer);
  mlir::Value mask = maskAt(e, args, 2, pointer);
  auto cache = enumAt<hk::CacheModifier>(e, args, 3,
                                         {{"", hk::CacheModifier::None},
                                          {".wb", hk::CacheModifier::WB},
                                          {".cg", hk::CacheModifier::CG},
                                          {".cs", hk::CacheModifier::CS},
                                          {".wt", hk::CacheModifier::WT}});
  e.create<hk::StoreOp>(pointer.ir, value.ir, mask, cache, evictionAt(e, args, 4));
  return Value::none();
}

std::span<const BuiltinEntry> memoryBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"load", load}, {"store", store}};
  return entries;
}

} // namespace hocket::frontend
