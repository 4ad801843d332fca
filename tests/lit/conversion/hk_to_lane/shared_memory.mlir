// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --hocket-lane-pipeline | FileCheck %s

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [8, 4], warps_per_cta = [4, 1], order = [1, 0]>
#swizzled = #hk.swizzled_shared<vec = 8, per_phase = 2, max_phase = 4, order = [1, 0]>
!ptrs = tensor<64x32x!hk.ptr<f16>, #rows>
!tile = tensor<64x32xf16, #rows>
!smem = !hk.memdesc<64x32xf16, #swizzled>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {

// Rows of 8 halves use 128-bit accesses, also where the layout swizzles them.
// CHECK: llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32{{.*}}} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @store_and_load
func.func public @store_and_load(%p: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
  // CHECK-NOT: llvm.store
  // CHECK-COUNT-2: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
  // CHECK-NOT: llvm.load
  // CHECK: lane.store
  %at = hk.splat %p : !hk.ptr<f16> -> !ptrs
  %x = hk.load %at : !ptrs -> !tile
  %a = hk.local_alloc : () -> !smem
  hk.local_store %x, %a : !tile -> !smem
  %y = hk.local_load %a : !smem -> !tile
  hk.store %at, %y : !ptrs, !tile
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [8], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#padded = #hk.padded_shared<intervals = [128], paddings = [4], offset = [[1], [2], [4], [8], [16], [32], [64], [128]], block = [], shape = [256]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// Padding moves what lies after it by 4 elements: accesses of 4 stay within an interval and aligned, 8 would not.
// 256 elements and the padding between them take 1040 bytes.
// CHECK: hk.shared_bytes = 1040 : i32
// CHECK-LABEL: llvm.func @padded
func.func public @padded(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: [[START:%.*]] = llvm.shl {{.*}} : i32
  // CHECK: [[SEVEN:%.*]] = llvm.mlir.constant(7 : i32)
  // CHECK: [[INTERVAL:%.*]] = llvm.lshr [[START]], [[SEVEN]]
  // CHECK: [[TWO:%.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: [[PADDING:%.*]] = llvm.shl [[INTERVAL]], [[TWO]]
  // CHECK: llvm.add [[START]], [[PADDING]]
  // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // CHECK: llvm.getelementptr inbounds {{.*}}[16]
  // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<256x!hk.ptr<f32>, #row>
  %x = hk.load %at : tensor<256x!hk.ptr<f32>, #row> -> tensor<256xf32, #row>
  %a = hk.local_alloc %x : (tensor<256xf32, #row>) -> !hk.memdesc<256xf32, #padded>
  %y = hk.local_load %a : !hk.memdesc<256xf32, #padded> -> tensor<256xf32, #row>
  hk.store %at, %y : tensor<256x!hk.ptr<f32>, #row>, tensor<256xf32, #row>
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#half = #hk.blocked<size_per_thread = [2], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#plain = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {

// The offset of a ring's slot is computed at run time; the offset of a slice is constant.
// CHECK: llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32{{.*}}} : !llvm.array<3072 x i8>
// CHECK-LABEL: llvm.func @views
func.func public @views(%p: !hk.ptr<f32>, %i: i32) attributes {hk.kernel} {
  // CHECK: [[RING:%.*]] = llvm.mlir.addressof @hocket_shared
  // CHECK: [[STRIDE:%.*]] = llvm.mlir.constant(1024 : i32)
  // CHECK: [[BYTES:%.*]] = llvm.mul {{.*}}, [[STRIDE]]
  // CHECK: [[SLOT:%.*]] = llvm.getelementptr inbounds [[RING]]{{\[}}[[BYTES]]]
  // CHECK: llvm.getelementptr inbounds [[SLOT]]
  // CHECK: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
  // The second half starts 128 elements in.
  // CHECK: [[LANE:%.*]] = llvm.shl
  // CHECK: [[FAR:%.*]] = llvm.mlir.constant(128 : i32)
  // CHECK: llvm.add [[LANE]], [[FAR]]
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xf32>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<256x!hk.ptr<f32>, #row>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #half>
  %x = hk.load %at : tensor<256x!hk.ptr<f32>, #row> -> tensor<256xf32, #row>
  %ring = hk.local_alloc : () -> !hk.memdesc<3x256xf32, #plain>
  %slot = hk.memdesc_index %ring[%i] : !hk.memdesc<3x256xf32, #plain> -> !hk.memdesc<256xf32, #plain>
  hk.local_store %x, %slot : tensor<256xf32, #row> -> !hk.memdesc<256xf32, #plain>
  %second = hk.memdesc_slice %slot [128] : !hk.memdesc<256xf32, #plain> -> !hk.memdesc<128xf32, #plain, 256>
  %y = hk.local_load %second : !hk.memdesc<128xf32, #plain, 256> -> tensor<128xf32, #half>
  hk.store %to, %y : tensor<128x!hk.ptr<f32>, #half>, tensor<128xf32, #half>
  return
}
}

// -----

#row = #hk.blocked<size_per_thread = [8], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#plain = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {

// A slot that is not part of a ring, further away than the constant index of a getelementptr can express.
// CHECK-LABEL: llvm.func @far_slot
func.func public @far_slot(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: [[BYTES:%.*]] = llvm.mul
  // CHECK: llvm.getelementptr inbounds {{.*}}{{\[}}[[BYTES]]]
  %far = arith.constant 1048576 : i32
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<256x!hk.ptr<f32>, #row>
  %x = hk.load %at : tensor<256x!hk.ptr<f32>, #row> -> tensor<256xf32, #row>
  %ring = hk.local_alloc : () -> !hk.memdesc<3x256xf32, #plain>
  %slot = hk.memdesc_index %ring[%far] : !hk.memdesc<3x256xf32, #plain> -> !hk.memdesc<256xf32, #plain>
  hk.local_store %x, %slot : tensor<256xf32, #row> -> !hk.memdesc<256xf32, #plain>
  return
}
}
