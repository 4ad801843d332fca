// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

// AMD's back end has such a barrier; empty inline assembly before it reads the named values, the 16-bit
// values of one MFMA operand at once. NVIDIA's back end does not move operations with side effects across an
// instruction that may suspend the warp; its operand depends on all bits of the named values.

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @nvidia
// CHECK-SAME: (%[[X:.+]]: f32, %[[Y:.+]]: i64, %[[Z:.+]]: f16)
func.func public @nvidia(%x: f32, %y: i64, %z: f16) attributes {hk.kernel} {
  // CHECK-NOT: nanosleep
  // CHECK: nvvm.barrier0
  hk.sched_barrier
  hk.barrier local
  // CHECK-DAG: %[[A:.+]] = llvm.bitcast %[[X]] : f32 to i32
  // CHECK-DAG: %[[LOW:.+]] = llvm.trunc %[[Y]] : i64 to i32
  // CHECK-DAG: %[[SHIFTED:.+]] = llvm.lshr %[[Y]]
  // CHECK-DAG: %[[HIGH:.+]] = llvm.trunc %[[SHIFTED]] : i64 to i32
  // CHECK-DAG: %[[BITS:.+]] = llvm.bitcast %[[Z]] : f16 to i16
  // CHECK-DAG: %[[C:.+]] = llvm.zext %[[BITS]] : i16 to i32
  // CHECK-DAG: %[[S0:.+]] = llvm.xor %[[A]], %[[LOW]]
  // CHECK-DAG: %[[S1:.+]] = llvm.xor %[[S0]], %[[HIGH]]
  // CHECK: %[[S2:.+]] = llvm.xor %[[S1]], %[[C]]
  // CHECK: %[[RARE:.+]] = llvm.icmp "eq" %[[S2]]
  // CHECK: llvm.cond_br %[[RARE]], ^[[SLEEP:.+]], ^[[ON:.+]]
  // CHECK: ^[[SLEEP]]:
  // CHECK: nvvm.nanosleep
  // CHECK: ^[[ON]]:
  hk.sched_barrier computed %x, %y, %z : f32, i64, f16
  return
}

// The comparison constant fits into 16 bits: otherwise LLVM would know that the warp never sleeps.
// CHECK-LABEL: llvm.func @narrow
func.func public @narrow(%z: f16) attributes {hk.kernel} {
  // CHECK: %[[SUM:.+]] = llvm.zext %{{.+}} : i16 to i32
  // CHECK: %[[RARE:.+]] = llvm.mlir.constant(24301 : i32) : i32
  // CHECK: llvm.icmp "eq" %[[SUM]], %[[RARE]]
  // CHECK: nvvm.nanosleep
  hk.sched_barrier computed %z : f16
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#wide = #hk.blocked<size_per_thread = [8], threads_per_warp = [64], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @amd
// CHECK-SAME: %[[X:[^:]+]]: f32
func.func public @amd(%x: f32, %p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-NOT: inline_asm
  // CHECK: rocdl.sched.barrier 0
  hk.sched_barrier
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  // CHECK: llvm.inline_asm has_side_effects "", "v,v,v" %{{.*}}, %{{.*}}, %[[X]] : (i32, i32, f32) -> ()
  // CHECK-NEXT: rocdl.sched.barrier 0
  // CHECK-NOT: llvm.icmp
  hk.sched_barrier computed %i, %x : tensor<128xi32, #b>, f32
  return
}

// CHECK-LABEL: llvm.func @operands
func.func public @operands(%x: f16) attributes {hk.kernel} {
  %t = hk.splat %x : f16 -> tensor<512xf16, #wide>
  // CHECK: llvm.inline_asm has_side_effects "", "v" %{{.*}} : (vector<8xf16>) -> ()
  hk.sched_barrier computed %t : tensor<512xf16, #wide>
  return
}
}

// -----

#wide = #hk.blocked<size_per_thread = [8], threads_per_warp = [64], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @narrow_operands
func.func public @narrow_operands(%x: f16) attributes {hk.kernel} {
  %t = hk.splat %x : f16 -> tensor<512xf16, #wide>
  // CHECK: llvm.inline_asm has_side_effects "", "v,v" %{{.*}}, %{{.*}} : (vector<4xf16>, vector<4xf16>) -> ()
  hk.sched_barrier computed %t : tensor<512xf16, #wide>
  return
}
}
