//===- PipelineBuiltins.cpp - warp_pipeline_stage ----------------------------------------===//
//
// The builtin emits the operation that begins a stage. Statements.cpp emits the body of the `with` statement and the
// operation that ends the stage.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/RequiredFeatures.h"

namespace hocket::frontend {

/// Returns argument `parameter`, a number from `lowest` to `highest`, as an i32 attribute; null for None.
static mlir::IntegerAttr smallNumberAt(Emitter &e, const Arguments &args, ParameterName parameter, int64_t lowest,
                                       int64_t highest, const char *choices, const char *hint) {
  if (args[parameter].isNone())
    return {};
  const Constexpr *given = args[parameter].asConstexpr();
  if (given && py::isinstance<py::bool_>(given->object))
    e.errorAt(args.where(parameter), args.what(parameter) + " must be " + choices + ", not a bool", {{}, hint});
  int64_t number = args.intAt(e, parameter);
  if (number < lowest || number > highest)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be " + choices + ", but is " + std::to_string(number), {{}, hint});
  return e.builder.getI32IntegerAttr(static_cast<int32_t>(number));
}

/// Returns argument `parameter`, the name of the stage; "" for None. The name must fit into one line of a message or
/// timeline.
static std::string labelAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  std::string label = args[parameter].isNone() ? "" : args.stringAt(e, parameter);
  auto isControl = [](unsigned char character) { return character < 0x20 || character == 0x7f; };
  if (llvm::any_of(label, isControl))
    e.errorAt(args.where(parameter), args.what(parameter) + " must be one line, without control characters");
  return label;
}

/// True if a stage at the insertion point is the first stage of a warp pipeline: the first stage in its block, or the
/// first stage after a loop with stages. The front end records the first stage by the attribute phase_gap, because
/// loops with one iteration are removed later. Without the attribute, the stages of the removed loop and the stages
/// around the loop would form one warp pipeline.
static bool beginsPipeline(Emitter &e) {
  mlir::Block *block = e.builder.getInsertionBlock();
  auto end = e.builder.getInsertionPoint();
  for (mlir::Operation &op : llvm::reverse(llvm::make_range(block->begin(), end))) {
    if (llvm::isa<hk::StageEndOp>(op))
      return false;
    if (op.walk([](hk::StageBeginOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted())
      return true;
  }
  return true;
}

static Value warpPipelineStage(Emitter &e, Arguments &args) {
  std::string label = labelAt(e, args, "label");
  mlir::IntegerAttr priority = smallNumberAt(e, args, "priority", 0, 3, "0, 1, 2 or 3",
                                             "the warps of the stage with the highest priority go first");
  mlir::IntegerAttr phaseGap = smallNumberAt(e, args, "phase_gap", 1, 2, "1 or 2",
                                             "it is the distance in stages between the two groups of warps");
  if (!phaseGap && beginsPipeline(e))
    phaseGap = e.builder.getI32IntegerAttr(1);
  bool isExclusive = args.boolAt(e, "exclusive");
  if (isExclusive)
    requireFeature(e, args.where("exclusive"), "exclusive stages need", kNamedBarriers,
                   "leave it out: the groups then synchronize before every stage");
  e.create<hk::StageBeginOp>(label, priority, phaseGap, isExclusive, /*in_loop=*/false);
  return Value::none();
}

std::span<const BuiltinEntry> pipelineBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"warp_pipeline_stage", warpPipelineStage, "(label=None, *, priority=None, phase_gap=None, exclusive=False)"}};
  return entries;
}

} // namespace hocket::frontend
