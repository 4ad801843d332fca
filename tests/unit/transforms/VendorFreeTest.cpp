//===- VendorFreeTest.cpp - Analyses and passes need no vendor's dialect ---------------===//
//
// This program is linked from the libraries of analysis and transforms, the `hk` dialect and the MLIR that these name,
// and nothing else (CMakeLists.txt): its existence is half of the test. The other half is that passes work: on `hk`
// alone here, on operations of an unrelated dialect in NewOperationsTest.cpp.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "transforms/Passes.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

static constexpr char kKernel[] = R"(
#layout = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @kernel(%p: tensor<128x!hk.ptr<f32>, #layout>, %zero: tensor<128xf32, #layout>, %n: i32)
    -> tensor<128xf32, #layout> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile = hk.local_alloc : () -> !hk.memdesc<128xf32, #shared>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128xf32, #layout>) : i32 {
    %v = hk.load %p : tensor<128x!hk.ptr<f32>, #layout> -> tensor<128xf32, #layout>
    hk.local_store %v, %tile : tensor<128xf32, #layout> -> !hk.memdesc<128xf32, #shared>
    %x = hk.local_load %tile : !hk.memdesc<128xf32, #shared> -> tensor<128xf32, #layout>
    %next = arith.addf %acc, %x : tensor<128xf32, #layout>
    scf.yield %next : tensor<128xf32, #layout>
  } {hk.num_stages = 2 : i32}
  return %sum : tensor<128xf32, #layout>
}
})";

TEST(VendorFree, PrefetchRunsWithTheNeutralDialectOnly) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<hk::HkDialect, func::FuncDialect, scf::SCFDialect, arith::ArithDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kKernel, &context);
  ASSERT_TRUE(module);
  PassManager manager(&context);
  manager.addPass(createPrefetch());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  int barriers = 0;
  module->walk([&](hk::SchedBarrierOp) { ++barriers; });
  EXPECT_EQ(barriers, 1);
}
