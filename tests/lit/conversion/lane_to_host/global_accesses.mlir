// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

// The sites describe each access: its kind, width and parameter.
// CHECK: module attributes {
// CHECK-SAME: hocket.sites = [{argument = 0 : i32, bytes = 16 : i32, kind = "read", loc = #loc{{[0-9]*}}},
// CHECK-SAME: {argument = 1 : i32, bytes = 16 : i32, kind = "write", loc = #loc{{[0-9]*}}},
// CHECK-SAME: {argument = 1 : i32, bytes = 4 : i32, kind = "atomic", loc = #loc{{[0-9]*}}, order = 3 : i32},
// CHECK-SAME: {argument = 1 : i32, bytes = 4 : i32, kind = "atomic", loc = #loc{{[0-9]*}}, order = 2 : i32},
// CHECK-SAME: {argument = 1 : i32, block_scope, bytes = 4 : i32, kind = "atomic", loc = #loc{{[0-9]*}}, order = 3 : i32},
// CHECK-SAME: {argument = 1 : i32, bytes = 4 : i32, kind = "atomic", loc = #loc{{[0-9]*}}}]
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 0 : i32} {
// CHECK: llvm.func @hocket_emulator_global(!llvm.ptr, !llvm.ptr, i32, i1 {llvm.zeroext}) -> !llvm.ptr
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %[[SLOTS:.*]]: !llvm.ptr)
llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %mask: i1) attributes {nvvm.kernel} {
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[SLOT1:.*]] = llvm.getelementptr %[[SLOTS]][1]
  // CHECK: %[[Y:.*]] = llvm.load %[[SLOT1]]
  // CHECK: %[[MASK:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i1
  %zeros = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
  // CHECK: %[[READ:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[FROM:.*]] = llvm.call @hocket_emulator_global(%[[LANE]], %[[X]], %[[READ]], %[[MASK]])
  // CHECK: %[[LOADED:.*]] = llvm.load %[[FROM]] {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK: %[[V:.*]] = llvm.select %[[MASK]], %[[LOADED]], %{{.*}}
  %v = lane.load %x, pred %mask, other %zeros : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: %[[WRITE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[TRUE:.*]] = llvm.mlir.constant(true)
  // CHECK: %[[TO:.*]] = llvm.call @hocket_emulator_global(%[[LANE]], %[[Y]], %[[WRITE]], %[[TRUE]])
  // CHECK: llvm.store %[[V]], %[[TO]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
  lane.store %y, %v : !llvm.ptr<1>, vector<4xf32>
  %one = llvm.mlir.constant(1.0 : f32) : f32
  // CHECK: %[[SUM:.*]] = llvm.call @hocket_emulator_global
  // CHECK: llvm.atomicrmw fadd %[[SUM]], %{{.*}} acq_rel : !llvm.ptr, f32
  // An access that may order warps is followed by a call that says whether it stored.
  // CHECK: llvm.call @hocket_emulator_ordered(%[[LANE]], %[[SUM]], %{{.*}}, %{{.*}}, %{{.*}})
  %old = lane.atomic_rmw fadd acq_rel gpu, %y, %one, pred %mask : !llvm.ptr<1>, f32
  // The comparison is bitwise: floats are exchanged as integers.
  // CHECK: %[[CAS:.*]] = llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} release monotonic : !llvm.ptr, i32
  // CHECK: llvm.extractvalue %[[CAS]][0]
  // CHECK: %[[STORED:.*]] = llvm.icmp "eq"
  // CHECK: llvm.call @hocket_emulator_ordered(%[[LANE]], %{{.*}}, %{{.*}}, %{{.*}}, %[[STORED]])
  %was = lane.atomic_cas release gpu, %y, %old, %one : !llvm.ptr<1>, f32
  // CHECK: llvm.call @hocket_emulator_ordered
  %own = lane.atomic_rmw fadd acq_rel cta, %y, %one : !llvm.ptr<1>, f32
  // A relaxed access of a kernel without fences has no such call.
  // CHECK-NOT: hocket_emulator_ordered
  %relaxed = lane.atomic_rmw fadd relaxed gpu, %y, %one : !llvm.ptr<1>, f32
  llvm.return
}
}
