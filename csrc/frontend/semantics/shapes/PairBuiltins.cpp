//===- PairBuiltins.cpp - join and split -------------------------------------------------===//
#include "dialect/hk/layouts/LayoutInference.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

static Value join(Emitter &e, Arguments &args) {
  Runtime a = tensorOrScalarAt(e, args, "a"), b = tensorOrScalarAt(e, args, "b");
  auto refuse = [&](const std::string &message, std::string hint) {
    e.error(message, {{{"a", a.type.toString()}, {"b", b.type.toString()}}, std::move(hint)});
  };
  if (a.type.isScalar() && b.type.isScalar())
    refuse("join needs a tensor, but both values are scalars",
           "make one a tensor: gl.full(shape, value, dtype, layout)");
  if (a.type.element != b.type.element)
    refuse("cannot join tensors of different element types", "convert one of them with .to(dtype)");
  auto [left, right] = broadcastPair(e, "join", a, b);
  llvm::SmallVector<int64_t, 4> shape = left.type.shape;
  std::string whyNot;
  auto layout = hk::inferJoin(left.type.layout, shape, &whyNot);
  if (mlir::failed(layout))
    refuse("cannot join these tensors: " + whyNot, "");
  shape.push_back(2);
  checkTensorShape(e, e.here(), shape);
  ValueType type = ValueType::tensor(left.type.element, shape, *layout);
  return e.make<hk::JoinOp>(type, type.toMlir(e.context()), left.ir, right.ir);
}

/// Returns the text of a layout for a tensor of type `type` that `split` supports: each lane holds both elements along
/// the last dimension. Returns "" if no such layout is found.
static std::string splittableLayout(const ValueType &type) {
  llvm::ArrayRef<int64_t> shape = type.shape;
  auto half = hk::inferReduce(type.layout, shape, shape.size() - 1);
  if (mlir::failed(half))
    return {};
  auto pairs = hk::inferJoin(*half, shape.drop_back());
  return mlir::failed(pairs) ? std::string() : describeLayout(*pairs);
}

static Value split(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "a");
  if (value.type.rank() < 2 || value.type.shape.back() != 2)
    e.error("split needs a tensor of at least two dimensions, the last of size 2",
            {{{"value", value.type.toString()}},
             "move the dimension to split to the end: x.reshape(..., 2, n).permute(...), or x.reshape(..., n, 2)"});
  llvm::ArrayRef<int64_t> shape(value.type.shape);
  std::string whyNot;
  auto layout = hk::inferSplit(value.type.layout, shape, &whyNot);
  if (mlir::failed(layout)) {
    std::string other = splittableLayout(value.type);
    e.error("cannot split this tensor: " + whyNot,
            {{{"value", value.type.toString()}},
             other.empty() ? "" : "convert it first, as in gl.convert_layout(x, gl." + other + ")"});
  }
  ValueType type = ValueType::tensor(value.type.element, shape.drop_back(), *layout);
  mlir::Type ir = type.toMlir(e.context());
  auto op = e.create<hk::SplitOp>(ir, ir, value.ir);
  return Tuple{{Runtime{op.getLhs(), type}, Runtime{op.getRhs(), type}}, {}};
}

std::span<const BuiltinEntry> pairBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"join", join, "(a, b)"}, {"split", split, "(a)"}};
  return entries;
}

} // namespace hocket::frontend
