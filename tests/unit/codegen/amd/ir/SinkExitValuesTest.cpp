//===- SinkExitValuesTest.cpp - Values that leave a loop because only its exit needs them -===//
#include "codegen/amd/ir/SinkExitValues.h"
#include "../../Kernels.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"

using namespace hocket;
using namespace hocket::test;

/// Returns the names of the values that the loop of a function computes after the pass. `trip` is in the loop, `end`
/// after it.
static std::string loopAfter(const std::string &trip, const std::string &end) {
  llvm::LLVMContext context;
  auto module = parse("define ptr @f(ptr %first, i64 %step, i64 %part, i1 %enters, i1 %again, i1 %leaves) {\n"
                      "entry:\n  br i1 %enters, label %loop, label %end\n"
                      "loop:\n  %p = phi ptr [ %first, %entry ], [ %next, %latch ]\n"
                      "  %next = getelementptr i8, ptr %p, i64 %step\n" +
                          trip + "end:\n" + end + "}\n",
                      context);
  llvm::legacy::PassManager passes;
  passes.add(createSinkExitValuesPass());
  passes.run(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::string names;
  for (llvm::BasicBlock &block : *module->getFunction("f"))
    for (llvm::Instruction &op : block)
      if ((block.getName() == "loop" || block.getName() == "latch") && op.hasName())
        names += (names.empty() ? "" : " ") + op.getName().str();
  return names;
}

static const std::string kLatch = "  br label %latch\nlatch:\n  br i1 %again, label %loop, label %end\n";
static const std::string kEnd = "  %l = phi ptr [ %first, %entry ], [ %last, %latch ]\n  ret ptr %l\n";

TEST(SinkExitValues, PointersAfterTheLoop) {
  EXPECT_EQ(loopAfter("  %last = getelementptr i8, ptr %next, i64 %part\n" + kLatch, kEnd), "p next");
}

TEST(SinkExitValues, WhatTheyAreComputedFromAlone) {
  EXPECT_EQ(
      loopAfter("  %twice = shl i64 %part, 1\n  %last = getelementptr i8, ptr %next, i64 %twice\n" + kLatch, kEnd),
      "p next");
}

TEST(SinkExitValues, WhatTheLoopUsesStays) {
  EXPECT_EQ(
      loopAfter("  %last = getelementptr i8, ptr %next, i64 %part\n  store volatile i32 0, ptr %last\n" + kLatch, kEnd),
      "p next last");
}

TEST(SinkExitValues, LoadsStay) {
  EXPECT_EQ(loopAfter("  %last = load volatile ptr, ptr %next\n" + kLatch, kEnd), "p next last");
}

TEST(SinkExitValues, WhatTwoExitsNeedStays) {
  EXPECT_EQ(loopAfter("  %last = getelementptr i8, ptr %next, i64 %part\n  br i1 %leaves, label %end, label %latch\n"
                      "latch:\n  br i1 %again, label %loop, label %end\n",
                      "  %l = phi ptr [ %first, %entry ], [ %last, %loop ], [ %last, %latch ]\n  ret ptr %l\n"),
            "p next last");
}

TEST(SinkExitValues, EachExitHasItsOwn) {
  EXPECT_EQ(loopAfter("  %a = getelementptr i8, ptr %next, i64 %part\n  %b = getelementptr i8, ptr %p, i64 %part\n"
                      "  br i1 %leaves, label %end, label %latch\n"
                      "latch:\n  br i1 %again, label %loop, label %end\n",
                      "  %l = phi ptr [ %first, %entry ], [ %a, %loop ], [ %b, %latch ]\n  ret ptr %l\n"),
            "p next");
}
