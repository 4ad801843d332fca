//===- PassesTest.cpp - Each of Hocket's passes can be left out, and leaves valid machine code --------------------===//
#include "../Kernels.h"
#include "llvm/ADT/STLExtras.h"

using namespace hocket;
using namespace hocket::test;

/// Returns a kernel with masked integers, and two floats that are rounded to a pair of halves: batch-compares and
/// pack-f16-in-place change its code for gfx942.
static std::string masksAndHalves() {
  std::string text = "declare i32 @llvm.amdgcn.workitem.id.x()\n"
                     "define amdgpu_kernel void @f(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) "
                     "\"amdgpu-flat-work-group-size\"=\"64,64\" {\n"
                     "  %lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
                     "  %at = getelementptr <4 x i32>, ptr addrspace(1) %p, i32 %lane\n"
                     "  %v = load <4 x i32>, ptr addrspace(1) %at\n"
                     "  %q = getelementptr <2 x float>, ptr addrspace(1) %p, i32 %lane\n"
                     "  %w = load volatile <2 x float>, ptr addrspace(1) %q\n"
                     "  %a = extractelement <2 x float> %w, i32 0\n"
                     "  %b = extractelement <2 x float> %w, i32 1\n"
                     "  %ha = fptrunc float %a to half\n  %hb = fptrunc float %b to half\n"
                     "  %ra = insertelement <2 x half> poison, half %ha, i32 0\n"
                     "  %rb = insertelement <2 x half> %ra, half %hb, i32 1\n"
                     "  store volatile <2 x half> %rb, ptr addrspace(1) %out\n";
  std::string stores;
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    text += "  %v" + n + " = extractelement <4 x i32> %v, i32 " + n + "\n  %m" + n + " = icmp sgt i32 %lane, " + n +
            "\n  %s" + n + " = select i1 %m" + n + ", i32 %v" + n + ", i32 -1\n";
    stores += "  store volatile i32 %s" + n + ", ptr addrspace(1) %out\n";
  }
  return text + stores + "  ret void\n}\n";
}

TEST(AmdPasses, AreNamedOnce) {
  llvm::SmallVector<llvm::StringRef> names(codegenPassNames().begin(), codegenPassNames().end());
  llvm::sort(names);
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(AmdPasses, ASkippedPassChangesNothing) {
  std::string with = assemblyOf(masksAndHalves(), "gfx942");
  std::string without = assemblyOf(masksAndHalves(), "gfx942", {"batch-compares"});
  EXPECT_NE(with, without);
  EXPECT_NE(with.find("v_cvt_f16_f32_sdwa"), std::string::npos) << with;
  EXPECT_NE(without.find("v_cvt_f16_f32_sdwa"), std::string::npos) << "the other passes ran";
  EXPECT_EQ(assemblyOf(masksAndHalves(), "gfx942", {"interleave-mfma"}), with) << "there is no MFMA";
}

TEST(AmdPasses, AllCanBeSkipped) {
  std::string all = assemblyOf(masksAndHalves(), "gfx942", {"all"});
  llvm::SmallVector<std::string> each(codegenPassNames().begin(), codegenPassNames().end());
  EXPECT_EQ(all, assemblyOf(masksAndHalves(), "gfx942", {each.begin(), each.end()}));
  EXPECT_EQ(all.find("sdwa"), std::string::npos) << all;
}

TEST(AmdPasses, TheMachineVerifierAcceptsTheirResults) {
  setMachineVerifier(true);
  std::string verified = assemblyOf(masksAndHalves(), "gfx942");
  setMachineVerifier(false);
  EXPECT_EQ(verified, assemblyOf(masksAndHalves(), "gfx942"));
}
