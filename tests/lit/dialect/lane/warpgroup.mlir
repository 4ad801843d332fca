// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s

// CHECK-LABEL: llvm.func @products
llvm.func @products(%a: i64, %b: i64, %w: i32, %f: f32, %use: i1) {
  // CHECK: %[[D:.+]]:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%{{.+}}], %{{.+}} into %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {fenced, transposedB} : (i64), (f32, f32, f32, f32)
  %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %f, %f, %f, %f {fenced, transposedB} : (i64), (f32, f32, f32, f32)
  // CHECK: lane.wgmma "m64n8k16.f16.f16.f16"[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}], %{{.+}} into %{{.+}}, %{{.+}} use_acc %{{.+}} : (i32, i32, i32, i32), (i32, i32)
  %e:2 = lane.wgmma "m64n8k16.f16.f16.f16"[%w, %w, %w, %w], %b into %w, %w use_acc %use : (i32, i32, i32, i32), (i32, i32)
  // CHECK: lane.wgmma_wait %[[D]]#0, %{{.+}}#1 {outstanding = 1 : i32} : f32, i32
  %g:2 = lane.wgmma_wait %d#0, %e#1 {outstanding = 1 : i32} : f32, i32
  // CHECK: lane.wgmma_wait {outstanding = 0 : i32}
  lane.wgmma_wait {outstanding = 0 : i32}
  llvm.return
}
