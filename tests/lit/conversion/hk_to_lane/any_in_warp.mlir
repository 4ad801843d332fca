// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

// A reduction over the registers of a lane, then over the lanes: by a vote, or by a mask of 64 lanes.

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @nvidia
func.func public @nvidia(%p: !hk.ptr<f32>, %x: i32) attributes {hk.kernel} {
  %i = hk.arange 0 to 64 : tensor<64xi32, #b>
  %s = hk.splat %x : i32 -> tensor<64xi32, #b>
  %c = arith.cmpi eq, %i, %s : tensor<64xi32, #b>
  // CHECK: %[[EITHER:.+]] = llvm.or %{{.+}}, %{{.+}} : i1
  // CHECK: %[[ANY:.+]] = nvvm.vote.sync any %{{.+}}, %[[EITHER]] -> i1
  // CHECK: llvm.cond_br %[[ANY]]
  %any = hk.any_in_warp %c : tensor<64xi1, #b>
  %f = arith.sitofp %i : tensor<64xi32, #b> to tensor<64xf32, #b>
  %y = scf.if %any -> tensor<64xf32, #b> {
    %twice = arith.addf %f, %f : tensor<64xf32, #b>
    scf.yield %twice : tensor<64xf32, #b>
  } else {
    scf.yield %f : tensor<64xf32, #b>
  }
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<64x!hk.ptr<f32>, #b>
  hk.store %to, %y : tensor<64x!hk.ptr<f32>, #b>, tensor<64xf32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @amd
func.func public @amd(%p: !hk.ptr<f32>, %x: i32) attributes {hk.kernel} {
  %i = hk.arange 0 to 64 : tensor<64xi32, #b>
  %s = hk.splat %x : i32 -> tensor<64xi32, #b>
  %c = arith.cmpi eq, %i, %s : tensor<64xi32, #b>
  // CHECK: %[[LANES:.+]] = rocdl.ballot %{{.+}} : i64
  // CHECK: %[[ANY:.+]] = llvm.icmp "ne" %[[LANES]]
  // CHECK: llvm.cond_br %[[ANY]]
  %any = hk.any_in_warp %c : tensor<64xi1, #b>
  %f = arith.sitofp %i : tensor<64xi32, #b> to tensor<64xf32, #b>
  %y = scf.if %any -> tensor<64xf32, #b> {
    %twice = arith.addf %f, %f : tensor<64xf32, #b>
    scf.yield %twice : tensor<64xf32, #b>
  } else {
    scf.yield %f : tensor<64xf32, #b>
  }
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<64x!hk.ptr<f32>, #b>
  hk.store %to, %y : tensor<64x!hk.ptr<f32>, #b>, tensor<64xf32, #b>
  return
}
}
