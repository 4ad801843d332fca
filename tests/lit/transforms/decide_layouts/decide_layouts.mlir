// RUN: hocket-opt %s --hocket-decide-layouts --canonicalize --cse --split-input-file | FileCheck %s

// A set_layout decides the layout of all operands of the value; so do the addresses of an access.
// CHECK-LABEL: @backward
// CHECK: hk.arange 0 to 512 : tensor<512xi32, #blocked>
// CHECK: hk.load {{.*}} -> tensor<512xf32, #blocked>
// CHECK-NOT: auto
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @backward(%p: !hk.ptr<f32>, %q: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 512 : tensor<512xi32, #hk.auto>
  %b = hk.splat %p : !hk.ptr<f32> -> tensor<512x!hk.ptr<f32>, #hk.auto>
  %a = hk.addptr %b, %i : tensor<512x!hk.ptr<f32>, #hk.auto>, tensor<512xi32, #hk.auto>
  %x = hk.load %a : tensor<512x!hk.ptr<f32>, #hk.auto> -> tensor<512xf32, #hk.auto>
  %y = hk.set_layout %x : tensor<512xf32, #hk.auto> -> tensor<512xf32, #blocked>
  %j = hk.arange 0 to 512 : tensor<512xi32, #blocked>
  %c = hk.splat %q : !hk.ptr<f32> -> tensor<512x!hk.ptr<f32>, #blocked>
  %to = hk.addptr %c, %j : tensor<512x!hk.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  hk.store %to, %y : tensor<512x!hk.ptr<f32>, #blocked>, tensor<512xf32, #blocked>
  return
}
}

// -----

// Offsets that are used along two axes are duplicated.
// CHECK-LABEL: @two_axes
// CHECK-DAG: hk.arange 0 to 64 : tensor<64xi32, #hk.slice<dim = 1, parent = #blocked>>
// CHECK-DAG: hk.arange 0 to 64 : tensor<64xi32, #hk.slice<dim = 0, parent = #blocked>>
#tile = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 4], warps_per_cta = [4, 1], order = [1, 0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @two_axes(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 64 : tensor<64xi32, #hk.auto>
  %r = hk.expand_dims %i axis = 1 : tensor<64xi32, #hk.auto> -> tensor<64x1xi32, #hk.auto>
  %c = hk.expand_dims %i axis = 0 : tensor<64xi32, #hk.auto> -> tensor<1x64xi32, #hk.auto>
  %rr = hk.broadcast %r : tensor<64x1xi32, #hk.auto> -> tensor<64x64xi32, #hk.auto>
  %cc = hk.broadcast %c : tensor<1x64xi32, #hk.auto> -> tensor<64x64xi32, #hk.auto>
  %s = arith.muli %rr, %cc : tensor<64x64xi32, #hk.auto>
  %t = hk.set_layout %s : tensor<64x64xi32, #hk.auto> -> tensor<64x64xi32, #tile>
  %to = hk.splat %p : !hk.ptr<i32> -> tensor<64x64x!hk.ptr<i32>, #tile>
  hk.store %to, %t : tensor<64x64x!hk.ptr<i32>, #tile>, tensor<64x64xi32, #tile>
  return
}
}

// -----

// Without a set_layout: the layout of the access, as wide as its alignment and the number of elements allow.
// CHECK: #blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// CHECK-LABEL: @wide
// CHECK: hk.load {{.*}} -> tensor<1024xf32, #blocked>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @wide(%p: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %q: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 1024 : tensor<1024xi32, #hk.auto>
  %b = hk.splat %p : !hk.ptr<f32> -> tensor<1024x!hk.ptr<f32>, #hk.auto>
  %a = hk.addptr %b, %i : tensor<1024x!hk.ptr<f32>, #hk.auto>, tensor<1024xi32, #hk.auto>
  %x = hk.load %a : tensor<1024x!hk.ptr<f32>, #hk.auto> -> tensor<1024xf32, #hk.auto>
  hk.store %a, %x : tensor<1024x!hk.ptr<f32>, #hk.auto>, tensor<1024xf32, #hk.auto>
  return
}
}

// -----

// With fewer elements than that, every lane has one.
// CHECK: #blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// CHECK-LABEL: @few
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @few(%p: !hk.ptr<f32> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #hk.auto>
  %b = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #hk.auto>
  %a = hk.addptr %b, %i : tensor<128x!hk.ptr<f32>, #hk.auto>, tensor<128xi32, #hk.auto>
  %x = hk.load %a : tensor<128x!hk.ptr<f32>, #hk.auto> -> tensor<128xf32, #hk.auto>
  hk.store %a, %x : tensor<128x!hk.ptr<f32>, #hk.auto>, tensor<128xf32, #hk.auto>
  return
}
}

// -----

// set_layout does not change the layout that the compiler chose for an access: the value is converted.
// CHECK-LABEL: @coalesced
// CHECK: %[[X:.*]] = hk.load {{.*}} -> tensor<128xf32, #[[CHOSEN:.*]]>
// CHECK: hk.convert_layout %[[X]] : tensor<128xf32, #[[CHOSEN]]> -> tensor<128xf32, #[[NAMED:.*]]>
#named = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @coalesced(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #hk.coalesced>
  %b = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #hk.coalesced>
  %a = hk.addptr %b, %i : tensor<128x!hk.ptr<f32>, #hk.coalesced>, tensor<128xi32, #hk.coalesced>
  %x = hk.load %a : tensor<128x!hk.ptr<f32>, #hk.coalesced> -> tensor<128xf32, #hk.coalesced>
  %y = hk.set_layout %x : tensor<128xf32, #hk.coalesced> -> tensor<128xf32, #named>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #named>
  hk.store %to, %y : tensor<128x!hk.ptr<f32>, #named>, tensor<128xf32, #named>
  return
}
}

// -----

// A loop-carried value has one layout; its constant initial value is created in it.
// CHECK-LABEL: @carried
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128xf32, #blocked>
// CHECK: scf.for {{.*}} iter_args({{.*}} = %[[ZERO]]) -> (tensor<128xf32, #blocked>)
#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @carried(%p: !hk.ptr<f32>, %n: i32) attributes {hk.kernel} {
  %zero = arith.constant dense<0.0> : tensor<128xf32, #hk.auto>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<128xf32, #blocked>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128xf32, #hk.auto>) : i32 {
    %t = hk.set_layout %s : tensor<128xf32, #hk.auto> -> tensor<128xf32, #blocked>
    %u = arith.addf %t, %one : tensor<128xf32, #blocked>
    %v = hk.set_layout %u : tensor<128xf32, #blocked> -> tensor<128xf32, #hk.auto>
    scf.yield %v : tensor<128xf32, #hk.auto>
  }
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #hk.auto>
  hk.store %to, %sum : tensor<128x!hk.ptr<f32>, #hk.auto>, tensor<128xf32, #hk.auto>
  return
}
}

// -----

// The layout of a sum is the slice of its operand's layout; another layout needs a conversion.
// CHECK-LABEL: @reduced
// CHECK: hk.reduce
// CHECK: (tensor<16x64xf32, #blocked>) -> tensor<16xf32, #hk.slice<dim = 1, parent = #blocked>>
// CHECK: hk.convert_layout {{.*}} -> tensor<16xf32, #blocked1>
#tile = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [2, 16], warps_per_cta = [4, 1], order = [1, 0]>
#line = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @reduced(%p: !hk.ptr<f32>, %from: tensor<16x64xf32, #tile>) attributes {hk.kernel} {
  %x = hk.set_layout %from : tensor<16x64xf32, #tile> -> tensor<16x64xf32, #hk.auto>
  %s = hk.reduce %x axis = 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    hk.combine.return %c : f32
  } : (tensor<16x64xf32, #hk.auto>) -> tensor<16xf32, #hk.auto>
  %t = hk.set_layout %s : tensor<16xf32, #hk.auto> -> tensor<16xf32, #line>
  %to = hk.splat %p : !hk.ptr<f32> -> tensor<16x!hk.ptr<f32>, #line>
  hk.store %to, %t : tensor<16x!hk.ptr<f32>, #line>, tensor<16xf32, #line>
  return
}
}

// -----

// A loaded value has the layout of its load, which cannot be split: it is converted to one that can.
// CHECK-LABEL: @split
// CHECK: hk.load {{.*}} -> tensor<256xi32, #[[LOADED:.+]]>
// CHECK: hk.reshape
// CHECK: %[[PAIRS:.+]] = hk.convert_layout
// CHECK: hk.split %[[PAIRS]]
module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
func.func public @split(%p: !hk.ptr<i32>, %q: !hk.ptr<i32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #hk.auto>
  %from = hk.splat %p : !hk.ptr<i32> -> tensor<256x!hk.ptr<i32>, #hk.auto>
  %at = hk.addptr %from, %i : tensor<256x!hk.ptr<i32>, #hk.auto>, tensor<256xi32, #hk.auto>
  %x = hk.load %at : tensor<256x!hk.ptr<i32>, #hk.auto> -> tensor<256xi32, #hk.auto>
  %pairs = hk.reshape %x : tensor<256xi32, #hk.auto> -> tensor<128x2xi32, #hk.auto>
  %a, %b = hk.split %pairs : tensor<128x2xi32, #hk.auto> -> tensor<128xi32, #hk.auto>
  %sum = arith.addi %a, %b : tensor<128xi32, #hk.auto>
  %j = hk.arange 0 to 128 : tensor<128xi32, #hk.auto>
  %to = hk.splat %q : !hk.ptr<i32> -> tensor<128x!hk.ptr<i32>, #hk.auto>
  %into = hk.addptr %to, %j : tensor<128x!hk.ptr<i32>, #hk.auto>, tensor<128xi32, #hk.auto>
  hk.store %into, %sum : tensor<128x!hk.ptr<i32>, #hk.auto>, tensor<128xi32, #hk.auto>
  return
}
}
