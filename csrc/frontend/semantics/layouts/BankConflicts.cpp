//===- BankConflicts.cpp - Bank conflicts of loads and stores of tiles --------------===//
//
// Users can construct the arguments of bank_conflicts, types of a tensor and of shared memory, without the front end's
// checks. This file therefore checks shapes and layouts before it converts the Python types to MLIR types.
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/layouts/BankConflicts.h"

#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "frontend/semantics/Emitter.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/layouts/Layouts.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

namespace {

using Shape = llvm::SmallVector<int64_t>;
/// The parameters of bank_conflicts, in order.
enum Argument : unsigned { TensorType, SharedType, Access, Target };

std::string textOf(py::handle object) { return py::repr(object).cast<std::string>(); }

/// The element type, shape and layout of a tensor type or of a shared memory type.
struct TypeParts {
  DType element;
  Shape shape;
  mlir::Attribute layout;
};

Shape shapeOf(py::handle type, const char *field, unsigned argument) {
  Shape shape;
  for (py::handle size : type.attr(field)) {
    // PyLong_AsLongLong returns -1 for a number of more than 64 bits. The check below rejects -1 like other negative
    // sizes.
    int64_t number = py::isinstance<py::int_>(size) ? PyLong_AsLongLong(size.ptr()) : 0;
    PyErr_Clear();
    if (number < 1)
      throw BankQuestionError(argument,
                              "sizes are positive integers of 64 bits, but the shape is " + textOf(type.attr(field)));
    shape.push_back(number);
  }
  return shape;
}

TypeParts partsOf(mlir::MLIRContext *context, py::handle type, const char *className, const char *example,
                  unsigned argument) {
  if (!py::isinstance(type, languageObject(className)))
    throw BankQuestionError(argument, "expected a gl." + std::string(className) + ", not " + textOf(type), example);
  std::optional<ElementType> element = elementTypeFromPython(type.attr("element_ty"));
  if (!element || element->isPointer || element->dtype == DType::Void)
    throw BankQuestionError(argument, "shared memory holds numbers, not " + textOf(type.attr("element_ty")));
  mlir::Attribute layout = layoutFromPython(context, type.attr("layout"));
  if (!layout || hk::isUndecided(layout))
    throw BankQuestionError(argument, textOf(type.attr("layout")) + " does not determine the position of elements");
  return {element->dtype, shapeOf(type, "shape", argument), layout};
}

void checkTile(llvm::ArrayRef<int64_t> tile, unsigned rank, unsigned argument) {
  if (rank != tile.size())
    throw BankQuestionError(argument, "the layout has rank " + std::to_string(rank) + ", but the shape " +
                                          describeShape(tile) + " has rank " + std::to_string(tile.size()));
  if (!llvm::all_of(tile, [](int64_t size) { return llvm::isPowerOf2_64(size); }))
    throw BankQuestionError(argument, "sizes must be powers of two, but the shape is " + describeShape(tile));
  if (isTooLarge(tile))
    throw BankQuestionError(argument, "the shape " + describeShape(tile) + " is too large: a tile may have at most " +
                                          std::to_string(kMaxTensorElements) + " elements");
}

mlir::RankedTensorType tensorTypeOf(mlir::MLIRContext *context, py::handle type, const TargetInfo &target) {
  TypeParts parts = partsOf(context, type, "distributed_type", "pass the type of a tensor: x.type", TensorType);
  auto layout = llvm::dyn_cast<hk::DistributedLayout>(parts.layout);
  if (!layout)
    throw BankQuestionError(TensorType,
                            "the tensor's layout must be a distributed one, not " + textOf(type.attr("layout")));
  checkTile(parts.shape, layout.getRank(), TensorType);
  auto tensor = mlir::RankedTensorType::get(parts.shape, parts.element.toMlir(context), layout);
  int32_t lanes = layout.toLinearLayout(parts.shape).getInDimSize(Dim::Lane);
  if (lanes != target.warpSize)
    throw BankQuestionError(TensorType, "the layout has " + std::to_string(lanes) + " lanes per warp but a warp of " +
                                            std::string(target.name) + " has " + std::to_string(target.warpSize));
  return tensor;
}

hk::MemDescType sharedTypeOf(mlir::MLIRContext *context, py::handle type) {
  TypeParts parts =
      partsOf(context, type, "shared_memory_descriptor_type", "pass the type of shared memory: smem.type", SharedType);
  auto layout = llvm::dyn_cast<hk::SharedLayout>(parts.layout);
  if (!layout)
    throw BankQuestionError(SharedType, "shared memory must have a shared layout, not " + textOf(type.attr("layout")));
  if (parts.shape.size() == layout.getRank() + 1)
    throw BankQuestionError(SharedType, "a ring of buffers cannot be accessed as a whole",
                            "select one buffer: smem.index(0).type");
  Shape allocated = shapeOf(type, "alloc_shape", SharedType);
  // If the memory is one slot of a ring buffer, the layout describes the tile of one slot, not the whole buffer.
  llvm::ArrayRef<int64_t> tile = allocated;
  checkTile(parts.shape, layout.getRank(), SharedType);
  tile = tile.take_back(std::min<size_t>(tile.size(), layout.getRank()));
  checkTile(tile, layout.getRank(), SharedType);
  mlir::Type element = parts.element.toMlir(context);
  if (std::string whyNot = layout.whyNotTile(tile, element); !whyNot.empty())
    throw BankQuestionError(SharedType, whyNot);
  auto isLarger = [](auto sizes) { return std::get<0>(sizes) > std::get<1>(sizes); };
  if (llvm::any_of(llvm::zip_equal(parts.shape, tile), isLarger))
    throw BankQuestionError(SharedType,
                            "the shape " + describeShape(parts.shape) + " exceeds its buffer's " + describeShape(tile));
  return hk::MemDescType::get(parts.shape, element, layout, tile);
}

SharedAccess accessOf(py::handle access) {
  std::string name = py::isinstance<py::str>(access) ? access.cast<std::string>() : "";
  if (name != "load" && name != "store")
    throw BankQuestionError(Access, "expected 'load' or 'store', not " + textOf(access));
  return name == "load" ? SharedAccess::Load : SharedAccess::Store;
}

SharedTileAccess tileAccessOf(mlir::MLIRContext *context, const BankQuestion &question, const TargetInfo &target) {
  mlir::RankedTensorType tensor = tensorTypeOf(context, question.tensorType, target);
  hk::MemDescType shared = sharedTypeOf(context, question.sharedType);
  if (tensor.getShape() != shared.getShape())
    throw BankQuestionError(SharedType, "the tensor has the shape " + describeShape(tensor.getShape()) +
                                            ", but the shared memory has " + describeShape(shared.getShape()));
  if (tensor.getElementType() != shared.getElementType())
    throw BankQuestionError(SharedType, "the tensor holds " + textOf(question.tensorType.attr("element_ty")) +
                                            ", but the shared memory holds " +
                                            textOf(question.sharedType.attr("element_ty")));
  return hk::sharedTileAccessOf(tensor, shared);
}

} // namespace

std::vector<Wavefronts> answer(mlir::MLIRContext *context, const BankQuestion &question, const TargetInfo &target) {
  return countWavefronts(tileAccessOf(context, question, target), accessOf(question.access), *target.sharedPhases);
}

std::vector<Phase> phasesOf(mlir::MLIRContext *context, const BankQuestion &question, int32_t warp,
                            const TargetInfo &target) {
  SharedTileAccess tile = tileAccessOf(context, question, target);
  return hocket::phasesOf(tile, warp, accessOf(question.access), *target.sharedPhases);
}

const TargetInfo &targetNamed(const std::string &name) {
  if (const TargetInfo *target = findTarget(name))
    return *target;
  std::string known;
  for (const TargetInfo &target : allTargets())
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  throw BankQuestionError(Target, "unknown target '" + name + "'", "hocket knows " + known);
}

int64_t mostExtra(const std::vector<Wavefronts> &warps) {
  int64_t most = 0;
  for (const Wavefronts &warp : warps)
    most = std::max(most, warp.extra());
  return most;
}

} // namespace hocket::frontend
