// RUN: sed 's/TARGET/sm_80/' %s | hocket-opt --split-input-file --hocket-lane-pipeline | FileCheck %s --check-prefixes=CHECK,NV
// RUN: sed 's/TARGET/sm_90a/' %s | hocket-opt --split-input-file --hocket-lane-pipeline | FileCheck %s --check-prefixes=CHECK,NV
// RUN: sed 's/TARGET/gfx942/' %s | hocket-opt --split-input-file --hocket-lane-pipeline | FileCheck %s --check-prefixes=CHECK,AMD
// RUN: sed 's/TARGET/gfx950/' %s | hocket-opt --split-input-file --hocket-lane-pipeline | FileCheck %s --check-prefixes=CHECK,AMD

module attributes {hk.target = "TARGET", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @defaults
// NV-NOT: nvvm.maxnreg
// AMD-NOT: rocdl.waves_per_eu
// CHECK: llvm.fmul %{{.+}} {fastmathFlags = #llvm.fastmath<contract>}
// CHECK: llvm.fadd %{{.+}} {fastmathFlags = #llvm.fastmath<contract>}
func.func public @defaults(%p: !hk.ptr<f32>, %x: f32) attributes {hk.kernel} {
  %0 = arith.mulf %x, %x : f32
  %1 = arith.addf %0, %x : f32
  hk.store %p, %1 : !hk.ptr<f32>, f32
  return
}
}

// -----

module attributes {hk.target = "TARGET", hk.num_warps = 1 : i32, hk.fp_fusion = false, hk.maxnreg = 64 : i32,
                   hk.waves_per_eu = 2 : i32} {
// CHECK-LABEL: llvm.func @limits
// NV-SAME: nvvm.maxnreg = 64 : i32
// AMD-SAME: rocdl.waves_per_eu = 2 : i32
// CHECK-NOT: contract
func.func public @limits(%p: !hk.ptr<f32>, %x: f32) attributes {hk.kernel} {
  %0 = arith.mulf %x, %x : f32
  %1 = arith.addf %0, %x : f32
  hk.store %p, %1 : !hk.ptr<f32>, f32
  return
}
}
