//===- ExpandF32ToBf16Test.cpp - float32 to bfloat16 in integers: every kind of number --------===//
#include "codegen/amd/ir/ExpandF32ToBf16.h"
#include "../../Kernels.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"

using namespace hocket;
using namespace hocket::test;

/// Returns the bits that the expansion computes for a float of these `bits`, folded by LLVM.
static uint32_t roundedBits(uint32_t bits) {
  llvm::LLVMContext context;
  auto module = parse("define bfloat @f(float %x) {\n  %r = fptrunc float %x to bfloat\n  ret bfloat %r\n}\n", context);
  expandF32ToBf16(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  llvm::Function &function = *module->getFunction("f");
  function.getArg(0)->replaceAllUsesWith(llvm::ConstantFP::get(context, llvm::APFloat(llvm::bit_cast<float>(bits))));
  llvm::Constant *result = nullptr;
  for (llvm::Instruction &op : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (llvm::isa<llvm::ReturnInst>(op)) {
      result = llvm::cast<llvm::Constant>(op.getOperand(0));
      continue;
    }
    EXPECT_FALSE(llvm::isa<llvm::FPTruncInst>(op));
    op.replaceAllUsesWith(llvm::ConstantFoldInstruction(&op, module->getDataLayout()));
  }
  return llvm::cast<llvm::ConstantFP>(result)->getValueAPF().bitcastToAPInt().getZExtValue();
}

static bool isNan(uint32_t bfloat) { return (bfloat & 0x7fff) > 0x7f80; }

TEST(ExpandF32ToBf16, ToNearestTiesToEven) {
  for (uint32_t sign : {0u, 0x80000000u})
    for (uint32_t upper : {0u, 1u, 0x7fu, 0x80u, 0x3f80u, 0x3f81u, 0x4049u, 0x7f7eu, 0x7f7fu})
      for (uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
        uint32_t bits = sign | upper << 16 | lower;
        llvm::APFloat expected(llvm::bit_cast<float>(bits));
        bool losesInfo;
        expected.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
        EXPECT_EQ(roundedBits(bits), expected.bitcastToAPInt().getZExtValue()) << llvm::utohexstr(bits);
      }
}

TEST(ExpandF32ToBf16, InfinitiesStay) {
  EXPECT_EQ(roundedBits(0x7f800000), 0x7f80u);
  EXPECT_EQ(roundedBits(0xff800000), 0xff80u);
}

TEST(ExpandF32ToBf16, NanStaysNanWhateverItsBits) {
  for (uint32_t bits : {0x7f800001u, 0x7f80ffffu, 0x7fc00000u, 0x7fff8000u, 0x7fffffffu, 0xff800001u, 0xffffffffu})
    EXPECT_TRUE(isNan(roundedBits(bits))) << llvm::utohexstr(bits);
}

TEST(ExpandF32ToBf16, VectorsAndNothingElse) {
  llvm::LLVMContext context;
  auto module = parse("define <2 x bfloat> @f(<2 x float> %x, ptr %p, double %d) {\n"
                      "  %h = fptrunc <2 x float> %x to <2 x half>\n  store <2 x half> %h, ptr %p\n"
                      "  %n = fptrunc double %d to float\n  store float %n, ptr %p\n"
                      "  %r = fptrunc <2 x float> %x to <2 x bfloat>\n  ret <2 x bfloat> %r\n}\n",
                      context);
  expandF32ToBf16(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  EXPECT_EQ(llvm::count_if(llvm::instructions(*module->getFunction("f")),
                           [](const llvm::Instruction &op) { return llvm::isa<llvm::FPTruncInst>(op); }),
            2);
}
