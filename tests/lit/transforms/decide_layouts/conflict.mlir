// RUN: hocket-opt %s --hocket-decide-layouts --verify-diagnostics

#one = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#two = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @conflict(%p: !hk.ptr<f32>, %q: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #hk.auto>
  %x = hk.load %a : tensor<128x!hk.ptr<f32>, #hk.auto> -> tensor<128xf32, #hk.auto>
  %y = hk.set_layout %x name = "One" : tensor<128xf32, #hk.auto> -> tensor<128xf32, #one>
  // expected-error@+4 {{conflicting layouts for one tensor}}
  // expected-note@+3 {{line 9: One}}
  // expected-note@+2 {{line 14: Two}}
  // expected-note@+1 {{hint: convert one of the two, as in gl.convert_layout(x, layout), or use one layout}}
  %z = hk.set_layout %x name = "Two" : tensor<128xf32, #hk.auto> -> tensor<128xf32, #two>
  %b = hk.splat %q : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #one>
  hk.store %b, %y : tensor<128x!hk.ptr<f32>, #one>, tensor<128xf32, #one>
  %c = hk.splat %q : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #two>
  hk.store %c, %z : tensor<128x!hk.ptr<f32>, #two>, tensor<128xf32, #two>
  return
}
}
