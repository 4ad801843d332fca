// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-lane-pipeline | FileCheck %s

#lanes = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [32, 1], warps_per_cta = [1, 1], order = [1, 0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// A row lies in one lane: two bits of the index select one of four registers.
// CHECK-LABEL: llvm.func @registers
func.func public @registers(%x: !hk.ptr<f32>, %p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.and
  // CHECK-COUNT-12: llvm.select
  // CHECK-NOT: llvm.select
  // CHECK-NOT: barrier
  %from = hk.splat %x : !hk.ptr<f32> -> tensor<32x4x!hk.ptr<f32>, #lanes>
  %by = hk.splat %p : !hk.ptr<i32> -> tensor<32x4x!hk.ptr<i32>, #lanes>
  %v = hk.load %from : tensor<32x4x!hk.ptr<f32>, #lanes> -> tensor<32x4xf32, #lanes>
  %i = hk.load %by : tensor<32x4x!hk.ptr<i32>, #lanes> -> tensor<32x4xi32, #lanes>
  %y = hk.gather %v[%i] axis = 1 : tensor<32x4xf32, #lanes>, tensor<32x4xi32, #lanes> -> tensor<32x4xf32, #lanes>
  hk.store %from, %y : tensor<32x4x!hk.ptr<f32>, #lanes>, tensor<32x4xf32, #lanes>
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// Two registers per lane, in one warp: both are fetched from the lane that the index names.
// CHECK-LABEL: llvm.func @warp
func.func public @warp(%x: !hk.ptr<f32>, %p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK-COUNT-2: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.select
  // CHECK-NOT: llvm.select
  // CHECK-NOT: barrier
  %from = hk.splat %x : !hk.ptr<f32> -> tensor<64x!hk.ptr<f32>, #row>
  %to = hk.splat %x : !hk.ptr<f32> -> tensor<32x!hk.ptr<f32>, #row>
  %by = hk.splat %p : !hk.ptr<i32> -> tensor<32x!hk.ptr<i32>, #row>
  %v = hk.load %from : tensor<64x!hk.ptr<f32>, #row> -> tensor<64xf32, #row>
  %i = hk.load %by : tensor<32x!hk.ptr<i32>, #row> -> tensor<32xi32, #row>
  %y = hk.gather %v[%i] axis = 0 : tensor<64xf32, #row>, tensor<32xi32, #row> -> tensor<32xf32, #row>
  hk.store %to, %y : tensor<32x!hk.ptr<f32>, #row>, tensor<32xf32, #row>
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// Between warps: through 512 bytes of scratch.
// CHECK: hk.shared_bytes = 512 : i32
// CHECK-LABEL: llvm.func @block
func.func public @block(%x: !hk.ptr<f32>, %p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK-NOT: barrier
  // CHECK: lane.store
  %from = hk.splat %x : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #row>
  %by = hk.splat %p : !hk.ptr<i32> -> tensor<128x!hk.ptr<i32>, #row>
  %v = hk.load %from : tensor<128x!hk.ptr<f32>, #row> -> tensor<128xf32, #row>
  %i = hk.load %by : tensor<128x!hk.ptr<i32>, #row> -> tensor<128xi32, #row>
  %y = hk.gather %v[%i] axis = 0 : tensor<128xf32, #row>, tensor<128xi32, #row> -> tensor<128xf32, #row>
  hk.store %from, %y : tensor<128x!hk.ptr<f32>, #row>, tensor<128xf32, #row>
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// A histogram clears its counters, counts, and reads them: two barriers.
// CHECK: hk.shared_bytes = 256 : i32
// CHECK-LABEL: llvm.func @histogram
func.func public @histogram(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: [[IN:%.*]] = llvm.icmp "ult"
  // CHECK: [[BIN:%.*]] = llvm.select [[IN]]
  // CHECK: [[ONE:%.*]] = llvm.zext [[IN]]
  // CHECK: llvm.getelementptr {{.*}}[[BIN]]
  // CHECK: llvm.atomicrmw add {{.*}}, [[ONE]] monotonic : !llvm.ptr<3>, i32
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
  // CHECK-NOT: nvvm.barrier
  %from = hk.splat %p : !hk.ptr<i32> -> tensor<128x!hk.ptr<i32>, #row>
  %to = hk.splat %p : !hk.ptr<i32> -> tensor<64x!hk.ptr<i32>, #row>
  %v = hk.load %from : tensor<128x!hk.ptr<i32>, #row> -> tensor<128xi32, #row>
  %n = hk.histogram %v : tensor<128xi32, #row> -> tensor<64xi32, #row>
  hk.store %to, %n : tensor<64x!hk.ptr<i32>, #row>, tensor<64xi32, #row>
  return
}
}
