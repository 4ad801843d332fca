// RUN: hocket-opt %s --hocket-convert-hk-to-lane --split-input-file | FileCheck %s

// Rows become columns: a lane holds half a row, which it stores to one block, signaling bytes to that block's mbarrier.

#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [16, 2], warps_per_cta = [1, 1], order = [1, 0], block = [[1, 0]]>
#columns = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0], block = [[0, 1]]>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = !hk.memdesc<32x8xf32, #columns>
!bar = !hk.memdesc<1xi64, #bar>

module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 1 : i32, hk.shared_bytes = 1024 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @exchange
// CHECK: %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[TO:.+]] = llvm.lshr %{{.+}}, %{{.+}} : i32
// CHECK: %[[BAR:.+]] = nvvm.mapa %{{.+}}, %[[TO]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: nvvm.mapa %{{.+}}, %{{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: lane.store_async %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} to %{{.+}}, %[[BAR]] : !llvm.ptr<7>, !llvm.ptr<7>
// CHECK-NOT: lane.store_async
func.func public @exchange() attributes {hk.kernel} {
  %x = arith.constant dense<1.0> : tensor<32x8xf32, #rows>
  %tile = hk.local_alloc offset = 0 : () -> !tile
  %bar = hk.local_alloc offset = 1016 : () -> !bar
  hk_nv.async_store %x, %tile, %bar : tensor<32x8xf32, #rows> -> !tile, !bar
  return
}
}

// -----

// Data that only one block holds is stored to both, 8 bytes at a time; lanes that hold copies store nothing.

#halves = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [1], order = [0], block = [[1]]>
#copies = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = !hk.memdesc<128xf16, #copies>
!bar = !hk.memdesc<1xi64, #copies>

module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 1 : i32, hk.shared_bytes = 1024 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @tell_all
// CHECK: llvm.and
// CHECK: %[[FIRST:.+]] = llvm.icmp "eq"
// CHECK: llvm.cond_br %[[FIRST]], ^[[STORE:.+]], ^[[REST:[a-z0-9]+]]
// CHECK: ^[[STORE]]:
// CHECK: lane.store_async %[[A:.+]], %[[B:.+]] to %{{.+}}, %{{.+}} : !llvm.ptr<7>, !llvm.ptr<7>
// CHECK: lane.store_async %[[A]], %[[B]] to %{{.+}}, %{{.+}} : !llvm.ptr<7>, !llvm.ptr<7>
// CHECK-NEXT: llvm.br ^[[REST]]
func.func public @tell_all() attributes {hk.kernel} {
  %x = arith.constant dense<1.0> : tensor<128xf16, #halves>
  %tile = hk.local_alloc offset = 0 : () -> !tile
  %bar = hk.local_alloc offset = 1016 : () -> !bar
  hk_nv.async_store %x, %tile, %bar : tensor<128xf16, #halves> -> !tile, !bar
  return
}
}
