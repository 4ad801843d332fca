//===- NewOperationsFixture.h - Passes on kernels with operations of the toy dialect ------===//
#ifndef HOCKET_TESTS_UNIT_TRANSFORMS_NEWOPERATIONSFIXTURE_H
#define HOCKET_TESTS_UNIT_TRANSFORMS_NEWOPERATIONSFIXTURE_H

#include "ToyDialect.h"
#include "dialect/hk/facts/Scratch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "transforms/Passes.h"

#include <gtest/gtest.h>

namespace hocket {

class NewOperations : public ::testing::Test {
protected:
  NewOperations() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<hk::HkDialect, toy::ToyDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect,
                        mlir::arith::ArithDialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      for (mlir::Diagnostic &note : diagnostic.getNotes())
        if (std::string text = note.str(); text.starts_with("hint:"))
          hints += text + "\n";
    });
  }

  /// Runs `passes` on a kernel with this body. Sets `succeeds`.
  void tryRun(const std::string &body, std::vector<std::unique_ptr<mlir::Pass>> passes) {
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      #row = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
      #four = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
      #shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
      !tile = tensor<512xf32, #row>
      !smem = !hk.memdesc<512xf32, #shared>
      !ptr = !hk.ptr<f32>
      !bank = !hk.memdesc<512xf32, #shared in #toy.bank>
      !flag = !hk.memdesc<1xi64, #shared>
      module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
      func.func @kernel(%p: !ptr, %x: !tile, %n: i32) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
    )" + body + " return } }",
                                                     &context);
    ASSERT_TRUE(module) << messages;
    mlir::PassManager manager(&context);
    for (std::unique_ptr<mlir::Pass> &pass : passes)
      manager.addPass(std::move(pass));
    succeeds = mlir::succeeded(manager.run(*module));
  }

  void run(const std::string &body, std::vector<std::unique_ptr<mlir::Pass>> passes) {
    tryRun(body, std::move(passes));
    ASSERT_TRUE(succeeds) << messages;
  }

  void runPlaced(const std::string &body) {
    std::vector<std::unique_ptr<mlir::Pass>> passes;
    passes.push_back(createAllocateMemory());
    passes.push_back(createInsertBarriers());
    run(body, std::move(passes));
  }

  void allocate(const std::string &body) {
    std::vector<std::unique_ptr<mlir::Pass>> passes;
    passes.push_back(createAllocateMemory());
    run(body, std::move(passes));
  }

  void prefetch(const std::string &body) {
    std::vector<std::unique_ptr<mlir::Pass>> passes;
    passes.push_back(createPrefetch());
    run(body, std::move(passes));
  }

  /// Returns the message and hint of the pass that checks waits, which rejects a kernel with this body.
  std::string waitErrors(const std::string &body) {
    std::vector<std::unique_ptr<mlir::Pass>> passes;
    passes.push_back(createMinimizeWaits());
    tryRun(body, std::move(passes));
    EXPECT_FALSE(succeeds);
    return messages + hints;
  }

  /// Returns the names of the operations of `block`, without constants.
  static std::string namesOf(mlir::Block &block) {
    std::string names;
    for (mlir::Operation &op : block)
      if (!op.hasTrait<mlir::OpTrait::ConstantLike>() && !op.hasTrait<mlir::OpTrait::IsTerminator>())
        names += (names.empty() ? "" : " ") + op.getName().stripDialect().str();
    return names;
  }
  std::string names() { return namesOf((*module->getOps<mlir::func::FuncOp>().begin()).getBody().front()); }

  /// Returns the offsets of buffers and scratch memory, in program order.
  std::vector<int64_t> offsets() {
    std::vector<int64_t> found;
    module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (std::optional<int64_t> offset = hk::offsetOf(op))
        found.push_back(*offset);
    });
    return found;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string messages, hints;
  bool succeeds = false;
};

} // namespace hocket

#endif
