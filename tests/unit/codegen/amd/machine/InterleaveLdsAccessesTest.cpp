//===- InterleaveLdsAccessesTest.cpp - VALU instructions between the accesses of a stage, and those that stay -===//
#include "../../Kernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace hocket;
using namespace hocket::test;

static constexpr int kReads = 8;

static std::string priority(int value) {
  return "  call void @llvm.amdgcn.s.setprio(i16 " + std::to_string(value) +
         ")\n  call void @llvm.amdgcn.sched.barrier(i32 0)\n";
}

/// Returns a stage of `body` at a priority, after loads of the floats %v, which have arrived, and %late, which have
/// not; then `after`.
static std::string kernel(const std::string &body, const std::string &after, int raised) {
  return "@smem = external addrspace(3) global [8192 x i8], align 16\n"
         "declare float @llvm.amdgcn.exp2.f32(float)\n"
         "declare i32 @llvm.amdgcn.workitem.id.x()\n"
         "declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)\n"
         "declare void @llvm.amdgcn.s.setprio(i16)\n"
         "declare void @llvm.amdgcn.s.waitcnt(i32)\n"
         "declare void @llvm.amdgcn.sched.barrier(i32)\n"
         "define amdgpu_kernel void @f(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) "
         "\"amdgpu-flat-work-group-size\"=\"64,64\" {\n"
         "  %lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
         "  %at = getelementptr i128, ptr addrspace(3) @smem, i32 %lane\n"
         "  %v = load <16 x float>, ptr addrspace(1) %p\n"
         "  %q = getelementptr i8, ptr addrspace(1) %p, i32 64\n"
         "  %late = load volatile <4 x float>, ptr addrspace(1) %q\n" +
         priority(raised) + body + priority(0) + after + "  ret void\n}\n";
}

/// Reads eight times 16 bytes of LDS, as %r0 to %r7.
static std::string reads() {
  std::string text;
  for (int i = 0; i < kReads; ++i) {
    std::string n = std::to_string(i);
    text += "  %at" + n + " = getelementptr i8, ptr addrspace(3) %at, i32 " + std::to_string(1024 * i) + "\n  %r" + n +
            " = load <4 x float>, ptr addrspace(3) %at" + n + ", align 16\n";
  }
  return text;
}

static std::string store(const std::string &type, const std::string &name) {
  return "  store volatile " + type + " %" + name + ", ptr addrspace(1) %out\n";
}

static std::string storeReads() {
  std::string text;
  for (int i = 0; i < kReads; ++i)
    text += store("<4 x float>", "r" + std::to_string(i));
  return text;
}

/// Returns 'R' for each read of LDS, 'W' for each write, 'X' for each exchange, 'e' for each exponential, in the order
/// of the stage's assembly text.
static std::string orderIn(const std::string &body, const std::string &after, int raised = 1) {
  std::string text = assemblyOf(kernel(body, after, raised), "gfx942");
  std::string order;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef stage = llvm::StringRef(text).split("s_setprio").second.split("s_setprio").first;
  stage.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    llvm::StringRef name = line.trim().take_until([](char c) { return c == ' '; });
    order += name.starts_with("ds_read")       ? "R"
             : name.starts_with("ds_write")    ? "W"
             : name.starts_with("ds_bpermute") ? "X"
             : name.starts_with("v_exp")       ? "e"
                                               : "";
  }
  return order;
}

TEST(InterleaveLdsAccesses, IndependentArithmeticIsInterleavedEvenly) {
  std::string order = orderIn(reads() + exponentials("v", 16, 16, "w"), store("<16 x float>", "w15") + storeReads());
  EXPECT_TRUE(llvm::Regex("^(Re{1,3}){8}$").match(order)) << order;
}

TEST(InterleaveLdsAccesses, StagesOfTheLowestPriorityAreLeftAlone) {
  std::string order = orderIn(reads() + exponentials("v", 16, 16, "w"), store("<16 x float>", "w15") + storeReads(), 0);
  EXPECT_FALSE(llvm::Regex("^(Re{1,3}){8}$").match(order)) << order;
}

TEST(InterleaveLdsAccesses, WhatIsStoredIsComputedAfterTheReads) {
  // The write waits for a load from global memory.
  std::string write = "  store <4 x float> %w3, ptr addrspace(3) %at, align 16\n";
  std::string order = orderIn(reads() + exponentials("late", 4, 4, "w") + write + exponentials("v", 16, 16, "u"),
                              store("<16 x float>", "u15") + storeReads());
  EXPECT_TRUE(llvm::Regex("^Re+Re*Re").match(order)) << order;
  EXPECT_TRUE(llvm::Regex("R[e]*eeeeWe*$").match(order)) << order;
}

TEST(InterleaveLdsAccesses, WhatNeedsAReadComesAfterAll) {
  std::string order = orderIn(reads() + exponentials("r0", 4, 4, "w"), store("<4 x float>", "w3") + storeReads());
  EXPECT_EQ(order, "RRRRRRRReeee");
}

TEST(InterleaveLdsAccesses, WhatNeedsAnExchangeComesAfterAll) {
  // LLVM would place the sum between reads.
  std::string sum = "0.0", text = "  call void @llvm.amdgcn.sched.barrier(i32 1)\n";
  for (int i = 0; i < 16; ++i) {
    std::string n = std::to_string(i);
    text += "  %s" + n + " = fadd float %xw" + n + ", " + sum + "\n";
    sum = "%s" + n;
  }
  text += "  %n = bitcast float " + sum +
          " to i32\n  %o = call i32 @llvm.amdgcn.ds.bpermute(i32 %lane, i32 %n)\n  %g = bitcast i32 %o to float\n"
          "  %h = call float @llvm.amdgcn.exp2.f32(float %g)\n";
  std::string order = orderIn(reads() + exponentials("v", 16, 16, "w") + text, store("float", "h") + storeReads());
  EXPECT_TRUE(llvm::Regex("^Re{1,4}(Re*){7}Xe$").match(order)) << order;
}
