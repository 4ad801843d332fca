//===- BatchCompares.h - Issues compares in batches before the selects that use them ------------===//
//
// CDNA3 and CDNA4 need two wait states between a v_cmp that writes a mask and the VALU instruction that reads it. LLVM
// places each select (v_cndmask) directly after its compare (v_cmp), with an s_nop between the two:
//
//   v_cmp_lt_i32 vcc, 1, v46               v_cmp_lt_i32 vcc, 1, v46
//   s_nop 1                                v_cmp_lt_i32 s[0:1], 2, v46
//   v_cndmask v19, v47, v19, vcc           v_cmp_lt_i32 s[2:3], 3, v46
//   v_cmp_lt_i32 vcc, 2, v46       ->      v_cndmask v19, v47, v19, vcc
//   s_nop 1                                v_cndmask v20, v47, v20, s[0:1]
//   v_cndmask v20, v47, v20, vcc           v_cndmask v21, v47, v21, s[2:3]
//   ...                                    ...
//
// For each masked tile, a lane of an attention kernel executes, for example, 32 pairs of a compare and a select.
//
// Why LLVM does not do this: LLVM's hazard recognizer inserts the s_nop after register allocation. At that time, all
// compares write vcc, so they can no longer be reordered. LLVM's schedulers assume no latency between v_cmp and
// v_cndmask.
//
// Gain (docs/lab/isa.md): without this pass, 49 kernels of hocket.kernels have 3 % more instructions on average. By the
// schedule model, iterations of the loops of normalization kernels on gfx942 take up to 7 % more clocks.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_BATCHCOMPARES_H
#define HOCKET_CODEGEN_AMD_MACHINE_BATCHCOMPARES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Creates the pass that batches compares, which must run between LLVM's first machine scheduler and register
/// allocation.
llvm::FunctionPass *createBatchComparesPass();

} // namespace hocket

#endif
