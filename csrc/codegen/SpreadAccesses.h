//===- SpreadAccesses.h - Accesses of memory take turns with arithmetic --------------===//
//
// In a warp pipeline, the stage that reads has a higher priority than the one that multiplies at the same time, on the
// same SIMD unit. It mostly waits for LDS, but LLVM's schedulers issue its accesses first and its arithmetic in one
// heap after them. Each instruction of that goes before the other wave's, and a product, too, is issued through the
// vector unit. So a heap that takes longer than a product leaves the matrix core idle:
//
//   reads (priority 1)                     multiplies (priority 0)
//   ds_read x 16                           v_mfma, v_exp, v_mfma, v_exp, ..
//   v_max x 16: 64 clocks                  the last v_mfma ends within 32 clocks, the next one has to wait
//
// Here the arithmetic is dealt evenly among the accesses:
//
//   ds_read, v_max, ds_read, v_max, ..     v_mfma, v_exp, v_mfma, v_exp, ..
//
// There is time between two accesses, as the SIMD units of a compute unit share LDS: a ds_read2_b64 of each of the four
// takes 32 clocks.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_SPREADACCESSES_H
#define HOCKET_CODEGEN_SPREADACCESSES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// For AMD GPUs, after one of LLVM's schedulers: that before registers are allocated, or that after it (`isAllocated`).
/// An exponential and its like count as `transcendental` others.
llvm::FunctionPass *createSpreadAccessesPass(int transcendental, bool isAllocated);

} // namespace hocket

#endif
