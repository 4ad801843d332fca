//===- LongBlocksTest.cpp - Passes that code generation skips for long blocks -----===//
#include "codegen/llvm/LongBlocks.h"
#include "../Kernels.h"

using namespace hocket;
using namespace hocket::test;

/// out[t * n] = x[t * n] for t < `trips`, in one block.
static std::string stridedCopiesIr(bool nvidia, int trips) {
  std::string text = std::string("define ") + (nvidia ? "ptx_kernel" : "amdgpu_kernel") +
                     " void @copies(ptr addrspace(1) %x, ptr addrspace(1) %out, i32 %n) {\n";
  for (int i = 0; i < trips; ++i) {
    std::string t = std::to_string(i);
    text += "  %i" + t + " = mul i32 %n, " + t + "\n" + //
            "  %p" + t + " = getelementptr float, ptr addrspace(1) %x, i32 %i" + t + "\n" + "  %q" + t +
            " = getelementptr float, ptr addrspace(1) %out, i32 %i" + t + "\n" + "  %v" + t +
            " = load float, ptr addrspace(1) %p" + t + "\n" + "  store float %v" + t + ", ptr addrspace(1) %q" + t +
            "\n";
  }
  return text + "  ret void\n}\n";
}

static std::string copiesFor(const std::string &target, bool nvidia, int trips) {
  return assemblyOf(stridedCopiesIr(nvidia, trips), target);
}

static size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(LongBlocks, SchedulingRegionsEndInLongBlocksOnly) {
  EXPECT_EQ(count(copiesFor("gfx942", false, 200), "sched_barrier"), 0u);
  EXPECT_EQ(count(copiesFor("gfx942", false, 320), "sched_barrier"), 640u / 64);
}

TEST(LongBlocks, ProductsAreReducedInShortBlocksOnly) {
  // One multiplication suffices for all addresses if each address is the sum of the previous one and n.
  EXPECT_LT(count(copiesFor("sm_90a", true, 200), "mul."), 10u);
  EXPECT_GT(count(copiesFor("sm_90a", true, 320), "mul."), 160u);
}
