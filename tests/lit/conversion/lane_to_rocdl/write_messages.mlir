// RUN: hocket-opt %s --hocket-write-messages | FileCheck %s
// RUN: hocket-opt %s --pass-pipeline='builtin.module(hocket-write-messages,llvm.func(hocket-convert-lane-to-rocdl))' | FileCheck %s --check-prefix=ROCDL

// CHECK: module attributes {
// CHECK-SAME: hk.messages = [#hk.message_site<text = "[%d] x: %g of %lld">,
// CHECK-SAME: #hk.message_site<text = "device assertion failed: no", fails_at = {{[^>]*}}>,
// CHECK-SAME: #hk.message_site<text = "an index overflows 32 bits", fails_at = {{[^>]*}}, shows_index = true>]
module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32, hk.writes_messages} {

// CHECK-LABEL: llvm.func @prints
// CHECK-SAME:  %[[BUFFER:.+]]: !llvm.ptr<1> {hk.implicit = #hk.implicit<messages, bytes_per_launch = 1048576, bytes_per_block = 0>, llvm.align = 256 : i64}
llvm.func @prints(%where: i1, %i: i32, %x: f32, %n: i64, %good: i1) {
  // CHECK:     llvm.cond_br %arg0
  // CHECK:     %[[LENGTH:.+]] = llvm.mlir.constant(6 : i64)
  // CHECK:     %[[PLACE:.+]] = lane.atomic_rmw add relaxed sys, {{.*}}, %[[LENGTH]] : !llvm.ptr<1>, i64
  // CHECK:     %[[LAST:.+]] = llvm.mlir.constant(130546 : i64)
  // CHECK:     llvm.icmp "ule" %[[PLACE]], %[[LAST]]
  // CHECK:     rocdl.workitem.id.x
  // CHECK:     rocdl.workgroup.id.x
  // CHECK:     llvm.fpext %arg2 : f32 to f64
  // CHECK-COUNT-6: lane.store
  // CHECK-NOT: lane.store
  // CHECK:     lane.atomic_rmw add relaxed sys
  // CHECK-NOT: lane.print
  lane.print "x: {f} of {d}" [%i] of %x, %n : f32, i64 pred %where
  // Equal texts share one site.
  // CHECK-COUNT-6: lane.store
  lane.print "x: {f} of {d}" [%i] of %x, %n : f32, i64 pred %where

  // CHECK-COUNT-3: lane.store
  // CHECK:     lane.assert %arg4, "no"
  // ROCDL:     llvm.call_intrinsic "llvm.amdgcn.endpgm"()
  lane.assert %good, "no"
  // CHECK-COUNT-4: lane.store
  // CHECK:     lane.assert %arg4, "an index overflows 32 bits" index %arg3
  lane.assert %good, "an index overflows 32 bits" index %n
  // Messages are in host memory: the atomics must not be marked as device-local.
  // ROCDL-NOT: rocdl.no_fine_grained_memory
  llvm.return
}
}
