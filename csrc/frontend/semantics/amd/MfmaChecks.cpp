//===- MfmaChecks.cpp - Checks of MFMA builtins --------------------------------------------===//
#include "frontend/semantics/amd/MfmaChecks.h"
#include "dialect/hk_amd/MfmaSelection.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

hk_amd::MfmaAttr accumulatorLayoutAt(Emitter &e, const Arguments &args, ParameterName parameter, const ValueType &acc,
                                     std::string_view shapes) {
  int version = e.target.mfmaVersion;
  auto layout = llvm::dyn_cast<hk_amd::MfmaAttr>(acc.layout);
  std::string hint = "make it with gl.amd.AMDMFMALayout(" + std::to_string(version) + ", instr_shape, ...), where " +
                     "instr_shape is one of " + std::string(shapes);
  if (!layout)
    e.errorAt(args.where(parameter), args.what(parameter) + " must have an AMDMFMALayout",
              {{{"has", describeLayout(acc.layout)}}, hint});
  if (layout.getVersion() != version)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " has a layout of version " + std::to_string(layout.getVersion()) + " (" +
                  std::string(mfmaVersionName(layout.getVersion())) + "), but this kernel is compiled for " +
                  std::string(e.target.name) + " (" + std::string(mfmaVersionName(version)) + ")",
              {{{"layout", describeLayout(layout)}}, hint});
  return layout;
}

void checkDepth(Emitter &e, const Arguments &args, hk_amd::MfmaAttr layout, const MatrixOperand &a, int64_t kWidth,
                int64_t step) {
  int64_t depth = a.value.type.shape.back();
  if (depth % step == 0)
    return;
  int64_t groups = layout.getParams().laneGroupsAlongK();
  bool isWidth = step == groups * kWidth && kWidth > 1;
  std::string reason = isWidth
                           ? "k_width " + std::to_string(kWidth) + " in " + std::to_string(groups) +
                                 " groups of lanes takes " + std::to_string(step)
                           : "instr_shape " + describeShape(layout.getInstrShape()) + " takes " + std::to_string(step);
  e.errorAt(args.where(a.parameter),
            "K of " + std::string(args.function) + " must be a multiple of " + std::to_string(step) + ", but is " +
                std::to_string(depth) + ": " + reason + " at a time",
            {{{std::string(a.parameter.text), a.value.type.toString()}},
             isWidth ? "use a smaller k_width in both operands, or a tile with a larger K"
                     : "use a tile with a larger K, or an instr_shape with a smaller K"});
}

} // namespace hocket::frontend
