// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!bar = !hk.memdesc<1xi64, #shared>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.shared_bytes = 8 : i32} {
// The first thread acts for the block; all threads wait.
// CHECK-LABEL: llvm.func @hopper
// CHECK-SAME: (%[[PHASE:.+]]: i32, %[[MORE:.+]]: i1)
func.func public @hopper(%phase: i32, %more: i1) attributes {hk.kernel} {
  %bar = hk.local_alloc offset = 0 : () -> !bar
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq"
  // CHECK: llvm.cond_br %[[FIRST]], ^[[INIT:.+]], ^[[REST:[a-z0-9]+]]
  // CHECK: ^[[INIT]]:
  // CHECK: nvvm.mbarrier.init %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  // CHECK-NEXT: llvm.br ^[[REST]]
  hk_nv.mbarrier_init %bar, 2 : !bar
  // CHECK: nvvm.fence.mbarrier.init
  hk_nv.fence_mbarrier_init
  // CHECK: %[[BOTH:.+]] = llvm.and %{{.+}}, %[[MORE]] : i1
  // CHECK: llvm.cond_br %[[BOTH]]
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32 -> i64
  hk_nv.mbarrier_expect %bar, 4096 pred %more : !bar
  // CHECK: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<3> -> i64
  hk_nv.mbarrier_arrive %bar, 1 : !bar
  // CHECK: %[[THREE:.+]] = llvm.mlir.constant(3 : i32)
  // CHECK: nvvm.mbarrier.arrive %{{.+}}, %[[THREE]] : !llvm.ptr<3> -> i64
  hk_nv.mbarrier_arrive %bar, 3 : !bar
  // CHECK: nvvm.bar.warp.sync
  // CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %{{.+}} : i32
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq" %[[LANE]], %{{.+}} : i32
  // CHECK: %[[SOME:.+]] = llvm.and %[[FIRST]], %[[MORE]] : i1
  // CHECK: llvm.cond_br %[[SOME]]
  // CHECK: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<3> -> i64
  hk_nv.mbarrier_arrive %bar, 1 per_warp pred %more : !bar
  // CHECK: ^[[WAIT:.+]]:
  // CHECK: %[[PARITY:.+]] = llvm.and %[[PHASE]], %{{.+}} : i32
  // CHECK: lane.mbarrier_wait %{{.+}}, %[[PARITY]] : !llvm.ptr<3>
  hk_nv.mbarrier_wait %bar, %phase : !bar
  // CHECK: llvm.cond_br %[[MORE]], ^[[WAIT:.+]], ^[[REST:[a-z0-9]+]]
  // CHECK: ^[[WAIT]]:
  // CHECK-NEXT: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: lane.mbarrier_wait %{{.+}}, %[[ONE]] : !llvm.ptr<3>
  // CHECK-NEXT: llvm.br ^[[REST]]
  %odd = arith.constant 7 : i32
  hk_nv.mbarrier_wait %bar, %odd pred %more : !bar
  // CHECK: nvvm.mbarrier.inval %{{.+}} : !llvm.ptr<3>
  hk_nv.mbarrier_invalidate %bar : !bar
  return
}
}

// -----

#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!bar = !hk.memdesc<1xi64, #shared>

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32, hk.shared_bytes = 8 : i32} {
// Every thread arrives for its own copies. sm_80 has neither clusters nor an async proxy, so no fence is needed.
// CHECK-LABEL: llvm.func @ampere
func.func public @ampere() attributes {hk.kernel} {
  %bar = hk.local_alloc offset = 0 : () -> !bar
  // CHECK: nvvm.mbarrier.init
  // CHECK-NOT: nvvm.fence.mbarrier.init
  // CHECK: ^[[REST:[a-z0-9]+]]:
  hk_nv.mbarrier_init %bar, 2 : !bar
  // CHECK: nvvm.cp.async.mbarrier.arrive %{{.+}} : !llvm.ptr<3>
  hk_nv.mbarrier_arrive_copies %bar increment : !bar
  // CHECK: nvvm.cp.async.mbarrier.arrive %{{.+}} {noinc = true} : !llvm.ptr<3>
  hk_nv.mbarrier_arrive_copies %bar : !bar
  return
}
}

// -----

// A fence is only needed for arrivals that report a write.
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a", hk.shared_bytes = 8 : i32} {
// CHECK-LABEL: llvm.func @arrivals_elsewhere
func.func public @arrivals_elsewhere() attributes {hk.kernel} {
  %bar = hk.local_alloc offset = 0 : () -> !hk.memdesc<1xi64, #bar>
  // CHECK-COUNT-2: nvvm.mbarrier.arrive %{{.+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  hk_nv.mbarrier_arrive %bar, 1 from_cta = 0 : !hk.memdesc<1xi64, #bar>
  // CHECK-COUNT-2: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<7>
  hk_nv.mbarrier_arrive %bar, 1 from_cta = 0 relaxed : !hk.memdesc<1xi64, #bar>
  return
}
}

// -----

// Each warp of each block arrives separately: at the first block's mbarrier, or, in the first block, at the mbarriers
// of all.
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
#of_all = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0], block = [[0]]>
module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a", hk.shared_bytes = 16 : i32} {
// CHECK-LABEL: llvm.func @warps_of_blocks
func.func public @warps_of_blocks() attributes {hk.kernel} {
  %shared = hk.local_alloc offset = 0 : () -> !hk.memdesc<1xi64, #of_all>
  %own = hk.local_alloc offset = 8 : () -> !hk.memdesc<1xi64, #bar>
  // CHECK: nvvm.bar.warp.sync
  // CHECK: %[[LANE:.+]] = llvm.and %{{.+}}, %{{.+}} : i32
  // CHECK: llvm.icmp "eq" %[[LANE]]
  // CHECK: %[[AT:.+]] = nvvm.mapa %{{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[AT]] : !llvm.ptr<7>
  // CHECK-NOT: nvvm.barrier
  hk_nv.mbarrier_arrive %shared, 1 per_warp relaxed : !hk.memdesc<1xi64, #of_all>
  // CHECK: nvvm.bar.warp.sync
  // CHECK-COUNT-2: nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<7>
  hk_nv.mbarrier_arrive %own, 1 per_warp from_cta = 0 relaxed : !hk.memdesc<1xi64, #bar>
  return
}
}
