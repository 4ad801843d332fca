//===- ModuleFacts.cpp - hk attributes on other dialects' operations ---------------------===//
//
// Verification of C1 to C11 of the dialect's description, and accessors.
//
//===-----------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/Layouts.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace hocket::hk {

/// Maximum offset. The maximum exceeds the shared memory of a block on any GPU, and is small enough that address
/// computations do not overflow.
static constexpr int64_t kMaxOffset = 1 << 20;

static std::optional<int64_t> getI32(Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer || !integer.getType().isSignlessInteger(32))
    return std::nullopt;
  return integer.getInt();
}

// Reading -------------------------------------------------------------------------------------------------------------

static const TargetInfo *getTarget(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(HkDialect::kTargetAttr);
  return name ? findTarget(name.getValue()) : nullptr;
}

LogicalResult requireFacts(ModuleOp module) {
  if (getTarget(module) && module->getAttrOfType<IntegerAttr>(HkDialect::kNumWarpsAttr))
    return success();
  return module.emitError() << "the module must have a target (" << HkDialect::kTargetAttr << ") and number of warps ("
                            << HkDialect::kNumWarpsAttr << ")";
}

static LogicalResult refuseUndecided(Location loc, Type type) {
  InFlightDiagnostic error = emitError(loc) << "the layout of this tensor, of shape ["
                                            << cast<RankedTensorType>(type).getShape() << "], is not decided";
  error.attachNote() << "hint: name its layout where it is created, or the layout of a tensor that it is combined with";
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
  if (auto numWarps = moduleOf(op)->getAttrOfType<IntegerAttr>(HkDialect::kNumWarpsAttr))
    return static_cast<int>(numWarps.getInt());
  reportUnasked();
}

int numCtasOf(Operation *op) {
  ModuleOp module = moduleOf(op);
  auto numCtas = module ? module->getAttrOfType<IntegerAttr>(HkDialect::kNumCtasAttr) : IntegerAttr();
  return numCtas ? static_cast<int>(numCtas.getInt()) : 1;
}

int blockWarpsOf(ModuleOp module) {
  auto workers = module->getAttrOfType<IntegerAttr>(HkDialect::kWorkerWarpsAttr);
  return numWarpsAt(module) + (workers ? static_cast<int>(workers.getInt()) : 0);
}

PartitionAttr partitionOf(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function->getAttrOfType<PartitionAttr>(HkDialect::kPartitionAttr) : PartitionAttr();
}

// Verification --------------------------------------------------------------------------------------------------------

static LogicalResult verifyTargetName(Operation *op, Attribute attr) {
  auto name = dyn_cast<StringAttr>(attr);
  if (name && findTarget(name.getValue()))
    return success();
  InFlightDiagnostic error = op->emitError() << HkDialect::kTargetAttr << " is " << attr << ", but must be one of ";
  llvm::interleaveComma(allTargets(), error,
                        [&](const TargetInfo &target) { error << '"' << StringRef(target.name) << '"'; });
  return error;
}

static LogicalResult verifyNumWarps(ModuleOp module, Attribute attr) {
  std::optional<int64_t> count = getI32(attr);
  if (!count || *count < 1 || !llvm::isPowerOf2_64(*count))
    return module.emitError() << HkDialect::kNumWarpsAttr << " must be an i32 and a power of two, but is " << attr;
  const TargetInfo *target = getTarget(module);
  if (target && *count > target->maxWarps())
    return module.emitError() << HkDialect::kNumWarpsAttr << " must be at most " << target->maxWarps() << " on "
                              << StringRef(target->name) << ", but is " << *count;
  return success();
}

static LogicalResult verifyNumCtas(ModuleOp module, Attribute attr) {
  std::optional<int64_t> count = getI32(attr);
  if (!count || *count < 1 || !llvm::isPowerOf2_64(*count))
    return module.emitError() << HkDialect::kNumCtasAttr << " must be an i32 and a power of two, but is " << attr;
  const TargetInfo *target = getTarget(module);
  if (target && *count > target->maxClusterBlocks)
    return module.emitError() << HkDialect::kNumCtasAttr << " must be at most " << target->maxClusterBlocks << " on "
                              << StringRef(target->name) << ", but is " << *count;
  return success();
}

static LogicalResult verifyLimit(Operation *op, NamedAttribute attr) {
  std::optional<int64_t> limit = getI32(attr.getValue());
  if (!limit || *limit < 1)
    return op->emitError() << attr.getName().getValue() << " must be an i32 and positive, but is " << attr.getValue();
  return success();
}

static LogicalResult verifyIterations(Operation *op, NamedAttribute attr, int64_t fewest) {
  std::optional<int64_t> count = getI32(attr.getValue());
  if (!count || *count < fewest || *count > kMaxIterations)
    return op->emitError() << attr.getName().getValue() << " must be an i32 from " << fewest << " to " << kMaxIterations
                           << ", but is " << attr.getValue();
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
    if (int numWarps = numWarpsAt(op); layout.getInDimSize(Dim::Warp) != numWarps)
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

static LogicalResult verifyKernel(Operation *op, Attribute mark) {
  if (!isa<FunctionOpInterface>(op) || !isa<UnitAttr>(mark))
    return op->emitError() << HkDialect::kKernelAttr << " is a unit attribute of functions";
  auto module = op->getParentOfType<ModuleOp>();
  if (!module)
    return op->emitError() << "a kernel must be in a module, which has its target and number of warps";
  if (failed(requireFacts(module)))
    return failure();
  return verifyLayoutSizes(op);
}

LogicalResult HkDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == kOffsetAttr || name == kSharedBytesAttr) {
    std::optional<int64_t> bytes = getI32(attr.getValue());
    if (!bytes || *bytes < 0)
      return op->emitError() << name << " must be an i32 and not negative, but is " << attr.getValue();
    if (name == kOffsetAttr && *bytes >= kMaxOffset)
      return op->emitError() << name << " must be below " << kMaxOffset << ", but is " << *bytes;
  }
  if (name == kNumStagesAttr)
    return verifyIterations(op, attr, 1);
  if (name == kUnrollAttr || name == kPipelinedAttr) {
    if (!isa<scf::ForOp>(op))
      return op->emitError() << name << " belongs on an scf.for";
    return verifyIterations(op, attr, name == kUnrollAttr ? 2 : 1);
  }
  if (name == kSharedAlignmentAttr)
    if (std::optional<int64_t> bytes = getI32(attr.getValue()); !bytes || *bytes < 1 || !llvm::isPowerOf2_64(*bytes))
      return op->emitError() << name << " must be an i32 and a power of two, but is " << attr.getValue();
  bool isLimit = name == kMaxRegistersAttr || name == kWavesPerEuAttr || name == kWorkerWarpsAttr;
  if (name == kTargetAttr || name == kNumWarpsAttr || name == kNumCtasAttr || name == kSharedBytesAttr ||
      name == kSharedAlignmentAttr || name == kFpFusionAttr || isLimit) {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      return op->emitError() << name << " belongs on the module";
    if (name == kTargetAttr)
      return verifyTargetName(op, attr.getValue());
    if (name == kNumWarpsAttr)
      return verifyNumWarps(module, attr.getValue());
    if (name == kNumCtasAttr)
      return verifyNumCtas(module, attr.getValue());
    if (name == kFpFusionAttr && !isa<BoolAttr>(attr.getValue()))
      return op->emitError() << name << " must be true or false, but is " << attr.getValue();
    if (isLimit)
      return verifyLimit(op, attr);
  }
  if (name == kPartitionAttr && !(isa<FunctionOpInterface>(op) && isa<PartitionAttr>(attr.getValue())))
    return op->emitError() << name << " must be an #hk.partition on a function, but is " << attr.getValue();
  if (name == kKernelAttr)
    return verifyKernel(op, attr.getValue());
  return success();
}

static LogicalResult verifyImplicit(Operation *op, unsigned argIndex, Attribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || !isa<ImplicitAttr>(attr) || function.getArgument(argIndex).getType().isIntOrIndexOrFloat())
    return op->emitError() << HkDialect::kImplicitAttr << " of argument " << argIndex
                           << " must be an #hk.implicit on a pointer of a function, but is " << attr;
  for (unsigned i = argIndex + 1; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, HkDialect::kImplicitAttr))
      return op->emitError() << "argument " << i << " must come before the implicit argument " << argIndex;
  return success();
}

LogicalResult HkDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex, NamedAttribute attr) {
  if (attr.getName() == kImplicitAttr)
    return verifyImplicit(op, argIndex, attr.getValue());
  if (attr.getName() != kDivisibilityAttr)
    return success();
  std::optional<int64_t> divisor = getI32(attr.getValue());
  if (!divisor || *divisor < 1 || !llvm::isPowerOf2_64(*divisor))
    return op->emitError() << kDivisibilityAttr << " of argument " << argIndex
                           << " must be an i32 and a power of two, but is " << attr.getValue();
  return success();
}

} // namespace hocket::hk
