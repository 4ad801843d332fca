//===- GridControlBuiltins.cpp - extra.cuda: grids that overlap with others of their stream --===//
//
// Where launches never overlap there is nothing to wait for and nobody to let begin: on other GPUs the calls are no
// operations, so that one kernel serves all.
//
//===----------------------------------------------------------------------------------------===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/BuiltinTables.h"

namespace hocket::frontend {

template <typename OpTy>
static Value gridControl(Emitter &e, Arguments &) {
  if (e.target.family == "Hopper")
    e.create<OpTy>();
  return Value::none();
}

std::span<const BuiltinEntry> gridControlBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"extra.cuda.gdc_launch_dependents", gridControl<hk_nv::LaunchDependentsOp>},
      {"extra.cuda.gdc_wait", gridControl<hk_nv::WaitForGridsOp>},
  };
  return entries;
}

} // namespace hocket::frontend
