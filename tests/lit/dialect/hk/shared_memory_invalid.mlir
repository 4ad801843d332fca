// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// Shared memory, its views, and copies into it: one case per numbered constraint, named after it.

// local_alloc C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%x: tensor<32x64xf16, #b>) {
  // expected-error@+1 {{'hk.local_alloc' op needs a tensor and a descriptor of one shape and element type, but has 'tensor<32x64xf16, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' and '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.local_alloc %x : (tensor<32x64xf16, #b>) -> !hk.memdesc<64x32xf16, #s>
  return
}

// -----

// local_alloc C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f() {
  // expected-error@+1 {{'hk.local_alloc' op needs whole buffers, but '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>, 64x32>' refers to only a part of one}}
  %0 = hk.local_alloc : () -> !hk.memdesc<64x16xf16, #s, 64x32>
  return
}

// -----

// local_load C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.local_load' op needs a tensor and a descriptor of one shape and element type, but has 'tensor<64x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' and '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.local_load %m : !hk.memdesc<64x32xf16, #s> -> tensor<64x32xf32, #b>
  return
}

// -----

// local_store C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%x: tensor<64x16xf16, #b>, %m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.local_store' op needs a tensor and a descriptor of one shape and element type, but has 'tensor<64x16xf16, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' and '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  hk.local_store %x, %m : tensor<64x16xf16, #b> -> !hk.memdesc<64x32xf16, #s>
  return
}

// -----

// memdesc_index C1
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<3x64x32xf16, #s>, %i: i32) {
  // expected-error@+1 {{'hk.memdesc_index' op of '!hk.memdesc<3x64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' makes '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>', not '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.memdesc_index %m[%i] : !hk.memdesc<3x64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s>
  return
}

// -----

// memdesc_index C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>, %i: i32) {
  // expected-error@+1 {{'hk.memdesc_index' op needs a ring of buffers: the layout of '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' includes all dimensions; give it a rank lower than the descriptor's}}
  %0 = hk.memdesc_index %m[%i] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<32xf16, #s1>
  return
}

// -----

// memdesc_slice C1: number of offsets
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_slice' op needs one offset for each of 2 dimensions, but has 1}}
  %0 = hk.memdesc_slice %m [0] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s, 64x32>
  return
}

// -----

// memdesc_slice C1: bounds
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_slice' op selects [32, 48) of dimension 1, which has 32 elements}}
  %0 = hk.memdesc_slice %m [0, 32] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s, 64x32>
  return
}

// -----

// memdesc_slice C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_slice' op changes the shape only, but turns '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' into '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.memdesc_slice %m [0, 16] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s>
  return
}

// -----

// memdesc_slice C3
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_slice' op needs an offset that is a multiple of the size 16 in dimension 1, not 8}}
  %0 = hk.memdesc_slice %m [0, 8] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s, 64x32>
  return
}

// -----

// memdesc_permute C1: order
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#t = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_permute' op cannot have the order [0, 0]: the order must name each of the 2 dimensions once}}
  %0 = hk.memdesc_permute %m [0, 0] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<32x64xf16, #t>
  return
}

// -----

// memdesc_permute C1: slots
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#t = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
func.func @f(%m: !hk.memdesc<3x64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_permute' op cannot have the order [1, 0, 2]: dimension 0 numbers the buffers of a ring and must keep its position}}
  %0 = hk.memdesc_permute %m [1, 0, 2] : !hk.memdesc<3x64x32xf16, #s> -> !hk.memdesc<64x4x32xf16, #t>
  return
}

// -----

// memdesc_permute C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#t = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_permute' op of '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' by [1, 0] makes '!hk.memdesc<32x64xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>>', not '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>>'}}
  %0 = hk.memdesc_permute %m [1, 0] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x32xf16, #t>
  return
}

// -----

// memdesc_permute C3
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#t = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_permute' op of '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' by [1, 0] makes '!hk.memdesc<32x64xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>>', not '!hk.memdesc<32x64xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.memdesc_permute %m [1, 0] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<32x64xf16, #s>
  return
}

// -----

// memdesc_reshape C1
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x16xf16, #s, 64x32>) {
  // expected-error@+1 {{'hk.memdesc_reshape' op needs whole buffers, but '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>, 64x32>' refers to only a part of one}}
  %0 = hk.memdesc_reshape %m : !hk.memdesc<64x16xf16, #s, 64x32> -> !hk.memdesc<1024xf16, #s1>
  return
}

// -----

// memdesc_reshape C2: elements
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_reshape' op keeps the number of buffers and of elements, but turns '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' into '!hk.memdesc<1024xf16, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  %0 = hk.memdesc_reshape %m : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<1024xf16, #s1>
  return
}

// -----

// memdesc_reshape C2: element type
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_reshape' op keeps the element type, but turns 'f16' into 'f32'}}
  %0 = hk.memdesc_reshape %m : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<2048xf32, #s1>
  return
}

// -----

// memdesc_reshape C3
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_reshape' op moves no data, but layouts #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]> and #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]> hold row-major elements at different positions}}
  %0 = hk.memdesc_reshape %m : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<2048xf16, #s1>
  return
}

// -----

// memdesc_reinterpret C1
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x16xf16, #s, 64x32>) {
  // expected-error@+1 {{'hk.memdesc_reinterpret' op needs whole buffers, but '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>, 64x32>' refers to only a part of one}}
  %0 = hk.memdesc_reinterpret %m : !hk.memdesc<64x16xf16, #s, 64x32> -> !hk.memdesc<512xi32, #s1>
  return
}

// -----

// memdesc_reinterpret C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_reinterpret' op to '!hk.memdesc<2048xi32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>' needs 8192 bytes, but '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' has 4096}}
  %0 = hk.memdesc_reinterpret %m : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<2048xi32, #s1>
  return
}

// -----

// async_copy_to_shared C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%q: tensor<256x!hk.ptr<f16>, #blocked>, %t: !hk.memdesc<256xf32, #shared>) {
  // expected-error@+1 {{'hk.async_copy_to_shared' op copies a tile of shape [256] of 'f16', not into '!hk.memdesc<256xf32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk.async_copy_to_shared %q, %t : tensor<256x!hk.ptr<f16>, #blocked> -> !hk.memdesc<256xf32, #shared>
  return
}

// -----

// async_copy_to_shared C2: other
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%q: tensor<256x!hk.ptr<f16>, #blocked>, %t: !hk.memdesc<256xf16, #shared>, %m: tensor<256xi1, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk.async_copy_to_shared' op needs 'other' of type 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  hk.async_copy_to_shared %q, %t, mask %m, other %v : tensor<256xf32, #blocked> : tensor<256x!hk.ptr<f16>, #blocked> -> !hk.memdesc<256xf16, #shared>
  return
}

// -----

// async_copy_to_shared C3
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%q: tensor<256x!hk.ptr<f16>, #blocked>, %t: !hk.memdesc<256xf16, #shared>, %v: tensor<256xf16, #blocked>) {
  // expected-error@+1 {{'hk.async_copy_to_shared' op has 'other' but no mask, so 'other' would never be used}}
  "hk.async_copy_to_shared"(%q, %t, %v) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (tensor<256x!hk.ptr<f16>, #blocked>, !hk.memdesc<256xf16, #shared>, tensor<256xf16, #blocked>) -> ()
  return
}
