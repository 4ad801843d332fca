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
  llvm.return
}
