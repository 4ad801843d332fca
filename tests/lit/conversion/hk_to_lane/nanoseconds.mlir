// RUN: hocket-opt %s --split-input-file --hocket-convert-hk-to-lane | FileCheck %s

// One reading for all elements of a lane.
// CHECK-LABEL: llvm.func @nvidia
// CHECK: %[[TIME:.+]] = nvvm.read.ptx.sreg.globaltimer : i64
// CHECK-NOT: globaltimer
// CHECK: lane.store %{{.+}}, %[[TIME]]
#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
func.func public @nvidia(%x: !hk.ptr<i64>) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<i64> -> tensor<64x!hk.ptr<i64>, #b>
  %t = hk.nanoseconds : tensor<64xi64, #b>
  hk.store %p, %t : tensor<64x!hk.ptr<i64>, #b>, tensor<64xi64, #b>
  return
}
}

// -----

// The clock counts at 100 MHz.
// CHECK-LABEL: llvm.func @amd
// CHECK: %[[TICKS:.+]] = llvm.call_intrinsic "llvm.amdgcn.s.memrealtime"() : () -> i64
// CHECK: %[[TEN:.+]] = llvm.mlir.constant(10 : i64)
// CHECK: %[[TIME:.+]] = llvm.mul %[[TICKS]], %[[TEN]]
// CHECK: lane.store %{{.+}}, %[[TIME]]
#c = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {
func.func public @amd(%x: !hk.ptr<i64>) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<i64> -> tensor<64x!hk.ptr<i64>, #c>
  %t = hk.nanoseconds : tensor<64xi64, #c>
  hk.store %p, %t : tensor<64x!hk.ptr<i64>, #c>, tensor<64xi64, #c>
  return
}
}
