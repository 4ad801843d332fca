//===- GridControlBuiltins.cpp - extra.cuda: programmatic dependent launch -------------------===//
//
// GPUs without programmatic dependent launch never overlap launches. On these GPUs, gdc_launch_dependents and gdc_wait
// emit no operations, so the same kernel works on all GPUs.
//
//===----------------------------------------------------------------------------------------===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/BuiltinTables.h"

namespace hocket::frontend {

template <typename OpTy>
static Value gridControl(Emitter &e, Arguments &) {
  if (e.target.hasDependentLaunch)
    e.create<OpTy>();
  return Value::none();
}

std::span<const BuiltinEntry> gridControlBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"extra.cuda.gdc_launch_dependents", gridControl<hk_nv::LaunchDependentsOp>, "()"},
      {"extra.cuda.gdc_wait", gridControl<hk_nv::WaitForGridsOp>, "()"},
  };
  return entries;
}

} // namespace hocket::frontend
