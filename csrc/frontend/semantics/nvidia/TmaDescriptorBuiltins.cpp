//===- TmaDescriptorBuiltins.cpp - nvidia.hopper.tma: descriptors created in kernels ---------===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/LayoutArguments.h"
#include "frontend/semantics/nvidia/Tma.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/layouts/Layouts.h"
#include "layout/Factories.h"
#include "target/TmaLimits.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

static const Runtime &pointerAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Runtime *base = args[parameter].asRuntime();
  if (!base || !base->type.isScalar() || !base->type.isPointer())
    e.errorAt(args.where(parameter), args.what(parameter) + " must be a pointer, but is " + args[parameter].describe(),
              {{}, "it is the address of the tensor's first element: pass the kernel the array"});
  return *base;
}

/// Returns the elements of argument `parameter`, which must be a list or tuple of length `rank`.
static std::vector<Value> integersAt(Emitter &e, const Arguments &args, ParameterName parameter, size_t rank) {
  std::optional<std::vector<Value>> values = args[parameter].asSequence();
  if (!values || values->size() != rank)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a list with an entry per dimension of the block, " +
                  std::to_string(rank) + ", but " +
                  (values ? "has " + std::to_string(values->size()) : "is " + args[parameter].describe()));
  return *values;
}

static Runtime integerAs(Emitter &e, const Arguments &args, ParameterName parameter, const Value &value, DType type) {
  Runtime number = e.toRuntime(value, args.what(parameter));
  if (!number.type.isScalar() || number.type.isPointer() || !number.type.dtype().isInteger())
    e.errorAt(args.where(parameter), args.what(parameter) + " must hold integers, but has " + value.describe());
  return castTo(e, number, type);
}

/// Returns the argument `block_shape`, after the checks that the Python class TensorDescriptor of the host makes. If a
/// tile is split among the blocks of a cluster, `layoutAt` checks the part of one block.
static std::vector<int64_t> blockShapeAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  std::vector<int64_t> shape = args.intsAt(e, parameter);
  if (shape.empty() || int64_t(shape.size()) > kMaxTensorRank)
    e.errorAt(args.where(parameter), args.what(parameter) + " must have 1 to " + std::to_string(kMaxTensorRank) +
                                         " dimensions, but has " + std::to_string(shape.size()));
  for (int64_t size : shape)
    if (size < 1 || !llvm::isPowerOf2_64(uint64_t(size)))
      e.errorAt(args.where(parameter),
                args.what(parameter) + " must have powers of two, but has " + std::to_string(size));
  return shape;
}

/// Returns argument `parameter`, the layout of the tiles in shared memory, which must be an NVMMASharedLayout that TMA
/// supports. `shape` is the shape of a tile.
static mlir::Attribute layoutAt(Emitter &e, const Arguments &args, ParameterName parameter,
                                llvm::ArrayRef<int64_t> shape, DType element) {
  mlir::Attribute layout = sharedLayoutAt(e, args, parameter, shape, element);
  auto rows = llvm::dyn_cast<hk_nv::MmaSharedAttr>(layout);
  ErrorDetails details{{{"layout", describeLayout(layout)}}, {}};
  if (!rows || rows.getRank() != shape.size()) {
    details.hint = "gl.NVMMASharedLayout.get_default_for(block_shape, dtype) has the widest swizzle that fits";
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be an NVMMASharedLayout of rank " + std::to_string(shape.size()), details);
  }
  if (rows.getTransposed()) {
    details.hint = "permute the tiles in shared memory: smem.permute([1, 0])";
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must not be transposed: TMA writes rows of the tensor as rows of the tile",
              details);
  }
  std::vector<int64_t> part = partOfBlock(shape, rows.getBlock());
  if (std::string whyNot = rows.whyNotForTma(element.toMlir(e.context())); !whyNot.empty())
    e.errorAt(args.where(parameter), args.what(parameter) + " cannot be used by TMA: " + whyNot, details);
  int64_t rowBytes = part.back() * element.sizeBytes();
  if (rowBytes % kTmaUnitBytes != 0)
    e.errorAt(args.where(parameter),
              "rows of a block must have a multiple of 16 bytes, but have " + std::to_string(rowBytes), details);
  return layout;
}

static Value makeTensorDescriptor(Emitter &e, Arguments &args) {
  checkHasTma(e, args);
  const Runtime &base = pointerAt(e, args, "base");
  DType element = base.type.dtype();
  std::vector<int64_t> block = blockShapeAt(e, args, "block_shape");
  size_t rank = block.size();
  std::vector<Value> sizes = integersAt(e, args, "shape", rank), steps = integersAt(e, args, "strides", rank);
  const Constexpr *last = steps.back().asConstexpr();
  if (!last || !PyLong_Check(last->object.ptr()) || PyLong_AsLongLong(last->object.ptr()) != 1) {
    PyErr_Clear();
    e.errorAt(args.where("strides"),
              "the last entry of " + args.what("strides") + " must be 1, but is " + steps.back().describe(),
              {{}, "the elements of a row must be adjacent in memory; write the constant 1"});
  }
  mlir::Attribute layout = layoutAt(e, args, "layout", block, element);
  std::string padding = args.stringAt(e, "padding_option");
  bool mayBeNan = element.isFloat() && element.bitWidth() >= 16;
  if (padding != "zero" && !(padding == "nan" && mayBeNan))
    e.errorAt(args.where("padding_option"), args.what("padding_option") + " must be \"zero\"" +
                                                (mayBeNan ? " or \"nan\", but is \"" + padding + "\""
                                                          : ", as the elements are " + std::string(element.name())));

  Tuple shape, strides;
  llvm::SmallVector<mlir::Value> shapeValues, strideValues;
  for (const Value &size : sizes) {
    Runtime value = integerAs(e, args, "shape", size, DType::Int32);
    shapeValues.push_back(value.ir);
    shape.elements.push_back(value);
  }
  for (size_t i = 0; i + 1 < rank; ++i) {
    Runtime value = integerAs(e, args, "strides", steps[i], DType::Int64);
    strideValues.push_back(value.ir);
    strides.elements.push_back(value);
  }
  strides.elements.push_back(Value::constant(py::int_(1)));
  ValueType type = ValueType::tensorDesc(element, block, layout);
  Runtime map = e.make<hk_nv::MakeTensorDescOp>(type, type.toMlir(e.context()), base.ir, shapeValues, strideValues,
                                                mlir::Value(), padding == "nan", element.isUnsigned());
  return Tuple{{map, shape, strides}, languageObject("nvidia.hopper.tma.tensor_descriptor")};
}

std::span<const BuiltinEntry> nvidiaTmaDescriptorBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.hopper.tma.make_tensor_descriptor", makeTensorDescriptor,
       "(base, shape, strides, block_shape, layout, padding_option='zero')"},
  };
  return entries;
}

} // namespace hocket::frontend
