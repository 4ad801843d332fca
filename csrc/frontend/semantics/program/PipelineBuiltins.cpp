//===- PipelineBuiltins.cpp - warp_pipeline_stage ----------------------------------------===//
//
// The builtin emits the operation that begins a stage. Statements.cpp emits the body of the `with` statement and the
// operation that ends the stage.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
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

/// The lags of the groups of a warp pipeline, as argument `phase_gap` gives them.
namespace {
struct PhaseGap {
  /// Distance between consecutive groups in stages; null if the argument is None.
  mlir::IntegerAttr gap;
  /// One lag for each group; null if the argument is not a tuple.
  mlir::DenseI32ArrayAttr lags;
};
} // namespace

/// Returns the lags of argument `phase_gap`, a tuple with one lag for each group.
static mlir::DenseI32ArrayAttr lagsAt(Emitter &e, const Arguments &args) {
  constexpr int kWarpsPerGroup = hk::HkDialect::kWarpsPerGroup, kMaxLag = 256;
  std::vector<int64_t> lags = args.intsAt(e, "phase_gap");
  auto raise = [&](const std::string &problem) {
    e.errorAt(
        args.where("phase_gap"), args.what("phase_gap") + " " + problem,
        {{}, "write one lag for each group, the number of stages that the group is behind group 0, as in (0, 1, 3)"});
  };
  if (int64_t groups = e.options.numWarps / kWarpsPerGroup; lags.empty() || int64_t(lags.size()) != groups)
    raise("has " + std::to_string(lags.size()) + (lags.size() == 1 ? " lag" : " lags") + ", but the " +
          std::to_string(e.options.numWarps) + " warps are " + std::to_string(groups) +
          (groups == 1 ? " group" : " groups") + " of four");
  if (lags.front() != 0)
    raise("must begin with 0, the lag of group 0, but begins with " + std::to_string(lags.front()));
  if (!llvm::is_sorted(lags))
    raise("must not decrease: of two groups, the first runs ahead");
  if (lags.back() == 0 || lags.back() > kMaxLag)
    raise("must end with a lag of 1 to 256, but ends with " + std::to_string(lags.back()));
  return e.builder.getDenseI32ArrayAttr(llvm::SmallVector<int32_t>(lags.begin(), lags.end()));
}

static PhaseGap phaseGapAt(Emitter &e, const Arguments &args) {
  if (args["phase_gap"].asSequence())
    return {e.builder.getI32IntegerAttr(1), lagsAt(e, args)};
  return {smallNumberAt(e, args, "phase_gap", 1, 2, "1 or 2, or a tuple with one lag for each group",
                        "it is the distance in stages between two consecutive groups of warps"),
          {}};
}

static Value warpPipelineStage(Emitter &e, Arguments &args) {
  std::string label = labelAt(e, args, "label");
  mlir::IntegerAttr priority = smallNumberAt(e, args, "priority", 0, 3, "0, 1, 2 or 3",
                                             "the warps of the stage with the highest priority go first");
  auto [phaseGap, lags] = phaseGapAt(e, args);
  if (!phaseGap && beginsPipeline(e))
    phaseGap = e.builder.getI32IntegerAttr(1);
  bool isExclusive = args.boolAt(e, "exclusive");
  if (isExclusive)
    requireFeature(e, args.where("exclusive"), "exclusive stages need", kNamedBarriers,
                   "leave it out: the groups then synchronize before every stage");
  auto begin = e.create<hk::StageBeginOp>(label, priority, phaseGap, isExclusive, /*in_loop=*/false);
  if (lags)
    hk::kGroupLagsAttr.setAttr(begin, lags);
  return Value::none();
}

std::span<const BuiltinEntry> pipelineBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"warp_pipeline_stage", warpPipelineStage, "(label=None, *, priority=None, phase_gap=None, exclusive=False)"}};
  return entries;
}

} // namespace hocket::frontend
