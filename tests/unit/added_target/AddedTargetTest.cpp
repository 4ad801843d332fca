//===- AddedTargetTest.cpp - A target needs a row of the table and no code ---------------------===//
//
// The example of docs/adding_a_target.md: sm_89, an Ada GPU. It has the features of Ampere with other sizes, and also
// mma.sync of 8-bit floats.
//
//===------------------------------------------------------------------------------===//
#include "target/TargetInfo.h"

// Makes the rows of the shipped table available under another name.
#define allTargets shippedTargets
#include "target/Targets.cpp"
#undef allTargets

#include "mlir/Parser/Parser.h"
#include "pipeline/Compile.h"
#include "target/Features.h"
#include "target/MmaInstructions.h"
#include "target/Occupancy.h"

#include <gtest/gtest.h>

namespace hocket {

static constexpr std::string_view kAdaGpus[] = {"l40s", "ada"};

static TargetInfo adaRow() {
  TargetInfo row = shippedTargets().front();
  row.name = "sm_89";
  row.family = "Ada";
  row.gpus = kAdaGpus;
  row.maxSharedBytes = 99 * 1024;
  row.unit.warpsPerSimd = 12;
  row.unit.blocks = 24;
  row.unit.sharedBytes = 100 * 1024;
  row.hasMmaFloat8 = true;
  row.computeCapability = 89;
  return row;
}

/// The table of this program.
std::span<const TargetInfo> allTargets() {
  static const std::vector<TargetInfo> rows = [] {
    std::vector<TargetInfo> rows(shippedTargets().begin(), shippedTargets().end());
    rows.insert(rows.begin() + 1, adaRow());
    return rows;
  }();
  return rows;
}

} // namespace hocket

using namespace hocket;

namespace {

const TargetInfo &ada() { return *findTarget("sm_89"); }

/// Returns the PTX of a kernel that multiplies 8-bit floats through shared memory, or the error.
std::string compile(const std::string &target) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    #mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [4, 1], instr_shape = [16, 8]>
    #a = #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 4>
    #b = #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 4>
    #shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
    !a = tensor<64x32xf8E4M3FN, #a>
    !b = tensor<32x8xf8E4M3FN, #b>
    !c = tensor<64x8xf32, #mma>
    module attributes {hk.target = ")" + target + R"(", hk.num_warps = 4 : i32} {
    func.func public @product(%x: f8E4M3FN, %out: !hk.ptr<f32>) attributes {hk.kernel} {
      %a = hk.splat %x : f8E4M3FN -> !a
      %smem = hk.local_alloc %a : (!a) -> !hk.memdesc<64x32xf8E4M3FN, #shared>
      %read = hk.local_load %smem : !hk.memdesc<64x32xf8E4M3FN, #shared> -> !a
      %b = hk.splat %x : f8E4M3FN -> !b
      %zero = arith.constant 0.0 : f32
      %acc = hk.splat %zero : f32 -> !c
      %d = hk_nv.mma %read, %b, %acc : !a, !b -> !c
      %p = hk.splat %out : !hk.ptr<f32> -> tensor<64x8x!hk.ptr<f32>, #mma>
      hk.store %p, %d : tensor<64x8x!hk.ptr<f32>, #mma>, !c
      return
    } }
  )",
                                                        context.get());
  if (!module)
    return "no module";
  try {
    return compileForGpu(*module, {Artifact::Ptx}).texts.at(Artifact::Ptx);
  } catch (const std::exception &error) {
    return error.what();
  }
}

} // namespace

TEST(AddedTarget, KernelsAreCompiledForIt) {
  std::string ptx = compile("sm_89");
  EXPECT_NE(ptx.find(".version 8.4"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find(".target sm_89"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("ldmatrix"), std::string::npos) << ptx;
}

TEST(AddedTarget, OthersStillLackItsFeatures) {
  EXPECT_EQ(compile("sm_80").find("mma.sync"), std::string::npos);
  EXPECT_EQ(kMmaFloat8.describe(), "mma.sync of 8-bit floats, which Ada (sm_89) and Hopper (sm_90a) have");
  EXPECT_EQ(kNamedBarriers.targets(), "Ampere (sm_80), Ada (sm_89) and Hopper (sm_90a)");
  EXPECT_FALSE(kTma.isOn(ada()));
}

TEST(AddedTarget, TheEmulatorGetsItsLaneForm) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    module attributes {hk.target = "sm_89", hk.num_warps = 4 : i32} {
    func.func public @store(%p: !hk.ptr<f32>, %x: f32) attributes {hk.kernel} {
      hk.store %p, %x : !hk.ptr<f32>, f32
      return
    } }
  )",
                                                        context.get());
  ASSERT_TRUE(module);
  EXPECT_EQ(lowerToLanes(*module).name, "store");
}

TEST(AddedTarget, TheRuntimeChoosesIt) {
  EXPECT_EQ(targetOfCapability(8, 9), &ada());
  EXPECT_EQ(targetOfCapability(8, 6)->name, "sm_80");
  EXPECT_EQ(targetOfCapability(9, 0)->name, "sm_90a");
  EXPECT_EQ(targetOfCapability(12, 0), &ada()); // the driver compiles its PTX
}

TEST(AddedTarget, OccupancyFollowsFromTheRow) {
  // CUDA's occupancy calculator for compute capability 8.9: 48 warps, 24 blocks, 100 KiB.
  EXPECT_EQ(occupancyOf(ada(), 4, 32, 0).warpsPerSimd, 12);
  EXPECT_EQ(occupancyOf(ada(), 1, 32, 0).blocks, 24);
  EXPECT_EQ(occupancyOf(ada(), 4, 32, 49 * 1024).blocks, 2);
  EXPECT_EQ(occupancyOf(ada(), 4, 32, 50 * 1024).blocks, 1);
}
