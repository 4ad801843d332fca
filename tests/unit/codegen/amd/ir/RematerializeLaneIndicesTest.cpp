//===- RematerializeLaneIndicesTest.cpp - Values that are recomputed after a loop, and those that are not ---===//
#include "codegen/amd/ir/RematerializeLaneIndices.h"
#include "../../Kernels.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"

using namespace hocket;
using namespace hocket::test;

static const char kProduct[] = "  %c = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float 1.0, float 1.0, "
                               "<16 x float> %d, i32 0, i32 0, i32 0)\n";

/// Returns the number of copies of the thread index that values after a loop are computed from. `before` computes %n
/// from %thread, `inLoop` is in the loop, which may be left out, and `after` uses numbers after it.
static int copiesOfThread(const std::string &before, const std::string &inLoop, const std::string &after) {
  llvm::LLVMContext context;
  auto module =
      parse("declare i32 @llvm.amdgcn.workitem.id.x()\n"
            "declare <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float, float, <16 x float>, i32, i32, i32)\n"
            "define void @f(<16 x float> %d, ptr %p, i32 %s, i1 %some, i1 %more) {\n"
            "  %thread = call i32 @llvm.amdgcn.workitem.id.x()\n" +
                before + "  br i1 %some, label %loop, label %end\nloop:\n" + inLoop +
                "  br i1 %more, label %loop, label %end\nend:\n" + after + "  ret void\n}\n",
            context);
  rematerializeLaneIndices(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  int count = 0;
  for (llvm::Instruction &op : llvm::instructions(*module->getFunction("f")))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&op))
      count += call->isInlineAsm();
  return count;
}

static const std::string kLane = "  %n = and i32 %thread, 31\n", kRow = "  %m = lshr i32 %thread, 6\n",
                         kUse = "  store volatile i32 %n, ptr %p\n", kUseRow = "  store volatile i32 %m, ptr %p\n";

TEST(RematerializeLaneIndices, ComputedAgainAfterAProduct) {
  EXPECT_EQ(copiesOfThread(kLane, kProduct, kUse), 1);
  EXPECT_EQ(copiesOfThread(kLane + kRow, kProduct, kUse + kUseRow), 1);
}

TEST(RematerializeLaneIndices, WhereOtherThreadsHaveReturned) {
  std::string returned = "  br i1 %more, label %work, label %done\ndone:\n  ret void\nwork:\n";
  EXPECT_EQ(copiesOfThread(kLane + returned, kProduct, kUse), 1);
}

TEST(RematerializeLaneIndices, OtherLoopsKeepThem) { EXPECT_EQ(copiesOfThread(kLane, "", kUse), 0); }

TEST(RematerializeLaneIndices, WhatTheLoopUsesStays) {
  EXPECT_EQ(copiesOfThread(kLane, kProduct + kUse, kUse), 0);
  EXPECT_EQ(copiesOfThread(kLane + kRow, kProduct + kUse, kUse + kUseRow), 1);
}

TEST(RematerializeLaneIndices, WhatNobodyUsesAfterTheLoopStays) {
  EXPECT_EQ(copiesOfThread(kLane + kUse, kProduct, ""), 0);
}

TEST(RematerializeLaneIndices, WhatDependsOnMoreThanTheThreadStays) {
  EXPECT_EQ(copiesOfThread("  %n = mul i32 %thread, %s\n", kProduct, kUse), 0);
  EXPECT_EQ(copiesOfThread("  %n = load i32, ptr %p\n", kProduct, kUse), 0);
}

TEST(RematerializeLaneIndices, LongComputationsStay) {
  std::string chain = "  %n0 = add i32 %thread, 1\n";
  for (int i = 0; i < 8; ++i)
    chain += "  %n" + std::to_string(i + 1) + " = mul i32 %n" + std::to_string(i) + ", 3\n";
  EXPECT_EQ(copiesOfThread(chain + "  %n = xor i32 %n8, 1\n", kProduct, kUse), 0);
}
