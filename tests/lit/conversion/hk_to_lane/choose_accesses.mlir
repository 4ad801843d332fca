// RUN: hocket-opt %s --hocket-choose-accesses --split-input-file --verify-diagnostics | FileCheck %s

#b = #hk.blocked<size_per_thread = [8], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// Eight f16 are the 128 bits that an access may move.
// CHECK-LABEL: func.func public @aligned
func.func public @aligned(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 1024 : tensor<1024xi32, #b>
  %xs = hk.splat %x : !hk.ptr<f16> -> tensor<1024x!hk.ptr<f16>, #b>
  %p = hk.addptr %xs, %i : tensor<1024x!hk.ptr<f16>, #b>, tensor<1024xi32, #b>
  // CHECK: hk.load {{.*}}{hk.access = #hk.access<dim = 0, width = 8>}
  %v = hk.load %p : tensor<1024x!hk.ptr<f16>, #b> -> tensor<1024xf16, #b>
  // CHECK: hk.store {{.*}}{hk.access = #hk.access<dim = 0, width = 8>}
  hk.store %p, %v : tensor<1024x!hk.ptr<f16>, #b>, tensor<1024xf16, #b>
  return
}

// CHECK-LABEL: func.func public @unaligned
func.func public @unaligned(%x: !hk.ptr<f16>) attributes {hk.kernel} {
  %i = hk.arange 0 to 1024 : tensor<1024xi32, #b>
  %xs = hk.splat %x : !hk.ptr<f16> -> tensor<1024x!hk.ptr<f16>, #b>
  %p = hk.addptr %xs, %i : tensor<1024x!hk.ptr<f16>, #b>, tensor<1024xi32, #b>
  // CHECK-NOT: hk.access
  %v = hk.load %p : tensor<1024x!hk.ptr<f16>, #b> -> tensor<1024xf16, #b>
  return
}
}

// -----

// expected-error @below {{the module must have a target (hk.target)}}
module {
func.func @no_target() {
  return
}
}
