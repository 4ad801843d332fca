// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics | FileCheck %s

module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
// Warps 0 to 3 are group 0. The barrier counts the threads of both groups.
// CHECK-LABEL: llvm.func @pipeline
// CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.+]] = llvm.lshr %[[THREAD]]
// CHECK: %[[UNIFORM:.+]] = nvvm.shfl.sync idx {{.*}} %[[WARP]]
// CHECK: %[[FOUR:.+]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[HIGH:.+]] = llvm.icmp "uge" %[[UNIFORM]], %[[FOUR]]
// CHECK: llvm.cond_br %[[HIGH]], ^[[ARRIVE:.+]], ^[[AFTER:.+]]
// CHECK: ^[[ARRIVE]]:
// CHECK: nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
// CHECK-NEXT: llvm.br ^[[AFTER]]
// CHECK: ^[[AFTER]]:
// The scheduling barrier becomes the name of the stage; without a name it is erased.
// CHECK-NEXT: llvm.call_intrinsic "llvm.donothing"() {{.*}}lane.stage = "load"
// CHECK-NEXT: %[[ID:.+]] = llvm.mlir.constant(3 : i32)
// CHECK-NEXT: %[[COUNT:.+]] = llvm.mlir.constant(256 : i32)
// CHECK-NEXT: nvvm.barrier id = %[[ID]] number_of_threads = %[[COUNT]]
// CHECK: %[[LOW:.+]] = llvm.icmp "ult" %[[UNIFORM]]
// CHECK-NEXT: llvm.cond_br %[[LOW]]
func.func public @pipeline() attributes {hk.kernel} {
  hk.group_barrier high number = 3
  hk.sched_barrier stage "load"
  hk.slot_barrier number = 3
  hk.sched_barrier
  hk.group_barrier low number = 3
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
// Each group waits at its own barrier and arrives at the other's.
// CHECK-LABEL: llvm.func @exclusive
// CHECK: llvm.icmp "uge"
// CHECK: %[[LOW:.+]] = llvm.mlir.constant(5 : i32)
// CHECK: nvvm.barrier.arrive id = %[[LOW]] number_of_threads = %{{.+}}
// CHECK: %[[GROUP:.+]] = llvm.udiv
// CHECK: %[[FIRST:.+]] = llvm.mlir.constant(5 : i32)
// CHECK: %[[OWN:.+]] = llvm.add %[[FIRST]], %[[GROUP]]
// CHECK: nvvm.barrier id = %[[OWN]] number_of_threads = %{{.+}}
// CHECK: %[[GROUP2:.+]] = llvm.udiv
// CHECK: %[[SECOND:.+]] = llvm.mlir.constant(6 : i32)
// CHECK: %[[OTHER:.+]] = llvm.sub %[[SECOND]], %[[GROUP2]]
// CHECK: nvvm.barrier.arrive id = %[[OTHER]] number_of_threads = %{{.+}}
// CHECK: llvm.icmp "ult"
// CHECK: %[[LOW2:.+]] = llvm.mlir.constant(5 : i32)
// CHECK: nvvm.barrier id = %[[LOW2]] number_of_threads = %{{.+}}
func.func public @exclusive() attributes {hk.kernel} {
  hk.end_exclusive group = high number = 5
  hk.begin_exclusive number = 5
  hk.end_exclusive number = 5
  hk.begin_exclusive group = low number = 5
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 12 : i32} {
// Three groups: a slot counts 384 threads, the barrier of an exclusive stage those of two groups. The last group admits
// group 0.
// CHECK-LABEL: llvm.func @three_groups
// CHECK: %[[EIGHT:.+]] = llvm.mlir.constant(8 : i32)
// CHECK: llvm.icmp "uge" %{{.+}}, %[[EIGHT]]
// CHECK: %[[COUNT:.+]] = llvm.mlir.constant(384 : i32)
// CHECK-NEXT: nvvm.barrier id = %{{.+}} number_of_threads = %[[COUNT]]
// CHECK: %[[GROUP:.+]] = llvm.udiv
// CHECK: %[[LAST:.+]] = llvm.icmp "eq" %[[GROUP]]
// CHECK: %[[NEXT:.+]] = llvm.add %{{.+}}, %[[GROUP]]
// CHECK: %[[ID:.+]] = llvm.select %[[LAST]], %{{.+}}, %[[NEXT]]
// CHECK: %[[TWO:.+]] = llvm.mlir.constant(256 : i32)
// CHECK-NEXT: nvvm.barrier.arrive id = %[[ID]] number_of_threads = %[[TWO]]
func.func public @three_groups() attributes {hk.kernel} {
  hk.group_barrier high number = 3 {hk.low_groups = 2 : i32}
  hk.end_exclusive number = 5
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @four_warps() attributes {hk.kernel} {
  // expected-error @below {{is for two to four groups of four warps, but 4 warps run it}}
  hk.slot_barrier number = 3
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
// Warps have no priorities.
// CHECK-LABEL: llvm.func @priority
// CHECK-NEXT: llvm.return
func.func public @priority() attributes {hk.kernel} {
  hk.set_priority 2
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
func.func public @no_number() attributes {hk.kernel} {
  // expected-error @below {{needs the number of a barrier on sm_90a}}
  hk.slot_barrier
  return
}
}
