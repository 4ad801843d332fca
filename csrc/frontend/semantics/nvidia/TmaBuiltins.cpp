//===- TmaBuiltins.cpp - nvidia.hopper.tma: descriptors, bulk copies of tiles, waits ---------===//
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/hk_nv/TmaBoxes.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/RequiredFeatures.h"
#include "frontend/semantics/memory/CachePolicies.h"
#include "frontend/semantics/nvidia/Tma.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/layouts/Layouts.h"
#include "layout/Factories.h"
#include "mlir/IR/Matchers.h"

namespace hocket::frontend {

// Descriptors ---------------------------------------------------------------------------------------------------------

/// Returns the tensor map of a tensor_descriptor: its first element.
static const Runtime &mapOf(const Value &descriptor) { return *descriptor.parts().front().asRuntime(); }
static const ValueType &typeOf(const Arguments &args) { return mapOf(args["self"]).type; }

static py::tuple tupleOf(llvm::ArrayRef<int64_t> sizes) {
  py::tuple tuple(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    tuple[i] = sizes[i];
  return tuple;
}

static Value dtype(Emitter &, Arguments &args) { return Value::constant(elementTypeToPython(typeOf(args).element)); }

static Value blockShape(Emitter &, Arguments &args) { return Value::constant(tupleOf(typeOf(args).shape)); }

static py::object blockTypeOf(const ValueType &type) {
  return languageObject("block_type")(elementTypeToPython(type.element), py::list(tupleOf(type.shape)));
}

static Value blockType(Emitter &, Arguments &args) { return Value::constant(blockTypeOf(typeOf(args))); }

static Value descriptorType(Emitter &, Arguments &args) {
  const ValueType &type = typeOf(args);
  return Value::constant(
      languageObject("nvidia.hopper.tma.tensor_descriptor_type")(blockTypeOf(type), layoutToPython(type.layout)));
}

static Value layout(Emitter &, Arguments &args) { return Value::constant(layoutToPython(typeOf(args).layout)); }

static Value blockBytes(Emitter &, Arguments &args) {
  const ValueType &type = typeOf(args);
  int64_t elements = 1;
  for (int64_t size : partOfBlock(type.shape, llvm::cast<hk_nv::MmaSharedAttr>(type.layout).getBlock()))
    elements *= size;
  return Value::constant(py::int_(elements * type.dtype().sizeBytes()));
}

// Arguments -----------------------------------------------------------------------------------------------------------

void checkHasTma(Emitter &e, const Arguments &args) {
  requireFeature(e, e.here(), "tma." + std::string(args.function) + " needs", kTma,
                 "copy with gl.load and gl.store, or nvidia.ampere.async_copy");
}

/// Kind of a copy: tiled, or im2col, which copies pixels as rows of a matrix.
enum class Mode { Tiled, Im2col };

static const Runtime &descriptorAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                   Mode mode = Mode::Tiled) {
  const Tuple *tuple = args[parameter].asTuple();
  const Runtime *map = tuple && !tuple->elements.empty() ? tuple->elements.front().asRuntime() : nullptr;
  if (!map || !map->type.isTensorDesc())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a tensor descriptor, but is " + args[parameter].describe(),
              {{},
               std::string("pass the kernel a hocket.nvidia.hopper.TensorDescriptor") +
                   (mode == Mode::Im2col ? "Im2Col" : "") + " of the array"});
  if ((map->type.im2col != 0) != (mode == Mode::Im2col))
    e.errorAt(args.where(parameter), args.what(parameter) + " is " + map->type.toString(),
              {{},
               map->type.im2col ? "only tma.async_load_im2col takes these; describe the array by a TensorDescriptor"
                                : "describe the array by a hocket.nvidia.hopper.TensorDescriptorIm2Col"});
  return *map;
}

/// Rejects compile-time coordinates for which the hardware raises an illegal instruction error. Also rejects a negative
/// compile-time coordinate unless `mayBeNegative` is true, as it is for loads.
static void checkCoordinate(Emitter &e, const Arguments &args, ParameterName parameter, const ValueType &desc,
                            size_t dim, mlir::Value coord, bool mayBeNegative) {
  llvm::APInt constant;
  if (!mlir::matchPattern(coord, mlir::m_ConstantInt(&constant)))
    return;
  int64_t begin = constant.getSExtValue(), piece = 16 / desc.dtype().sizeBytes();
  std::string begins =
      args.what(parameter) + " begins at " + std::to_string(begin) + " in dimension " + std::to_string(dim);
  auto refuse = [&](const std::string &problem, std::string hint) {
    e.errorAt(args.where(parameter), begins + problem, {{{"descriptor", desc.toString()}}, std::move(hint)});
  };
  if (dim + 1 == desc.tensorRank() && begin % piece != 0)
    refuse(", which is not a multiple of " + std::to_string(piece) + " elements",
           "TMA copies units of 16 bytes: in the last dimension, a block must begin at a multiple of 16 bytes");
  if (begin < 0 && !mayBeNegative)
    refuse(", before the tensor",
           "only loads may begin before the tensor; a store skips elements of a block past the tensor's end");
}

/// Returns argument `parameter`, the coordinates of the first element of the tile.
static llvm::SmallVector<mlir::Value> coordsAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                               const ValueType &desc, bool mayBeNegative) {
  std::optional<std::vector<Value>> coords = args[parameter].asSequence();
  if (!coords)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a list of int32, but is " + args[parameter].describe(),
              {{}, "it has the coordinates of the block's first element: [row, column]"});
  if (coords->size() != desc.tensorRank())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must have a coordinate per dimension, " + std::to_string(desc.tensorRank()) +
                  ", but has " + std::to_string(coords->size()),
              {{{"descriptor", desc.toString()}}, {}});
  llvm::SmallVector<mlir::Value> values;
  for (const Value &coord : *coords) {
    Runtime value = e.toRuntime(coord, args.what(parameter));
    bool isFloat = value.type.isScalar() && !value.type.isPointer() && value.type.dtype().isFloat();
    if (value.type != ValueType(DType::Int32))
      e.errorAt(args.where(parameter), args.what(parameter) + " must hold int32 scalars, but has " + coord.describe(),
                {{},
                 isFloat ? "coordinates are integers: `//` divides integers, x.to(gl.int32) drops a fraction"
                 : value.type.isScalar() && !value.type.isPointer()
                     ? "convert it: x.to(gl.int32)"
                     : "coordinates are one number per dimension, where the block begins; the descriptor has the shape "
                       "of the block"});
    checkCoordinate(e, args, parameter, desc, values.size(), value.ir, mayBeNegative);
    values.push_back(value.ir);
  }
  return values;
}

/// Returns argument `parameter`, a tile in shared memory. The tile must have the shape, dtype and layout of the blocks
/// of `desc`.
static mlir::Value tileAt(Emitter &e, const Arguments &args, ParameterName parameter, const ValueType &desc) {
  const Runtime *tile = args[parameter].asRuntime();
  if (!tile || !tile->type.isMemDesc())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be shared memory, but is " + args[parameter].describe(),
              {{}, "allocate it: gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)"});
  std::string name(parameter.text),
      hint = "allocate it: gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)";
  auto refuse = [&](const char *problem) {
    e.errorAt(args.where(parameter), args.what(parameter) + problem,
              {{{name, tile->type.toString()}, {"descriptor", desc.toString()}}, hint});
  };
  if (tile->type.shape != desc.shape) {
    bool isRing = tile->type.rank() == desc.rank() + 1;
    if (isRing)
      hint = "select one buffer: " + name + ".index(i)";
    refuse(" does not have the shape of the descriptor's blocks");
  }
  if (tile->type.dtype().toMlir(e.context()) != desc.dtype().toMlir(e.context()))
    refuse(" does not have the dtype of the descriptor");
  if (tile->type.layout != desc.layout)
    refuse(" does not have the layout of the descriptor");
  mlir::Type element = desc.dtype().toMlir(e.context());
  if (std::string whyNot = llvm::cast<hk_nv::MmaSharedAttr>(desc.layout).whyNotForTma(element); !whyNot.empty()) {
    hint = "describe the array with gl.NVMMASharedLayout.get_default_for(block_shape, dtype)";
    refuse((" cannot be moved by TMA: " + whyNot).c_str());
  }
  auto type = llvm::cast<hk::MemDescType>(tile->ir.getType());
  auto descType = llvm::cast<hk_nv::TensorDescType>(desc.toMlir(e.context()));
  if (std::string why = hk_nv::whyNotBoxes(type, descType); !why.empty()) {
    hint = "use a descriptor with smaller blocks, and a separate tile for each block";
    refuse((" is a slice of a tile that TMA cannot move: " + why).c_str());
  }
  return tile->ir;
}

// Stores --------------------------------------------------------------------------------------------------------------

static Value asyncStore(Emitter &e, Arguments &args) {
  checkHasTma(e, args);
  const Runtime &desc = descriptorAt(e, args, "tensor_desc");
  llvm::SmallVector<mlir::Value> coords = coordsAt(e, args, "coord", desc.type, /*mayBeNegative=*/false);
  mlir::Value tile = tileAt(e, args, "src", desc.type);
  e.create<hk_nv::TmaStoreOp>(tile, desc.ir, coords, hk::AtomicOpAttr(), bulkPolicyAt(e, args, "cache_policy"));
  return Value::none();
}

/// Returns the TMA reduction that the builtin `function`, such as async_atomic_add, needs for elements of `dtype`;
/// nullopt if the hardware has no such reduction.
static std::optional<hk::AtomicOp> reductionOf(std::string_view function, DType dtype) {
  using hk::AtomicOp;
  bool isHalf = dtype == DType::Float16 || dtype == DType::BFloat16;
  bool isWide = dtype.isInteger() && dtype.bitWidth() >= 32;
  if (function.ends_with("_add") && (isHalf || dtype == DType::Float32))
    return AtomicOp::FAdd;
  if (function.ends_with("_max") && (isHalf || isWide))
    return dtype.isUnsigned() ? AtomicOp::UMax : AtomicOp::Max;
  if (function.ends_with("_min") && (isHalf || isWide))
    return dtype.isUnsigned() ? AtomicOp::UMin : AtomicOp::Min;
  // For signed 64-bit integers, TMA supports only min and max. Other reductions of signed 64-bit integers raise an
  // illegal instruction error on an H200.
  if (!isWide || dtype == DType::Int64)
    return std::nullopt;
  return function.ends_with("_add")   ? AtomicOp::Add
         : function.ends_with("_and") ? AtomicOp::And
         : function.ends_with("_or")  ? AtomicOp::Or
                                      : AtomicOp::Xor;
}

/// Implements async_atomic_add, _max, _min, _and, _or and _xor.
static Value asyncAtomic(Emitter &e, Arguments &args) {
  checkHasTma(e, args);
  const Runtime &desc = descriptorAt(e, args, "tensor_desc");
  std::optional<hk::AtomicOp> reduction = reductionOf(args.function, desc.type.dtype());
  if (!reduction)
    e.errorAt(args.where("tensor_desc"),
              std::string(args.function) + " cannot combine elements of " + std::string(desc.type.dtype().name()),
              {{{"descriptor", desc.type.toString()}},
               "TMA adds float16, bfloat16, float32, integers of 32 bits and uint64, and combines the bits of these "
               "integers; it computes minima and maxima of all of these except float32, and of int64"});
  llvm::SmallVector<mlir::Value> coords = coordsAt(e, args, "coord", desc.type, /*mayBeNegative=*/false);
  mlir::Value tile = tileAt(e, args, "src", desc.type);
  e.create<hk_nv::TmaStoreOp>(tile, desc.ir, coords, hk::AtomicOpAttr::get(e.context(), *reduction),
                              hk::CachePolicyAttr());
  return Value::none();
}

static Value storeWait(Emitter &e, Arguments &args) {
  checkHasTma(e, args);
  int64_t outstanding = args.intAt(e, "pendings");
  if (outstanding < 0 || outstanding > INT32_MAX)
    e.errorAt(args.where("pendings"),
              args.what("pendings") + " must not be negative, nor above 2^31 - 1, but is " +
                  std::to_string(outstanding),
              {{}, "it counts the newest stores that may still be in flight; 0 waits for all"});
  e.create<hk_nv::TmaStoreWaitOp>(static_cast<int32_t>(outstanding), args.boolAt(e, "read_only"));
  return Value::none();
}

// Loads ---------------------------------------------------------------------------------------------------------------

static mlir::Value mbarrierAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *barrier = args[parameter].asRuntime();
  bool isMemory = barrier && barrier->type.isMemDesc() && barrier->type.dtype() == DType::Int64;
  if (!isMemory || !hk_nv::isOneMbarrier(llvm::cast<hk::MemDescType>(barrier->ir.getType())))
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be one mbarrier, shared memory of int64[1], but is " +
                  args[parameter].describe(),
              {{},
               isMemory ? "pick one: " + std::string(parameter.text) + ".index(i)"
                        : "allocate it: gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())"});
  return barrier->ir;
}

/// Returns true if the argument `multicast` is true and several CTAs of the cluster load the same part of the tile.
/// `multicast` has no effect if each CTA loads its own part, so kernels for any cluster size can set `multicast`.
static bool multicastAt(Emitter &e, const Arguments &args, ParameterName parameter, const ValueType &desc) {
  if (!args.boolAt(e, parameter) || e.options.numCtas == 1)
    return false;
  const hk::BasisRows &rows = llvm::cast<hk_nv::MmaSharedAttr>(desc.layout).getBlock();
  return rows.empty() || llvm::any_of(rows, [](const std::vector<int32_t> &row) {
           return llvm::all_of(row, [](int32_t entry) { return entry == 0; });
         });
}

static Value asyncLoad(Emitter &e, Arguments &args) {
  checkHasTma(e, args);
  const Runtime &desc = descriptorAt(e, args, "tensor_desc");
  llvm::SmallVector<mlir::Value> coords = coordsAt(e, args, "coord", desc.type, /*mayBeNegative=*/true);
  mlir::Value barrier = mbarrierAt(e, args, "barrier");
  mlir::Value tile = tileAt(e, args, "result", desc.type);
  Runtime pred = toCondition(e, args["pred"], args.what("pred"));
  bool isMulticast = multicastAt(e, args, "multicast", desc.type);
  e.create<hk_nv::TmaLoadOp>(desc.ir, coords, tile, barrier, pred.ir, isMulticast,
                             bulkPolicyAt(e, args, "cache_policy"), /*reaches_other_ctas=*/isMulticast);
  return Value::none();
}

/// Returns argument `parameter`, the im2col offsets (int16 values or compile-time numbers), which are added to the
/// coordinates of each pixel.
static llvm::SmallVector<mlir::Value> offsetsAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                                const ValueType &desc) {
  const unsigned count = desc.tensorRank() - 2;
  std::optional<std::vector<Value>> offsets = args[parameter].asSequence();
  if (!offsets || offsets->size() != count)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a list with an offset per dimension of an image, " +
                  std::to_string(count) + ", but " +
                  (offsets ? "has " + std::to_string(offsets->size()) : "is " + args[parameter].describe()),
              {{{"descriptor", desc.toString()}, {"dimensions", std::to_string(desc.tensorRank())}}, {}});
  const int64_t most = (1 << 16 >> 8 * (count > 1) >> 3 * (count > 2)) - 1;
  llvm::SmallVector<mlir::Value> values;
  for (const Value &offset : *offsets) {
    if (const Constexpr *constant = offset.asConstexpr(); constant && PyLong_Check(constant->object.ptr())) {
      int overflow = 0;
      int64_t number = PyLong_AsLongLongAndOverflow(constant->object.ptr(), &overflow);
      if (overflow || number < 0 || number > most)
        e.errorAt(args.where(parameter),
                  args.what(parameter) + " has " + py::str(constant->object).cast<std::string>() +
                      ", which is not 0 to " + std::to_string(most),
                  {{{"descriptor", desc.toString()}},
                   "offsets are taps of a filter; use pixel_box_lower_corner to reach pixels before the tensor"});
      values.push_back(e.create<mlir::arith::ConstantIntOp>(number, 16));
      continue;
    }
    Runtime value = e.toRuntime(offset, args.what(parameter));
    if (value.type != ValueType(DType::Int16) && value.type != ValueType(DType::UInt16))
      e.errorAt(args.where(parameter), args.what(parameter) + " must hold int16 numbers, but has " + offset.describe(),
                {{}, "convert it: x.to(gl.int16)"});
    values.push_back(value.ir);
  }
  return values;
}

static Value asyncLoadIm2col(Emitter &e, Arguments &args) {
  checkHasTma(e, args);
  const Runtime &desc = descriptorAt(e, args, "tensor_desc", Mode::Im2col);
  llvm::SmallVector<mlir::Value> coords = coordsAt(e, args, "coord", desc.type, /*mayBeNegative=*/true);
  llvm::SmallVector<mlir::Value> offsets = offsetsAt(e, args, "offsets", desc.type);
  mlir::Value barrier = mbarrierAt(e, args, "barrier");
  mlir::Value tile = tileAt(e, args, "result", desc.type);
  Runtime pred = toCondition(e, args["pred"], args.what("pred"));
  bool isMulticast = multicastAt(e, args, "multicast", desc.type);
  e.create<hk_nv::TmaLoadIm2colOp>(desc.ir, coords, offsets, tile, barrier, pred.ir, isMulticast,
                                   bulkPolicyAt(e, args, "cache_policy"), /*reaches_other_ctas=*/isMulticast);
  return Value::none();
}

std::span<const BuiltinEntry> nvidiaTmaBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.hopper.tma.async_atomic_add", asyncAtomic, "(tensor_desc, coord, src)"},
      {"nvidia.hopper.tma.async_atomic_and", asyncAtomic, "(tensor_desc, coord, src)"},
      {"nvidia.hopper.tma.async_atomic_max", asyncAtomic, "(tensor_desc, coord, src)"},
      {"nvidia.hopper.tma.async_atomic_min", asyncAtomic, "(tensor_desc, coord, src)"},
      {"nvidia.hopper.tma.async_atomic_or", asyncAtomic, "(tensor_desc, coord, src)"},
      {"nvidia.hopper.tma.async_atomic_xor", asyncAtomic, "(tensor_desc, coord, src)"},
      {"nvidia.hopper.tma.async_load", asyncLoad,
       "(tensor_desc, coord, barrier, result, pred=True, multicast=False, cache_policy=None)"},
      {"nvidia.hopper.tma.async_load_im2col", asyncLoadIm2col,
       "(tensor_desc, coord, offsets, barrier, result, pred=True, multicast=False, cache_policy=None)"},
      {"nvidia.hopper.tma.async_store", asyncStore, "(tensor_desc, coord, src, cache_policy=None)"},
      {"nvidia.hopper.tma.store_wait", storeWait, "(pendings, read_only=True)"},
      {"nvidia.hopper.tma.tensor_descriptor.block_shape", blockShape, "(self)"},
      {"nvidia.hopper.tma.tensor_descriptor.block_type", blockType, "(self)"},
      {"nvidia.hopper.tma.tensor_descriptor.dtype", dtype, "(self)"},
      {"nvidia.hopper.tma.tensor_descriptor.layout", layout, "(self)"},
      {"nvidia.hopper.tma.tensor_descriptor.nbytes_per_cta", blockBytes, "(self)"},
      {"nvidia.hopper.tma.tensor_descriptor.type", descriptorType, "(self)"},
  };
  return entries;
}

} // namespace hocket::frontend
