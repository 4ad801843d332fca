//===- ConvertHkToLlvm.cpp - From tiles to what one lane does ----------------------------===//
//
// Four steps, in this order:
//
//   1. Choose the width of every global access: AxisInfo reads structured loops, so it comes before they are gone.
//   2. scf -> cf: afterwards a loop-carried tensor is a block argument like any other.
//   3. Everything -> lane form, in one dialect conversion without rollback: each operation is replaced by one
//      operation per register, which are not visited again.
//   4. Erase what nobody uses: addresses and masks of registers that a vector access skipped.
//
// Cost: linear in registers x operations. Vector add (8 registers): below 1 ms.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_llvm/ConvertHkToLlvm.h"
#include "conversion/hk_to_llvm/LoweringContext.h"
#include "conversion/hk_to_llvm/Patterns.h"
#include "dialect/hk/HkDialect.h"
#include "dialect/hk/ModuleFacts.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace hocket {
namespace {

void chooseAccesses(LoweringContext &lowering) {
  for (auto function : lowering.module.getOps<func::FuncOp>()) {
    AxisInfoAnalysis analysis(function);
    function.walk([&](hk::GlobalAccess op) {
      hk::GlobalAddresses access = op.getGlobalAddresses();
      Type element = lowering.typeConverter.elementType(access.accessed);
      // Vectors of pointers are not moved: one at a time.
      if (!element || isa<LLVM::LLVMPointerType>(element))
        return;
      unsigned elementBits = element.getIntOrFloatBitWidth();
      AxisInfo addresses = analysis.get(access.addresses);
      if (access.base)
        addresses = addOffsets(analysis.get(access.base), addresses, cast<RankedTensorType>(access.addresses.getType()),
                               elementBits / 8);
      AxisInfo maskInfo = access.mask ? analysis.get(access.mask) : AxisInfo();
      lowering.accesses[op] =
          chooseAccess(addresses, access.mask ? &maskInfo : nullptr, elementBits, lowering.target.maxAccessBits);
    });
  }
}

LogicalResult convertLoopsToBranches(ModuleOp module) {
  bool hasLoops = module
                      .walk([](Operation *op) {
                        return isa<scf::SCFDialect>(op->getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (!hasLoops)
    return success();
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ExecuteRegionOp, scf::IndexSwitchOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Counts the errors that pass by, so that one mistake is reported once.
class ErrorCounter {
public:
  explicit ErrorCounter(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          count += diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return failure(); // not handled here
        }) {}
  unsigned count = 0;

private:
  ScopedDiagnosticHandler handler;
};

LogicalResult convertToLaneForm(LoweringContext &lowering) {
  MLIRContext *context = lowering.module.getContext();
  RewritePatternSet patterns(context);
  populateControlPatterns(lowering, patterns);
  populateElementwisePatterns(lowering, patterns);
  populateCastPatterns(lowering, patterns);
  populateMathPatterns(lowering, patterns);
  populateViewPatterns(lowering, patterns);
  populateGlobalMemoryPatterns(lowering, patterns);
  populateAtomicPatterns(lowering, patterns);
  populateConvertLayoutPatterns(lowering, patterns);
  populateReducePatterns(lowering, patterns);
  populateSharedMemoryPatterns(lowering, patterns);
  populateDotFmaPatterns(lowering, patterns);
  lowering.targetLowering.populatePatterns(lowering, patterns);

  ConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect, lane::LaneDialect>();

  // What has no lowering stays, and is reported below in our words rather than the driver's.
  ConversionConfig config;
  config.allowPatternRollback = false;
  config.foldingMode = DialectConversionFoldingMode::Never;
  config.buildMaterializations = false;
  ErrorCounter errors(context);
  if (failed(applyPartialConversion(lowering.module, target, std::move(patterns), config)))
    return failure();
  if (errors.count > 0)
    return failure();

  Operation *left = nullptr;
  lowering.module.walk([&](Operation *op) {
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

void eraseUnused(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    for (Block &block : llvm::reverse(function.getBody()))
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
}

class ConvertHkToLlvmPass : public PassWrapper<ConvertHkToLlvmPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertHkToLlvmPass)

  explicit ConvertHkToLlvmPass(TargetLoweringFactory factory) : factory(std::move(factory)) {}

  StringRef getArgument() const override { return "hocket-convert-hk-to-llvm"; }
  StringRef getDescription() const override { return "Lower tiles to what one lane does"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect, lane::LaneDialect, cf::ControlFlowDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(hk::requireFacts(module)) || failed(convertHkToLlvm(module, *factory(hk::targetOf(module)))))
      signalPassFailure();
  }

private:
  TargetLoweringFactory factory;
};

} // namespace

LogicalResult convertHkToLlvm(ModuleOp module, const TargetLowering &targetLowering) {
  LoweringContext lowering(module, targetLowering);
  chooseAccesses(lowering);
  if (failed(convertLoopsToBranches(module)) || failed(convertToLaneForm(lowering)))
    return failure();
  eraseUnused(module);
  return success();
}

std::unique_ptr<Pass> createConvertHkToLlvmPass(TargetLoweringFactory factory) {
  return std::make_unique<ConvertHkToLlvmPass>(std::move(factory));
}

} // namespace hocket
