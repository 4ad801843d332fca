// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics

#narrow = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 64 : i32} {
func.func public @too_narrow(%x: !hk.ptr<f16>) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<f16> -> tensor<32x!hk.ptr<f16>, #narrow>
  %i = hk.arange 0 to 32 : tensor<32xi32, #narrow>
  %q = hk.addptr %p, %i : tensor<32x!hk.ptr<f16>, #narrow>, tensor<32xi32, #narrow>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32xf16, #flat>
  // expected-error @+2 {{cannot copy asynchronously: cp.async copies 4, 8 or 16 bytes per lane, but a lane holds 2 contiguous bytes of the tile in shared memory}}
  // expected-note @+1 {{hint: give each lane more contiguous elements (size_per_thread) along the tile's fastest dimension, and use a shared layout with vectors of the same width (vec)}}
  hk.async_copy_to_shared %q, %tile : tensor<32x!hk.ptr<f16>, #narrow> -> !hk.memdesc<32xf16, #flat>
  return
}
}

// -----

#wide = #hk.blocked<size_per_thread = [8], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 512 : i32} {
func.func public @unknown_addresses(%x: !hk.ptr<f16>, %stride: i32) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<f16> -> tensor<256x!hk.ptr<f16>, #wide>
  %i = hk.arange 0 to 256 : tensor<256xi32, #wide>
  %s = hk.splat %stride : i32 -> tensor<256xi32, #wide>
  %o = arith.muli %i, %s : tensor<256xi32, #wide>
  %q = hk.addptr %p, %o : tensor<256x!hk.ptr<f16>, #wide>, tensor<256xi32, #wide>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<256xf16, #flat>
  // expected-error @+2 {{cannot copy asynchronously: cp.async copies 4, 8 or 16 bytes per lane, but a lane holds 2 bytes that are known to be contiguous in global memory, under one mask}}
  // expected-note @+1 {{hint: give each lane contiguous elements of global memory (size_per_thread), and declare facts about the addresses, e.g. strides that are multiples of 16, or with multiple_of and max_contiguous}}
  hk.async_copy_to_shared %q, %tile : tensor<256x!hk.ptr<f16>, #wide> -> !hk.memdesc<256xf16, #flat>
  return
}
}

// -----

#wide = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "sm_80", hk.num_warps = 1 : i32, hk.shared_bytes = 512 : i32} {
func.func public @other(%x: !hk.ptr<f32>, %m: i1) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #wide>
  %mask = hk.splat %m : i1 -> tensor<128xi1, #wide>
  %one = arith.constant dense<1.0> : tensor<128xf32, #wide>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<128xf32, #flat>
  // expected-error @+1 {{masked elements of an asynchronous copy become 0 on NVIDIA GPUs; 'other' is not supported}}
  hk.async_copy_to_shared %p, %tile, mask %mask, other %one : tensor<128xf32, #wide> : tensor<128x!hk.ptr<f32>, #wide> -> !hk.memdesc<128xf32, #flat>
  return
}
}
