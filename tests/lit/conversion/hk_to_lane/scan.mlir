// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-lane-pipeline | FileCheck %s

#lanes = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [32, 1], warps_per_cta = [1, 1], order = [1, 0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// A row lies in one lane: each register and the sum before it.
// CHECK-LABEL: llvm.func @registers
func.func public @registers(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: [[A:%.*]] = lane.load
  // CHECK: [[B:%.*]] = lane.load
  // CHECK: [[C:%.*]] = lane.load
  // CHECK: [[D:%.*]] = lane.load
  // CHECK: [[AB:%.*]] = llvm.fadd [[A]], [[B]]
  // CHECK: [[ABC:%.*]] = llvm.fadd [[AB]], [[C]]
  // CHECK: llvm.fadd [[ABC]], [[D]]
  // CHECK-NOT: llvm.fadd
  // CHECK-NOT: nvvm.shfl
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<32x4x!hk.ptr<f32>, #lanes>
  %x = hk.load %from : tensor<32x4x!hk.ptr<f32>, #lanes> -> tensor<32x4xf32, #lanes>
  %y = hk.scan %x axis = 1 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    hk.combine.return %sum : f32
  } : (tensor<32x4xf32, #lanes>) -> tensor<32x4xf32, #lanes>
  hk.store %from, %y : tensor<32x4x!hk.ptr<f32>, #lanes>, tensor<32x4xf32, #lanes>
  return
}

// From the last register to the first.
// CHECK-LABEL: llvm.func @reverse
func.func public @reverse(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: [[A:%.*]] = lane.load
  // CHECK: [[B:%.*]] = lane.load
  // CHECK: [[C:%.*]] = lane.load
  // CHECK: [[D:%.*]] = lane.load
  // CHECK: [[DC:%.*]] = llvm.fadd [[D]], [[C]]
  // CHECK: [[DCB:%.*]] = llvm.fadd [[DC]], [[B]]
  // CHECK: llvm.fadd [[DCB]], [[A]]
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<32x4x!hk.ptr<f32>, #lanes>
  %x = hk.load %from : tensor<32x4x!hk.ptr<f32>, #lanes> -> tensor<32x4xf32, #lanes>
  %y = hk.scan %x axis = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    hk.combine.return %sum : f32
  } : (tensor<32x4xf32, #lanes>) -> tensor<32x4xf32, #lanes>
  hk.store %from, %y : tensor<32x4x!hk.ptr<f32>, #lanes>, tensor<32x4xf32, #lanes>
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [8], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// A row of 1024 lies in the block: 7 additions in registers, 5 steps between lanes, 16 bytes of scratch and one barrier
// between the warps, and 8 additions of the prefix.
// CHECK: hk.shared_bytes = 16 : i32
// CHECK-LABEL: llvm.func @block
func.func public @block(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-7: llvm.fadd
  // CHECK-COUNT-5: nvvm.shfl.sync up
  // CHECK: llvm.cond_br
  // CHECK: llvm.store {{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-NOT: llvm.load
  // CHECK: nvvm.shfl.sync up
  // CHECK-NOT: nvvm.shfl
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<1024x!hk.ptr<f32>, #row>
  %x = hk.load %from : tensor<1024x!hk.ptr<f32>, #row> -> tensor<1024xf32, #row>
  %y = hk.scan %x axis = 0 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    hk.combine.return %sum : f32
  } : (tensor<1024xf32, #row>) -> tensor<1024xf32, #row>
  hk.store %from, %y : tensor<1024x!hk.ptr<f32>, #row>, tensor<1024xf32, #row>
  return
}
}

// -----

#wrapped = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {

// One warp, four successive elements per lane: the total of 64 is in the last lane, which all lanes read.
// CHECK-LABEL: llvm.func @wrapped
func.func public @wrapped(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-24: rocdl.ds_bpermute
  // CHECK: llvm.or
  // CHECK-COUNT-3: rocdl.ds_bpermute
  // CHECK-NOT: rocdl.ds_bpermute
  // CHECK-NOT: barrier
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<256x!hk.ptr<f32>, #wrapped>
  %x = hk.load %from : tensor<256x!hk.ptr<f32>, #wrapped> -> tensor<256xf32, #wrapped>
  %y = hk.scan %x axis = 0 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    hk.combine.return %sum : f32
  } : (tensor<256xf32, #wrapped>) -> tensor<256xf32, #wrapped>
  hk.store %from, %y : tensor<256x!hk.ptr<f32>, #wrapped>, tensor<256xf32, #wrapped>
  return
}
}
