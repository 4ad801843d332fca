//===- ModuleFacts.cpp - hk attributes on other dialects' operations ---------------------===//
//
// Verifies conditions C1 to C12 of the dialect's description (HkDialect.td), and implements the accessors.
//
//===-----------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/FactTable.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/Layouts.h"
#include "layout/LayoutWarps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace hocket::hk {

static std::optional<int64_t> getI32(Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer || !integer.getType().isSignlessInteger(32))
    return std::nullopt;
  return integer.getInt();
}

// Reading -------------------------------------------------------------------------------------------------------------

static const TargetInfo *getTarget(ModuleOp module) { return findTarget(kTargetAttr.get(module)); }

LogicalResult requireFacts(ModuleOp module) {
  if (getTarget(module) && kNumWarpsAttr.get(module))
    return success();
  return module.emitError() << "the module must have a target (" << kTargetAttr.getName() << ") and number of warps ("
                            << kNumWarpsAttr.getName() << ")";
}

static LogicalResult refuseUndecided(Location loc, Type type) {
  InFlightDiagnostic error = emitError(loc) << "cannot infer the layout of this tensor of shape ["
                                            << cast<RankedTensorType>(type).getShape() << "]";
  error.attachNote() << "hint: pass a layout where it is created, or to a tensor that it is combined with";
  return error;
}

LogicalResult requireDecidedLayouts(ModuleOp module) {
  llvm::SmallDenseMap<Type, bool> known;
  auto isRefused = [&](Type type) {
    auto [entry, isNew] = known.try_emplace(type, false);
    if (isNew) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      entry->second = tensor && isUndecided(tensor.getEncoding());
    }
    return entry->second;
  };
  // Operations are visited in source order, so that the error is at the first tensor with an undecided layout.
  WalkResult result = module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isRefused(type))
        return WalkResult(refuseUndecided(op->getLoc(), type));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (isRefused(argument.getType()))
          return WalkResult(refuseUndecided(argument.getLoc(), argument.getType()));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult requireFactsAndLayouts(ModuleOp module) {
  return failure(failed(requireFacts(module)) || failed(requireDecidedLayouts(module)));
}

static ModuleOp moduleOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

/// Reports that a module attribute is missing. A missing attribute is a bug in Hocket, not an error in the module.
[[noreturn]] static void reportUnasked() {
  llvm::report_fatal_error("the module has no target or number of warps; the pass should have checked this first, with "
                           "hk::requireFacts");
}

const TargetInfo &targetOf(Operation *op) {
  if (const TargetInfo *target = getTarget(moduleOf(op)))
    return *target;
  reportUnasked();
}

int numWarpsAt(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion())
    if (auto partition = dyn_cast<WarpPartition>(region->getParentOp()))
      return partition.getNumWarpsIn(*region);
  if (PartitionAttr partition = partitionOf(op))
    return partition.getNumWarps();
  if (std::optional<int64_t> numWarps = kNumWarpsAttr.get(moduleOf(op)))
    return static_cast<int>(*numWarps);
  reportUnasked();
}

int numCtasOf(Operation *op) {
  ModuleOp module = moduleOf(op);
  return module ? static_cast<int>(kNumCtasAttr.get(module).value_or(1)) : 1;
}

int blockWarpsOf(ModuleOp module) {
  return numWarpsAt(module) + static_cast<int>(kWorkerWarpsAttr.get(module).value_or(0));
}

PartitionAttr partitionOf(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? kPartitionAttr.getAttr(function) : PartitionAttr();
}

// Verification --------------------------------------------------------------------------------------------------------

static LogicalResult verifyTargetName(Operation *op, Attribute attr) {
  auto name = dyn_cast<StringAttr>(attr);
  if (name && findTarget(name.getValue()))
    return success();
  InFlightDiagnostic error = op->emitError() << kTargetAttr.getName() << " is " << attr << ", but must be one of ";
  llvm::interleaveComma(allTargets(), error,
                        [&](const TargetInfo &target) { error << '"' << StringRef(target.name) << '"'; });
  return error;
}

static LogicalResult verifyNumWarps(ModuleOp module, int64_t count) {
  const TargetInfo *target = getTarget(module);
  if (target && count > target->maxWarps())
    return module.emitError() << kNumWarpsAttr.getName() << " must be at most " << target->maxWarps() << " on "
                              << StringRef(target->name) << ", but is " << count;
  return success();
}

static LogicalResult verifyNumCtas(ModuleOp module, int64_t count) {
  const TargetInfo *target = getTarget(module);
  if (target && count > target->maxClusterBlocks)
    return module.emitError() << kNumCtasAttr.getName() << " must be at most " << target->maxClusterBlocks << " on "
                              << StringRef(target->name) << ", but is " << count;
  return success();
}

/// Verifies that every layout in `kernel` matches the warps that will run it.
static LogicalResult verifyLayoutSizes(Operation *kernel) {
  const TargetInfo &target = targetOf(kernel);
  llvm::SmallDenseSet<std::pair<Type, Region *>> seen;
  auto verifyType = [&](Operation *op, Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isa_and_nonnull<DistributedLayout>(tensor.getEncoding()) ||
        !seen.insert({tensor, op->getParentRegion()}).second)
      return success();
    LinearLayout layout = toLinearLayout(tensor);
    if (layout.getInDimSize(Dim::Lane) != target.warpSize)
      return op->emitError() << "layout " << tensor.getEncoding() << " has " << layout.getInDimSize(Dim::Lane)
                             << " lanes, but a warp of " << StringRef(target.name) << " has " << target.warpSize;
    if (int numWarps = numWarpsAt(op); layout.getInDimSize(Dim::Warp) != layoutWarps(numWarps))
      return op->emitError() << "layout " << tensor.getEncoding() << " has " << layout.getInDimSize(Dim::Warp)
                             << " warps, but " << numWarps << " run the operation";
    int numCtas = numCtasOf(op), blocks = layout.getInDimSize(Dim::Block);
    if (blocks != 1 && blocks != numCtas)
      return op->emitError() << "layout " << tensor.getEncoding() << " is for clusters of " << blocks
                             << " blocks, but they have " << numCtas;
    return success();
  };
  WalkResult result = kernel->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyKernel(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  if (!module)
    return op->emitError() << "a kernel must be in a module, which has its target and number of warps";
  if (failed(requireFacts(module)))
    return failure();
  return verifyLayoutSizes(op);
}

template <int64_t min, int64_t max = std::numeric_limits<int32_t>::max()>
static bool isBetween(Attribute attr) {
  std::optional<int64_t> value = getI32(attr);
  return value && *value >= min && *value <= max;
}

static bool isPowerOfTwo(Attribute attr) { return isBetween<1>(attr) && llvm::isPowerOf2_64(*getI32(attr)); }

/// Number of warps of a block that is not a power of two: three groups of a warp pipeline.
static constexpr int32_t kThreeGroups = 3 * HkDialect::kWarpsPerGroup;

static bool isNumWarps(Attribute attr) { return isPowerOfTwo(attr) || getI32(attr) == kThreeGroups; }

static bool areLags(Attribute attr) {
  auto lags = dyn_cast<DenseI32ArrayAttr>(attr);
  return lags && lags.size() >= 2 && lags[0] == 0 && llvm::is_sorted(lags.asArrayRef()) &&
         lags.asArrayRef().back() >= 1 && lags.asArrayRef().back() <= kMaxIterations;
}

/// True if `attr` is a hint of the user: one number for all dimensions, or one number for each dimension.
static bool isHint(Attribute attr) { return isa<IntegerAttr, DenseI32ArrayAttr, DenseI64ArrayAttr>(attr); }

static ArrayRef<DeclaredFact> declaredFacts() {
  using enum FactHolder;
  static const DeclaredFact all[] = {
      {kTargetAttr, Module},
      {kNumWarpsAttr, Module, "an i32 and a power of two or 12", isNumWarps},
      {kNumCtasAttr, Module, "an i32 and a power of two", isPowerOfTwo},
      {kFpFusionAttr, Module},
      {kMaxRegistersAttr, Module, "an i32 and positive", isBetween<1>},
      {kWavesPerEuAttr, Module, "an i32 and positive", isBetween<1>},
      {kSkipPassesAttr, Module},
      {kKeepWaitsAttr, Module},
      {kChecksSlotsAttr, Module},
      {kChecksIndicesAttr, Module},
      {kChecksBufferOffsetsAttr, Module},
      {kWritesMessagesAttr, Module},
      {kSharedBytesAttr, Module, "an i32 and not negative", isBetween<0>},
      {kSharedAlignmentAttr, Module, "an i32 and a power of two", isPowerOfTwo},
      {kBuffersAttr, Module, "an array of #hk.buffer"},
      {kWorkerWarpsAttr, Module, "an i32 and positive", isBetween<1>},
      {kWorkersAttr, Module, "an array of #hk.worker"},
      {kStoresToOtherCtasAttr, Module},
      {kSynchronizationAttr, Module, "an array of #hk.sync_site"},
      {kMessagesAttr, Module, "an array of #hk.message_site"},
      {kStageChoiceAttr, Module, "an i32 and positive", isBetween<1>},
      {kStageReportsAttr, Module, "an array of strings"},
      {kKernelAttr, Function},
      {kPartitionAttr, Function, "an #hk.partition"},
      {kNumStagesAttr, LoopOrModule, "an i32 from 1 to 256", isBetween<1, kMaxIterations>},
      {kUnrollAttr, Loop, "an i32 from 2 to 256", isBetween<2, kMaxIterations>},
      {kSeriesAttr, Loop},
      {kPipelinedAttr, Loop, "an i32 from 1 to 256", isBetween<1, kMaxIterations>},
      {kGroupLagsAttr, Any, "an array of i32 that begins with 0, does not decrease and ends with 1 to 256", areLags},
      {kLowGroupsAttr, Any, "an i32 from 1 to 3", isBetween<1, 3>},
      {kAroundStagesAttr, Loop},
      {kAutoStagesAttr, LoopOrModule},
      {kRoundNearestAttr, Any},
      {kDivisibilityAttr, Any, "an i32 or one for each dimension", isHint},
      {kContiguityAttr, Any, "an i32 or one for each dimension", isHint},
      {kConstancyAttr, Any, "an i32 or one for each dimension", isHint},
      {kOrderedAttr, Any},
      {kAccessAttr, Any, "an #hk.access"},
  };
  static_assert(kMaxIterations == 256, "the texts above have this number");
  return all;
}

LogicalResult HkDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (failed(verifyFact(op, attr, declaredFacts())))
    return failure();
  StringRef name = attr.getName();
  if (name == hk::kTargetAttr.getName())
    return verifyTargetName(op, attr.getValue());
  if (name == hk::kNumWarpsAttr.getName())
    return verifyNumWarps(cast<ModuleOp>(op), *getI32(attr.getValue()));
  if (name == hk::kNumCtasAttr.getName())
    return verifyNumCtas(cast<ModuleOp>(op), *getI32(attr.getValue()));
  return name == hk::kKernelAttr.getName() ? verifyKernel(op) : success();
}

static LogicalResult verifyImplicit(Operation *op, unsigned argIndex, Attribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || !isa<ImplicitAttr>(attr) || function.getArgument(argIndex).getType().isIntOrIndexOrFloat())
    return op->emitError() << kImplicitAttr.getName() << " of argument " << argIndex
                           << " must be an #hk.implicit on a pointer of a function, but is " << attr;
  for (unsigned i = argIndex + 1; i < function.getNumArguments(); ++i)
    if (!kImplicitAttr.getAttrOfArgument(function, i))
      return op->emitError() << "argument " << i << " must come before the implicit argument " << argIndex;
  return success();
}

LogicalResult HkDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex, NamedAttribute attr) {
  if (attr.getName() == hk::kImplicitAttr.getName())
    return verifyImplicit(op, argIndex, attr.getValue());
  if (attr.getName() != hk::kDivisibilityAttr.getName())
    return success();
  std::optional<int64_t> divisor = getI32(attr.getValue());
  if (!divisor || *divisor < 1 || !llvm::isPowerOf2_64(*divisor))
    return op->emitError() << hk::kDivisibilityAttr.getName() << " of argument " << argIndex
                           << " must be an i32 and a power of two, but is " << attr.getValue();
  return success();
}

} // namespace hocket::hk
