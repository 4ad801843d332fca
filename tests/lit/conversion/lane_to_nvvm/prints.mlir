// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @hocket_text_0("block (%u, %u, %u), warp %u, lane %u: [%d] 5%%: %lld of %g\0A\00")
// CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32

// CHECK-LABEL: llvm.func @f
llvm.func @f(%i: i32, %n: i64, %x: f32, %p: i1) {
  // CHECK: %[[MEMORY:.+]] = llvm.alloca %{{.+}} x !llvm.struct<(i32, i32, i32, i32, i32, i32, i64, f64)>
  // CHECK: llvm.cond_br %arg3, ^[[PRINT:.+]], ^{{.+}}
  // CHECK: ^[[PRINT]]:
  // CHECK: %[[DOUBLE:.+]] = llvm.fpext %arg2 : f32 to f64
  // CHECK: llvm.store %[[DOUBLE]], %{{.+}} : f64, !llvm.ptr
  // CHECK: llvm.call @vprintf(%{{.+}}, %[[MEMORY]])
  lane.print "5%: {d} of {f}" [%i] of %n, %x : i64, f32 pred %p
  llvm.return
}
