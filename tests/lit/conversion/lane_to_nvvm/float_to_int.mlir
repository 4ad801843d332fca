// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// cvt.rzi saturates; it turns NaN into 0 between 32 bits only.

// CHECK-LABEL: llvm.func @conversions
llvm.func @conversions(%h: f16, %x: f32, %d: f64) {
  // CHECK: llvm.call_intrinsic "llvm.nvvm.f2i.rz"(%arg1) : (f32) -> i32
  %0 = lane.float_to_int %x : f32 -> i32
  // CHECK: %[[WIDE:.+]] = llvm.fpext %arg0 : f16 to f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.f2ui.rz"(%[[WIDE]]) : (f32) -> i32
  %1 = lane.float_to_int unsigned %h : f16 -> i32
  // CHECK: %[[I:.+]] = llvm.call_intrinsic "llvm.nvvm.f2i.rz"(%arg1)
  // CHECK: %[[LOW:.+]] = llvm.mlir.constant(-128 : i32)
  // CHECK: %[[MAX:.+]] = llvm.intr.smax(%[[I]], %[[LOW]])
  // CHECK: %[[HIGH:.+]] = llvm.mlir.constant(127 : i32)
  // CHECK: %[[MIN:.+]] = llvm.intr.smin(%[[MAX]], %[[HIGH]])
  // CHECK: llvm.trunc %[[MIN]] : i32 to i8
  %2 = lane.float_to_int %x : f32 -> i8
  // CHECK: %[[U:.+]] = llvm.call_intrinsic "llvm.nvvm.f2ui.rz"(%arg1)
  // CHECK: %[[LIMIT:.+]] = llvm.mlir.constant(65535 : i32)
  // CHECK: llvm.intr.umin(%[[U]], %[[LIMIT]])
  %3 = lane.float_to_int unsigned %x : f32 -> i16
  // CHECK: %[[LONG:.+]] = llvm.call_intrinsic "llvm.nvvm.f2ull.rz"(%arg1) : (f32) -> i64
  // CHECK: %[[ORD:.+]] = llvm.fcmp "ord" %arg1, %arg1 : f32
  // CHECK: llvm.select %[[ORD]], %[[LONG]], %{{.+}} : i1, i64
  %4 = lane.float_to_int unsigned %x : f32 -> i64
  // CHECK: %[[D:.+]] = llvm.call_intrinsic "llvm.nvvm.d2i.rz"(%arg2) : (f64) -> i32
  // CHECK: llvm.fcmp "ord" %arg2, %arg2 : f64
  %5 = lane.float_to_int %d : f64 -> i32
  llvm.return
}
