// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: #[[TAG:.+]] = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">
module attributes {hk.target = "gfx942", hk.num_warps = 8 : i32} {
// Warps 0 to 3 are group 0: 256 threads of waves of 64.
// CHECK-LABEL: llvm.func @pipeline
// CHECK: %[[THREAD:.+]] = rocdl.workitem.id.x
// CHECK: %[[SIXTY_FOUR:.+]] = llvm.mlir.constant(6 : i32)
// CHECK: %[[WARP:.+]] = llvm.lshr %[[THREAD]], %[[SIXTY_FOUR]]
// CHECK: %[[UNIFORM:.+]] = rocdl.readfirstlane %[[WARP]]
// CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[GROUP:.+]] = llvm.udiv %[[UNIFORM]], %[[FOUR]]
// CHECK: %[[HIGH:.+]] = llvm.icmp "ne" %[[GROUP]]
// CHECK: llvm.cond_br %[[HIGH]], ^[[ARRIVE:.+]], ^[[AFTER:.+]]
// CHECK: ^[[ARRIVE]]:
// CHECK-NEXT: llvm.fence syncscope("singlethread") release
// CHECK-NEXT: rocdl.s.barrier {lane.acquires}
// CHECK-NEXT: llvm.fence syncscope("singlethread") acquire
// CHECK-NEXT: llvm.br ^[[AFTER]]
// CHECK: ^[[AFTER]]:
// CHECK-NEXT: rocdl.s.setprio 2
// CHECK-NEXT: rocdl.sched.barrier 0{{$}}
// CHECK-NEXT: llvm.fence syncscope("singlethread") release
// CHECK-NEXT: rocdl.s.barrier {lane.acquires}
// CHECK-NEXT: llvm.fence syncscope("singlethread") acquire
// CHECK-NEXT: rocdl.sched.barrier 1 {lane.stage = "load"}
// CHECK-NEXT: llvm.fence syncscope("singlethread") release
// CHECK-NEXT: rocdl.s.barrier {lane.acquires}
// CHECK-NEXT: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[TAG]]}
// CHECK-NEXT: llvm.return
func.func public @pipeline() attributes {hk.kernel} {
  hk.group_barrier high
  hk.set_priority 2
  hk.sched_barrier
  hk.slot_barrier
  hk.sched_barrier stage "load" {allow = 1 : i32}
  hk.slot_barrier finish_reads
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 16 : i32} {
// Four groups: the first two wait.
// CHECK-LABEL: llvm.func @four_groups
// CHECK: %[[GROUP:.+]] = llvm.udiv
// CHECK-NEXT: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT: %[[LOW:.+]] = llvm.icmp "ult" %[[GROUP]], %[[TWO]]
// CHECK: llvm.cond_br %[[LOW]]
// CHECK: rocdl.s.barrier
func.func public @four_groups() attributes {hk.kernel} {
  hk.group_barrier low {hk.low_groups = 2 : i32}
  return
}
}

// -----

// NVIDIA's back end ignores a scheduling barrier.
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @nvidia
// CHECK-NEXT: llvm.return
func.func public @nvidia() attributes {hk.kernel} {
  hk.sched_barrier
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func public @exclusive() attributes {hk.kernel} {
  // expected-error @below {{needs named barriers, which Ampere (sm_80) and Hopper (sm_90a) have; the target is gfx950}}
  hk.begin_exclusive number = 2
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
func.func public @four_warps() attributes {hk.kernel} {
  // expected-error @below {{is for two to four groups of four warps, but 4 warps run it}}
  hk.group_barrier low
  return
}
}
