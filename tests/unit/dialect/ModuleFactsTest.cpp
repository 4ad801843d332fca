//===- ModuleFactsTest.cpp - Target and number of warps at any operation ----------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "DialectTest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace hocket::hk {
namespace {

/// scf.execute_region as a partition: two warps run its region.
struct TwoWarps : WarpPartition::ExternalModel<TwoWarps, scf::ExecuteRegionOp> {
  int getNumWarpsIn(Operation *, Region &) const { return 2; }
};

class ModuleFactsTest : public DialectTest {
protected:
  ModuleFactsTest() {
    context.loadDialect<func::FuncDialect>();
    scf::ExecuteRegionOp::attachInterface<TwoWarps>(context);
  }
  OwningOpRef<ModuleOp> parse(llvm::StringRef text) { return parseSourceString<ModuleOp>(text, &context); }

  static constexpr const char *kOfFour = R"(
    #four = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
    #two = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [2], order = [0]>
    module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950"} {
    func.func @f(%c: i1) attributes {hk.kernel} {
      %outside = arith.constant dense<1> : tensor<256xi32, #four>
      scf.if %c {
        scf.execute_region {
          scf.if %c {
            %inside = arith.constant dense<1> : tensor<128xi32, #LAYOUT>
          }
          scf.yield
        }
      }
      return
    }
    })";

  static std::string withLayout(const char *layout) {
    std::string text = kOfFour;
    return text.replace(text.find("#LAYOUT"), 7, layout);
  }
};

TEST_F(ModuleFactsTest, TheInnermostPartitionSaysHowManyWarps) {
  auto module = parse(withLayout("#two"));
  ASSERT_TRUE(module);
  std::vector<int> counts;
  module->walk([&](arith::ConstantOp op) { counts.push_back(numWarpsAt(op)); });
  EXPECT_EQ(counts, (std::vector{4, 2}));
  module->walk([&](scf::ExecuteRegionOp op) { EXPECT_EQ(numWarpsAt(op), 4); });
  EXPECT_EQ(numWarpsAt(*module), 4);
}

TEST_F(ModuleFactsTest, LayoutsInAPartitionHaveItsWarps) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_FALSE(parse(withLayout("#four")));
  EXPECT_NE(message.find("has 4 warps, but 2 run the operation"), std::string::npos) << message;
}

TEST_F(ModuleFactsTest, EveryOperationKnowsItsTarget) {
  auto module = parse(withLayout("#two"));
  ASSERT_TRUE(module);
  EXPECT_EQ(targetOf(*module).name, "gfx950");
  module->walk([](arith::ConstantOp op) { EXPECT_EQ(targetOf(op).warpSize, 64); });
}

TEST_F(ModuleFactsTest, WhatIsMissingIsAnError) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  EXPECT_TRUE(
      succeeded(requireFacts(*parse(R"(module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {})"))));
  EXPECT_TRUE(failed(requireFacts(*parse("module attributes {hk.num_warps = 4 : i32} {}"))));
  EXPECT_TRUE(failed(requireFacts(*parse(R"(module attributes {hk.target = "sm_90a"} {})"))));
}

} // namespace
} // namespace hocket::hk
