// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics | FileCheck %s

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "gfx942", hk.num_warps = 4 : i32} {
// Fences of the scope implement the ordering; a false mask becomes an out-of-bounds offset, not a branch.
// CHECK-LABEL: llvm.func @orderings
func.func public @orderings(%x: !hk.ptr<i32>, %c: i1) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %m = hk.splat %c : i1 -> tensor<256xi1, #b>
  // CHECK-NOT: llvm.fence
  // CHECK: %[[O:.+]] = llvm.select %arg1, %{{.+}} : i1, i32
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.add"(%{{.+}}, %{{.+}}, %[[O]], %{{.+}}) : (i32, !llvm.ptr<8>, i32, i32, i32) -> i32
  // CHECK-NOT: llvm.fence
  %0 = hk_amd.buffer_atomic_rmw add, %x[%i], %i, mask %m sem = relaxed : !hk.ptr<i32>, tensor<256xi32, #b>, tensor<256xi32, #b>
  // CHECK: buffer.atomic.umax
  // CHECK: llvm.fence syncscope("workgroup") acquire
  %1 = hk_amd.buffer_atomic_rmw umax, %x[%i], %i sem = acquire scope = cta : !hk.ptr<i32>, tensor<256xi32, #b>, tensor<256xi32, #b>
  // CHECK: llvm.fence syncscope("agent") release
  // CHECK: buffer.atomic.swap
  // CHECK-NOT: llvm.fence
  %2 = hk_amd.buffer_atomic_rmw xchg, %x[%i], %i sem = release : !hk.ptr<i32>, tensor<256xi32, #b>, tensor<256xi32, #b>
  // CHECK: llvm.fence release
  // CHECK: %[[SC1:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: buffer.atomic.smin"(%{{.+}}, %[[SC1]])
  // CHECK: llvm.fence acquire
  %3 = hk_amd.buffer_atomic_rmw min, %x[%i], %i scope = sys : !hk.ptr<i32>, tensor<256xi32, #b>, tensor<256xi32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// Pairs of f16 are added by one instruction.
// CHECK-LABEL: llvm.func @pairs
func.func public @pairs(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %h: f16) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %v = hk.splat %h : f16 -> tensor<256xf16, #b>
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.fadd"(%{{.+}}) : (vector<2xf16>, !llvm.ptr<8>, i32, i32, i32) -> vector<2xf16>
  // CHECK-NOT: buffer.atomic
  %0 = hk_amd.buffer_atomic_rmw fadd, %x[%i], %v sem = relaxed : !hk.ptr<f16>, tensor<256xi32, #b>, tensor<256xf16, #b>
  // CHECK: llvm.return
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [1, 2], threads_per_warp = [64, 1], warps_per_cta = [1, 4], order = [1, 0]>
#rows = #hk.slice<dim = 1, parent = #b>

module attributes {hk.target = "gfx942", hk.num_warps = 4 : i32, hk.shared_bytes = 256 : i32} {
// Four warps hold each element: the first one adds it; the old value is distributed through scratch memory.
// CHECK-LABEL: llvm.func @replicated
func.func public @replicated(%x: !hk.ptr<f32>, %y: !hk.ptr<f32>, %f: f32) attributes {hk.kernel} {
  %i = hk.arange 0 to 64 : tensor<64xi32, #rows>
  %v = hk.splat %f : f32 -> tensor<64xf32, #rows>
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq"
  // CHECK: llvm.select %[[FIRST]], %{{.+}} : i1, i32
  // CHECK: %[[OLD:.+]] = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.fadd"
  // CHECK: llvm.cond_br %[[FIRST]]
  // CHECK: llvm.store %[[OLD]]
  // CHECK: rocdl.s.barrier
  // CHECK: llvm.load
  %0 = hk_amd.buffer_atomic_rmw fadd, %x[%i], %v sem = relaxed offset = 0 : !hk.ptr<f32>, tensor<64xi32, #rows>, tensor<64xf32, #rows>
  hk_amd.buffer_store %0, %y[%i] : tensor<64xf32, #rows>, !hk.ptr<f32>, tensor<64xi32, #rows>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [64], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
func.func public @no_bf16(%x: !hk.ptr<bf16> {hk.divisibility = 16 : i32}, %h: bf16) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  %v = hk.splat %h : bf16 -> tensor<128xbf16, #b>
  // expected-error @below {{buffer atomics on gfx942 cannot add bf16; add f32, or use an atomic_add through pointers}}
  %0 = hk_amd.buffer_atomic_rmw fadd, %x[%i], %v sem = relaxed : !hk.ptr<bf16>, tensor<128xi32, #b>, tensor<128xbf16, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {
func.func public @single(%x: !hk.ptr<bf16> {hk.divisibility = 16 : i32}, %h: bf16) attributes {hk.kernel} {
  %i = hk.arange 0 to 64 : tensor<64xi32, #b>
  %v = hk.splat %h : bf16 -> tensor<64xbf16, #b>
  // expected-error @below {{buffer atomics add 16-bit elements in pairs: each lane must hold two adjacent elements at an offset that is a multiple of 2, under one mask}}
  // expected-note @below {{hint: use a layout with size_per_thread of at least 2 along the contiguous dimension, and a base divisible by 4}}
  %0 = hk_amd.buffer_atomic_rmw fadd, %x[%i], %v sem = relaxed : !hk.ptr<bf16>, tensor<64xi32, #b>, tensor<64xbf16, #b>
  return
}
}
