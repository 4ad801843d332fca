// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [8], threads_per_warp = [32], warps_per_cta = [2], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = !hk.memdesc<1024xf16, #shared>

module attributes {hk.target = "sm_90a", hk.num_warps = 2 : i32, hk.shared_bytes = 2048 : i32} {
// 16 bytes per lane, cached in L2 only; each lane copies two pieces. Where the mask is false, 0 bytes are read.
// CHECK-LABEL: llvm.func @pieces
func.func public @pieces(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %c: i1) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<f16> -> tensor<1024x!hk.ptr<f16>, #b>
  %i = hk.arange 0 to 1024 : tensor<1024xi32, #b>
  %q = hk.addptr %p, %i : tensor<1024x!hk.ptr<f16>, #b>, tensor<1024xi32, #b>
  %m = hk.splat %c : i1 -> tensor<1024xi1, #b>
  %tile = hk.local_alloc offset = 0 : () -> !tile
  // CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK-NOT: llvm.cond_br
  hk.async_copy_to_shared %q, %tile : tensor<1024x!hk.ptr<f16>, #b> -> !tile
  // CHECK: %[[READ:.+]] = llvm.select %arg1, %{{.+}}, %{{.+}} : i1, i32
  // CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = ca, %[[READ]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
  hk.async_copy_to_shared %q, %tile, mask %m cache = ca : tensor<1024x!hk.ptr<f16>, #b> -> !tile
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [2], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = !hk.memdesc<64xf16, #shared>

module attributes {hk.target = "sm_80", hk.num_warps = 2 : i32, hk.shared_bytes = 128 : i32} {
// Both warps hold the tile: the first one copies it.
// CHECK-LABEL: llvm.func @copies
func.func public @copies(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<f16> -> tensor<64x!hk.ptr<f16>, #b>
  %i = hk.arange 0 to 64 : tensor<64xi32, #b>
  %q = hk.addptr %p, %i : tensor<64x!hk.ptr<f16>, #b>, tensor<64xi32, #b>
  %tile = hk.local_alloc offset = 0 : () -> !tile
  // CHECK: llvm.cond_br %{{.+}}, ^[[COPY:.+]], ^[[AFTER:.+]]
  // CHECK: ^[[COPY]]:
  // CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 4, cache = ca
  // CHECK-NEXT: llvm.br ^[[AFTER]]
  hk.async_copy_to_shared %q, %tile : tensor<64x!hk.ptr<f16>, #b> -> !tile
  return
}
}
