// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm --split-input-file | FileCheck %s

// A loop without a time limit: on Hopper, try_wait suspends the thread before it sleeps.

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @hopper
// CHECK-SAME: (%[[BARRIER:.+]]: !llvm.ptr<3>, %[[PARITY:.+]]: i32)
llvm.func @hopper(%barrier: !llvm.ptr<3>, %parity: i32) {
  // CHECK-NEXT: llvm.br ^[[AGAIN:.+]]
  // CHECK-NEXT: ^[[AGAIN]]:
  // CHECK-NEXT: %[[DONE:.+]] = nvvm.mbarrier.try_wait %[[BARRIER]], %[[PARITY]] : !llvm.ptr<3>, i32 -> i1
  // CHECK-NEXT: llvm.cond_br %[[DONE]], ^[[ON:[a-z0-9]+]], ^[[AGAIN]]
  // CHECK-NEXT: ^[[ON]]:
  // CHECK-NEXT: llvm.return
  lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
  llvm.return
}
}

// -----

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @ampere
llvm.func @ampere(%barrier: !llvm.ptr<3>, %parity: i32) {
  // CHECK-NEXT: llvm.br ^[[AGAIN:.+]]
  // CHECK-NEXT: ^[[AGAIN]]:
  // CHECK-NEXT: %[[DONE:.+]] = nvvm.mbarrier.test.wait %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32 -> i1
  // CHECK-NEXT: llvm.cond_br %[[DONE]], ^[[ON:[a-z0-9]+]], ^[[SLEEP:[a-z0-9]+]]
  // CHECK-NEXT: ^[[SLEEP]]:
  // CHECK-NEXT: %[[TIME:.+]] = llvm.mlir.constant(20 : i32)
  // CHECK-NEXT: nvvm.nanosleep %[[TIME]]
  // CHECK-NEXT: llvm.br ^[[AGAIN]]
  // CHECK-NEXT: ^[[ON]]:
  lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
  llvm.return
}
}

// -----

// Data released by the arrival of another block must be visible.
module attributes {hk.num_ctas = 2 : i32, hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @cluster
llvm.func @cluster(%barrier: !llvm.ptr<3>, %parity: i32, %other: !llvm.ptr<7>) {
  // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} {scope = #nvvm.mem_scope<cluster>}
  lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
  nvvm.mbarrier.arrive %other {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  llvm.return
}
}

// -----

module attributes {hk.num_ctas = 2 : i32, hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @expected_from_elsewhere
llvm.func @expected_from_elsewhere(%barrier: !llvm.ptr<3>, %parity: i32, %other: !llvm.ptr<7>) {
  // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} {scope = #nvvm.mem_scope<cluster>}
  lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
  nvvm.mbarrier.arrive.expect_tx %other, %parity {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  llvm.return
}
}

// -----

module attributes {hk.num_ctas = 2 : i32, hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @stored_from_elsewhere
llvm.func @stored_from_elsewhere(%barrier: !llvm.ptr<3>, %parity: i32, %x: i32, %tile: !llvm.ptr<7>, %other: !llvm.ptr<7>) {
  // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} {scope = #nvvm.mem_scope<cluster>}
  lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
  lane.store_async %x to %tile, %other : !llvm.ptr<7>, !llvm.ptr<7>
  llvm.return
}
}

// -----

// All arrivals report reads only.
module attributes {hk.num_ctas = 2 : i32, hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @relaxed
llvm.func @relaxed(%barrier: !llvm.ptr<3>, %parity: i32, %other: !llvm.ptr<7>) {
  // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} : !llvm.ptr<3>, i32 -> i1
  lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
  nvvm.mbarrier.arrive %other : !llvm.ptr<7>
  llvm.return
}
}

// -----

module attributes {hk.num_ctas = 2 : i32, hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @stores
// CHECK-SAME: (%[[X:.+]]: i32, %[[TILE:.+]]: !llvm.ptr<7>, %[[BAR:.+]]: !llvm.ptr<7>)
llvm.func @stores(%x: i32, %tile: !llvm.ptr<7>, %bar: !llvm.ptr<7>) {
  // CHECK: llvm.inline_asm has_side_effects "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [$1], $0, [$2];", "r,l,l" %[[X]], %[[TILE]], %[[BAR]]
  lane.store_async %x to %tile, %bar : !llvm.ptr<7>, !llvm.ptr<7>
  // CHECK: llvm.inline_asm has_side_effects "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$2], {$0, $1}, [$3];"
  lane.store_async %x, %x to %tile, %bar : !llvm.ptr<7>, !llvm.ptr<7>
  // CHECK: llvm.inline_asm has_side_effects "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$4], {$0, $1, $2, $3}, [$5];"
  lane.store_async %x, %x, %x, %x to %tile, %bar : !llvm.ptr<7>, !llvm.ptr<7>
  llvm.return
}
}
