// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-lane-pipeline | FileCheck %s

#rows = #hk.blocked<size_per_thread = [2, 2], threads_per_warp = [1, 32], warps_per_cta = [1, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [2, 2], threads_per_warp = [1, 32], warps_per_cta = [1, 1], order = [0, 1]>
#pairs = #hk.linear<reg = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], shape = [64]>
#swapped = #hk.linear<reg = [[1]], lane = [[4], [2], [8], [16], [32]], warp = [], block = [], shape = [64]>
#far = #hk.linear<reg = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [64]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// Values stay in their lanes: registers 1 and 2 are exchanged, without instructions.
// CHECK-LABEL: llvm.func @registers
func.func public @registers(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-4: [[X:%.*]] = lane.load
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: llvm.select
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<2x64x!hk.ptr<f32>, #rows>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<2x64x!hk.ptr<f32>, #columns>
  %x = hk.load %from : tensor<2x64x!hk.ptr<f32>, #rows> -> tensor<2x64xf32, #rows>
  %y = hk.convert_layout %x : tensor<2x64xf32, #rows> -> tensor<2x64xf32, #columns>
  hk.store %to, %y : tensor<2x64x!hk.ptr<f32>, #columns>, tensor<2x64xf32, #columns>
  return
}
}

// -----

#pairs = #hk.linear<reg = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], shape = [64]>
#swapped = #hk.linear<reg = [[1]], lane = [[4], [2], [8], [16], [32]], warp = [], block = [], shape = [64]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// Lane bits 0 and 1 are exchanged. Pairs of f16 are shuffled as one word.
// CHECK-LABEL: llvm.func @lanes
func.func public @lanes(%p: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK: llvm.bitcast {{.*}} : vector<2xf16> to i32
  // CHECK: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: llvm.bitcast {{.*}} : i32 to vector<2xf16>
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<f16> -> tensor<64x!hk.ptr<f16>, #pairs>
  %to = hk.splat %p : !hk.ptr<f16> -> tensor<64x!hk.ptr<f16>, #swapped>
  %x = hk.load %from : tensor<64x!hk.ptr<f16>, #pairs> -> tensor<64xf16, #pairs>
  %y = hk.convert_layout %x : tensor<64xf16, #pairs> -> tensor<64xf16, #swapped>
  hk.store %to, %y : tensor<64x!hk.ptr<f16>, #swapped>, tensor<64xf16, #swapped>
  return
}
}

// -----

#pairs = #hk.linear<reg = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], shape = [64]>
#traded = #hk.linear<reg = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [], block = [], shape = [64]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// A register bit and lane bit 0 are exchanged by a butterfly. Round 0 moves nothing between lanes.
// CHECK-LABEL: llvm.func @butterfly
func.func public @butterfly(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-2: llvm.select
  // CHECK: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK-COUNT-2: llvm.select
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<64x!hk.ptr<f32>, #pairs>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<64x!hk.ptr<f32>, #traded>
  %x = hk.load %from : tensor<64x!hk.ptr<f32>, #pairs> -> tensor<64xf32, #pairs>
  %y = hk.convert_layout %x : tensor<64xf32, #pairs> -> tensor<64xf32, #traded>
  hk.store %to, %y : tensor<64x!hk.ptr<f32>, #traded>, tensor<64xf32, #traded>
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [8, 4], warps_per_cta = [2, 2], order = [1, 0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// Values move between warps: 128-bit accesses on both sides of one barrier.
// CHECK-LABEL: llvm.func @shared
func.func public @shared(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-4: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // CHECK-NOT: llvm.store
  // CHECK: nvvm.barrier
  // CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-NOT: llvm.load
  // CHECK-NOT: nvvm.barrier
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<32x64x!hk.ptr<f32>, #rows>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<32x64x!hk.ptr<f32>, #columns>
  %x = hk.load %from : tensor<32x64x!hk.ptr<f32>, #rows> -> tensor<32x64xf32, #rows>
  %y = hk.convert_layout %x : tensor<32x64xf32, #rows> -> tensor<32x64xf32, #columns>
  hk.store %to, %y : tensor<32x64x!hk.ptr<f32>, #columns>, tensor<32x64xf32, #columns>
  return
}
}

// -----

#flat = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#other = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// A bool takes a byte, a pointer 64 bits.
// CHECK-LABEL: llvm.func @bools_and_pointers
func.func public @bools_and_pointers(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK: llvm.zext {{.*}} : i1 to i8
  // CHECK: llvm.store {{.*}} : i8, !llvm.ptr<3>
  // CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<4xi8>
  // CHECK: llvm.trunc {{.*}} : i8 to i1
  // CHECK: llvm.ptrtoint {{.*}} : !llvm.ptr<1> to i64
  // CHECK: llvm.store {{.*}} : i64, !llvm.ptr<3>
  // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<2xi64>
  // CHECK: llvm.inttoptr {{.*}} : i64 to !llvm.ptr<1>
  %i = hk.arange 0 to 512 : tensor<512xi32, #flat>
  %zero = arith.constant dense<7> : tensor<512xi32, #flat>
  %mask = arith.cmpi sgt, %i, %zero : tensor<512xi32, #flat>
  %from = hk.splat %p : !hk.ptr<i32> -> tensor<512x!hk.ptr<i32>, #flat>
  %pointers = hk.addptr %from, %i : tensor<512x!hk.ptr<i32>, #flat>, tensor<512xi32, #flat>
  %value = arith.constant dense<1> : tensor<512xi32, #other>
  %m = hk.convert_layout %mask : tensor<512xi1, #flat> -> tensor<512xi1, #other>
  %q = hk.convert_layout %pointers : tensor<512x!hk.ptr<i32>, #flat> -> tensor<512x!hk.ptr<i32>, #other>
  hk.store %q, %value, mask %m : tensor<512x!hk.ptr<i32>, #other>, tensor<512xi32, #other>
  return
}
}

// -----

#flat = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [2], order = [0]>
#parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 8], warps_per_cta = [2, 1], order = [1, 0]>
#slice = #hk.slice<dim = 1, parent = #parent>
module attributes {hk.target = "gfx950", hk.num_warps = 2 : i32} {

// From a slice, of which lanes hold copies, on a machine with 64 lanes per warp. A lane holds 8 rows; 4 are stored at
// a time, though they are 16 rows apart.
// CHECK-LABEL: llvm.func @slice
func.func public @slice(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
  // CHECK: rocdl.s.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #slice>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #flat>
  %x = hk.load %from : tensor<128x!hk.ptr<f32>, #slice> -> tensor<128xf32, #slice>
  %y = hk.convert_layout %x : tensor<128xf32, #slice> -> tensor<128xf32, #flat>
  hk.store %to, %y : tensor<128x!hk.ptr<f32>, #flat>, tensor<128xf32, #flat>
  return
}
}

// -----

#pairs = #hk.linear<reg = [[1]], lane = [[2], [4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#swapped = #hk.linear<reg = [[1]], lane = [[4], [2], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {

// CHECK-LABEL: llvm.func @lanes_of_a_wave
func.func public @lanes_of_a_wave(%p: !hk.ptr<bf16>) attributes {hk.kernel} {
  // CHECK: llvm.bitcast {{.*}} : vector<2xbf16> to i32
  // CHECK: rocdl.ds_bpermute
  // CHECK-NOT: rocdl.ds_bpermute
  // CHECK: lane.store
  %from = hk.splat %p : !hk.ptr<bf16> -> tensor<128x!hk.ptr<bf16>, #pairs>
  %to = hk.splat %p : !hk.ptr<bf16> -> tensor<128x!hk.ptr<bf16>, #swapped>
  %x = hk.load %from : tensor<128x!hk.ptr<bf16>, #pairs> -> tensor<128xbf16, #pairs>
  %y = hk.convert_layout %x : tensor<128xbf16, #pairs> -> tensor<128xbf16, #swapped>
  hk.store %to, %y : tensor<128x!hk.ptr<bf16>, #swapped>, tensor<128xbf16, #swapped>
  return
}
}
