//===- InterleaveMfmaTest.cpp - MFMA between VALU instructions of a stage, and where they stay ---------===//
#include "../../Kernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace hocket;
using namespace hocket::test;

static constexpr int kProducts = 8;

/// Returns declarations, and a kernel with `body`. The values %v, 8 x 16 floats, and the accumulators %acc are loaded
/// from memory.
static std::string kernel(const std::string &body) {
  return "declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)\n"
         "declare float @llvm.amdgcn.exp2.f32(float)\n"
         "declare void @llvm.amdgcn.sched.barrier(i32)\n"
         "declare i32 @llvm.amdgcn.workitem.id.x()\n"
         "define amdgpu_kernel void @f(ptr addrspace(1) noalias %all, ptr addrspace(1) noalias %out) "
         "\"amdgpu-flat-work-group-size\"=\"64,64\" {\n"
         "  %lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
         "  %p = getelementptr [256 x i8], ptr addrspace(1) %all, i32 %lane\n"
         "  %a = load <4 x half>, ptr addrspace(1) %p\n"
         "  %q = getelementptr i8, ptr addrspace(1) %p, i32 64\n"
         "  %v = load <16 x float>, ptr addrspace(1) %q\n"
         "  %acc0 = load <4 x float>, ptr addrspace(1) %p\n"
         "  %r = getelementptr i8, ptr addrspace(1) %p, i32 128\n"
         "  %z = load <8 x float>, ptr addrspace(1) %r\n"
         "  call void @llvm.amdgcn.sched.barrier(i32 0)\n" +
         body + "}\n";
}

static std::string products() {
  std::string text;
  for (int i = 0; i < kProducts; ++i)
    text += "  %acc" + std::to_string(i + 1) +
            " = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %a, <4 x float> %acc" +
            std::to_string(i) + ", i32 0, i32 0, i32 0)\n";
  return text;
}

/// Adds a constant to each of the 16 elements of `vector`. The result is %`name`.
static std::string sums(const std::string &vector, const std::string &name) {
  std::string text, whole = "poison";
  for (int i = 0; i < 16; ++i) {
    std::string n = name + std::to_string(i), index = std::to_string(i);
    text += "  %e" + n + " = extractelement <16 x float> %" + vector + ", i32 " + index + "\n  %x" + n +
            " = fadd float %e" + n + ", 1.0\n  %" + n + " = insertelement <16 x float> " + whole + ", float %x" + n +
            ", i32 " + index + "\n";
    whole = "%" + n;
  }
  return text;
}

static const std::string kStoreSums = "  store volatile <4 x float> %acc8, ptr addrspace(1) %out\n";
static const std::string kEnd = "  call void @llvm.amdgcn.sched.barrier(i32 0)\n";

/// Returns 'M' for each MFMA, 'e' for each v_exp and 'a' for each v_add, in the order of the assembly text.
static std::string orderIn(const std::string &body, const std::string &target = "gfx950",
                           std::vector<std::string> skippedPasses = {}) {
  std::string text = assemblyOf(kernel(body), target, std::move(skippedPasses));
  std::string order;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines)
    order += line.ltrim().starts_with("v_mfma")  ? "M"
             : line.ltrim().starts_with("v_exp") ? "e"
             : line.ltrim().starts_with("v_add") ? "a"
                                                 : "";
  return order;
}

TEST(InterleaveMfma, IndependentArithmeticIsInterleavedEvenly) {
  std::string body = products() + exponentials("v", 16, 16, "w") + kEnd + kStoreSums +
                     "  store volatile <16 x float> %w15, ptr addrspace(1) %out\n  ret void\n";
  // Two exponentials follow each MFMA, except where registers are reused.
  EXPECT_TRUE(llvm::Regex("^(Me{1,3}){8}$").match(orderIn(body))) << orderIn(body);
  std::string without = orderIn(body, "gfx950", {"interleave-mfma"});
  EXPECT_FALSE(llvm::Regex("^(Me{1,3}){8}$").match(without)) << "LLVM alone interleaves: " << without;
}

TEST(InterleaveMfma, WhatNeedsTheProductsComesAfterThem) {
  std::string body = products() + exponentials("acc8", 4, 4, "w") +
                     "  store volatile <4 x float> %w3, ptr addrspace(1) %out\n  ret void\n";
  EXPECT_EQ(orderIn(body), "MMMMMMMMeeee");
}

TEST(InterleaveMfma, NothingCrossesASchedulingBarrier) {
  std::string body = exponentials("v", 16, 16, "w") + "  store volatile <16 x float> %w15, ptr addrspace(1) %out\n" +
                     kEnd + products() + kStoreSums + "  ret void\n";
  EXPECT_EQ(orderIn(body), "eeeeeeeeeeeeeeeeMMMMMMMM");
}

TEST(InterleaveMfma, ProductsCrossABarrierThatArithmeticMayCross) {
  std::string body = exponentials("v", 16, 16, "w") + "  call void @llvm.amdgcn.sched.barrier(i32 1)\n" + products() +
                     kEnd + kStoreSums + "  store volatile <16 x float> %w15, ptr addrspace(1) %out\n  ret void\n";
  EXPECT_TRUE(llvm::Regex("^(Me{1,3}){8}$").match(orderIn(body))) << orderIn(body);
}

/// Eight exponentials and sixteen sums beside eight MFMAs.
static std::string exponentialsAndSums() {
  return products() + exponentials("z", 8, 8, "w") + sums("v", "s") + kEnd + kStoreSums +
         "  store volatile <8 x float> %w7, ptr addrspace(1) %out\n" +
         "  store volatile <16 x float> %s15, ptr addrspace(1) %out\n  ret void\n";
}

TEST(InterleaveMfma, LongExponentialsAreDealtAmongTheOtherArithmetic) {
  std::string order = orderIn(exponentialsAndSums(), "gfx942");
  // Two exponentials would take longer than an MFMA.
  EXPECT_TRUE(llvm::Regex("^(Ma{0,3}ea{0,3}){8}$").match(order)) << order;
}

TEST(InterleaveMfma, ExponentialsStayInFrontOfProductsThatNeedThem) {
  std::string round = "  %h = fptrunc <4 x float> %t3 to <4 x half>\n", needing = products();
  for (size_t at = 0; (at = needing.find("<4 x half> %a,", at)) != std::string::npos; at += 14)
    needing.replace(at, 14, "<4 x half> %h,");
  std::string body = exponentials("acc0", 4, 4, "t") + round + exponentials("z", 8, 8, "u") + sums("v", "s") + needing +
                     kEnd + kStoreSums + "  store volatile <8 x float> %u7, ptr addrspace(1) %out\n" +
                     "  store volatile <16 x float> %s15, ptr addrspace(1) %out\n  ret void\n";
  std::string order = orderIn(body, "gfx942");
  // LLVM's own order: no v_add before the instructions that the first MFMA waits for.
  EXPECT_TRUE(llvm::Regex("^e{4,12}M").match(order)) << order;
}
