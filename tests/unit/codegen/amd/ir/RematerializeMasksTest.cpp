//===- RematerializeMasksTest.cpp - Masks that are recomputed instead of spilled -----------===//
#include "codegen/amd/ir/RematerializeMasks.h"
#include "../../Kernels.h"
#include "codegen/Codegen.h"
#include "codegen/llvm/PassGate.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"

using namespace hocket;
using namespace hocket::test;

/// out[row * n] = x[row * n] + 1 where row < n, for row = thread + 256 r with r < `rows`: loads first, then stores.
/// With `loops`, each store is in a loop of its own.
static std::string maskedRowsIr(bool nvidia, int rows, bool loops = false) {
  std::string loads, stores;
  for (int i = 0; i < rows; ++i) {
    auto name = [r = std::to_string(i)](const char *stem) { return "%" + (stem + r); };
    std::string r = std::to_string(i), next = std::to_string(i + 1), offset = std::to_string(256 * i);
    loads += "  " + name("row") + " = or disjoint i32 %thread, " + offset + "\n";
    loads += "  " + name("m") + " = icmp slt i32 " + name("row") + ", %n\n";
    loads += "  " + name("i") + " = mul i32 " + name("row") + ", %n\n";
    loads += "  " + name("p") + " = getelementptr float, ptr addrspace(1) %x, i32 " + name("i") + "\n";
    loads += "  " + name("q") + " = getelementptr float, ptr addrspace(1) %out, i32 " + name("i") + "\n";
    loads +=
        "  " + name("s") + " = select i1 " + name("m") + ", ptr addrspace(1) " + name("p") + ", ptr addrspace(1) %x\n";
    loads += "  " + name("v") + " = load float, ptr addrspace(1) " + name("s") + "\n";
    loads += "  " + name("w") + " = fadd float " + name("v") + ", 1.0\n";
    stores += "  br i1 " + name("m") + ", label %store" + r + ", label %next" + r + "\nstore" + r + ":\n";
    stores += "  store volatile float " + name("w") + ", ptr addrspace(1) " + name("q") + "\n";
    stores += (loops ? "  br i1 " + name("m") + ", label %store" + r + ", label %next" : "  br label %next") + r + "\n";
    stores += "next" + r + ":\n";
  }
  std::string thread = nvidia ? "llvm.nvvm.read.ptx.sreg.tid.x" : "llvm.amdgcn.workitem.id.x";
  return std::string("define ") + (nvidia ? "ptx_kernel" : "amdgpu_kernel") +
         " void @rows(ptr addrspace(1) %x, ptr addrspace(1) %out, i32 %n) #0 {\n  %thread = call i32 @" + thread +
         "()\n" + loads + stores + "  ret void\n}\ndeclare i32 @" + thread +
         "()\nattributes #0 = { \"amdgpu-flat-work-group-size\"=\"256,256\" }\n";
}

static size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

/// Returns a number from the kernel's metadata.
static int fact(const std::string &assembly, const std::string &name) {
  size_t at = assembly.find("." + name + ":");
  return at == std::string::npos ? -1 : std::stoi(assembly.substr(at + name.size() + 2));
}

TEST(RematerializeMasks, AreComputedTwiceOnlyWhereTheyDoNotFit) {
  EXPECT_EQ(count(assemblyOf(maskedRowsIr(false, 32), "gfx942"), "v_cmp_"), 32u);
  EXPECT_EQ(count(assemblyOf(maskedRowsIr(false, 64), "gfx942"), "v_cmp_"), 127u); // the first in its own block
}

TEST(RematerializeMasks, NothingIsSpilled) {
  for (int rows : {64, 128, 256}) {
    std::string text = assemblyOf(maskedRowsIr(false, rows), "gfx942");
    EXPECT_EQ(fact(text, "sgpr_spill_count"), 0) << rows;
    EXPECT_EQ(fact(text, "vgpr_spill_count"), 0) << rows;
    EXPECT_LT(fact(text, "vgpr_count"), rows + 40) << rows; // the loaded values, and little else
  }
}

/// Returns the number of instructions in `block` of the kernel after the pass.
static size_t sizeAfterPass(llvm::Module &module, llvm::StringRef block) {
  llvm::legacy::PassManager passes;
  passes.add(createRematerializeMasksPass());
  passes.run(module);
  for (llvm::BasicBlock &candidate : *module.getFunction("rows"))
    if (candidate.getName() == block)
      return candidate.size();
  return 0;
}

TEST(RematerializeMasks, NothingIsMovedIntoALoop) {
  llvm::LLVMContext context;
  auto straight = parse(maskedRowsIr(false, 64), context), loops = parse(maskedRowsIr(false, 64, true), context);
  EXPECT_EQ(sizeAfterPass(*straight, "store7"), 2u + 3u); // row, multiplication and address
  EXPECT_EQ(sizeAfterPass(*loops, "store7"), 2u);
}

TEST(RematerializeMasks, ManyProductsAreNotReduced) {
  llvm::LLVMContext context;
  for (int rows : {64, 128}) {
    auto module = parse(maskedRowsIr(true, rows), context);
    PassGate choice(*module);
    EXPECT_EQ(context.getOptPassGate().isEnabled(), rows == 128);
  }
  EXPECT_GE(count(assemblyOf(maskedRowsIr(true, 128), "sm_90a"), "mul."), 128u);
}
