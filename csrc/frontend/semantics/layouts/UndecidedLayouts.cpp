//===- UndecidedLayouts.cpp - Operands in undecided layouts -------------------------------===//
#include "frontend/semantics/layouts/UndecidedLayouts.h"

#include "dialect/hk/layouts/Layouts.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

mlir::Attribute commonLayout(mlir::Attribute a, mlir::Attribute b, llvm::ArrayRef<int64_t> shape) {
  if (a == b || llvm::isa<hk::AutoAttr>(b))
    return a;
  if (llvm::isa<hk::AutoAttr>(a) || hk::isUndecided(a))
    return b;
  return hk::isUndecided(b) || hk::areEquivalentLayouts(shape, a, b) ? a : mlir::Attribute();
}

Runtime setLayout(Emitter &e, const Runtime &value, mlir::Attribute layout) {
  ValueType type = value.type;
  type.layout = layout;
  auto set = e.create<hk::SetLayoutOp>(type.toMlir(e.context()), value.ir, mlir::StringAttr());
  // The operation gets the name of the decided layout, `layout` or that of `value`, for messages about conflicting
  // layouts.
  mlir::Attribute named = hk::isUndecided(layout) ? value.type.layout : layout;
  if (!hk::isUndecided(named))
    set.setName(describeLayout(named));
  return Runtime{set.getResult(), type};
}

Runtime settledIn(Emitter &e, const Runtime &value, mlir::Attribute layout) {
  const ValueType &type = value.type;
  if (!type.isTensor() || type.layout == layout || !commonLayout(type.layout, layout, type.shape))
    return value;
  if (hk::isUndecided(type.layout) || hk::isUndecided(layout))
    return setLayout(e, value, layout);
  // `layout` is equivalent to the layout of `value`, so the conversion moves no data.
  ValueType renamed = ValueType::tensor(type.element, type.shape, layout);
  return e.make<hk::ConvertLayoutOp>(renamed, renamed.toMlir(e.context()), value.ir);
}

Value settledLike(Emitter &e, const Value &value, const Value &form, bool towardsDecided) {
  if (const Runtime *runtime = value.asRuntime()) {
    const Runtime *like = form.asRuntime();
    if (!like || !like->type.isTensor() || !runtime->type.isTensor() || like->type.shape != runtime->type.shape ||
        like->type.element != runtime->type.element)
      return value;
    if (towardsDecided && commonLayout(runtime->type.layout, like->type.layout, like->type.shape) != like->type.layout)
      return value;
    return settledIn(e, *runtime, like->type.layout);
  }
  if (value.parts().empty() || value.parts().size() != form.parts().size())
    return value;
  std::vector<Value> parts;
  for (auto [part, like] : llvm::zip_equal(value.parts(), form.parts()))
    parts.push_back(settledLike(e, part, like, towardsDecided));
  return value.withParts(std::move(parts));
}

} // namespace hocket::frontend
