// RUN: hocket-opt %s --hocket-convert-hk-to-lane --canonicalize | FileCheck %s

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 8, 16]>
#two = #hk_nv.mma<version = [3, 0], warps_per_cta = [8, 1], instr_shape = [16, 8, 16]>
#a = #hk.dot_operand<op_idx = 0, parent = #wgmma, k_width = 2>
#rows = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>
#columns = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = true>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.shared_bytes = 8192 : i32} {

// Two steps along K: 32 bytes further in both descriptors. The distances are 1 (not used) and 8 rows of 64 bytes:
// 1 << 16 | 32 << 32 | swizzle of 64 bytes.
// CHECK-LABEL: llvm.func @along_k
// CHECK-DAG: %[[STEP:.+]] = llvm.mlir.constant(2 : i64)
// CHECK-DAG: %[[REST:.+]] = llvm.mlir.constant(-9223371899415756800 : i64)
// CHECK: %[[A:.+]] = llvm.or %{{.+}}, %[[REST]]
// CHECK: %[[B:.+]] = llvm.or %{{.+}}, %[[REST]]
// CHECK: %[[C:.+]]:4 = lane.wgmma_fence %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : f32, f32, f32, f32
// CHECK: %[[D:.+]]:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%[[A]]], %[[B]] into %[[C]]#0, %[[C]]#1, %[[C]]#2, %[[C]]#3 : (i64)
// CHECK: %[[A1:.+]] = llvm.add %[[A]], %[[STEP]]
// CHECK: %[[B1:.+]] = llvm.add %[[B]], %[[STEP]]
// CHECK: %[[E:.+]]:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%[[A1]]], %[[B1]] into %[[D]]#0, %[[D]]#1, %[[D]]#2, %[[D]]#3 : (i64), (f32, f32, f32, f32)
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: lane.wgmma_wait %[[E]]#0, %[[E]]#1, %[[E]]#2, %[[E]]#3 {outstanding = 0 : i32} : f32, f32, f32, f32
func.func public @along_k(%x: f32, %out: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.local_alloc offset = 0 : () -> !hk.memdesc<64x32xf16, #rows>
  %b = hk.local_alloc offset = 4096 : () -> !hk.memdesc<32x8xf16, #columns>
  %c = hk.splat %x : f32 -> tensor<64x8xf32, #wgmma>
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x32xf16, #rows>, !hk.memdesc<32x8xf16, #columns> -> tensor<64x8xf32, #wgmma>
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : tensor<64x8xf32, #wgmma>
  %p = hk.splat %out : !hk.ptr<f32> -> tensor<64x8x!hk.ptr<f32>, #wgmma>
  hk.store %p, %e : tensor<64x8x!hk.ptr<f32>, #wgmma>, tensor<64x8xf32, #wgmma>
  return
}

// The registers of a for all instructions pass the one fence; accumulators that are not read are undef.
// CHECK-LABEL: llvm.func @registers
// CHECK-DAG: %[[NO:.+]] = llvm.mlir.constant(false)
// CHECK-DAG: %[[UNDEF:.+]] = llvm.mlir.undef : f32
// CHECK: %[[C:.+]]:12 = lane.wgmma_fence %[[UNDEF]], %[[UNDEF]], %[[UNDEF]], %[[UNDEF]], %{{.+}} : f32, f32, f32, f32, i32, i32, i32, i32, i32, i32, i32, i32
// CHECK-NOT: wgmma_fence
// CHECK: %[[D:.+]]:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%[[C]]#4, %[[C]]#5, %[[C]]#6, %[[C]]#7], %{{.+}} into %[[C]]#0, %[[C]]#1, %[[C]]#2, %[[C]]#3 use_acc %[[NO]] : (i32, i32, i32, i32), (f32, f32, f32, f32)
// CHECK: lane.wgmma "m64n8k16.f32.f16.f16"[%[[C]]#8, %[[C]]#9, %[[C]]#10, %[[C]]#11], %{{.+}} into %[[D]]#0, %[[D]]#1, %[[D]]#2, %[[D]]#3 :
func.func public @registers(%h: f16, %x: f32, %out: !hk.ptr<f32>) attributes {hk.kernel} {
  %false = arith.constant false
  %a = hk.splat %h : f16 -> tensor<64x32xf16, #a>
  %b = hk.local_alloc offset = 4096 : () -> !hk.memdesc<32x8xf16, #columns>
  %c = hk.splat %x : f32 -> tensor<64x8xf32, #wgmma>
  %d = hk_nv.warpgroup_mma %a, %b, %c use_acc %false : tensor<64x32xf16, #a>, !hk.memdesc<32x8xf16, #columns> -> tensor<64x8xf32, #wgmma>
  %e = hk_nv.warpgroup_mma_wait %d {outstanding = 0 : i32} : tensor<64x8xf32, #wgmma>
  %p = hk.splat %out : !hk.ptr<f32> -> tensor<64x8x!hk.ptr<f32>, #wgmma>
  hk.store %p, %e : tensor<64x8x!hk.ptr<f32>, #wgmma>, tensor<64x8xf32, #wgmma>
  return
}

// One commit for two wgmmas; accumulators completed by another wait pass an operation that waits for nothing.
// CHECK-LABEL: llvm.func @group_of_two
// CHECK-COUNT-2: lane.wgmma "
// CHECK-NOT: commit
// CHECK: lane.wgmma "
// CHECK: %[[D:.+]]:4 = lane.wgmma "
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK: lane.wgmma_wait {outstanding = 0 : i32}
// CHECK: lane.wgmma_wait %[[D]]#0, %[[D]]#1, %[[D]]#2, %[[D]]#3 {outstanding = 2147483647 : i32} : f32, f32, f32, f32
func.func public @group_of_two(%x: f32, %out: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.local_alloc offset = 0 : () -> !hk.memdesc<64x32xf16, #rows>
  %b = hk.local_alloc offset = 4096 : () -> !hk.memdesc<32x8xf16, #columns>
  %c = hk.splat %x : f32 -> tensor<64x8xf32, #wgmma>
  %d = hk_nv.warpgroup_mma %a, %b, %c {group_goes_on} : !hk.memdesc<64x32xf16, #rows>, !hk.memdesc<32x8xf16, #columns> -> tensor<64x8xf32, #wgmma>
  %e = hk_nv.warpgroup_mma %a, %b, %d : !hk.memdesc<64x32xf16, #rows>, !hk.memdesc<32x8xf16, #columns> -> tensor<64x8xf32, #wgmma>
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  %f = hk_nv.warpgroup_mma_finished %e : tensor<64x8xf32, #wgmma>
  %p = hk.splat %out : !hk.ptr<f32> -> tensor<64x8x!hk.ptr<f32>, #wgmma>
  hk.store %p, %f : tensor<64x8x!hk.ptr<f32>, #wgmma>, tensor<64x8xf32, #wgmma>
  return
}

// CHECK-LABEL: llvm.func @fence
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
func.func public @fence() attributes {hk.kernel} {
  hk.proxy_fence
  return
}

// Adjacent accumulators belong to one instruction, of three times 8 columns. Its stride along b, 512 bytes (32 << 32),
// is that of 8 columns, and of slots.
// CHECK-LABEL: llvm.func @side_by_side
// CHECK: %[[C:.+]]:12 = lane.wgmma_fence
// CHECK: %[[D:.+]]:12 = lane.wgmma "m64n24k16.f32.f16.f16"[%{{.+}}], %{{.+}} into %[[C]]#0, %[[C]]#1, %[[C]]#2, %[[C]]#3, %[[C]]#4,
// CHECK: %[[E:.+]]:12 = lane.wgmma "m64n24k16.f32.f16.f16"[%{{.+}}], %{{.+}} into %[[D]]#0,
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK: lane.wgmma_wait %[[E]]#4, %[[E]]#5, %[[E]]#6, %[[E]]#7 {outstanding = 0 : i32}
func.func public @side_by_side(%x: f32, %k: i32, %out: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.local_alloc offset = 0 : () -> !hk.memdesc<64x32xf16, #rows>
  %ring = hk.local_alloc offset = 4096 : () -> !hk.memdesc<6x32x8xf16, #columns>
  %b = hk.memdesc_index %ring[%k] : !hk.memdesc<6x32x8xf16, #columns> -> !hk.memdesc<32x8xf16, #columns>
  %c = hk.splat %x : f32 -> tensor<64x8xf32, #wgmma>
  %d:3 = hk_nv.fused_warpgroup_mma %a, %b, %c, %c, %c : !hk.memdesc<64x32xf16, #rows>, !hk.memdesc<32x8xf16, #columns> -> tensor<64x8xf32, #wgmma>, tensor<64x8xf32, #wgmma>, tensor<64x8xf32, #wgmma>
  %e = hk_nv.warpgroup_mma_wait %d#1 {outstanding = 0 : i32} : tensor<64x8xf32, #wgmma>
  %p = hk.splat %out : !hk.ptr<f32> -> tensor<64x8x!hk.ptr<f32>, #wgmma>
  hk.store %p, %e : tensor<64x8x!hk.ptr<f32>, #wgmma>, tensor<64x8xf32, #wgmma>
  return
}
}
