//===- TestKernel.cpp - Kernels written as lane form, for tests -----------------------------===//
#include "TestKernel.h"

#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "pipeline/CompileForHost.h"

#include <gtest/gtest.h>
#include <regex>

namespace hocket {

std::string TestKernel::text() const {
  bool isAmd = target.starts_with("gfx");
  return "module attributes {hk.target = \"" + target + "\", hk.num_warps = " + std::to_string(numWarps) +
         " : i32, hk.shared_bytes = " + std::to_string(sharedBytes) + " : i32" +
         (buffers.empty() ? "" : ", hk.buffers = " + buffers) + "} {\n" + globals +
         "llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<" +
         std::to_string(isAmd ? sharedBytes : 0) + " x i8>\n" + "llvm.func @kernel(" + parameters + ") attributes {" +
         (isAmd ? "rocdl" : "nvvm") + ".kernel} {\n" + body + "\nllvm.return\n}\n}\n";
}

static llvm::Expected<std::unique_ptr<EmulatedKernel>> create(const TestKernel &kernel) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::ROCDL::ROCDLDialect, hk::HkDialect,
                  lane::LaneDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kernel.text(), &context, "kernel.mlir");
  if (!module)
    return llvm::createStringError("does not parse:\n" + kernel.text());
  return compileForHost(*module);
}

std::unique_ptr<EmulatedKernel> compile(const TestKernel &kernel) {
  auto created = create(kernel);
  if (created)
    return std::move(*created);
  ADD_FAILURE() << llvm::toString(created.takeError());
  std::abort();
}

std::string compileError(const TestKernel &kernel) {
  auto created = create(kernel);
  return created ? "ok" : llvm::toString(created.takeError());
}

std::string textOf(const LaunchResult &result) {
  if (!result.failure)
    return "ok";
  return std::regex_replace(result.failure->diagnostic.render(), std::regex("0x[0-9a-f]+"), "ADDRESS");
}

} // namespace hocket
