//===- WarpPipelineSpacesTest.cpp - Stages access only memories that their barriers order -------===//
#include "RandomKernel.h"
#include "ToyDialect.h"
#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

TEST(WarpPipelineSpaces, StagesCannotAccessASpaceThatTheirBarriersDoNotOrder) {
  std::unique_ptr<MLIRContext> context = makeTileContext();
  context->loadDialect<toy::ToyDialect>();
  std::string messages;
  ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) { messages += diagnostic.str(); });
  OwningOpRef<ModuleOp> module = compile(*context, R"(
    #row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
    #shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
    !tile = tensor<512xf32, #row>
    !bank = !hk.memdesc<512xf32, #shared in #toy.bank>
    module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
    func.func @kernel(%n: i32, %m: i32, %s: i32, %x: !tile) {
      %a = hk.local_alloc : () -> !bank
      scf.for %k = %n to %m step %s : i32 {
        hk.stage "put" {
          toy.put %x, %a : !tile -> !bank
        }
        hk.stage "get" {
          %y = toy.get %a : !bank -> !tile
        }
      } {hk.pipelined = 1 : i32}
      return
    } }
  )",
                                         "hocket-allocate-memory,hocket-warp-pipeline-lowering");
  EXPECT_FALSE(module);
  EXPECT_EQ(messages,
            "the stages of a warp pipeline cannot access bank memory: barriers between stages do not order its "
            "accesses");
}
