//===- WarpPipelineFixture.h - The stages of a warp pipeline, from their text ----------===//
#ifndef HOCKET_TESTS_UNIT_ANALYSIS_WARPPIPELINEFIXTURE_H
#define HOCKET_TESTS_UNIT_ANALYSIS_WARPPIPELINEFIXTURE_H

#include "ToyDialect.h"
#include "analysis/warp_pipeline/StageHazards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace hocket {

/// A kernel of 8 warps with the buffers %ring (two slots) and %tile. Asynchronous copies are those of the toy dialect.
class WarpPipelineFixture : public ::testing::Test {
protected:
  WarpPipelineFixture() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect, hk::HkDialect,
                        toy::ToyDialect>();
  }

  /// A loop over %i, whose slots %now and %next are i % 2 and (i + 1) % 2.
  void parseLoop(const std::string &body, int lag = 1) {
    parse(R"(
      scf.for %i = %c0 to %n step %c1 : i32 {
        %k = arith.addi %i, %c1 : i32
        %now = arith.remsi %i, %c2 : i32
        %next = arith.remsi %k, %c2 : i32
    )" + body +
          "} {hk.pipelined = " + std::to_string(lag) + " : i32}");
  }

  /// In layout #row, each warp holds consecutive elements. In #lanes, each warp holds the same elements as in #row, but
  /// in other lanes. In #group, the elements are interleaved among the warps of each group; in #turn, among all warps.
  void parse(const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      #row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
      #turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
      #group = #hk.linear<reg = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2], [256]], block = [], shape = [512]>
      #lanes = #hk.linear<reg = [], lane = [[32], [16], [8], [4], [2], [1]], warp = [[64], [128], [256]], block = [], shape = [512]>
      #shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
      !row = tensor<512xf32, #row>
      !turn = tensor<512xf32, #turn>
      !group = tensor<512xf32, #group>
      !lanes = tensor<512xf32, #lanes>
      !smem = !hk.memdesc<512xf32, #shared>
      !ring = !hk.memdesc<2x512xf32, #shared>
      !ptr = !hk.ptr<f32>
      !numbers = tensor<512xi32, #row>
      !ptrs = tensor<512x!hk.ptr<f32>, #row>
      !turned = tensor<512x!hk.ptr<f32>, #turn>
      module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
      func.func @kernel(%p: !ptr, %n: i32, %x: !row, %is: i1, %q: !ptr, %m: i32) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %ring = hk.local_alloc offset = 0 : () -> !ring
        %tile = hk.local_alloc offset = 4096 : () -> !smem
    )" + body + " return } }",
                                                     &context);
    ASSERT_TRUE(module);
    mlir::Operation *function = *module->getOps<mlir::func::FuncOp>().begin();
    auto found = findWarpPipelines(function);
    ASSERT_TRUE(succeeded(found) && found->size() == 1);
    pipeline = found->front();
    aliases.emplace(function);
    stages.emplace(pipeline, *aliases);
  }

  /// Returns the first access by an operation of this name.
  const StageAccess &access(llvm::StringRef name) {
    for (const std::unique_ptr<StageAccess> &one : stages->getAccesses())
      if (one->op->getName().getStringRef() == name)
        return *one;
    llvm::report_fatal_error("no such access");
  }

  /// Returns the hazard between the first accesses by operations of these names; null if there is none.
  const AccessHazard *hazard(llvm::StringRef earlier, llvm::StringRef later) {
    for (const AccessHazard &one : stages->getHazards())
      if (one.earlier == &access(earlier) && one.later == &access(later))
        return &one;
    return nullptr;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  WarpPipeline pipeline;
  std::optional<MemoryAliases> aliases;
  std::optional<StageHazards> stages;
};

} // namespace hocket

#endif
