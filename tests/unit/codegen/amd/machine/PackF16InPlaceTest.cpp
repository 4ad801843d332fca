//===- PackF16InPlaceTest.cpp - Roundings to halves directly in the register of their pair ----===//
#include "../../Kernels.h"
#include "codegen/Codegen.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"

using namespace hocket;
using namespace hocket::test;

/// Numbers of roundings that write a whole register, of roundings that write only an upper half, and of packs.
using Counts = std::array<size_t, 3>;

/// Returns the counts for a kernel for gfx942 whose `body` rounds the floats %a and %b, which are loaded from memory.
static Counts roundingsOf(const std::string &body) {
  llvm::LLVMContext context;
  auto module = parse("declare i32 @llvm.amdgcn.workitem.id.x()\n"
                      "define amdgpu_kernel void @f(ptr addrspace(1) %p) \"amdgpu-flat-work-group-size\"=\"64,64\" {\n"
                      "  %lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
                      "  %q = getelementptr <2 x float>, ptr addrspace(1) %p, i32 %lane\n"
                      "  %v = load <2 x float>, ptr addrspace(1) %q\n"
                      "  %a = extractelement <2 x float> %v, i32 0\n"
                      "  %b = extractelement <2 x float> %v, i32 1\n" +
                          body + "  ret void\n}\n",
                      context);
  CodegenOptions options{.target = "gfx942"};
  if (llvm::Error error = optimize(*module, options)) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return {};
  }
  auto text = emitAssembly(*module, options);
  if (!text) {
    ADD_FAILURE() << llvm::toString(text.takeError());
    return {};
  }
  llvm::StringRef code(*text);
  EXPECT_EQ(code.count("v_cvt_f16_f32_sdwa"), code.count("dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD"));
  return {code.count("v_cvt_f16_f32_e"), code.count("v_cvt_f16_f32_sdwa"), code.count("v_pack_b32_f16")};
}

static const std::string kPair = "  %x = insertelement <2 x half> poison, half %h, i32 0\n"
                                 "  %pair = insertelement <2 x half> %x, half %k, i32 1\n"
                                 "  store volatile <2 x half> %pair, ptr addrspace(1) %q\n",
                         kRound = "  %h = fptrunc float %a to half\n  %k = fptrunc float %b to half\n";

TEST(PackF16InPlace, TheUpperHalfIsRoundedToItsPlace) { EXPECT_EQ(roundingsOf(kRound + kPair), (Counts{1, 1, 0})); }

TEST(PackF16InPlace, SignsArePartOfTheRounding) {
  EXPECT_EQ(
      roundingsOf("  %h = fptrunc float %a to half\n  %n = fneg float %b\n  %k = fptrunc float %n to half\n" + kPair),
      (Counts{1, 1, 0}));
}

TEST(PackF16InPlace, AHalfThatIsNeededByItselfToo) {
  EXPECT_EQ(roundingsOf(kRound + kPair + "  store volatile half %k, ptr addrspace(1) %p\n"), (Counts{2, 0, 1}));
  EXPECT_EQ(roundingsOf(kRound + kPair + "  store volatile half %h, ptr addrspace(1) %p\n"), (Counts{2, 0, 1}));
}

TEST(PackF16InPlace, HalvesThatAreNotRounded) {
  EXPECT_EQ(roundingsOf("  %h = fptrunc float %a to half\n  %r = fptrunc float %b to half\n"
                        "  %k = fadd half %r, 1.0\n" +
                        kPair),
            (Counts{2, 0, 1}));
}
