// RUN: hocket-opt %s --hocket-lane-pipeline | FileCheck %s

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @casts
// CHECK-SAME: %{{[^,]+}}: !llvm.ptr<1>, %[[I:.+]]: i32, %[[F:.+]]: f32, %[[D:.+]]: f64, %[[B:.+]]: bf16, %[[H:.+]]: f16
func.func public @casts(%p: !hk.ptr<f32>, %i: i32, %f: f32, %d: f64, %b: bf16, %h: f16)
    attributes {hk.kernel} {
  // One instruction, or LLVM's expansion.
  // CHECK: llvm.fptrunc %[[F]] : f32 to bf16
  %0 = arith.truncf %f : f32 to bf16
  %p0 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<bf16>
  hk.store %p0, %0 : !hk.ptr<bf16>, bf16
  // There is no fpext, because LLVM would narrow casts back to f16 and compute them in f16.
  // CHECK: %[[BITS:.+]] = llvm.bitcast %[[B]] : bf16 to i16
  // CHECK: %[[LONG:.+]] = llvm.zext %[[BITS]] : i16 to i32
  // CHECK: %[[UPPER:.+]] = llvm.shl %[[LONG]], %{{.+}} : i32
  // CHECK: llvm.bitcast %[[UPPER]] : i32 to f32
  %1 = arith.extf %b : bf16 to f32
  %p1 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<f32>
  hk.store %p1, %1 : !hk.ptr<f32>, f32
  // bf16 to or from any type but f32: through f32.
  // CHECK: %[[DF:.+]] = llvm.fptrunc %[[D]] : f64 to f32
  // CHECK: llvm.fptrunc %[[DF]] : f32 to bf16
  %2 = arith.truncf %d : f64 to bf16
  %p2 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<bf16>
  hk.store %p2, %2 : !hk.ptr<bf16>, bf16
  // CHECK: %[[BF:.+]] = llvm.bitcast %{{.+}} : i32 to f32
  // CHECK: llvm.fpext %[[BF]] : f32 to f64
  %3 = arith.extf %b : bf16 to f64
  %p3 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<f64>
  hk.store %p3, %3 : !hk.ptr<f64>, f64
  // CHECK: %[[IF:.+]] = llvm.sitofp %[[I]] : i32 to f32
  // CHECK: llvm.fptrunc %[[IF]] : f32 to bf16
  %4 = arith.sitofp %i : i32 to bf16
  %p4 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<bf16>
  hk.store %p4, %4 : !hk.ptr<bf16>, bf16
  // CHECK: %[[BF2:.+]] = llvm.bitcast %{{.+}} : i32 to f32
  // CHECK: lane.float_to_int %[[BF2]] : f32 -> i32
  %5 = arith.fptosi %b : bf16 to i32
  %p5 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<i32>
  hk.store %p5, %5 : !hk.ptr<i32>, i32
  // f16 has its own conversions.
  // CHECK: llvm.sitofp %[[I]] : i32 to f16
  %6 = arith.sitofp %i : i32 to f16
  %p6 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<f16>
  hk.store %p6, %6 : !hk.ptr<f16>, f16
  // CHECK: lane.float_to_int unsigned %[[H]] : f16 -> i32
  %7 = arith.fptoui %h : f16 to i32
  %p7 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<i32>
  hk.store %p7, %7 : !hk.ptr<i32>, i32
  // CHECK: llvm.fptrunc %[[D]] : f64 to f16
  %8 = arith.truncf %d : f64 to f16
  %p8 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<f16>
  hk.store %p8, %8 : !hk.ptr<f16>, f16
  // CHECK: llvm.sext %[[I]] : i32 to i64
  %9 = arith.extsi %i : i32 to i64
  %p9 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<i64>
  hk.store %p9, %9 : !hk.ptr<i64>, i64
  // CHECK: llvm.bitcast %[[F]] : f32 to i32
  %10 = arith.bitcast %f : f32 to i32
  %p10 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<i32>
  hk.store %p10, %10 : !hk.ptr<i32>, i32
  // index is i64.
  // CHECK: %[[X:.+]] = llvm.sext %[[I]] : i32 to i64
  %11 = arith.index_cast %i : i32 to index
  // CHECK: llvm.trunc %[[X]] : i64 to i32
  %12 = arith.index_cast %11 : index to i32
  %p12 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<i32>
  hk.store %p12, %12 : !hk.ptr<i32>, i32
  return
}
}
