// RUN: hocket-opt %s --hocket-lane-pipeline | FileCheck %s

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @math
// CHECK-SAME: %[[P:[^,]+]]: !llvm.ptr<1>, %[[X:.+]]: f32, %[[H:.+]]: bf16
func.func public @math(%p: !hk.ptr<f32>, %x: f32, %h: bf16) attributes {hk.kernel} {
  // e^x = 2^(x log2(e)); F32Functions states the error.
  // CHECK: %[[L:.+]] = llvm.mlir.constant(1.44269502 : f32)
  // CHECK: %[[Y:.+]] = llvm.fmul %[[X]], %[[L]]
  // CHECK-NEXT: llvm.intr.exp2(%[[Y]])
  %0 = math.exp %x : f32
  hk.store %p, %0 : !hk.ptr<f32>, f32
  // CHECK: %[[E:.+]] = llvm.intr.exp2(%[[X]])
  // CHECK: lane.store %[[P]], %[[E]]
  %1 = math.exp2 %x : f32
  hk.store %p, %1 : !hk.ptr<f32>, f32
  // CHECK: llvm.intr.sqrt(%[[X]]) {fastmathFlags = #llvm.fastmath<contract, afn>}
  // CHECK: llvm.fdiv {{.*}} {fastmathFlags = #llvm.fastmath<contract, afn>}
  %2 = math.rsqrt %x : f32
  hk.store %p, %2 : !hk.ptr<f32>, f32
  // CHECK: %[[POWER:.+]] = llvm.intr.exp2({{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
  // CHECK: %[[SUM:.+]] = llvm.fadd %[[POWER]], %{{.+}} : f32
  // CHECK: llvm.fdiv %{{.+}}, %[[SUM]] {fastmathFlags = #llvm.fastmath<arcp, afn>}
  %9 = math.tanh %x : f32
  hk.store %p, %9 : !hk.ptr<f32>, f32
  // CHECK: llvm.intr.sqrt(%[[X]]) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  %3 = math.sqrt %x : f32
  hk.store %p, %3 : !hk.ptr<f32>, f32
  // CHECK: llvm.intr.sqrt(%[[X]]) : (f32) -> f32
  %8 = math.sqrt %x {hk.round_nearest} : f32
  hk.store %p, %8 : !hk.ptr<f32>, f32
  // Narrow floats are computed in f32.
  // CHECK: %[[W:.+]] = llvm.bitcast %{{.+}} : i32 to f32
  // CHECK: %[[FL:.+]] = llvm.intr.floor(%[[W]])
  // CHECK: llvm.fptrunc %[[FL]] : f32 to bf16
  %4 = math.floor %h : bf16
  %5 = arith.extf %4 : bf16 to f32
  hk.store %p, %5 : !hk.ptr<f32>, f32
  // The argument of sine and cosine is reduced in f64.
  // CHECK: %[[WIDE:.+]] = llvm.fpext %[[X]] : f32 to f64
  // CHECK-COUNT-3: llvm.intr.fma({{.*}}) : (f64, f64, f64) -> f64
  %6 = math.sin %x : f32
  hk.store %p, %6 : !hk.ptr<f32>, f32
  // CHECK: llvm.intr.fma(%[[X]], %[[X]], %[[X]]) : (f32, f32, f32) -> f32
  %7 = math.fma %x, %x, %x : f32
  hk.store %p, %7 : !hk.ptr<f32>, f32
  return
}
}
