//===- GridBuiltins.cpp - program_id, num_programs, num_warps, num_lanes, num_ctas -===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"

namespace hocket::frontend {

static uint32_t gridAxis(Emitter &e, const Arguments &args) {
  int64_t axis = args.intAt(e, "axis");
  if (axis < 0 || axis > 2)
    e.errorAt(args.where("axis"), args.what("axis") + " must be 0, 1 or 2, but is " + std::to_string(axis));
  return axis;
}

template <typename OpTy>
static Value gridBuiltin(Emitter &e, Arguments &args) {
  uint32_t axis = gridAxis(e, args);
  return e.make<OpTy>(DType::Int32, e.builder.getI32Type(), axis);
}

static Value numWarps(Emitter &e, Arguments &) { return Value::constant(py::int_(e.options.numWarps)); }
static Value numLanes(Emitter &e, Arguments &) { return Value::constant(py::int_(e.target.warpSize)); }
static Value numCtas(Emitter &e, Arguments &) { return Value::constant(py::int_(e.options.numCtas)); }

std::span<const BuiltinEntry> gridBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"num_ctas", numCtas, "()"},
      {"num_lanes", numLanes, "()"},
      {"num_warps", numWarps, "()"},
      {"num_programs", gridBuiltin<hk::NumProgramsOp>, "(axis)"},
      {"program_id", gridBuiltin<hk::ProgramIdOp>, "(axis)"},
  };
  return entries;
}

} // namespace hocket::frontend
