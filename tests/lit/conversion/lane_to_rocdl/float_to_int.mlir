// RUN: hocket-opt %s --hocket-convert-lane-to-rocdl | FileCheck %s

// Conversions to 32 bits use the hardware instruction, on values opaque to LLVM; conversions to 64 bits use LLVM's own.

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @conversions
llvm.func @conversions(%h: f16, %x: f32, %d: f64) {
  // CHECK: %[[X:.+]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%arg1) : (f32) -> f32
  // CHECK: llvm.fptosi %[[X]] : f32 to i32
  %0 = lane.float_to_int %x : f32 -> i32
  // CHECK: %[[WIDE:.+]] = llvm.fpext %arg0 : f16 to f32
  // CHECK: %[[H:.+]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[WIDE]]) : (f32) -> f32
  // CHECK: %[[U:.+]] = llvm.fptoui %[[H]] : f32 to i32
  // CHECK: llvm.intr.umin(%[[U]], %{{.+}})
  %1 = lane.float_to_int unsigned %h : f16 -> i8
  // CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%arg2) : (f64) -> i64
  %2 = lane.float_to_int %d : f64 -> i64
  llvm.return
}
}
