// RUN: hocket-opt %s --split-input-file --hocket-tile-pipeline --hocket-lane-pipeline | FileCheck %s

#rows = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#plain = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// The index is the offset; the compiler's barrier lies between the stores of other lanes and the loads.
// CHECK-LABEL: llvm.func @gather
func.func public @gather(%p: !hk.ptr<i32>, %q: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: llvm.store {{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: [[PLACE:%.*]] = llvm.getelementptr inbounds {{.*}} : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  // CHECK: llvm.load [[PLACE]] {alignment = 4 : i64} : !llvm.ptr<3> -> f32
  %ip = hk.splat %p : !hk.ptr<i32> -> tensor<128x!hk.ptr<i32>, #rows>
  %fp = hk.splat %q : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #rows>
  %i = hk.load %ip : tensor<128x!hk.ptr<i32>, #rows> -> tensor<128xi32, #rows>
  %x = hk.load %fp : tensor<128x!hk.ptr<f32>, #rows> -> tensor<128xf32, #rows>
  %a = hk.local_alloc %x : (tensor<128xf32, #rows>) -> !hk.memdesc<128xf32, #plain>
  %y = hk.local_gather %a[%i] axis = 0 : !hk.memdesc<128xf32, #plain>, tensor<128xi32, #rows> -> tensor<128xf32, #rows>
  hk.store %fp, %y : tensor<128x!hk.ptr<f32>, #rows>, tensor<128xf32, #rows>
  return
}
}

// -----

#few = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#plain = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// 32 elements for 128 lanes: the first warp acts; old values are distributed through scratch memory.
// CHECK-LABEL: llvm.func @atomic
func.func public @atomic(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK: [[FIRST:%.*]] = llvm.icmp "eq"
  // CHECK: llvm.cond_br [[FIRST]]
  // CHECK: llvm.atomicrmw add {{.*}} syncscope("block") monotonic : !llvm.ptr<3>, i32
  // CHECK: llvm.store {{.*}} : i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
  %ip = hk.splat %p : !hk.ptr<i32> -> tensor<32x!hk.ptr<i32>, #few>
  %i = hk.load %ip : tensor<32x!hk.ptr<i32>, #few> -> tensor<32xi32, #few>
  %a = hk.local_alloc : () -> !hk.memdesc<64xi32, #plain>
  %old = hk.local_atomic_scatter add, %i, %a[%i] axis = 0 : tensor<32xi32, #few>, !hk.memdesc<64xi32, #plain>, tensor<32xi32, #few>
  hk.store %ip, %old : tensor<32x!hk.ptr<i32>, #few>, tensor<32xi32, #few>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [4, 16], warps_per_cta = [1, 1], order = [1, 0]>
#swizzled = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 4, order = [1, 0]>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {

// The index selects the row, and with it the swizzle.
// CHECK-LABEL: llvm.func @scatter
func.func public @scatter(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK: llvm.xor
  // CHECK: llvm.store {{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
  %ip = hk.splat %p : !hk.ptr<i32> -> tensor<4x16x!hk.ptr<i32>, #b>
  %i = hk.load %ip : tensor<4x16x!hk.ptr<i32>, #b> -> tensor<4x16xi32, #b>
  %a = hk.local_alloc : () -> !hk.memdesc<8x16xi32, #swizzled>
  hk.local_scatter %i, %a[%i] axis = 0 : tensor<4x16xi32, #b>, !hk.memdesc<8x16xi32, #swizzled>, tensor<4x16xi32, #b>
  return
}
}
