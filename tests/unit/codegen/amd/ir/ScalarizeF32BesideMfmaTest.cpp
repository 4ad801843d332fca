//===- ScalarizeF32BesideMfmaTest.cpp - Scalar floats in blocks with MFMA, packed ones elsewhere --------===//
#include "codegen/amd/ir/ScalarizeF32BesideMfma.h"
#include "../../Kernels.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"

using namespace hocket;
using namespace hocket::test;

/// Returns the numbers of named operations in a block with `body` after the pass: on floats, and on vectors of floats.
static std::pair<int, int> countAfter(const std::string &body, bool multiplies = true) {
  const char *product =
      "  %m = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x1f32(float %k, float %k, <4 x float> %s, i32 0, "
      "i32 0, i32 0)\n  store volatile <4 x float> %m, ptr %p\n";
  llvm::LLVMContext context;
  auto module = parse("declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)\n"
                      "declare <4 x float> @llvm.amdgcn.mfma.f32.4x4x1f32(float, float, <4 x float>, i32, i32, i32)\n"
                      "define void @f(<2 x float> %a, <2 x float> %b, <4 x float> %s, float %k, ptr %p) {\n" +
                          std::string(multiplies ? product : "") + body + "  ret void\n}\n",
                      context);
  scalarizeF32BesideMfma(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::pair<int, int> count;
  for (llvm::Instruction &op : llvm::instructions(*module->getFunction("f"))) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&op);
    bool isArithmetic = call ? call->getCalledFunction()->getName().starts_with("llvm.fma")
                             : llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator>(op);
    if (isArithmetic)
      ++(op.getType()->isVectorTy() ? count.second : count.first);
  }
  return count;
}

static const std::string kStore = "  store volatile <2 x float> %x, ptr %p\n",
                         kSum = "  %x = fadd <2 x float> %a, %b\n" + kStore,
                         kFma =
                             "  %x = call nnan <2 x float> @llvm.fma.v2f32(<2 x float> %a, <2 x float> %b, <2 x float> "
                             "%b)\n" +
                             kStore;

TEST(ScalarizeF32BesideMfma, SumsProductsSignsAndFmaBesideAProduct) {
  EXPECT_EQ(countAfter(kSum), std::pair(2, 0));
  EXPECT_EQ(countAfter("  %x = fmul <2 x float> %a, %b\n" + kStore), std::pair(2, 0));
  EXPECT_EQ(countAfter("  %x = fneg <2 x float> %a\n" + kStore), std::pair(2, 0));
  EXPECT_EQ(countAfter(kFma), std::pair(2, 0));
}

TEST(ScalarizeF32BesideMfma, PairsStayWhereNothingMultiplies) {
  EXPECT_EQ(countAfter(kSum, /*multiplies=*/false), std::pair(0, 1));
  EXPECT_EQ(countAfter(kFma, /*multiplies=*/false), std::pair(0, 1));
}

TEST(ScalarizeF32BesideMfma, OtherVectorsStay) {
  EXPECT_EQ(
      countAfter("  %h = fptrunc <2 x float> %a to <2 x half>\n  %x = fadd <2 x half> %h, %h\n  store volatile <2 "
                 "x half> %x, ptr %p\n"),
      std::pair(0, 1));
  EXPECT_EQ(countAfter("  %x = fdiv <2 x float> %a, %b\n" + kStore), std::pair(0, 1));
}
