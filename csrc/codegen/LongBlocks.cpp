//===- LongBlocks.cpp - Code generation in time linear in a block's length --------===//
#include "codegen/LongBlocks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

// 500 copies of an element each way take a second with all passes, for gfx942 and for sm_90a alike. The largest block
// of the kernels in hocket.kernels makes half as many accesses.
constexpr int kMostAccesses = 512;
constexpr int kMostInstructions = 8192;

// Regions of 64 accesses take a third of the time of those of 256, and hide a load's latency as well.
constexpr int kAccessesPerRegion = 64;

static bool isLong(const BasicBlock &block) {
  return count_if(block, [](const Instruction &op) { return op.mayReadOrWriteMemory(); }) > kMostAccesses;
}

bool hasLongBlocks(const Function &function) {
  return function.getInstructionCount() > kMostInstructions ||
         any_of(function, [](const BasicBlock &block) { return isLong(block); });
}

static void endRegions(BasicBlock &block) {
  int accesses = 0;
  for (Instruction &op : make_early_inc_range(block)) {
    if (!op.mayReadOrWriteMemory() || ++accesses % kAccessesPerRegion != 0)
      continue;
    IRBuilder<> builder(&op);
    builder.CreateIntrinsic(Intrinsic::amdgcn_sched_barrier, builder.getInt32(0));
  }
}

void shortenLongBlocks(Module &module) {
  for (Function &function : module) {
    for (BasicBlock &block : function) {
      if (!isLong(block))
        continue;
      // The vectorizer leaves functions with this attribute out, and nothing else on a GPU asks for it.
      function.addFnAttr(Attribute::NoImplicitFloat);
      if (module.getTargetTriple().isAMDGPU())
        endRegions(block);
    }
  }
}

} // namespace hocket
