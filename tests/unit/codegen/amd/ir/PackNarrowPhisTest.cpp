//===- PackNarrowPhisTest.cpp - Elements that are carried as vectors, and those that are not ---===//
#include "codegen/amd/ir/PackNarrowPhis.h"
#include "../../Kernels.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"

using namespace hocket;
using namespace hocket::test;

/// Returns the types of the phis of a loop that begins with `phis`. These may use the elements %a0, %a1 of a vector
/// before the loop, and the elements %b0, %b1 (%c0) of a vector in the loop.
static std::vector<std::string> phisAfter(const std::string &phis, const std::string &type = "half",
                                          unsigned mostBits = 1024) {
  llvm::LLVMContext context;
  std::string vector = "<2 x " + type + ">";
  auto element = [&](std::string name, std::string from, int index) {
    return "  %" + name + " = extractelement " + vector + " %" + from + ", i64 " + std::to_string(index) + "\n";
  };
  auto load = [&](std::string name) { return "  %" + name + " = load volatile " + vector + ", ptr %p\n"; };
  auto module = parse("define void @f(ptr %p, i1 %again) {\nentry:\n" + load("v") + element("a0", "v", 0) +
                          element("a1", "v", 1) + "  br label %loop\nloop:\n" + phis + "  store volatile " + type +
                          " %x, ptr %p\n  store volatile " + type + " %y, ptr %p\n" + load("w") + load("u") +
                          element("b0", "w", 0) + element("b1", "w", 1) + element("c1", "u", 1) +
                          "  br i1 %again, label %loop, label %end\nend:\n  ret void\n}\n",
                      context);
  packNarrowPhis(*module, mostBits);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::vector<std::string> types;
  for (llvm::Instruction &op : llvm::instructions(*module->getFunction("f")))
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&op)) {
      llvm::raw_string_ostream stream(types.emplace_back());
      phi->getType()->print(stream);
    }
  return types;
}

using Types = std::vector<std::string>;

TEST(PackNarrowPhis, ElementsOfTheSameVectors) {
  EXPECT_EQ(phisAfter("  %x = phi half [%a0, %entry], [%b0, %loop]\n  %y = phi half [%a1, %entry], [%b1, %loop]\n"),
            Types({"<2 x half>"}));
  EXPECT_EQ(phisAfter("  %x = phi i8 [%a0, %entry], [%b0, %loop]\n  %y = phi i8 [%a1, %entry], [%b1, %loop]\n", "i8"),
            Types({"<2 x i8>"}));
}

TEST(PackNarrowPhis, EdgesInAnotherOrder) {
  EXPECT_EQ(phisAfter("  %x = phi half [%a0, %entry], [%b0, %loop]\n  %y = phi half [%b1, %loop], [%a1, %entry]\n"),
            Types({"<2 x half>"}));
}

TEST(PackNarrowPhis, WideElementsStayApart) {
  EXPECT_EQ(phisAfter("  %x = phi float [%a0, %entry], [%b0, %loop]\n  %y = phi float [%a1, %entry], [%b1, %loop]\n",
                      "float"),
            Types({"float", "float"}));
}

TEST(PackNarrowPhis, ElementsOfDifferentVectorsStayApart) {
  EXPECT_EQ(phisAfter("  %x = phi half [%a0, %entry], [%b0, %loop]\n  %y = phi half [%a1, %entry], [%c1, %loop]\n"),
            Types({"half", "half"}));
}

TEST(PackNarrowPhis, ElementsThatChangePlacesStayApart) {
  EXPECT_EQ(phisAfter("  %x = phi half [%a0, %entry], [%b1, %loop]\n  %y = phi half [%a1, %entry], [%b0, %loop]\n"),
            Types({"half", "half"}));
}

TEST(PackNarrowPhis, NumbersAreNoElements) {
  EXPECT_EQ(phisAfter("  %x = phi half [0.0, %entry], [%b0, %loop]\n  %y = phi half [0.0, %entry], [%b1, %loop]\n"),
            Types({"half", "half"}));
}

TEST(PackNarrowPhis, LargerVectorsStayApart) {
  std::string phis = "  %x = phi half [%a0, %entry], [%b0, %loop]\n  %y = phi half [%a1, %entry], [%b1, %loop]\n";
  EXPECT_EQ(phisAfter(phis, "half", 32), Types({"<2 x half>"}));
  EXPECT_EQ(phisAfter(phis, "half", 31), Types({"half", "half"}));
}
