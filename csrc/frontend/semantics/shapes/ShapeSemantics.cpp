//===- ShapeSemantics.cpp - Rules of tensor shapes, and views that change them -----------------------------===//
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/Permutations.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

bool isTooLarge(llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size > kMaxTensorElements / elements)
      return true;
    elements *= size;
  }
  return false;
}

static void checkRank(Emitter &e, SourceRange where, size_t rank) {
  if (rank > kMaxTensorRank)
    e.errorAt(where,
              "a tensor has at most " + std::to_string(kMaxTensorRank) + " dimensions, but this one would have " +
                  std::to_string(rank),
              {{}, "merge adjacent dimensions into one"});
}

void checkTensorShape(Emitter &e, SourceRange where, llvm::ArrayRef<int64_t> shape) {
  checkRank(e, where, shape.size());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size <= 0 || !llvm::isPowerOf2_64(size)) {
      std::string hint;
      if (size == -1)
        hint = "sizes are not inferred: write the number, such as x.numel";
      if (size > 0)
        hint =
            "use " + std::to_string(llvm::NextPowerOf2(size)) + " and mask the elements beyond " + std::to_string(size);
      e.errorAt(where,
                "sizes of a tensor must be powers of two, but dimension " + std::to_string(dim) + " of " +
                    describeShape(shape) + " is " + std::to_string(size),
                {{}, hint});
    }
  }
  if (isTooLarge(shape))
    e.errorAt(where,
              "the tensor " + describeShape(shape) + " is too large: it may have at most " +
                  std::to_string(kMaxTensorElements) + " elements",
              {{}, "give each program a smaller tile and launch more programs"});
}

std::vector<int64_t> tensorShapeAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  std::vector<int64_t> shape = args.intsAt(e, parameter);
  checkTensorShape(e, args.where(parameter), shape);
  return shape;
}

int64_t normalizeAxis(Emitter &e, SourceRange where, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    e.errorAt(where, "axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank) +
                         (rank ? "" : ", a scalar"));
  return axis < 0 ? axis + rank : axis;
}

/// Returns an inferred layout. Throws InternalError if the inference failed; callers must check the operands before.
static mlir::Attribute inferred(mlir::FailureOr<mlir::Attribute> layout) {
  if (mlir::failed(layout))
    throw InternalError("no layout for a view of a tensor");
  return *layout;
}

Runtime expandDims(Emitter &e, const Runtime &value, int64_t axis) {
  if (value.type.isScalar())
    e.error("a scalar has no dimensions to add to", "use gl.full(shape, value, dtype, layout)");
  checkRank(e, e.here(), value.type.rank() + 1);
  axis = normalizeAxis(e, e.here(), axis, value.type.rank() + 1);
  // A decided layout must be a slice along `axis`, because the parent of the slice becomes the layout of the result.
  auto slice = llvm::dyn_cast<hk::SliceAttr>(value.type.layout);
  if (!hk::isUndecided(value.type.layout) && (!slice || slice.getDim() != axis)) {
    std::string hint = "make the tensor in gl.SliceLayout(" + std::to_string(axis) +
                       ", parent), where parent is the layout that the result should have";
    if (slice)
      hint += "; or insert the dimension at axis " + std::to_string(slice.getDim());
    e.error("cannot insert a dimension at axis " + std::to_string(axis) + ": the layout is not a slice along it",
            {{{"value", value.type.toString()}}, hint});
  }
  auto layout = inferred(hk::inferExpandDims(value.type.layout, value.type.shape, axis));
  ValueType type = ValueType::tensor(value.type.element, hk::expandedShape(value.type.shape, axis), layout);
  return e.make<hk::ExpandDimsOp>(type, type.toMlir(e.context()), value.ir, static_cast<uint32_t>(axis));
}

Runtime permute(Emitter &e, const Runtime &value, llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<int32_t, 4> dims;
  for (int64_t dim : order)
    dims.push_back(normalizeAxis(e, e.here(), dim, value.type.rank()));
  if (!hk::isPermutationOf(dims, value.type.rank()))
    e.error("the order " + describeShape(order) + " does not name each dimension of the tensor once",
            {{{"value", value.type.toString()}}, {}});
  if (value.type.isScalar())
    return value;
  auto layout = inferred(hk::inferPermute(value.type.layout, value.type.shape, dims));
  ValueType type = ValueType::tensor(value.type.element, hk::permuted(value.type.shape, dims), layout);
  return e.make<hk::PermuteOp>(type, type.toMlir(e.context()), value.ir, dims);
}

Runtime transpose(Emitter &e, const Runtime &value) {
  llvm::SmallVector<int64_t, 4> order;
  for (int64_t dim = int64_t(value.type.rank()) - 1; dim >= 0; --dim)
    order.push_back(dim);
  return permute(e, value, order);
}

Runtime reshape(Emitter &e, const Runtime &value, llvm::ArrayRef<int64_t> shape) {
  if (value.type.isScalar())
    e.error("a scalar cannot be reshaped", "use gl.full(shape, value, dtype, layout)");
  checkTensorShape(e, e.here(), shape);
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (elements != value.type.numElements())
    e.error("cannot reshape " + std::to_string(value.type.numElements()) + " elements to " + describeShape(shape) +
                ", which has " + std::to_string(elements),
            {{{"value", value.type.toString()}}, {}});
  if (shape.empty())
    e.error("a tensor cannot be reshaped to a scalar", "reduce it, as in gl.sum(x)");
  if (shape == llvm::ArrayRef<int64_t>(value.type.shape))
    return value;
  auto layout = inferred(hk::inferReshape(value.type.layout, value.type.shape, shape));
  ValueType type = ValueType::tensor(value.type.element, shape, layout);
  return e.make<hk::ReshapeOp>(type, type.toMlir(e.context()), value.ir);
}

} // namespace hocket::frontend
