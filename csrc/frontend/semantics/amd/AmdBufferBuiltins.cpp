//===- AmdBufferBuiltins.cpp - amd.cdna3.buffer_load, buffer_store -----------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/RequiredFeatures.h"
#include "frontend/semantics/amd/AmdBuffer.h"
#include "frontend/semantics/memory/CachePolicies.h"
#include "frontend/semantics/operators/Casts.h"
#include "target/AmdMemory.h"
#include <cmath>

namespace hocket::frontend {

static Runtime baseAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *base = args[parameter].asRuntime();
  if (base && base->type.isPointer() && base->type.isScalar())
    return *base;
  std::string hint = "pass a pointer argument of the kernel";
  if (base && base->type.isPointer())
    hint = "pass the base pointer, and the offsets that were added to it as `offsets`";
  else if (std::optional<ParameterName> before = args.before(parameter);
           before && args[*before].asRuntime() && args[*before].asRuntime()->type.isPointer())
    hint = "`" + std::string(before->text) + "` comes first, then `" + std::string(parameter.text) + "`";
  e.errorAt(args.where(parameter),
            args.what(parameter) + " must be a scalar pointer, but is " + args[parameter].describe(), {{}, hint});
}

static Runtime offsetsAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *offsets = args[parameter].asRuntime();
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
  e.errorAt(args.where(parameter),
            args.what(parameter) + " must be a tensor of int32, but is " + args[parameter].describe(), {{}, hint});
}

BufferAccess bufferAt(Emitter &e, const Arguments &args, ParameterName baseName, ParameterName offsetsName) {
  Runtime base = baseAt(e, args, baseName), offsets = offsetsAt(e, args, offsetsName);
  offsets = settledAddresses(e, args, offsetsName, offsets);
  return {base, offsets.ir, {offsets.type, base.type.dtype(), offsetsName.text}};
}

void checkBufferAdd(Emitter &e, const Arguments &args, DType element) {
  if (element == DType::BFloat16)
    requireFeature(e, args.where("ptr"), "buffer_atomic_add of bfloat16 needs", kPackedBf16Atomics,
                   "use gl.atomic_add(ptr + offsets, value), or add in float32");
}

mlir::Value otherOfBufferAt(Emitter &e, const Arguments &args, ParameterName parameter, ParameterName maskName,
                            mlir::Value mask, const AccessShape &shape) {
  mlir::Value other = otherAt(e, args, parameter, maskName, mask, shape);
  const Constexpr *constant = args[parameter].asConstexpr();
  bool isNumber = constant && PyNumber_Check(constant->object.ptr());
  double number = isNumber ? PyFloat_AsDouble(constant->object.ptr()) : 1;
  PyErr_Clear();
  bool isZero = number == 0 && !std::signbit(number);
  return isZero ? mlir::Value() : other;
}

static Value bufferLoad(Emitter &e, Arguments &args) {
  BufferAccess buffer = bufferAt(e, args, "ptr", "offsets");
  mlir::Value mask = maskAt(e, args, "mask", buffer.shape),
              other = otherOfBufferAt(e, args, "other", "mask", mask, buffer.shape);
  hk::CacheModifier cache = loadCacheAt(e, args, "cache");
  ValueType type = buffer.shape.type.withElement(memoryType(buffer.shape.element));
  Runtime value =
      e.make<hk_amd::BufferLoadOp>(type, type.toMlir(e.context()), buffer.base.ir, buffer.offsets, mask, other, cache);
  return castTo(e, value, buffer.shape.element);
}

static Value bufferStore(Emitter &e, Arguments &args) {
  BufferAccess buffer = bufferAt(e, args, "ptr", "offsets");
  Runtime value = elementsAt(e, args, "stored_value", buffer.shape);
  mlir::Value mask = maskAt(e, args, "mask", buffer.shape);
  e.create<hk_amd::BufferStoreOp>(value.ir, buffer.base.ir, buffer.offsets, mask, storeCacheAt(e, args, "cache"));
  return Value::none();
}

std::span<const BuiltinEntry> amdBufferBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"amd.cdna3.buffer_load", bufferLoad, "(ptr, offsets, mask=None, other=None, cache=None)"},
      {"amd.cdna3.buffer_store", bufferStore, "(stored_value, ptr, offsets, mask=None, cache=None)"},
  };
  return entries;
}

} // namespace hocket::frontend
