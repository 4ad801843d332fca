//===- PtxToCubinTest.cpp - PTX becomes a cubin where an assembler is installed ---===//
#include "../Kernels.h"
#include "codegen/Codegen.h"

using namespace hocket;

class PtxToCubin : public testing::Test {
protected:
  void SetUp() override {
    if (cubinAssemblerName().empty())
      GTEST_SKIP() << "neither nvJitLink nor ptxas is installed";
  }
};

TEST_F(PtxToCubin, AssemblesAKernel) {
  llvm::LLVMContext context;
  auto module = test::parse(test::vectorAddIr(true), context);
  CodegenOptions options{.target = "sm_90a"};
  ASSERT_FALSE(bool(optimize(*module, options)));
  auto ptx = emitAssembly(*module, options);
  ASSERT_TRUE(bool(ptx));
  auto cubin = ptxToCubin(*ptx, "sm_90a");
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_EQ(cubin->substr(1, 3), "ELF");
}

TEST_F(PtxToCubin, ErrorsCarryTheAssemblersLog) {
  auto cubin =
      ptxToCubin(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k() { nonsense; }\n", "sm_90a");
  ASSERT_FALSE(bool(cubin));
  std::string text = llvm::toString(cubin.takeError());
  EXPECT_NE(text.find("nonsense"), std::string::npos) << text;
}

TEST_F(PtxToCubin, NvJitLinkGetsNoRegisterBudgets) {
  // nvJitLink would ignore setmaxnreg.
  EXPECT_EQ(cubinAssemblerName("setmaxnreg.inc.sync.aligned.u32 240;").find("nvJitLink"), std::string::npos);
}
