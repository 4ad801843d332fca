//===- hocket-opt.cpp - Runs passes and pipelines of Hocket on IR text ------------===//
#include "conversion/Passes.h"
#include "conversion/lane_to_host/LaneToHost.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/prof/ProfDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "pipeline/Backend.h"
#include "pipeline/Pipeline.h"
#include "tools/Passes.h"
#include "tools/ReadIr.h"
#include "transforms/Passes.h"
#include "transforms/nvidia/Passes.h"
#include "transforms/prof/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

/// Runs hocket-opt as MLIR's MlirOptMain does, except that openIr reads the IR text.
static mlir::LogicalResult run(int argc, char **argv, mlir::DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  auto [input, outputFile] = mlir::registerAndParseCLIOptions(argc, argv, "Hocket optimizer driver", registry);
  std::unique_ptr<llvm::MemoryBuffer> text = hocket::openIr(input);
  if (!text)
    return mlir::failure();
  std::string problem;
  std::unique_ptr<llvm::ToolOutputFile> output = mlir::openOutputFile(outputFile, &problem);
  if (!output) {
    llvm::errs() << problem << "\n";
    return mlir::failure();
  }
  if (failed(
          mlir::MlirOptMain(output->os(), std::move(text), registry, mlir::MlirOptMainConfig::createFromCLOptions())))
    return mlir::failure();
  output->keep();
  return mlir::success();
}

int main(int argc, char **argv) {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  hocket::registerTransformPasses();
  hocket::registerNvidiaTransformPasses();
  hocket::registerProfTransformsPasses();
  hocket::registerConversionPasses(hocket::createTargetLowering, hocket::createClocks);
  hocket::registerLaneToHostPasses();
  hocket::registerPipelines();
  hocket::registerToolsPasses();

  mlir::DialectRegistry registry;
  registry.insert<hocket::hk::HkDialect, hocket::hk_amd::HkAmdDialect, hocket::hk_nv::HkNvDialect,
                  hocket::lane::LaneDialect, hocket::prof::ProfDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::ROCDL::ROCDLDialect, mlir::ub::UBDialect>();
  return mlir::asMainReturnCode(run(argc, argv, registry));
}
