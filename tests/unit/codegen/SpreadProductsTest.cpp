//===- SpreadProductsTest.cpp - Products between the arithmetic of a stage, and where they must stay ---===//
#include "Kernels.h"
#include "codegen/Codegen.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Regex.h"

using namespace hocket;
using namespace hocket::test;

static constexpr int kProducts = 8;

/// Declarations, and a kernel with `body`; %v: 8 x 16 floats that come from memory, as do the sums %acc.
static std::string kernel(const std::string &body) {
  return "declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)\n"
         "declare float @llvm.amdgcn.exp2.f32(float)\n"
         "declare void @llvm.amdgcn.sched.barrier(i32)\n"
         "define amdgpu_kernel void @f(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) "
         "\"amdgpu-flat-work-group-size\"=\"64,64\" {\n"
         "  %a = load <4 x half>, ptr addrspace(1) %p\n"
         "  %q = getelementptr i8, ptr addrspace(1) %p, i32 64\n"
         "  %v = load <16 x float>, ptr addrspace(1) %q\n"
         "  %acc0 = load <4 x float>, ptr addrspace(1) %p\n"
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

/// exp2 of each element of `vector`, which has `size`, as %`name`.
static std::string exponentials(const std::string &vector, int size, const std::string &name) {
  std::string text, type = "<" + std::to_string(size) + " x float>", whole = "poison";
  for (int i = 0; i < size; ++i) {
    std::string n = name + std::to_string(i), index = std::to_string(i);
    text += "  %e" + n + " = extractelement " + type + " %" + vector + ", i32 " + index + "\n  %x" + n +
            " = call float @llvm.amdgcn.exp2.f32(float %e" + n + ")\n  %" + n + " = insertelement " + type + " " +
            whole + ", float %x" + n + ", i32 " + index + "\n";
    whole = "%" + n;
  }
  return text;
}

static const std::string kStoreSums = "  store volatile <4 x float> %acc8, ptr addrspace(1) %out\n";
static const std::string kEnd = "  call void @llvm.amdgcn.sched.barrier(i32 0)\n";

/// 'M' for each product and 'e' for each exponential, in the order of the assembly text.
static std::string orderIn(const std::string &body) {
  llvm::LLVMContext context;
  auto module = parse(kernel(body), context);
  CodegenOptions options{.target = "gfx950"};
  if (llvm::Error error = optimize(*module, options)) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return "";
  }
  auto text = emitAssembly(*module, options);
  if (!text) {
    ADD_FAILURE() << llvm::toString(text.takeError());
    return "";
  }
  std::string order;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(*text).split(lines, '\n');
  for (llvm::StringRef line : lines)
    order += line.ltrim().starts_with("v_mfma") ? "M" : line.ltrim().starts_with("v_exp") ? "e" : "";
  return order;
}

TEST(SpreadProducts, IndependentArithmeticIsDealtEvenly) {
  std::string body = products() + exponentials("v", 16, "w") + kEnd + kStoreSums +
                     "  store volatile <16 x float> %w15, ptr addrspace(1) %out\n  ret void\n";
  // Two after each, but for where registers are used again.
  EXPECT_TRUE(llvm::Regex("^(Me{1,3}){8}$").match(orderIn(body))) << orderIn(body);
}

TEST(SpreadProducts, WhatNeedsTheProductsComesAfterThem) {
  std::string body = products() + exponentials("acc8", 4, "w") +
                     "  store volatile <4 x float> %w3, ptr addrspace(1) %out\n  ret void\n";
  EXPECT_EQ(orderIn(body), "MMMMMMMMeeee");
}

TEST(SpreadProducts, NothingCrossesASchedulingBarrier) {
  std::string body = exponentials("v", 16, "w") + "  store volatile <16 x float> %w15, ptr addrspace(1) %out\n" + kEnd +
                     products() + kStoreSums + "  ret void\n";
  EXPECT_EQ(orderIn(body), "eeeeeeeeeeeeeeeeMMMMMMMM");
}

TEST(SpreadProducts, ProductsCrossABarrierThatArithmeticMayCross) {
  std::string body = exponentials("v", 16, "w") + "  call void @llvm.amdgcn.sched.barrier(i32 1)\n" + products() +
                     kEnd + kStoreSums + "  store volatile <16 x float> %w15, ptr addrspace(1) %out\n  ret void\n";
  EXPECT_TRUE(llvm::Regex("^(Me{1,3}){8}$").match(orderIn(body))) << orderIn(body);
}
