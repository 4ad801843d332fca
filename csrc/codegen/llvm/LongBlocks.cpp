//===- LongBlocks.cpp - Keeps code generation linear in a basic block's length --------===//
#include "codegen/llvm/LongBlocks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

// All quadratic passes together take about a second for a basic block with this number of accesses. The largest basic
// block of hocket.kernels has half of this number of accesses.
constexpr int kMostAccesses = 512;
constexpr int kMostInstructions = 8192;

// Number of accesses in a scheduling region. Regions of 64 accesses are scheduled in a third of the time of regions of
// 256, and hide the latency of a load equally well.
constexpr int kAccessesPerRegion = 64;

static bool isLong(const BasicBlock &block) {
  return count_if(block, [](const Instruction &op) { return op.mayReadOrWriteMemory(); }) > kMostAccesses;
}

bool hasLongBlocks(const Function &function) {
  return function.getInstructionCount() > kMostInstructions ||
         any_of(function, [](const BasicBlock &block) { return isLong(block); });
}

static void splitRegions(BasicBlock &block) {
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
      // The vectorizer skips functions with this attribute, which no other pass of a GPU target reads.
      function.addFnAttr(Attribute::NoImplicitFloat);
      if (module.getTargetTriple().isAMDGPU())
        splitRegions(block);
    }
  }
}

} // namespace hocket
