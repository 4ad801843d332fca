//===- PassGateTest.cpp - Passes of code generation that run ------------------------===//
#include "codegen/llvm/PassGate.h"
#include "../Kernels.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace hocket;
using namespace hocket::test;

/// Stores n * t to out[t] for t < `trips`, in one block.
static std::string productsIr(int trips) {
  std::string text = "define void @products(ptr addrspace(1) %out, i32 %n) {\n";
  for (int i = 0; i < trips; ++i) {
    std::string t = std::to_string(i);
    text += "  %i" + t + " = mul i32 %n, " + t + "\n" + "  %p" + t +
            " = getelementptr i32, ptr addrspace(1) %out, i32 " + t + "\n" + "  store i32 %i" + t +
            ", ptr addrspace(1) %p" + t + "\n";
  }
  return text + "  ret void\n}\n";
}

/// True if code generation for an AMD or NVIDIA GPU runs the pass, for a kernel of `trips` multiplications of one
/// value.
static bool hasPass(const char *pass, bool nvidia, int trips) {
  llvm::LLVMContext context;
  auto module = parse(productsIr(trips), context);
  module->setTargetTriple(llvm::Triple(nvidia ? "nvptx64-nvidia-cuda" : "amdgcn-amd-amdhsa"));
  PassGate gate(*module);
  return context.getOptPassGate().shouldRunPass(pass, "");
}

TEST(PassGate, HardlyAnyProductsAreNotReducedForAmd) {
  EXPECT_FALSE(hasPass("slsr", false, 3));
  EXPECT_TRUE(hasPass("slsr", false, 4));
  EXPECT_FALSE(hasPass("slsr", false, 600));
  EXPECT_TRUE(hasPass("slsr", true, 3));
}

TEST(PassGate, ValuesAreMergedOnceForAmd) {
  for (const char *pass : {"gvn", "nary-reassociate"}) {
    EXPECT_FALSE(hasPass(pass, false, 4)) << pass;
    EXPECT_TRUE(hasPass(pass, true, 4)) << pass;
  }
}

TEST(PassGate, EndsWithItsScope) {
  llvm::LLVMContext context;
  auto module = parse(productsIr(600), context);
  {
    module->setTargetTriple(llvm::Triple("nvptx64-nvidia-cuda"));
    PassGate gate(*module);
    EXPECT_TRUE(context.getOptPassGate().isEnabled());
    EXPECT_FALSE(context.getOptPassGate().shouldRunPass("slsr", ""));
    EXPECT_TRUE(context.getOptPassGate().shouldRunPass("machine-scheduler", ""));
  }
  EXPECT_FALSE(context.getOptPassGate().isEnabled());
}

TEST(PassGate, FirstRunsAreSparedWhereMatricesAreMultiplied) {
  llvm::LLVMContext context;
  auto module = parse("declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, "
                      "i32, i32)\n"
                      "define amdgpu_kernel void @f(<4 x half> %a, <4 x float> %c) {\n"
                      "  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %a, <4 x "
                      "float> %c, i32 0, i32 0, i32 0)\n"
                      "  ret void\n}\n",
                      context);
  module->setTargetTriple(llvm::Triple("amdgcn-amd-amdhsa"));
  PassGate gate(*module);
  llvm::OptPassGate &installed = context.getOptPassGate();
  for (const char *function : {"function (f)", "function (g)"}) {
    EXPECT_FALSE(installed.shouldRunPass("machine-cse", function));
    for (int run = 0; run < 2; ++run)
      EXPECT_TRUE(installed.shouldRunPass("machine-cse", function));
  }
  for (int run = 0; run < 4; ++run) {
    EXPECT_EQ(installed.shouldRunPass("dead-mi-elimination", "function (f)"), run == 3);
    EXPECT_FALSE(installed.shouldRunPass("early-cse", "function (f)"));
  }
}

TEST(PassGate, AllRunsAreMadeWhereNoMatrixIs) {
  for (const char *pass : {"machine-cse", "early-cse", "dead-mi-elimination"})
    EXPECT_TRUE(hasPass(pass, false, 4)) << pass;
}
