//===- GroupMasks.h - Several comparisons before the selections by them --------------===//
//
// CDNA3 and CDNA4 let a vector instruction read a mask only two wait states after a comparison has written it. LLVM
// selects by each mask right after its comparison, and waits each time:
//
//   v_cmp_lt_i32 vcc, 1, v46               v_cmp_lt_i32 vcc, 1, v46
//   s_nop 1                                v_cmp_lt_i32 s[0:1], 2, v46
//   v_cndmask v19, v47, v19, vcc           v_cmp_lt_i32 s[2:3], 3, v46
//   v_cmp_lt_i32 vcc, 2, v46       ->      v_cndmask v19, v47, v19, vcc
//   s_nop 1                                v_cndmask v20, v47, v20, s[0:1]
//   v_cndmask v20, v47, v20, vcc           v_cndmask v21, v47, v21, s[2:3]
//   ..                                     ..
//
// A masked tile of attention has 32 such pairs a lane.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_GROUPMASKS_H
#define HOCKET_CODEGEN_GROUPMASKS_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// For AMD GPUs, after the scheduler before registers are allocated.
llvm::FunctionPass *createGroupMasksPass();

} // namespace hocket

#endif
