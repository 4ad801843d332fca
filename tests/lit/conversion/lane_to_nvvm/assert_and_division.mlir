// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @hocket_text_0("n is small\00") {addr_space = 1 : i32
// CHECK-DAG: llvm.mlir.global internal constant @hocket_text_1("kernel.py\00")
// CHECK-DAG: llvm.mlir.global internal constant @hocket_text_2("f\00")
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)

// CHECK-LABEL: llvm.func @f
llvm.func @f(%c: i1, %x: f32, %y: f32, %d: f64) {
  // CHECK: llvm.cond_br %{{.+}}, ^[[FAIL:.+]], ^[[GO:.+]]
  // CHECK: ^[[FAIL]]:
  // CHECK: %[[LINE:.+]] = llvm.mlir.constant(7 : i32)
  // CHECK: llvm.call @__assertfail(%{{.+}}, %{{.+}}, %[[LINE]], %{{.+}}, %{{.+}})
  lane.assert %c, "n is small" loc(callsite("kernel.py":7:3 at "kernel.py":20:5))
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"(%arg1, %arg2)
  %0 = llvm.fdiv %x, %y {fastmathFlags = #llvm.fastmath<arcp>} : f32
  // CHECK: llvm.fdiv %{{.+}}, %arg2 : f32
  %1 = llvm.fdiv %0, %y : f32
  // CHECK: llvm.fdiv %{{.+}} : f64
  %2 = llvm.fdiv %d, %d {fastmathFlags = #llvm.fastmath<arcp>} : f64
  // The reciprocal of f32 flushes subnormal numbers with both flags. LLVM selects an approximation for `afn` alone.
  %one = llvm.mlir.constant(1.0 : f32) : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%arg2)
  %3 = llvm.fdiv %one, %y {fastmathFlags = #llvm.fastmath<arcp, afn>} : f32
  // CHECK: llvm.fdiv %arg1, %arg2 {fastmathFlags = #llvm.fastmath<arcp, afn>}
  %4 = llvm.fdiv %x, %y {fastmathFlags = #llvm.fastmath<arcp, afn>} : f32
  // CHECK: llvm.fdiv %{{.+}}, %arg2 {fastmathFlags = #llvm.fastmath<afn>}
  %5 = llvm.fdiv %one, %y {fastmathFlags = #llvm.fastmath<afn>} : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%arg1)
  %6 = llvm.intr.exp2(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  // CHECK: llvm.intr.exp2(%arg1) : (f32) -> f32
  %7 = llvm.intr.exp2(%x) : (f32) -> f32
  llvm.return
}
