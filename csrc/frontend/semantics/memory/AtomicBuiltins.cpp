//===- AtomicBuiltins.cpp - atomic_add, _max, _min, _and, _or, _xor, _xchg, _cas, and buffer_atomic_* --===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/amd/AmdBuffer.h"
#include "frontend/semantics/memory/Atomics.h"
#include "frontend/semantics/memory/MemoryAccess.h"
#include "frontend/semantics/operators/Arithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

namespace {

/// The arguments of one call of an atomic builtin.
struct Atomic {
  ParameterName parameter; ///< parameter whose argument is `pointer`, for messages
  Runtime pointer;
  mlir::Value offsets; ///< offsets from `pointer` in a buffer atomic, else null
  Runtime value;
  mlir::Value mask;
  hk::MemSemantic sem;
  hk::MemScope scope;

  DType element() const { return value.type.dtype(); }
};

using BindAtomic = Atomic (*)(Emitter &, const Arguments &);

} // namespace

static hk::MemSemantic semanticAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].isNone())
    return hk::MemSemantic::Relaxed;
  return enumAt<hk::MemSemantic>(e, args, parameter,
                                 {{"relaxed", hk::MemSemantic::Relaxed},
                                  {"acquire", hk::MemSemantic::Acquire},
                                  {"release", hk::MemSemantic::Release},
                                  {"acq_rel", hk::MemSemantic::AcqRel}});
}

hk::MemScope scopeAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].isNone())
    return hk::MemScope::Gpu;
  return enumAt<hk::MemScope>(e, args, parameter,
                              {{"cta", hk::MemScope::Cta}, {"gpu", hk::MemScope::Gpu}, {"sys", hk::MemScope::Sys}});
}

/// Reads the arguments of an atomic with the signature (pointer, val, mask=None, sem="acq_rel", scope="gpu").
static Atomic bindPointer(Emitter &e, const Arguments &args) {
  Runtime pointer = pointerAt(e, args, "pointer");
  AccessShape shape = accessShapeAt(e, args, "pointer", pointer);
  Runtime value = elementsAt(e, args, "val", shape);
  mlir::Value mask = maskAt(e, args, "mask", shape);
  return {"pointer", pointer, {}, value, mask, semanticAt(e, args, "sem"), scopeAt(e, args, "scope")};
}

/// Reads the arguments of a buffer atomic: (ptr, offsets, value, mask=None, sem="relaxed", scope="gpu").
static Atomic bindBuffer(Emitter &e, const Arguments &args) {
  BufferAccess buffer = bufferAt(e, args, "ptr", "offsets");
  Runtime value = elementsAt(e, args, "value", buffer.shape);
  // The masks of buffer atomics can be integers, as in Gluon.
  mlir::Value mask = maskAt(e, args, "mask", buffer.shape, /*takesIntegers=*/true);
  return {"ptr", buffer.base, buffer.offsets, value, mask, semanticAt(e, args, "sem"), scopeAt(e, args, "scope")};
}

void unsupportedElement(Emitter &e, const Arguments &args, ParameterName parameter, std::string_view supported) {
  e.errorAt(args.where(parameter), std::string(args.function) + " supports " + std::string(supported) + ", but `" +
                                       std::string(parameter.text) + "` is " + args[parameter].describe());
}

static Runtime emit(Emitter &e, const Atomic &atomic, hk::AtomicOp op) {
  mlir::Type type = atomic.value.ir.getType();
  if (atomic.offsets)
    return e.make<hk_amd::BufferAtomicRmwOp>(atomic.value.type, type, op, atomic.pointer.ir, atomic.offsets,
                                             atomic.value.ir, atomic.mask, atomic.sem, atomic.scope);
  return e.make<hk::AtomicRmwOp>(atomic.value.type, type, op, atomic.pointer.ir, atomic.value.ir, atomic.mask,
                                 atomic.sem, atomic.scope);
}

static bool isWideInteger(DType type) { return type.isInteger() && type.bitWidth() >= 32; }

template <BindAtomic bind>
static Value atomicAdd(Emitter &e, Arguments &args) {
  Atomic atomic = bind(e, args);
  DType element = atomic.element();
  if (atomic.offsets)
    checkBufferAdd(e, args, element);
  if (!isWideInteger(element) && !(element.isFloat() && !element.isFloat8()))
    unsupportedElement(e, args, atomic.parameter, "integers of 32 and 64 bits, float16, bfloat16, float32 and float64");
  return emit(e, atomic, element.isFloat() ? hk::AtomicOp::FAdd : hk::AtomicOp::Add);
}

template <BindAtomic bind, hk::AtomicOp op>
static Value atomicBits(Emitter &e, Arguments &args) {
  Atomic atomic = bind(e, args);
  if (!isWideInteger(atomic.element()))
    unsupportedElement(e, args, atomic.parameter, "integers of 32 and 64 bits");
  return emit(e, atomic, op);
}

template <BindAtomic bind>
static Value atomicExchange(Emitter &e, Arguments &args) {
  Atomic atomic = bind(e, args);
  if (atomic.element().bitWidth() < 32)
    unsupportedElement(e, args, atomic.parameter, "elements of 32 and 64 bits");
  return emit(e, atomic, hk::AtomicOp::Xchg);
}

/// The bit patterns of non-negative floats are ordered like signed integers. The bit patterns of negative floats are in
/// the reverse order of unsigned integers. A float max is therefore a signed integer max if the operand is
/// non-negative, else an unsigned integer min. A float min is a signed integer min if the operand is non-negative, else
/// an unsigned integer max. Both integer comparisons also give the right result if the operand and the value in memory
/// have different signs.
static Value floatExtremum(Emitter &e, const Atomic &atomic, bool isMax) {
  DType element = atomic.element(), bits = DType::integer(element.bitWidth(), /*isSigned=*/true);
  ValueType bitsType = atomic.value.type.withElement(bits), boolType = bitsType.withElement(DType::Int1);
  ValueType pointerType = atomic.pointer.type.withElement(ElementType::pointerTo(bits));
  Atomic integers = atomic;
  integers.pointer = e.make<hk::PtrCastOp>(pointerType, pointerType.toMlir(e.context()), atomic.pointer.ir);
  integers.value = e.make<arith::BitcastOp>(bitsType, bitsType.toMlir(e.context()), atomic.value.ir);
  mlir::Value zero = filledLike(e, bitsType, 0).ir;
  auto where = [&](arith::CmpIPredicate sign) {
    mlir::Value part = e.create<arith::CmpIOp>(sign, integers.value.ir, zero);
    return atomic.mask ? mlir::Value(e.create<arith::AndIOp>(part, atomic.mask)) : part;
  };
  auto part = [&](arith::CmpIPredicate sign, hk::AtomicOp op) {
    Atomic masked = integers;
    masked.mask = where(sign);
    return emit(e, masked, op).ir;
  };
  mlir::Value positive = part(arith::CmpIPredicate::sge, isMax ? hk::AtomicOp::Max : hk::AtomicOp::Min);
  mlir::Value negative = part(arith::CmpIPredicate::slt, isMax ? hk::AtomicOp::UMin : hk::AtomicOp::UMax);
  Runtime isPositive = e.make<arith::CmpIOp>(boolType, arith::CmpIPredicate::sge, integers.value.ir, zero);
  mlir::Value old = e.create<arith::SelectOp>(isPositive.ir, positive, negative);
  return e.make<arith::BitcastOp>(atomic.value.type, atomic.value.type.toMlir(e.context()), old);
}

template <BindAtomic bind, bool isMax>
static Value atomicExtremum(Emitter &e, Arguments &args) {
  Atomic atomic = bind(e, args);
  DType element = atomic.element();
  if (element == DType::Float32 || element == DType::Float64)
    return floatExtremum(e, atomic, isMax);
  if (!isWideInteger(element))
    unsupportedElement(e, args, atomic.parameter, "integers of 32 and 64 bits, float32 and float64");
  if (element.isSigned())
    return emit(e, atomic, isMax ? hk::AtomicOp::Max : hk::AtomicOp::Min);
  return emit(e, atomic, isMax ? hk::AtomicOp::UMax : hk::AtomicOp::UMin);
}

static Value atomicCas(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, "pointer");
  if (pointer.type.dtype().bitWidth() < 16)
    unsupportedElement(e, args, "pointer", "elements of 16, 32 and 64 bits");
  AccessShape shape = accessShapeAt(e, args, "pointer", pointer);
  Runtime expected = elementsAt(e, args, "cmp", shape), desired = elementsAt(e, args, "val", shape);
  return e.make<hk::AtomicCasOp>(desired.type, desired.ir.getType(), pointer.ir, expected.ir, desired.ir,
                                 semanticAt(e, args, "sem"), scopeAt(e, args, "scope"));
}

/// Returns `atomic` with its pointer cast to integers of the same width, and with 0 as its value.
static Atomic asIntegers(Emitter &e, const Atomic &atomic) {
  DType bits = DType::integer(atomic.element().bitWidth(), /*isSigned=*/true);
  ValueType pointerType = atomic.pointer.type.withElement(ElementType::pointerTo(bits));
  Atomic integers = atomic;
  integers.pointer = e.make<hk::PtrCastOp>(pointerType, pointerType.toMlir(e.context()), atomic.pointer.ir);
  integers.value = filledLike(e, atomic.value.type.withElement(bits), 0);
  return integers;
}

hk::MemSemantic halfSemanticAt(Emitter &e, const Arguments &args, ParameterName parameter, bool isLoad) {
  return enumAt<hk::MemSemantic>(
      e, args, parameter,
      {{"relaxed", hk::MemSemantic::Relaxed},
       {isLoad ? "acquire" : "release", isLoad ? hk::MemSemantic::Acquire : hk::MemSemantic::Release}});
}

static void requireWholeWords(Emitter &e, const Arguments &args, const Runtime &pointer) {
  if (pointer.type.dtype().bitWidth() < 32)
    unsupportedElement(e, args, "pointer", "elements of 32 and 64 bits");
}

/// Emits an atomic load: an atomic `or` with 0.
static Value atomicLoad(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, "pointer");
  requireWholeWords(e, args, pointer);
  AccessShape shape = accessShapeAt(e, args, "pointer", pointer);
  mlir::Value mask = maskAt(e, args, "mask", shape);
  ValueType type = pointer.type.withElement(pointer.type.dtype());
  Atomic atomic = {
      "pointer", pointer, {}, {{}, type}, mask, halfSemanticAt(e, args, "sem", true), scopeAt(e, args, "scope")};
  Runtime bits = emit(e, asIntegers(e, atomic), hk::AtomicOp::Or);
  if (type.dtype().isInteger())
    return Runtime{bits.ir, type};
  return e.make<arith::BitcastOp>(type, type.toMlir(e.context()), bits.ir);
}

/// Emits an atomic store: an exchange whose result is unused.
static Value atomicStore(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, "pointer");
  requireWholeWords(e, args, pointer);
  AccessShape shape = accessShapeAt(e, args, "pointer", pointer);
  Runtime value = elementsAt(e, args, "val", shape);
  mlir::Value mask = maskAt(e, args, "mask", shape);
  emit(e, {"pointer", pointer, {}, value, mask, halfSemanticAt(e, args, "sem", false), scopeAt(e, args, "scope")},
       hk::AtomicOp::Xchg);
  return Value::none();
}

std::span<const BuiltinEntry> atomicBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"atomic_add", atomicAdd<bindPointer>, "(pointer, val, mask=None, sem='acq_rel', scope='gpu')"},
      {"atomic_and", atomicBits<bindPointer, hk::AtomicOp::And>,
       "(pointer, val, mask=None, sem='acq_rel', scope='gpu')"},
      {"atomic_cas", atomicCas, "(pointer, cmp, val, sem='acq_rel', scope='gpu')"},
      {"atomic_load", atomicLoad, "(pointer, mask=None, sem='acquire', scope='gpu')"},
      {"atomic_max", atomicExtremum<bindPointer, true>, "(pointer, val, mask=None, sem='acq_rel', scope='gpu')"},
      {"atomic_min", atomicExtremum<bindPointer, false>, "(pointer, val, mask=None, sem='acq_rel', scope='gpu')"},
      {"atomic_poll", atomicPoll, "(pointer, expected, sem='acquire', scope='gpu', timeout_ns=None)"},
      {"atomic_or", atomicBits<bindPointer, hk::AtomicOp::Or>, "(pointer, val, mask=None, sem='acq_rel', scope='gpu')"},
      {"atomic_store", atomicStore, "(pointer, val, mask=None, sem='release', scope='gpu')"},
      {"atomic_xchg", atomicExchange<bindPointer>, "(pointer, val, mask=None, sem='acq_rel', scope='gpu')"},
      {"atomic_xor", atomicBits<bindPointer, hk::AtomicOp::Xor>,
       "(pointer, val, mask=None, sem='acq_rel', scope='gpu')"},
      {"amd.cdna3.buffer_atomic_add", atomicAdd<bindBuffer>,
       "(ptr, offsets, value, mask=None, sem='relaxed', scope='gpu')"},
      {"amd.cdna3.buffer_atomic_and", atomicBits<bindBuffer, hk::AtomicOp::And>,
       "(ptr, offsets, value, mask=None, sem='relaxed', scope='gpu')"},
      {"amd.cdna3.buffer_atomic_max", atomicExtremum<bindBuffer, true>,
       "(ptr, offsets, value, mask=None, sem='relaxed', scope='gpu')"},
      {"amd.cdna3.buffer_atomic_min", atomicExtremum<bindBuffer, false>,
       "(ptr, offsets, value, mask=None, sem='relaxed', scope='gpu')"},
      {"amd.cdna3.buffer_atomic_or", atomicBits<bindBuffer, hk::AtomicOp::Or>,
       "(ptr, offsets, value, mask=None, sem='relaxed', scope='gpu')"},
      {"amd.cdna3.buffer_atomic_xchg", atomicExchange<bindBuffer>,
       "(ptr, offsets, value, mask=None, sem='relaxed', scope='gpu')"},
      {"amd.cdna3.buffer_atomic_xor", atomicBits<bindBuffer, hk::AtomicOp::Xor>,
       "(ptr, offsets, value, mask=None, sem='relaxed', scope='gpu')"},
  };
  return entries;
}

} // namespace hocket::frontend
