//===- AmdBufferBuiltins.cpp - amd.cdna3.buffer_load, buffer_store -----------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/amd/AmdBuffer.h"
#include "frontend/semantics/memory/CachePolicies.h"
#include "frontend/semantics/operators/Casts.h"
#include "target/AmdMemory.h"
#include <cmath>

namespace hocket::frontend {

static Runtime baseAt(Emitter &e, const Arguments &args, size_t index) {
  const Runtime *base = args[index].asRuntime();
  if (base && base->type.isPointer() && base->type.isScalar())
    return *base;
  std::string hint = "pass a pointer argument of the kernel";
  if (base && base->type.isPointer())
    hint = "pass the base pointer, and the offsets that were added to it as `offsets`";
  else if (const Runtime *before = index ? args[index - 1].asRuntime() : nullptr; before && before->type.isPointer())
    hint = "`" + std::string(args.parameter(index - 1)) + "` comes first, then `" + std::string(args.parameter(index)) +
           "`";
  e.errorAt(args.where(index), args.what(index) + " must be a scalar pointer, but is " + args[index].describe(),
            {{}, hint});
}

static Runtime offsetsAt(Emitter &e, const Arguments &args, size_t index) {
  const Runtime *offsets = args[index].asRuntime();
  bool isTensor = offsets && offsets->type.isTensor() && !offsets->type.isPointer();
  DType element = isTensor ? offsets->type.dtype() : DType(DType::Void);
  if (element == DType::Int32 || element == DType::UInt32)
    return *offsets;
  std::string hint;
  if (isTensor && element.isInteger())
    hint = element.bitWidth() > 32
               ? "offsets are 32 bits wide: move the base by the 64-bit part, as in ptr + start, and "
                 "convert the rest with offsets.to(gl.int32)"
               : "convert them: offsets.to(gl.int32)";
  e.errorAt(args.where(index), args.what(index) + " must be a tensor of int32, but is " + args[index].describe(),
            {{}, hint});
}

BufferPlace bufferAt(Emitter &e, const Arguments &args, size_t baseIndex, size_t offsetsIndex) {
  Runtime base = baseAt(e, args, baseIndex), offsets = offsetsAt(e, args, offsetsIndex);
  offsets = settledAddresses(e, args, offsetsIndex, offsets);
  return {base, offsets.ir, {offsets.type, base.type.dtype(), args.parameter(offsetsIndex)}};
}

void checkBufferAdd(Emitter &e, const Arguments &args, DType element) {
  if (element != DType::BFloat16 || e.target.amdMemory->hasBufferPairAddBf16)
    return;
  e.errorAt(args.where(0),
            "buffer_atomic_add of bfloat16 needs CDNA4 (gfx950); this kernel is compiled for " +
                std::string(e.target.name),
            {{}, "use gl.atomic_add(ptr + offsets, value), or add in float32"});
}

mlir::Value otherOfBufferAt(Emitter &e, const Arguments &args, size_t index, size_t maskIndex, mlir::Value mask,
                            const AccessPlace &place) {
  mlir::Value other = otherAt(e, args, index, maskIndex, mask, place);
  const Constexpr *constant = args[index].asConstexpr();
  bool isNumber = constant && PyNumber_Check(constant->object.ptr());
  double number = isNumber ? PyFloat_AsDouble(constant->object.ptr()) : 1;
  PyErr_Clear();
  bool isZero = number == 0 && !std::signbit(number);
  return isZero ? mlir::Value() : other;
}

/// buffer_load(ptr, offsets, mask=None, other=None, cache=None)
static Value bufferLoad(Emitter &e, Arguments &args) {
  BufferPlace buffer = bufferAt(e, args, 0, 1);
  mlir::Value mask = maskAt(e, args, 2, buffer.place), other = otherOfBufferAt(e, args, 3, 2, mask, buffer.place);
  hk::CacheModifier cache = loadCacheAt(e, args, 4);
  ValueType type = buffer.place.type.withElement(memoryType(buffer.place.element));
  Runtime value =
      e.make<hk_amd::BufferLoadOp>(type, type.toMlir(e.context()), buffer.base.ir, buffer.offsets, mask, other, cache);
  return castTo(e, value, buffer.place.element);
}

/// buffer_store(stored_value, ptr, offsets, mask=None, cache=None)
static Value bufferStore(Emitter &e, Arguments &args) {
  BufferPlace buffer = bufferAt(e, args, 1, 2);
  Runtime value = elementsAt(e, args, 0, buffer.place);
  mlir::Value mask = maskAt(e, args, 3, buffer.place);
  e.create<hk_amd::BufferStoreOp>(value.ir, buffer.base.ir, buffer.offsets, mask, storeCacheAt(e, args, 4));
  return Value::none();
}

std::span<const BuiltinEntry> amdBufferBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"amd.cdna3.buffer_load", bufferLoad},
      {"amd.cdna3.buffer_store", bufferStore},
  };
  return entries;
}

} // namespace hocket::frontend
