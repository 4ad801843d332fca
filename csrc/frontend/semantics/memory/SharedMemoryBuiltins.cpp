//===- SharedMemoryBuiltins.cpp - allocate_shared_memory, barrier, and the methods of shared_memory_descriptor -===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Permutations.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/LayoutArguments.h"
#include "frontend/semantics/memory/SharedMemory.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/program/Clusters.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/layouts/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

/// Returns the number of leading dimensions of `type` that select a tile of a ring buffer. The remaining dimensions
/// are the dimensions of a tile.
static size_t slotRank(const ValueType &type) {
  return type.rank() - llvm::cast<hk::SharedLayout>(type.layout).getRank();
}

static hk::MemDescType irType(Emitter &e, const ValueType &type) {
  return llvm::cast<hk::MemDescType>(type.toMlir(e.context()));
}

/// Returns the language type of a view of `buffer` whose IR type is `view`.
static ValueType viewOf(const ValueType &buffer, hk::MemDescType view) {
  return ValueType::memDesc(buffer.dtype(), view.getShape(), view.getLayout(), view.getAllocShape());
}

Runtime descriptorAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *descriptor = args[parameter].asRuntime();
  if (!descriptor || !descriptor->type.isMemDesc())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be shared memory, but is " + args[parameter].describe());
  return *descriptor;
}

/// Raises an error unless the sizes of the tile are powers of two. The number of slots of a ring buffer is
/// arbitrary.
static void checkBufferShape(Emitter &e, SourceRange where, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout) {
  size_t slots = shape.size() - llvm::cast<hk::SharedLayout>(layout).getRank();
  bool isRing =
      shape.size() > 1 && llvm::all_of(shape.drop_front(), [](int64_t size) { return llvm::isPowerOf2_64(size); });
  if (slots == 0 && isRing && !llvm::isPowerOf2_64(shape[0]))
    e.errorAt(where,
              "the layout includes dimension 0 of " + describeShape(shape) + ", so its size must be a power of two",
              {{},
               "for a ring of " + std::to_string(shape[0]) +
                   " buffers, use a layout of the other dimensions only, of rank " + std::to_string(shape.size() - 1)});
  if (slots && shape[0] < 1)
    e.errorAt(where, "a ring of buffers needs at least 1 buffer, but the shape is " + describeShape(shape));
  checkTensorShape(e, where, shape.drop_front(slots));
  if (isTooLarge(shape))
    e.errorAt(where,
              "the ring of buffers " + describeShape(shape) + " is too large: it may have at most " +
                  std::to_string(kMaxTensorElements) + " elements",
              {{}, "no GPU has that much shared memory; use fewer buffers"});
}

static DType elementAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  DType element = e.requireDType(args[parameter], args.what(parameter), args.where(parameter));
  if (element.isBool())
    e.errorAt(args.where(parameter), "shared memory of int1 is not supported", {{}, "use gl.int8"});
  return element;
}

void checkStored(Emitter &e, SourceRange where, const Runtime &value, const ValueType &buffer) {
  auto refuse = [&](std::string message, std::string hint) {
    e.errorAt(where, std::move(message), {{{"value", value.type.toString()}, {"buffer", buffer.toString()}}, hint});
  };
  if (!value.type.isTensor() || value.type.shape != buffer.shape)
    refuse("the value does not have the shape of the shared memory", "");
  if (value.type.element != buffer.element)
    refuse("the value does not have the dtype of the shared memory",
           "convert it: value.to(gl." + std::string(buffer.dtype().name()) + ")");
}

static Value allocate(Emitter &e, Arguments &args) {
  DType element = elementAt(e, args, "element_ty");
  std::vector<int64_t> shape = args.intsAt(e, "shape");
  if (shape.empty())
    e.errorAt(args.where("shape"), "shared memory has at least one dimension");
  mlir::Attribute layout = sharedLayoutAt(e, args, "layout", shape, element);
  checkBufferShape(e, args.where("shape"), shape, layout);
  ValueType type = ValueType::memDesc(element, shape, layout);
  mlir::Value contents;
  if (!args["value"].isNone()) {
    Runtime value = tensorOrScalarAt(e, args, "value");
    checkStored(e, args.where("value"), value, type);
    contents = value.ir;
  }
  return e.make<hk::LocalAllocOp>(type, type.toMlir(e.context()), contents);
}

static Value barrier(Emitter &e, Arguments &args) {
  if (args.boolAt(e, "cluster")) {
    requireClusters(e, args.where("cluster"), "barrier(cluster=True)",
                    "leave cluster=True out: each program is one block");
    e.create<hk::ClusterBarrierOp>(/*relaxed=*/false);
  } else {
    e.create<hk::BarrierOp>(/*local=*/false);
  }
  return Value::none();
}

Value loadShared(Emitter &e, const Arguments &args, ParameterName parameter, bool relaxed) {
  Runtime buffer = descriptorAt(e, args, parameter);
  checkTensorShape(e, e.here(), buffer.type.shape);
  mlir::Attribute layout = distributedLayoutAt(e, args, "layout", buffer.type.shape);
  ValueType type = ValueType::tensor(buffer.type.element, buffer.type.shape, layout);
  return e.make<hk::LocalLoadOp>(type, type.toMlir(e.context()), buffer.ir, relaxed);
}

static Value load(Emitter &e, Arguments &args) { return loadShared(e, args, "self", /*relaxed=*/false); }

static Value store(Emitter &e, Arguments &args) {
  Runtime buffer = descriptorAt(e, args, "self");
  Runtime value = tensorOrScalarAt(e, args, "value");
  checkStored(e, args.where("value"), value, buffer.type);
  e.create<hk::LocalStoreOp>(value.ir, buffer.ir);
  return Value::none();
}

/// Returns the argument `index`, which selects one of the `slots` buffers of a ring buffer, as an i32.
static mlir::Value slotAt(Emitter &e, const Arguments &args, int64_t slots) {
  if (args["index"].isCompileTime()) {
    int64_t number = args.intAt(e, "index");
    if (number < 0 || number >= slots)
      e.errorAt(args.where("index"),
                "index " + std::to_string(number) + " is outside a ring of " + std::to_string(slots) + " buffers");
    return e.intConstant(number).ir;
  }
  Runtime slot = tensorOrScalarAt(e, args, "index");
  if (!slot.type.isScalar() || slot.type.isPointer() || !slot.type.dtype().isInteger())
    e.errorAt(args.where("index"),
              args.what("index") + " must be an integer scalar, but is " + args["index"].describe());
  Runtime number = castTo(e, slot, DType::Int32);
  if (e.options.debug) {
    // A negative index is larger than `slots` in an unsigned comparison, so one comparison checks both bounds.
    mlir::Value isInside = e.create<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ult, number.ir,
                                                         e.intConstant(slots, DType::Int32).ir);
    e.create<hk::AssertOp>(isInside, "the index lies outside a ring of " + std::to_string(slots) + " buffers",
                           /*late=*/false);
  }
  return number.ir;
}

static Value index(Emitter &e, Arguments &args) {
  Runtime buffer = descriptorAt(e, args, "self");
  auto view = hk::inferMemDescIndex(irType(e, buffer.type));
  if (mlir::failed(view))
    e.error(
        "this is not a ring of buffers: its layout includes all " + std::to_string(buffer.type.rank()) + " dimensions",
        {{{"buffer", buffer.type.toString()}},
         "allocate it with one more leading dimension than the layout has; for a part of a tile use smem.slice(...)"});
  mlir::Value slot = slotAt(e, args, buffer.type.shape[0]);
  return e.make<hk::MemDescIndexOp>(viewOf(buffer.type, *view), *view, buffer.ir, slot);
}

static Value slice(Emitter &e, Arguments &args) {
  Runtime buffer = descriptorAt(e, args, "self");
  int64_t start = args.intAt(e, "start"), length = args.intAt(e, "length");
  int64_t dim = normalizeAxis(e, args.where("dim"), args.intAt(e, "dim"), buffer.type.rank());
  auto refuse = [&](const std::string &problem, std::string hint) {
    e.error("slice [" + std::to_string(start) + ", " + std::to_string(start + length) + ") is " + problem,
            {{{"buffer", buffer.type.toString()}}, std::move(hint)});
  };
  if (start < 0 || length < 1 || start + length > buffer.type.shape[dim])
    refuse("outside dimension " + std::to_string(dim) + " of size " + std::to_string(buffer.type.shape[dim]), "");
  bool isSlot = size_t(dim) < slotRank(buffer.type);
  if (!isSlot && (!llvm::isPowerOf2_64(length) || start % length != 0))
    refuse("not aligned: shared layouts combine offsets by XOR",
           "slice a part whose length is a power of two and whose start is a multiple of the length");
  ValueType type = buffer.type;
  type.shape[dim] = length;
  llvm::SmallVector<int32_t, 4> offsets(type.rank(), 0);
  offsets[dim] = start;
  return e.make<hk::MemDescSliceOp>(type, irType(e, type), buffer.ir, offsets);
}

static void checkWhole(Emitter &e, const ValueType &type, std::string_view verb) {
  if (type.shape != type.allocShape)
    e.error("cannot " + std::string(verb) + " a part of a buffer", {{{"buffer", type.toString()}}, {}});
}

static Value permute(Emitter &e, Arguments &args) {
  Runtime buffer = descriptorAt(e, args, "self");
  std::vector<int64_t> order = args.intsAt(e, "order");
  llvm::SmallVector<int32_t, 4> dims;
  for (int64_t dim : order)
    dims.push_back(normalizeAxis(e, args.where("order"), dim, buffer.type.rank()));
  if (!hk::isPermutationOf(dims, buffer.type.rank()))
    e.errorAt(args.where("order"), "the order " + describeShape(order) + " does not name each dimension once",
              {{{"buffer", buffer.type.toString()}}, {}});
  std::string whyNot;
  auto view = hk::inferMemDescPermute(irType(e, buffer.type), dims, &whyNot);
  if (mlir::failed(view))
    e.error("cannot permute this buffer: " + whyNot, {{{"buffer", buffer.type.toString()}}, {}});
  return e.make<hk::MemDescPermuteOp>(viewOf(buffer.type, *view), *view, buffer.ir, dims);
}

static Value reshape(Emitter &e, Arguments &args) {
  Runtime buffer = descriptorAt(e, args, "self");
  checkWhole(e, buffer.type, "reshape");
  std::vector<int64_t> shape = args.intsAt(e, "shape");
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (elements != buffer.type.numElements())
    e.errorAt(args.where("shape"), "cannot reshape " + std::to_string(buffer.type.numElements()) + " elements to " +
                                       describeShape(shape) + ", which has " + std::to_string(elements));
  std::string whyNot;
  auto view = hk::inferMemDescReshape(irType(e, buffer.type), shape, &whyNot);
  if (mlir::failed(view))
    e.error("cannot reshape this buffer: " + whyNot, {{{"buffer", buffer.type.toString()}}, {}});
  return e.make<hk::MemDescReshapeOp>(viewOf(buffer.type, *view), *view, buffer.ir);
}

/// Returns the layout of `buffer`. Raises an error if this layout does not support tiles of `shape` and `element`.
static mlir::Attribute keptLayout(Emitter &e, const ValueType &buffer, llvm::ArrayRef<int64_t> shape, DType element) {
  auto layout = llvm::cast<hk::SharedLayout>(buffer.layout);
  ErrorDetails details{{{"layout", describeLayout(layout)}}, "pass `layout`, too"};
  if (layout.getRank() != shape.size() && layout.getRank() + 1 != shape.size())
    e.error("the layout of the buffer has rank " + std::to_string(layout.getRank()) + ", but the shape has rank " +
                std::to_string(shape.size()),
            details);
  if (std::string why = layout.whyNotTile(shape.take_back(layout.getRank()), element.toMlir(e.context())); !why.empty())
    e.error(why, details);
  return layout;
}

static Value reinterpret(Emitter &e, Arguments &args) {
  Runtime buffer = descriptorAt(e, args, "self");
  checkWhole(e, buffer.type, "reinterpret");
  DType element = args["dtype"].isNone() ? buffer.type.dtype() : elementAt(e, args, "dtype");
  llvm::ArrayRef<int64_t> kept = buffer.type.shape;
  std::vector<int64_t> shape =
      args["shape"].isNone() ? std::vector<int64_t>(kept.begin(), kept.end()) : args.intsAt(e, "shape");
  mlir::Attribute layout = args["layout"].isNone() ? keptLayout(e, buffer.type, shape, element)
                                                   : sharedLayoutAt(e, args, "layout", shape, element);
  checkBufferShape(e, args.where("shape"), shape, layout);
  ValueType type = ValueType::memDesc(element, shape, layout);
  int64_t has = irType(e, buffer.type).getAllocBytes(), needs = irType(e, type).getAllocBytes();
  if (needs > has)
    e.error("the new type needs " + std::to_string(needs) + " bytes, but the buffer has " + std::to_string(has),
            {{{"buffer", buffer.type.toString()}, {"new", type.toString()}}, {}});
  return e.make<hk::MemDescReinterpretOp>(type, irType(e, type), buffer.ir);
}

/// Implements _keep_alive, which emits no operation, because shared memory buffers are live until their last use.
static Value keepAlive(Emitter &e, Arguments &args) {
  descriptorAt(e, args, "self");
  return Value::none();
}

std::span<const BuiltinEntry> sharedMemoryBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"allocate_shared_memory", allocate, "(element_ty, shape, layout, value=None)"},
      {"barrier", barrier, "(*, cluster=False)"},
      {"shared_memory_descriptor._keep_alive", keepAlive, "(self)"},
      {"shared_memory_descriptor._reinterpret", reinterpret, "(self, dtype=None, shape=None, layout=None)"},
      {"shared_memory_descriptor.index", index, "(self, index)"},
      {"shared_memory_descriptor.load", load, "(self, layout)"},
      {"shared_memory_descriptor.permute", permute, "(self, order)"},
      {"shared_memory_descriptor.reinterpret", reinterpret, "(self, dtype=None, shape=None, layout=None)"},
      {"shared_memory_descriptor.reshape", reshape, "(self, shape)"},
      {"shared_memory_descriptor.slice", slice, "(self, start, length, dim=0)"},
      {"shared_memory_descriptor.store", store, "(self, value)"},
  };
  return entries;
}

} // namespace hocket::frontend
