//===- Broadcast.cpp - Broadcasting of operands to a common shape -------------------------------------------===//
#include "frontend/semantics/operators/Broadcast.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"

namespace hocket::frontend {

std::string describeShape(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Runtime splat(Emitter &e, const Runtime &scalar, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout) {
  ValueType type = ValueType::tensor(scalar.type.element, shape, layout);
  return e.make<hk::SplatOp>(type, type.toMlir(e.context()), scalar.ir);
}

Runtime broadcastToShape(Emitter &e, const Runtime &value, llvm::ArrayRef<int64_t> shape) {
  if (shape == llvm::ArrayRef<int64_t>(value.type.shape))
    return value;
  ValueType type = ValueType::tensor(value.type.element, shape, value.type.layout);
  return e.make<hk::BroadcastOp>(type, type.toMlir(e.context()), value.ir);
}

std::string expandingSubscript(mlir::Attribute layout, mlir::Attribute parent) {
  auto slice = llvm::dyn_cast_or_null<hk::SliceAttr>(layout);
  if (!slice || slice.getParent() != parent)
    return {};
  unsigned rank = llvm::cast<hk::DistributedLayout>(parent).getRank();
  std::string text = "[";
  for (unsigned dim = 0; dim < rank; ++dim)
    text += std::string(dim ? ", " : "") + (int64_t(dim) == slice.getDim() ? "None" : ":");
  return text + "]";
}

static ErrorDetails sides(const ValueType &left, const ValueType &right, std::string hint) {
  return {{{"left", left.toString()}, {"right", right.toString()}}, std::move(hint)};
}

static std::string rankHint(Emitter &e, const ValueType &left, const ValueType &right) {
  auto expand = [&](Emitter::OperandSide side, const std::string &subscript) {
    std::string text = e.operandText(side);
    return (side == Emitter::OperandSide::Left ? "expand the left side: " : "expand the right side: ") +
           (text.empty() ? "append " : text) + subscript;
  };
  if (std::string subscript = expandingSubscript(right.layout, left.layout); !subscript.empty())
    return expand(Emitter::OperandSide::Right, subscript);
  if (std::string subscript = expandingSubscript(left.layout, right.layout); !subscript.empty())
    return expand(Emitter::OperandSide::Left, subscript);
  return "add dimensions of size 1 to the value of lower rank, as in x[:, None]; its layout must be a SliceLayout of "
         "the other's";
}

static std::string layoutHint(Emitter &e) {
  std::string left = e.operandText(Emitter::OperandSide::Left), right = e.operandText(Emitter::OperandSide::Right);
  if (left.empty() || right.empty())
    return "convert one side with gl.convert_layout, or make both in the same layout";
  return "convert one side, as in gl.convert_layout(" + right + ", " + left +
         ".layout), or make both in the same layout";
}

std::pair<Runtime, Runtime> broadcastPair(Emitter &e, std::string_view verb, const Runtime &left,
                                          const Runtime &right) {
  const ValueType &a = left.type, &b = right.type;
  if (a.isScalar() && b.isScalar())
    return {left, right};
  if (a.isScalar())
    return {splat(e, left, b.shape, b.layout), right};
  if (b.isScalar())
    return {left, splat(e, right, a.shape, a.layout)};
  std::string cannot = "cannot " + std::string(verb) + " tensors whose ";
  if (a.rank() != b.rank()) {
    bool isSlice = !expandingSubscript(a.layout, b.layout).empty() || !expandingSubscript(b.layout, a.layout).empty();
    e.error(cannot + (isSlice ? "layouts differ" : "ranks differ"), sides(a, b, rankHint(e, a, b)));
  }
  llvm::SmallVector<int64_t, 4> shape;
  for (auto [x, y] : llvm::zip_equal(a.shape, b.shape)) {
    if (x != y && x != 1 && y != 1)
      e.error(cannot + "shapes differ", sides(a, b, "sizes must be equal, or 1 on one side"));
    shape.push_back(x == 1 ? y : x);
  }
  mlir::Attribute layout = commonLayout(a.layout, b.layout, shape);
  if (!layout)
    e.error(cannot + "layouts differ", sides(a, b, layoutHint(e)));
  return {broadcastToShape(e, settledIn(e, left, layout), shape),
          broadcastToShape(e, settledIn(e, right, layout), shape)};
}

} // namespace hocket::frontend
