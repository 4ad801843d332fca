// RUN: hocket-opt %s --hocket-convert-lane-to-host=undefined=true | FileCheck %s

// CHECK: hocket.sites = [
// CHECK-SAME: {from = "line 5, masked off without `other`", kind = "undefined", loc = #loc{{[0-9]*}}, message = "an undefined value is stored"}
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 0 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
llvm.func @f(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %mask: i1, %other: i1, %i: i32) attributes {nvvm.kernel} {
  // CHECK: %[[MASK:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i1
  // CHECK: %[[V:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
  // CHECK: %[[OFF:.*]] = llvm.xor %[[MASK]], %{{.*}} : i1
  // CHECK: %[[SHADOW:.*]] = llvm.sext %[[OFF]] : i1 to i32
  %v = lane.load %x, pred %mask : !llvm.ptr<1> -> i32 loc("kernel.py":5:3)
  // All bits from the lowest undefined one upwards.
  // CHECK: llvm.add %[[V]], %{{.*}} : i32
  // CHECK: %[[BOTH:.*]] = llvm.or %[[SHADOW]], %{{.*}} : i32
  // CHECK: %[[LOWEST:.*]] = llvm.sub %{{.*}}, %[[BOTH]] : i32
  // CHECK: %[[SUM:.*]] = llvm.or %[[BOTH]], %[[LOWEST]] : i32
  %s = llvm.add %v, %i : i32
  // CHECK: %[[CHOSEN:.*]] = llvm.select %[[MASK]], %[[SUM]], %{{.*}} : i1, i32
  %w = llvm.select %mask, %s, %i : i1, i32
  // CHECK: %[[ANY:.*]] = llvm.icmp "ne" %[[CHOSEN]], %{{.*}} : i32
  // CHECK: %[[WRONG:.*]] = llvm.and %[[ANY]], %{{.*}} : i1
  // CHECK: llvm.cond_br %[[WRONG]]
  lane.store %y, %w : !llvm.ptr<1>, i32
  // Masked-off elements have the value of `other`: nothing is tracked.
  // CHECK: llvm.call @hocket_emulator_global
  // CHECK-NOT: llvm.sext
  %o = lane.load %x, pred %mask, other %i : !llvm.ptr<1> -> i32
  // CHECK: llvm.call @hocket_emulator_global
  // CHECK-NOT: llvm.cond_br
  lane.store %y, %o : !llvm.ptr<1>, i32
  // A value is defined where the mask of its load is true.
  // CHECK: llvm.call @hocket_emulator_global
  // CHECK-NOT: llvm.cond_br
  lane.store %y, %s, pred %mask : !llvm.ptr<1>, i32
  // CHECK: llvm.call @hocket_emulator_global
  // CHECK: llvm.cond_br
  lane.store %y, %s, pred %other : !llvm.ptr<1>, i32
  llvm.return
}
}
