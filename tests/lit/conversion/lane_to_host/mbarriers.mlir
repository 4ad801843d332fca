// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host --verify-diagnostics | FileCheck %s

// CHECK: hocket.sites = [{bytes = 8 : i32, kind = "mbarrier_set", loc = #{{[a-z0-9]+}}},
// CHECK-SAME: {bytes = 8 : i32, kind = "mbarrier_use", loc = #{{[a-z0-9]+}}}
module attributes {hk.target = "sm_90a", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @uses(%n: i32) attributes {nvvm.kernel} {
  %bar = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  // CHECK: %[[OFFSET:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr to i64
  // CHECK: llvm.call @hocket_emulator_mbarrierInit(%[[LANE]], %[[OFFSET]], %[[N:.*]], %{{.*}}) : (!llvm.ptr, i64, i32, i32) -> ()
  nvvm.mbarrier.init %bar, %n : !llvm.ptr<3>, i32
  // CHECK-NOT: fence
  nvvm.fence.mbarrier.init
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @hocket_emulator_mbarrierArrive(%[[LANE]], %{{.*}}, %[[ONE]], %{{.*}})
  %0 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
  // CHECK: llvm.call @hocket_emulator_mbarrierArrive(%[[LANE]], %{{.*}}, %[[N]], %{{.*}})
  %1 = nvvm.mbarrier.arrive %bar, %n : !llvm.ptr<3> -> i64
  // CHECK: llvm.call @hocket_emulator_mbarrierExpect(%[[LANE]], %{{.*}}, %[[N]], %{{.*}})
  %2 = nvvm.mbarrier.arrive.expect_tx %bar, %n : !llvm.ptr<3>, i32 -> i64
  // CHECK: %[[INCREMENTS:.*]] = llvm.mlir.constant(true)
  // CHECK: llvm.call @hocket_emulator_mbarrierArriveCopies(%[[LANE]], %{{.*}}, %[[INCREMENTS]], %{{.*}})
  nvvm.cp.async.mbarrier.arrive %bar : !llvm.ptr<3>
  // CHECK: %[[INCREMENTS:.*]] = llvm.mlir.constant(false)
  // CHECK: llvm.call @hocket_emulator_mbarrierArriveCopies(%[[LANE]], %{{.*}}, %[[INCREMENTS]], %{{.*}})
  nvvm.cp.async.mbarrier.arrive %bar {noinc = true} : !llvm.ptr<3>
  // CHECK: llvm.call @hocket_emulator_mbarrierWait(%[[LANE]], %{{.*}}, %[[N]], %{{.*}})
  lane.mbarrier_wait %bar, %n : !llvm.ptr<3>
  // CHECK: llvm.call @hocket_emulator_mbarrierInvalidate(%[[LANE]], %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i32) -> ()
  nvvm.mbarrier.inval %bar : !llvm.ptr<3>
  llvm.return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
llvm.func @state() attributes {nvvm.kernel} {
  %bar = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  // expected-error @below {{the emulator does not support uses of the state that nvvm.mbarrier.arrive returns}}
  %0 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
  %1 = llvm.trunc %0 : i64 to i32
  lane.mbarrier_wait %bar, %1 : !llvm.ptr<3>
  llvm.return
}
}

// -----

// The words are stored on the stack of the lane, one after the other.
module attributes {hk.num_ctas = 2 : i32, hk.target = "sm_90a", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
// CHECK: llvm.func @hocket_emulated_kernel
llvm.func @stores(%x: i32, %rank: i32) attributes {nvvm.kernel} {
  %bar = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  %other = nvvm.mapa %bar, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[WORDS:[0-9]+]][0]
  // CHECK-NEXT: llvm.store %{{.*}}, %[[FIRST]]
  // CHECK-NEXT: %[[SECOND:.*]] = llvm.getelementptr %[[WORDS]][1]
  // CHECK-NEXT: llvm.store %{{.*}}, %[[SECOND]]
  // CHECK: llvm.call @hocket_emulator_storeAsync(%{{.*}}, %[[WORDS]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i32, i64, i64, i32) -> ()
  lane.store_async %x, %x to %other, %other : !llvm.ptr<7>, !llvm.ptr<7>
  llvm.return
}
}
