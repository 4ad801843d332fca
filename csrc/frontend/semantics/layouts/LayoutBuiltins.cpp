//===- LayoutBuiltins.cpp - convert_layout, set_auto_layout -----------------------===//
#include "dialect/hk/layouts/Layouts.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/LayoutArguments.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

static Runtime tensorAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  Runtime value = tensorOrScalarAt(e, args, parameter);
  if (!value.type.isTensor())
    e.errorAt(args.where(parameter), args.what(parameter) + " must be a tensor, but is " + args[parameter].describe());
  return value;
}

static Value convertLayout(Emitter &e, Arguments &args) {
  Runtime value = tensorAt(e, args, "value");
  mlir::Attribute layout = decidedLayoutAt(e, args, "layout", value.type.shape);
  bool isTrivial = args.boolAt(e, "assert_trivial");
  // For a tensor in AutoLayout, the requested layout becomes the tensor's layout, so no data moves.
  if (isTrivial && llvm::isa<hk::AutoAttr>(value.type.layout))
    return setLayout(e, value, layout);
  if (isTrivial &&
      (hk::isUndecided(value.type.layout) || !hk::areEquivalentLayouts(value.type.shape, value.type.layout, layout)))
    e.error("layout conversion from " + describeLayout(value.type.layout) + " to " + describeLayout(layout) +
                " is not trivial.",
            "it moves data between registers, lanes or warps; drop assert_trivial=True to allow that");
  if (layout == value.type.layout)
    return value;
  ValueType type = ValueType::tensor(value.type.element, value.type.shape, layout);
  return e.make<hk::ConvertLayoutOp>(type, type.toMlir(e.context()), value.ir);
}

static Value setAutoLayout(Emitter &e, Arguments &args) {
  Runtime value = tensorAt(e, args, "value");
  // `layout` can be CoalescedLayout, for which the pass `hocket-decide-layouts` chooses a layout.
  mlir::Attribute layout = distributedLayoutAt(e, args, "layout", value.type.shape);
  if (llvm::isa<hk::AutoAttr>(layout))
    layout = decidedLayoutAt(e, args, "layout", value.type.shape); // raises an error, because AutoLayout is undecided
  if (layout == value.type.layout)
    return value;
  bool isOpen =
      hk::isUndecided(layout) ? llvm::isa<hk::AutoAttr>(value.type.layout) : hk::isUndecided(value.type.layout);
  if (isOpen)
    return setLayout(e, value, layout);
  e.error("this value already has a layout, and a different one",
          {{{"value", value.type.toString()}, {"layout", describeLayout(layout)}}, "use gl.convert_layout"});
}

std::span<const BuiltinEntry> layoutBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"convert_layout", convertLayout, "(value, layout, assert_trivial=False)"},
      {"set_auto_layout", setAutoLayout, "(value, layout)"},
  };
  return entries;
}

} // namespace hocket::frontend
