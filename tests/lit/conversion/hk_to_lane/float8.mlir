// RUN: sed 's/TARGET/sm_80/' %s | hocket-opt --split-input-file --hocket-lane-pipeline | \
// RUN:   FileCheck %s --check-prefixes=CHECK,INTEGER
// RUN: sed 's/TARGET/sm_90a/' %s | hocket-opt --split-input-file --hocket-lane-pipeline | \
// RUN:   FileCheck %s --check-prefixes=CHECK,INSTRUCTION
// RUN: sed 's/TARGET/gfx942/' %s | hocket-opt --split-input-file --hocket-lane-pipeline | \
// RUN:   FileCheck %s --check-prefixes=CHECK,INTEGER
// RUN: sed 's/TARGET/gfx950/' %s | hocket-opt --split-input-file --hocket-lane-pipeline | \
// RUN:   FileCheck %s --check-prefixes=CHECK,INTEGER

// Bit arithmetic, the same for every target, except that Hopper narrows by an instruction.
module attributes {hk.target = "TARGET", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @widen
// CHECK-SAME: %[[P:[^,]+]]: !llvm.ptr<1>, %[[X:.+]]: i8, %[[Y:[^:]+]]: i8
func.func public @widen(%p: !hk.ptr<f16>, %x: f8E5M2, %y: f8E4M3FN) attributes {hk.kernel} {
  // The upper half of an f16.
  // CHECK: %[[WIDE:.+]] = llvm.zext %[[X]] : i8 to i16
  // CHECK: %[[UPPER:.+]] = llvm.shl %[[WIDE]]
  // CHECK-NEXT: llvm.bitcast %[[UPPER]] : i16 to f16
  %0 = arith.extf %x : f8E5M2 to f16
  hk.store %p, %0 : !hk.ptr<f16>, f16
  // CHECK: llvm.zext %[[Y]] : i8 to i16
  // CHECK: llvm.mlir.constant(2.560000e+02 : f16)
  // CHECK: llvm.fmul %{{.+}} : f16
  // CHECK: llvm.select
  %1 = arith.extf %y : f8E4M3FN to f16
  hk.store %p, %1 : !hk.ptr<f16>, f16
  return
}
}

// -----

module attributes {hk.target = "TARGET", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @narrow
// CHECK-SAME: %[[P:[^,]+]]: !llvm.ptr<1>, %[[X:.+]]: f32, %[[I:[^:]+]]: i32
func.func public @narrow(%p: !hk.ptr<f8E4M3FN>, %x: f32, %i: i32) attributes {hk.kernel} {
  // Values are clamped to 448.0, the largest number.
  // INTEGER: %[[BITS:.+]] = llvm.bitcast %[[X]] : f32 to i32
  // INTEGER: %[[LARGEST:.+]] = llvm.mlir.constant(1138753536 : i32)
  // INTEGER: llvm.intr.umin(%{{.+}}, %[[LARGEST]])
  // INTEGER: llvm.trunc %{{.+}} : i32 to i8
  // INSTRUCTION: %[[ZERO:.+]] = llvm.mlir.constant(0.000000e+00 : f32)
  // INSTRUCTION: %[[PAIR:.+]] = nvvm.convert.f32x2.to.f8x2 %[[ZERO]], %[[X]]
  // INSTRUCTION-SAME: rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>
  // INSTRUCTION-SAME: i16(f8E4M3FN)
  // INSTRUCTION: llvm.trunc %[[PAIR]] : i16 to i8
  %0 = arith.truncf %x : f32 to f8E4M3FN
  hk.store %p, %0 : !hk.ptr<f8E4M3FN>, f8E4M3FN
  // Integers are converted through f32.
  // CHECK: llvm.sitofp %[[I]] : i32 to f32
  %1 = arith.sitofp %i : i32 to f8E4M3FN
  hk.store %p, %1 : !hk.ptr<f8E4M3FN>, f8E4M3FN
  return
}
}
