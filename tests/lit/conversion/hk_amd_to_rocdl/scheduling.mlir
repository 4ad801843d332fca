// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

// Each request for a group of instructions is one instruction for the back end, in the order of the program.

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @groups
// CHECK-NEXT: rocdl.sched.group.barrier 8, 4, 1
// CHECK-NEXT: rocdl.sched.group.barrier 256, 2, 1
// CHECK-NEXT: llvm.return
func.func public @groups() attributes {hk.kernel} {
  hk_amd.sched_group_barrier 8, 4, 1
  hk_amd.sched_group_barrier 256, 2, 1
  return
}
}

// -----

// On targets without scheduling groups, gl.sched_group_barrier becomes a barrier that everything may cross. The barrier
// leaves no instruction.

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @no_groups
// CHECK-NEXT: llvm.return
func.func public @no_groups() attributes {hk.kernel} {
  hk.sched_barrier {allow = 4095 : i32}
  return
}
}
