// RUN: hocket-opt %s --hocket-allocate-memory --hocket-lane-pipeline --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// One atomic per element, the mask of each its predicate.
// CHECK-LABEL: llvm.func @elements
func.func public @elements(%x: !hk.ptr<f32>, %n: i32) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %ns = hk.splat %n : i32 -> tensor<256xi32, #b>
  // CHECK: %[[M0:.+]] = llvm.icmp "slt"
  // CHECK: %[[M1:.+]] = llvm.icmp "slt"
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #b>
  %xs = hk.splat %x : !hk.ptr<f32> -> tensor<256x!hk.ptr<f32>, #b>
  %p = hk.addptr %xs, %i : tensor<256x!hk.ptr<f32>, #b>, tensor<256xi32, #b>
  %one = arith.constant dense<1.0> : tensor<256xf32, #b>
  // CHECK: lane.atomic_rmw fadd relaxed gpu, %{{.+}}, %{{.+}}, pred %[[M0]] : !llvm.ptr<1>, f32
  // CHECK: lane.atomic_rmw fadd relaxed gpu, %{{.+}}, %{{.+}}, pred %[[M1]] : !llvm.ptr<1>, f32
  %old = hk.atomic_rmw fadd, %p, %one, mask %m sem = relaxed : tensor<256x!hk.ptr<f32>, #b>, tensor<256xf32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// Eight elements on 32 lanes: lanes 0 to 7 act, the others get the old value by a shuffle.
// CHECK-LABEL: llvm.func @copies_on_lanes
func.func public @copies_on_lanes(%x: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK: %[[LANE:.+]] = nvvm.read.ptx.sreg.tid.x
  %i = hk.arange 0 to 8 : tensor<8xi32, #b>
  %xs = hk.splat %x : !hk.ptr<i32> -> tensor<8x!hk.ptr<i32>, #b>
  %p = hk.addptr %xs, %i : tensor<8x!hk.ptr<i32>, #b>, tensor<8xi32, #b>
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq"
  // CHECK: %[[OLD:.+]] = lane.atomic_rmw umax acq_rel gpu, %{{.+}}, %{{.+}}, pred %[[FIRST]]
  // CHECK: %[[C7:.+]] = llvm.mlir.constant(7 : i32)
  // CHECK: %[[FROM:.+]] = llvm.and %[[LANE]], %[[C7]]
  // CHECK: nvvm.shfl.sync idx %{{.+}}, %[[OLD]], %[[FROM]]
  %old = hk.atomic_rmw umax, %p, %i : tensor<8x!hk.ptr<i32>, #b>, tensor<8xi32, #b>
  hk.store %p, %old : tensor<8x!hk.ptr<i32>, #b>, tensor<8xi32, #b>
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// In a single warp, too, one lane acts for all: after all earlier accesses of the warp, and before all later ones.
// CHECK-LABEL: llvm.func @lone_warp
func.func public @lone_warp(%x: !hk.ptr<i32>, %n: i32) attributes {hk.kernel} {
  // CHECK: nvvm.bar.warp.sync
  // CHECK: lane.atomic_rmw add release gpu
  // CHECK-NOT: nvvm.bar.warp.sync
  // CHECK: lane.atomic_rmw add acquire gpu
  // CHECK: nvvm.shfl.sync
  // CHECK: nvvm.bar.warp.sync
  // CHECK: lane.atomic_rmw add relaxed gpu
  // CHECK-NOT: nvvm.bar.warp.sync
  %0 = hk.atomic_rmw add, %x, %n sem = release : !hk.ptr<i32>, i32
  %1 = hk.atomic_rmw add, %x, %n sem = acquire : !hk.ptr<i32>, i32
  %2 = hk.atomic_rmw add, %x, %1 sem = relaxed : !hk.ptr<i32>, i32
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// An atomic of the whole block: a barrier orders the earlier accesses of all warps; one lane acts and distributes the
// old value through shared memory.
// CHECK-LABEL: llvm.func @block
func.func public @block(%x: !hk.ptr<i32>, %n: i32) attributes {hk.kernel} {
  // CHECK: rocdl.s.barrier
  // CHECK: %[[OLD:.+]] = lane.atomic_cas acq_rel gpu, %{{.+}}, %{{.+}}, %{{.+}}, pred %[[FIRST:.+]] : !llvm.ptr<1>, i32
  // CHECK: %[[SLOT:.+]] = llvm.getelementptr
  // CHECK: llvm.cond_br %[[FIRST]], ^[[STORE:.+]], ^[[AFTER:.+]]
  // CHECK: ^[[STORE]]:
  // CHECK: llvm.store %[[OLD]], %[[SLOT]] : i32, !llvm.ptr<3>
  // CHECK: ^[[AFTER]]:
  // CHECK: rocdl.s.barrier
  // CHECK: %[[ALL:.+]] = llvm.load %[[SLOT]]
  %old = hk.atomic_cas %x, %n, %n : !hk.ptr<i32>, i32
  // CHECK: lane.store %{{.+}}, %[[ALL]]
  hk.store %x, %old : !hk.ptr<i32>, i32
  return
}
}
