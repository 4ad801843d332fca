//===- ConvertHkToLane.cpp - Lowers operations on tiles to operations of one lane --------===//
//
// The pass lowers hk to lane form in one dialect conversion without rollback. Patterns replace an operation by one
// operation for each register. New operations are not visited again. The steps before and after the conversion are
// separate passes (Passes.td).
//
// Cost: proportional to the number of registers times the number of operations.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/hk_to_lane/passes/AssertSlots.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/passes/ShortenBlocks.h"
#include "conversion/hk_to_lane/passes/UnusedCopies.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CONVERTHKTOLANE
#include "conversion/hk_to_lane/passes/ConvertHkToLane.h.inc"

namespace {

/// Counts the emitted errors, so that the pass does not report a further error for the same mistake.
class ErrorCounter {
public:
  explicit ErrorCounter(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          count += diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return failure(); // pass the diagnostic on to the next handler
        }) {}
  unsigned count = 0;

private:
  ScopedDiagnosticHandler handler;
};

/// Checks that the type of `argument` can be converted. Checks that an argument of the kernel becomes a single value.
LogicalResult checkArgument(const TypeConverter &converter, BlockArgument argument, bool isOfKernel) {
  SmallVector<Type> parts;
  if (failed(converter.convertType(argument.getType(), parts)))
    return emitError(argument.getLoc()) << (isOfKernel ? "the kernel" : "a block") << " has an argument of type "
                                        << argument.getType() << ", which has no lowering";
  if (isOfKernel && parts.size() != 1)
    return emitError(argument.getLoc()) << "kernel arguments must be scalars or pointers, not " << argument.getType();
  return success();
}

bool isWorker(func::FuncOp function) {
  hk::PartitionAttr partition = hk::partitionOf(function);
  return partition && partition.getFirstWarp() > 0;
}

/// Checks the assumptions of the patterns, because a conversion without rollback cannot fail safely: each operation is
/// in a kernel, and the types of block arguments are convertible.
LogicalResult checkKernels(LoweringContext &lowering, const ConversionTarget &target) {
  WalkResult result = lowering.module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (isa<ModuleOp>(op))
      return WalkResult::advance();
    if (isa<LLVM::LLVMFuncOp>(op))
      return WalkResult::skip();
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) {
      if (target.isLegal(op))
        return WalkResult::skip();
      return op->emitError() << "'" << op->getName() << "' is not in a kernel";
    }
    if (function.isExternal() || function.getNumResults() != 0)
      return emitError(op->getLoc()) << "a kernel must have a body and return nothing";
    for (Block &block : function.getBody())
      for (BlockArgument argument : block.getArguments())
        if (failed(checkArgument(lowering.typeConverter, argument, block.isEntryBlock() && !isWorker(function))))
          return WalkResult::interrupt();
    return WalkResult::skip();
  });
  return failure(result.wasInterrupted());
}

/// Checks that no structured control flow (scf) is left, e.g. in the body of a reduction. A pattern copies such a body.
/// For a copied operation without a lowering, the conversion driver would report a bug in the pattern and abort the
/// process.
LogicalResult requireBranches(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
    if (!isa_and_nonnull<scf::SCFDialect>(op->getDialect()))
      return WalkResult::advance();
    return emitError(op->getLoc()) << "'" << op->getName()
                                   << "' must have become branches before this: hocket-convert-loops-to-branches";
  });
  return failure(result.wasInterrupted());
}

/// Converts one function. Patterns use the number of warps that run the function, which can differ between the
/// partitions of a kernel.
LogicalResult convertFunction(func::FuncOp function, const TargetLowering &targetLowering,
                              const ConversionTarget &target) {
  LoweringContext lowering(function, targetLowering);
  markUnusedCopies(lowering, function);
  RewritePatternSet patterns(function.getContext());
  populateControlPatterns(lowering, patterns);
  populatePipelineBarrierPatterns(lowering, patterns);
  populatePartitionPatterns(lowering, patterns);
  populatePrintPatterns(lowering, patterns);
  populateElementwisePatterns(lowering, patterns);
  populateCastPatterns(lowering, patterns);
  populateMathPatterns(lowering, patterns);
  populateViewPatterns(lowering, patterns);
  populateGlobalMemoryPatterns(lowering, patterns);
  populateAtomicPatterns(lowering, patterns);
  populateConvertLayoutPatterns(lowering, patterns);
  populateReducePatterns(lowering, patterns);
  populateScanPatterns(lowering, patterns);
  populateGatherPatterns(lowering, patterns);
  populateHistogramPatterns(lowering, patterns);
  populatePerElementPatterns(lowering, patterns);
  populateSharedMemoryPatterns(lowering, patterns);
  populateSelectedElementPatterns(lowering, patterns);
  populateAsyncGroupPatterns(lowering, patterns);
  populateDotFmaPatterns(lowering, patterns);
  lowering.targetLowering.populatePatterns(lowering, patterns);

  // The conversion driver compares the positions of the values that replace an operation, which takes time proportional
  // to the length of the basic block. Therefore, long basic blocks are split before the conversion.
  shortenBlocks(function.getBody());

  // Operations without a lowering are left unchanged, and are reported after the conversion, with a better message than
  // the driver's.
  ConversionConfig config;
  config.allowPatternRollback = false;
  config.foldingMode = DialectConversionFoldingMode::Never;
  config.buildMaterializations = false;
  return applyPartialConversion(function, target, std::move(patterns), config);
}

LogicalResult convertToLaneForm(ModuleOp module, const TargetLowering &targetLowering) {
  LoweringContext lowering(module, targetLowering);
  ConversionTarget target(*module.getContext());
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect, lane::LaneDialect>();
  target.markUnknownOpDynamicallyLegal(
      [](Operation *op) { return isa<hk::KeptInLaneForm>(op) ? std::optional(true) : std::nullopt; });
  target.addDynamicallyLegalOp<lane::StartWorkersOp>(
      [&](lane::StartWorkersOp op) { return lowering.typeConverter.isLegal(op->getOperandTypes()); });
  if (failed(checkKernels(lowering, target)))
    return failure();

  // The global variable for shared memory must exist before partitions are joined, because workers can read commands
  // from shared memory even if they capture no values.
  module.walk([&](lane::StartWorkersOp start) {
    OpBuilder builder(start);
    lowering.sharedAddress(builder, start.getLoc(), 0);
  });

  ErrorCounter errors(module.getContext());
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (failed(convertFunction(function, targetLowering, target)))
      return failure();
  if (errors.count > 0)
    return failure();

  Operation *left = nullptr;
  module.walk([&](Operation *op) {
    if (target.isLegal(op) || isa<UnrealizedConversionCastOp>(op))
      return WalkResult::advance();
    left = op;
    return WalkResult::interrupt();
  });
  if (left)
    return emitError(left->getLoc()) << "'" << left->getName() << "' is not supported for target "
                                     << lowering.target.name;
  return success();
}

class ConvertHkToLane : public impl::ConvertHkToLaneBase<ConvertHkToLane> {
public:
  explicit ConvertHkToLane(TargetLoweringFactory factory) : factory(std::move(factory)) {}

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(hk::requireFactsAndLayouts(module)) || failed(requireBranches(module)))
      return signalPassFailure();
    std::unique_ptr<TargetLowering> targetLowering = factory(hk::targetOf(module));
    if (hk::kChecksSlotsAttr.isOn(module))
      assertSlots(module, *targetLowering);
    if (failed(convertHkToLane(module, *targetLowering)))
      signalPassFailure();
  }

private:
  TargetLoweringFactory factory;
};

} // namespace

LogicalResult convertHkToLane(ModuleOp module, const TargetLowering &targetLowering) {
  return convertToLaneForm(module, targetLowering);
}

std::unique_ptr<Pass> createConvertHkToLanePass(TargetLoweringFactory factory) {
  return std::make_unique<ConvertHkToLane>(std::move(factory));
}

} // namespace hocket
