//===- ScheduleLoopsTest.cpp - Code that is scheduled after register allocation ---------===//
#include "../../Kernels.h"

using namespace hocket;
using namespace hocket::test;

/// An MFMA with a use right after it, and arithmetic that could be issued before that use.
static const std::string kArithmetic =
    "  %acc = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %a, <4 x float> "
    "zeroinitializer, i32 0, i32 0, i32 0)\n"
    "  %sum = fadd <4 x float> %acc, %acc\n"
    "  store volatile <4 x float> %sum, ptr addrspace(1) %out\n"
    "  %more = fmul <16 x float> %v, %v\n"
    "  store volatile <16 x float> %more, ptr addrspace(1) %out\n";

/// Loads of the operands. `load` is "load" or "load volatile", which stays in a loop.
static std::string operands(const std::string &load) {
  return "  %a = " + load + " <4 x half>, ptr addrspace(1) %in\n  %v = " + load +
         " <16 x float>, ptr addrspace(1) %in\n";
}

static std::string kernel(const std::string &blocks) {
  return "declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)\n"
         "define amdgpu_kernel void @f(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %n) "
         "\"amdgpu-flat-work-group-size\"=\"64,64\" {\n"
         "entry:\n" +
         blocks + "}\n";
}

/// Number of s_nop instructions in the assembly.
static size_t waitStates(const std::string &blocks) {
  return llvm::StringRef(assemblyOf(kernel(blocks), "gfx950")).count("s_nop");
}

/// A loop around `body`, after which comes block %rest.
static std::string loop(const std::string &body) {
  return "  br label %trip\n"
         "trip:\n"
         "  %i = phi i32 [0, %entry], [%next, %trip]\n" +
         body +
         "  %next = add i32 %i, 1\n"
         "  %again = icmp slt i32 %next, %n\n"
         "  br i1 %again, label %trip, label %rest\n"
         "rest:\n";
}

static const std::string kReturn = "  ret void\n";

TEST(ScheduleLoops, arithmeticReplacesWaitStatesInLoops) {
  EXPECT_EQ(waitStates(loop(operands("load volatile") + kArithmetic) + kReturn), 1u);
}

TEST(ScheduleLoops, arithmeticReplacesWaitStatesInFunctionsWithoutLoops) {
  EXPECT_EQ(waitStates(operands("load") + kArithmetic + kReturn), 1u);
}

TEST(ScheduleLoops, waitStatesStayOutsideOfLoops) {
  std::string other = loop("  store volatile i32 %i, ptr addrspace(1) %out\n");
  EXPECT_EQ(waitStates(operands("load") + other + kArithmetic + kReturn), 2u);
}
