// RUN: hocket-opt %s --hocket-convert-lane-to-rocdl | FileCheck %s

// CDNA has no fma of bf16: it is computed in f64 and rounded to odd in f32, so that only the last rounding counts.

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @narrow
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.fmul %{{.+}}, %{{.+}} : f64
// CHECK: %[[ROUNDED:.+]] = llvm.fptrunc %{{.+}} : f64 to f32
// CHECK: %[[BITS:.+]] = llvm.bitcast %[[ROUNDED]] : f32 to i32
// CHECK: %[[ODD:.+]] = llvm.select %{{.+}}, %{{.+}}, %[[BITS]]
// CHECK: %[[F32:.+]] = llvm.bitcast %[[ODD]] : i32 to f32
// CHECK: llvm.fptrunc %[[F32]] : f32 to bf16
llvm.func @narrow(%x: bf16, %y: bf16, %z: bf16) -> bf16 {
  %r = llvm.intr.fma(%x, %y, %z) : (bf16, bf16, bf16) -> bf16
  llvm.return %r : bf16
}

// CHECK-LABEL: llvm.func @native
// CHECK: llvm.intr.fma
llvm.func @native(%x: f16, %y: f16, %z: f16) -> f16 {
  %r = llvm.intr.fma(%x, %y, %z) : (f16, f16, f16) -> f16
  llvm.return %r : f16
}
}
