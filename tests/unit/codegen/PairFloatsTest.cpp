//===- PairFloatsTest.cpp - Fused multiplications in pairs, and those that must stay apart ---===//
#include "codegen/PairFloats.h"
#include "Kernels.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"

using namespace hocket;
using namespace hocket::test;

/// (scalar, packed) fma of a function with this body, after pairing.
static std::pair<int, int> fmasAfter(const std::string &body) {
  llvm::LLVMContext context;
  auto module = parse("declare float @llvm.fma.f32(float, float, float)\n"
                      "define void @f(<4 x float> %s, <4 x float> %t, float %k, float %c, ptr %p) {\n" +
                          body + "  ret void\n}\n",
                      context);
  pairFloats(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::pair<int, int> count;
  for (llvm::Instruction &op : llvm::instructions(*module->getFunction("f")))
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&op); call && call->getIntrinsicID() == llvm::Intrinsic::fma)
      ++(call->getType()->isVectorTy() ? count.second : count.first);
  return count;
}

/// %a and %b: two elements of a vector.
static std::string elements(int first, int second, const char *other = "%s") {
  return "  %a = extractelement <4 x float> %s, i64 " + std::to_string(first) + "\n  %b = extractelement <4 x float> " +
         other + ", i64 " + std::to_string(second) + "\n";
}

static std::string fma(const std::string &name, const std::string &operands, const std::string &flags = "") {
  return "  %" + name + " = call " + flags + " float @llvm.fma.f32(" + operands + ")\n  store volatile float %" + name +
         ", ptr %p\n";
}

static const std::string kFirst = fma("x", "float %a, float %k, float %c"),
                         kSecond = fma("y", "float %b, float %k, float %c");

TEST(PairFloats, NeighboursThatTakeTheSame) {
  EXPECT_EQ(fmasAfter(elements(0, 1) + kFirst + kSecond), std::pair(0, 1));
  EXPECT_EQ(fmasAfter(elements(2, 3) + kFirst + kSecond), std::pair(0, 1));
}

TEST(PairFloats, NeighboursInTwoOperands) {
  EXPECT_EQ(
      fmasAfter(elements(0, 1) + fma("x", "float %a, float %a, float %c") + fma("y", "float %b, float %b, float %c")),
      std::pair(0, 1));
}

TEST(PairFloats, ElementsOfDifferentPairsStayApart) {
  EXPECT_EQ(fmasAfter(elements(1, 2) + kFirst + kSecond), std::pair(2, 0));
  EXPECT_EQ(fmasAfter(elements(0, 3) + kFirst + kSecond), std::pair(2, 0));
  EXPECT_EQ(fmasAfter(elements(0, 1, "%t") + kFirst + kSecond), std::pair(2, 0));
}

TEST(PairFloats, DifferentOtherOperandsStayApart) {
  EXPECT_EQ(fmasAfter(elements(0, 1) + kFirst + fma("y", "float %b, float %c, float %c")), std::pair(2, 0));
  EXPECT_EQ(fmasAfter(elements(0, 1) + kFirst + fma("y", "float %k, float %b, float %c")), std::pair(2, 0));
}

TEST(PairFloats, DifferentFlagsStayApart) {
  EXPECT_EQ(fmasAfter(elements(0, 1) + kFirst + fma("y", "float %b, float %k, float %c", "nnan")), std::pair(2, 0));
}

TEST(PairFloats, WhatTakesNoElementStaysAlone) {
  EXPECT_EQ(fmasAfter(fma("x", "float %c, float %k, float %c") + fma("y", "float %c, float %k, float %c")),
            std::pair(2, 0));
}
