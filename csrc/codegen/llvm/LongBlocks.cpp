//===- LongBlocks.cpp - Keeps code generation linear in a basic block's length --------===//
#include "codegen/llvm/LongBlocks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

// A basic block is long if it has more memory accesses than this limit. For a basic block with this number of accesses,
// the passes with quadratic cost together take about a second. The largest basic block of hocket.kernels has half of
// this number.
constexpr int kMostAccesses = 512;
constexpr int kMostInstructions = 8192;

// Number of memory accesses in a scheduling region of a long basic block. With regions of 64 accesses, scheduling takes
// a third of the time that it takes with regions of 256 accesses, and hides the latency of loads equally well.
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
      // The load/store vectorizer skips functions with the attribute NoImplicitFloat, which no other pass of a GPU
      // target reads.
      function.addFnAttr(Attribute::NoImplicitFloat);
      if (module.getTargetTriple().isAMDGPU())
        splitRegions(block);
    }
  }
}

} // namespace hocket
