//===- SelectedElementBuiltins.cpp - gather, scatter, atomic_scatter_* of shared memory -----------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/semantics/memory/MemoryAccess.h"
#include "frontend/semantics/memory/SharedMemory.h"
#include "frontend/semantics/operators/Arithmetic.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

namespace {

/// The elements of a tile in shared memory that a gather or scatter accesses. `indices` are positions along `axis`.
struct Selection {
  Runtime tile;
  Runtime indices;
  uint32_t axis;
  AccessShape shape; ///< shape and layout of `indices`, element type of `tile`
};

} // namespace

/// Returns the argument `self`, which must be a single tile in shared memory, not a ring buffer of tiles.
static Runtime tileAt(Emitter &e, const Arguments &args) {
  const Runtime *tile = args["self"].asRuntime();
  if (!tile || !tile->type.isMemDesc())
    e.errorAt(args.where("self"), args.what("self") + " must be shared memory, but is " + args["self"].describe());
  auto layout = llvm::cast<hk::SharedLayout>(tile->type.layout);
  std::string name(args.function);
  if (layout.getRank() != tile->type.rank())
    e.error("cannot select elements of all buffers of a ring at once",
            {{{"buffer", tile->type.toString()}}, "select one buffer: smem.index(i)." + name + "(...)"});
  return *tile;
}

/// Returns `indices`, whose dimensions of size 1 are broadcast to the sizes of the arguments `others`: values and
/// masks.
static Runtime stretchedLike(Emitter &e, const Arguments &args, const Runtime &indices,
                             std::initializer_list<ParameterName> others) {
  std::vector<int64_t> shape(indices.type.shape.begin(), indices.type.shape.end());
  for (ParameterName other : others) {
    const Runtime *tensor = args[other].asRuntime();
    if (!tensor || !tensor->type.isTensor() || tensor->type.rank() != shape.size())
      continue;
    for (auto [size, wanted] : llvm::zip_equal(shape, tensor->type.shape))
      size = size == 1 ? wanted : size;
  }
  return llvm::ArrayRef<int64_t>(shape) == llvm::ArrayRef<int64_t>(indices.type.shape)
             ? indices
             : broadcastToShape(e, indices, shape);
}

/// Returns the elements that a call selects. Argument `parameter` holds the indices, which are broadcast to the sizes
/// of the arguments `others`: values and masks.
static Selection selectionAt(Emitter &e, const Arguments &args, ParameterName parameter,
                             std::initializer_list<ParameterName> others = {}) {
  Runtime tile = tileAt(e, args), indices = tensorOrScalarAt(e, args, parameter);
  if (!indices.type.isTensor() || indices.type.isPointer() || !indices.type.dtype().isInteger() ||
      indices.type.dtype().isBool())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a tensor of integers, but is " + args[parameter].describe());
  ErrorDetails details{{{"buffer", tile.type.toString()}, {"indices", indices.type.toString()}}, {}};
  if (indices.type.rank() != tile.type.rank())
    e.errorAt(args.where(parameter), args.what(parameter) + " must have the rank of the buffer", details);
  int64_t axis = normalizeAxis(e, args.where("axis"), args.intAt(e, "axis"), tile.type.rank());
  indices = stretchedLike(e, args, indices, others);
  for (unsigned dim = 0; dim < tile.type.rank(); ++dim)
    if (int64_t(dim) != axis && indices.type.shape[dim] > tile.type.shape[dim]) {
      details.hint = "indices count along axis " + std::to_string(axis) +
                     " only; along other axes the sizes may be at most those of the buffer";
      e.errorAt(args.where(parameter),
                args.what(parameter) + " is larger than the buffer along dimension " + std::to_string(dim), details);
    }
  indices = settledAddresses(e, args, parameter, indices);
  AccessShape shape{indices.type, tile.type.dtype(), parameter.text};
  return {tile, castTo(e, indices, DType::Int32), static_cast<uint32_t>(axis), shape};
}

static Value gather(Emitter &e, Arguments &args) {
  Selection selection = selectionAt(e, args, "indices");
  ValueType type = selection.indices.type.withElement(selection.tile.type.element);
  return e.make<hk::LocalGatherOp>(type, type.toMlir(e.context()), selection.tile.ir, selection.indices.ir,
                                   selection.axis);
}

static Value scatter(Emitter &e, Arguments &args) {
  Selection selection = selectionAt(e, args, "indices", {"values"});
  Runtime values = elementsAt(e, args, "values", selection.shape);
  e.create<hk::LocalScatterOp>(values.ir, selection.tile.ir, selection.indices.ir, selection.axis);
  return Value::none();
}

// Atomics -------------------------------------------------------------------------------------------------------------

[[noreturn]] static void unsupportedElement(Emitter &e, const Arguments &args, const Runtime &tile,
                                            std::string_view supported) {
  e.errorAt(args.where("self"), std::string(args.function) + " supports " + std::string(supported) +
                                    ", but the buffer is " + tile.type.toString());
}

static bool isWideInteger(DType type) { return type.isInteger() && type.bitWidth() >= 32; }

static Runtime emitAtomic(Emitter &e, const Selection &selection, hk::AtomicOp op, const Runtime &values,
                          mlir::Value mask) {
  return e.make<hk::LocalAtomicScatterOp>(values.type, values.ir.getType(), op, values.ir, selection.tile.ir,
                                          selection.indices.ir, mask, selection.axis);
}

/// Emits a float max or min as integer operations on the bit patterns; AtomicBuiltins.cpp explains why they are
/// correct. Non-negative operands need a signed integer max or min. Negative operands need an unsigned integer min for
/// a float max, and an unsigned integer max for a float min.
static Value floatExtremum(Emitter &e, const Selection &selection, bool isMax, const Runtime &values,
                           mlir::Value mask) {
  DType bits = DType::integer(values.type.dtype().bitWidth(), /*isSigned=*/true);
  ValueType tileType = selection.tile.type.withElement(bits), bitsType = values.type.withElement(bits);
  Selection integers = selection;
  integers.tile = e.make<hk::MemDescReinterpretOp>(tileType, tileType.toMlir(e.context()), selection.tile.ir);
  Runtime words = e.make<arith::BitcastOp>(bitsType, bitsType.toMlir(e.context()), values.ir);
  mlir::Value zero = filledLike(e, bitsType, 0).ir;
  auto part = [&](arith::CmpIPredicate sign, hk::AtomicOp op) {
    mlir::Value where = e.create<arith::CmpIOp>(sign, words.ir, zero);
    if (mask)
      where = e.create<arith::AndIOp>(where, mask);
    return emitAtomic(e, integers, op, words, where).ir;
  };
  mlir::Value positive = part(arith::CmpIPredicate::sge, isMax ? hk::AtomicOp::Max : hk::AtomicOp::Min);
  mlir::Value negative = part(arith::CmpIPredicate::slt, isMax ? hk::AtomicOp::UMin : hk::AtomicOp::UMax);
  mlir::Value isPositive = e.create<arith::CmpIOp>(arith::CmpIPredicate::sge, words.ir, zero);
  mlir::Value old = e.create<arith::SelectOp>(isPositive, positive, negative);
  return e.make<arith::BitcastOp>(values.type, values.type.toMlir(e.context()), old);
}

static hk::AtomicOp integerExtremum(bool isMax, bool isSigned) {
  if (isSigned)
    return isMax ? hk::AtomicOp::Max : hk::AtomicOp::Min;
  return isMax ? hk::AtomicOp::UMax : hk::AtomicOp::UMin;
}

/// The arguments of a call of atomic_scatter_*(self, values, indices, axis, mask=None).
struct BoundAtomic {
  Selection selection;
  Runtime values;
  mlir::Value mask;
};

static BoundAtomic bind(Emitter &e, const Arguments &args) {
  Selection selection = selectionAt(e, args, "indices", {"values", "mask"});
  Runtime values = elementsAt(e, args, "values", selection.shape);
  mlir::Value mask = maskAt(e, args, "mask", selection.shape);
  return {selection, values, mask};
}

static Value atomicAdd(Emitter &e, Arguments &args) {
  auto [selection, values, mask] = bind(e, args);
  DType element = values.type.dtype();
  if (!isWideInteger(element) && !(element.isFloat() && !element.isFloat8()))
    unsupportedElement(e, args, selection.tile, "integers of 32 and 64 bits, float16, bfloat16, float32 and float64");
  return emitAtomic(e, selection, element.isFloat() ? hk::AtomicOp::FAdd : hk::AtomicOp::Add, values, mask);
}

template <bool isMax>
static Value atomicExtremum(Emitter &e, Arguments &args) {
  auto [selection, values, mask] = bind(e, args);
  DType element = values.type.dtype();
  if (element == DType::Float32 || element == DType::Float64) {
    if (selection.tile.type.shape != selection.tile.type.allocShape)
      e.error(std::string(args.function) + " of floats needs a whole buffer, but this is a part of one",
              {{{"buffer", selection.tile.type.toString()}}, "select from the whole buffer, with larger indices"});
    return floatExtremum(e, selection, isMax, values, mask);
  }
  if (!isWideInteger(element))
    unsupportedElement(e, args, selection.tile, "integers of 32 and 64 bits, float32 and float64");
  return emitAtomic(e, selection, integerExtremum(isMax, element.isSigned()), values, mask);
}

template <hk::AtomicOp op>
static Value atomicBits(Emitter &e, Arguments &args) {
  auto [selection, values, mask] = bind(e, args);
  if (!isWideInteger(values.type.dtype()))
    unsupportedElement(e, args, selection.tile, "integers of 32 and 64 bits");
  return emitAtomic(e, selection, op, values, mask);
}

static Value atomicExchange(Emitter &e, Arguments &args) {
  auto [selection, values, mask] = bind(e, args);
  if (values.type.dtype().bitWidth() < 32)
    unsupportedElement(e, args, selection.tile, "elements of 32 and 64 bits");
  return emitAtomic(e, selection, hk::AtomicOp::Xchg, values, mask);
}

std::span<const BuiltinEntry> selectedElementBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"shared_memory_descriptor.atomic_scatter_add", atomicAdd, "(self, values, indices, axis, mask=None)"},
      {"shared_memory_descriptor.atomic_scatter_and", atomicBits<hk::AtomicOp::And>,
       "(self, values, indices, axis, mask=None)"},
      {"shared_memory_descriptor.atomic_scatter_max", atomicExtremum<true>, "(self, values, indices, axis, mask=None)"},
      {"shared_memory_descriptor.atomic_scatter_min", atomicExtremum<false>,
       "(self, values, indices, axis, mask=None)"},
      {"shared_memory_descriptor.atomic_scatter_or", atomicBits<hk::AtomicOp::Or>,
       "(self, values, indices, axis, mask=None)"},
      {"shared_memory_descriptor.atomic_scatter_xchg", atomicExchange, "(self, values, indices, axis, mask=None)"},
      {"shared_memory_descriptor.atomic_scatter_xor", atomicBits<hk::AtomicOp::Xor>,
       "(self, values, indices, axis, mask=None)"},
      {"shared_memory_descriptor.gather", gather, "(self, indices, axis)"},
      {"shared_memory_descriptor.scatter", scatter, "(self, values, indices, axis)"},
  };
  return entries;
}

} // namespace hocket::frontend
