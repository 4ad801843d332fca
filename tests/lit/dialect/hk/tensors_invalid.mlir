// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// Program ids, creation and shapes of tensors, layout conversions, print: one case per numbered constraint, named
// after it.

// program_id C1
func.func @f() {
  // expected-error@+1 {{'hk.program_id' op attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 2}}
  %0 = hk.program_id 3
  return
}

// -----

// num_programs C1
func.func @f() {
  // expected-error@+1 {{'hk.num_programs' op attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 2}}
  %0 = hk.num_programs -1
  return
}

// -----

// arange C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f() {
  // expected-error@+1 {{'hk.arange' op from 0 to 128 makes a 1-D tensor of 128 i32, not 'tensor<64xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.arange 0 to 128 : tensor<64xi32, #b>
  return
}

// -----

// arange C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f() {
  // expected-error@+1 {{'hk.arange' op needs start < end, but start is 128 and end 0}}
  %0 = hk.arange 128 to 0 : tensor<128xi32, #b>
  return
}

// -----

// arange: no layout
func.func @f() {
  // expected-error@+1 {{'hk.arange' op result #0 must be tensor of integers with a distributed layout, but got 'tensor<128xi32>'}}
  %0 = hk.arange 0 to 128 : tensor<128xi32>
  return
}

// -----

// splat C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: f16) {
  // expected-error@+1 {{'hk.splat' op of 'f16' cannot make a tensor of 'f32'}}
  %0 = hk.splat %x : f16 -> tensor<128xf32, #b>
  return
}

// -----

// expand_dims C1: shape
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) {
  // expected-error@+1 {{'hk.expand_dims' op of shape [16] at axis 1 has shape [16, 1], not [1, 16]}}
  %0 = hk.expand_dims %x axis = 1 : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<1x16xf32, #b>
  return
}

// -----

// expand_dims C1: element type
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) {
  // expected-error@+1 {{'hk.expand_dims' op keeps the element type, but turns 'f32' into 'f16'}}
  %0 = hk.expand_dims %x axis = 1 : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16x1xf16, #b>
  return
}

// -----

// expand_dims C1: axis
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) {
  // expected-error@+1 {{'hk.expand_dims' op axis must be in 0..1, but is 2}}
  %0 = hk.expand_dims %x axis = 2 : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16x1xf32, #b>
  return
}

// -----

// expand_dims C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 0, parent = #b>>) {
  // expected-error@+1 {{'hk.expand_dims' op needs an operand in the result's layout sliced along axis 1; convert #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>> to #hk.slice<dim = 1, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>> first}}
  %0 = hk.expand_dims %x axis = 1 : tensor<16xf32, #hk.slice<dim = 0, parent = #b>> -> tensor<16x1xf32, #b>
  return
}

// -----

// broadcast C1: sizes
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x1xf32, #b>) {
  // expected-error@+1 {{'hk.broadcast' op must stretch only dimensions of size 1, but changes the shape [16, 1] into [32, 32]}}
  %0 = hk.broadcast %x : tensor<16x1xf32, #b> -> tensor<32x32xf32, #b>
  return
}

// -----

// broadcast C1: rank
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) {
  // expected-error@+1 {{'hk.broadcast' op keeps the rank, but turns shape [16] into [16, 32]; use hk.expand_dims first}}
  %0 = hk.broadcast %x : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

// broadcast C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x1xf32, #b>) {
  // expected-error@+1 {{'hk.broadcast' op must keep the layout, but changes #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]> into #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>}}
  %0 = hk.broadcast %x : tensor<16x1xf32, #b> -> tensor<16x32xf32, #c>
  return
}

// -----

// reshape C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#b1 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<256xf32, #b1>) {
  // expected-error@+1 {{'hk.reshape' op keeps the number of elements, but turns shape [256] into [16, 32]}}
  %0 = hk.reshape %x : tensor<256xf32, #b1> -> tensor<16x32xf32, #b>
  return
}

// -----

// reshape C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#b1 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<256xf32, #b1>) {
  // expected-error@+1 {{'hk.reshape' op moves no data, but layouts #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]> of shape [256] and #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]> of shape [16, 16] hold row-major elements at different positions}}
  %0 = hk.reshape %x : tensor<256xf32, #b1> -> tensor<16x16xf32, #b>
  return
}

// -----

// permute C1: order
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.permute' op needs an order that names each of the 2 dimensions once, not [1, 1]}}
  %0 = hk.permute %x [1, 1] : tensor<16x32xf32, #b> -> tensor<32x16xf32, #c>
  return
}

// -----

// permute C1: shape
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.permute' op of shape [16, 32] by [1, 0] has shape [32, 16], not [16, 32]}}
  %0 = hk.permute %x [1, 0] : tensor<16x32xf32, #b> -> tensor<16x32xf32, #c>
  return
}

// -----

// permute C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.permute' op moves no data, but layout #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]> is not #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]> permuted by [1, 0]}}
  %0 = hk.permute %x [1, 0] : tensor<16x32xf32, #b> -> tensor<32x16xf32, #b>
  return
}

// -----

// views of an undecided layout: shapes
func.func @f(%x: tensor<16x32xf32, #hk.auto>) {
  // expected-error@+1 {{'hk.permute' op of shape [16, 32] by [1, 0] has shape [32, 16], not [16, 32]}}
  %0 = hk.permute %x [1, 0] : tensor<16x32xf32, #hk.auto> -> tensor<16x32xf32, #hk.auto>
  return
}

// -----

// convert_layout C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.convert_layout' op changes the layout only, but turns 'tensor<16x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' into 'tensor<16x32xf16, #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>>'}}
  %0 = hk.convert_layout %x : tensor<16x32xf32, #b> -> tensor<16x32xf16, #c>
  return
}

// -----

// print C1
#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<128xi32, #b>, %n: i32) {
  // expected-error@+1 {{'hk.print' op shows values of one shape and layout, not 'tensor<128xi32, #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>' and 'i32'}}
  hk.print "{d} {d}", %x, %n : tensor<128xi32, #b>, i32
  return
}

// -----

// print C2
func.func @f(%n: i32) {
  // expected-error@+1 {{'hk.print' op has a text whose placeholders do not match its values}}
  hk.print "{d} of {f}", %n, %n : i32, i32
  return
}
