// RUN: hocket-opt %s --hocket-require-decided-layouts --split-input-file --verify-diagnostics
// RUN: not hocket-opt %s --hocket-tile-pipeline --split-input-file 2>&1 | FileCheck %s

// Decided layouts pass.
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @decided(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 512 : tensor<512xi32, #blocked>
  %to = hk.splat %p : !hk.ptr<i32> -> tensor<512x!hk.ptr<i32>, #blocked>
  hk.store %to, %i : tensor<512x!hk.ptr<i32>, #blocked>, tensor<512xi32, #blocked>
  return
}
}

// -----

// The first undecided tensor is reported.
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @made(%p: !hk.ptr<i32>, %x: i32) attributes {hk.kernel} {
  // expected-error@+2 {{cannot infer the layout of this tensor of shape [16, 32]}}
  // expected-note@+1 {{hint: pass a layout where it is created, or to a tensor that it is combined with}}
  %tile = hk.splat %x : i32 -> tensor<16x32xi32, #hk.auto>
  %sum = hk.reduce %tile axis = 1 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    hk.combine.return %c : i32
  } : (tensor<16x32xi32, #hk.auto>) -> tensor<16xi32, #hk.auto>
  return
}
}

// -----

// An argument without a layout: the pipeline rejects it before any pass computes its linear map.
// CHECK: error: cannot infer the layout of this tensor of shape [8]
// expected-error@+2 {{cannot infer the layout of this tensor of shape [8]}}
// expected-note@+1 {{hint: pass a layout where it is created, or to a tensor that it is combined with}}
func.func @argument(%x: tensor<8xf32, #hk.auto>) {
  return
}
