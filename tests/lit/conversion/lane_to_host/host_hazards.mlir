// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// CHECK: llvm.func @hocket_emulated_kernel
llvm.func @divisions(%a: i32, %b: i32, %f: f32, %va: vector<2xi32>, %vb: vector<2xi32>) attributes {nvvm.kernel} {
  // CHECK: %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
  // CHECK: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
  // CHECK: %[[ZERO:.*]] = llvm.icmp "eq" %[[B]]
  // CHECK: llvm.cond_br %[[ZERO]]
  // CHECK: %[[MINUS:.*]] = llvm.icmp "eq" %[[B]]
  // CHECK: %[[D:.*]] = llvm.select %[[MINUS]]
  // CHECK: %[[Q:.*]] = llvm.sdiv %[[A]], %[[D]]
  // CHECK: %[[NEGATED:.*]] = llvm.sub %{{.*}}, %[[A]]
  // CHECK: llvm.select %[[MINUS]], %[[NEGATED]], %[[Q]]
  %0 = llvm.sdiv %a, %b : i32
  // CHECK: llvm.cond_br
  // CHECK: llvm.urem %[[A]], %[[B]]
  %1 = llvm.urem %a, %b : i32
  // CHECK: %[[ANY:.*]] = "llvm.intr.vector.reduce.or"
  // CHECK: llvm.cond_br %[[ANY]]
  // CHECK: llvm.udiv
  %2 = llvm.udiv %va, %vb : vector<2xi32>
  // Constants that cannot be wrong are not checked.
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.sdiv
  %ten = llvm.mlir.constant(10 : i32) : i32
  %3 = llvm.sdiv %a, %ten : i32
  // CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%{{.*}}) : (f32) -> i32
  %4 = lane.float_to_int %f : f32 -> i32
  // CHECK: llvm.call_intrinsic "llvm.fptoui.sat"(%{{.*}}) : (f32) -> i8
  %5 = lane.float_to_int unsigned %f : f32 -> i8
  llvm.return
}
}
