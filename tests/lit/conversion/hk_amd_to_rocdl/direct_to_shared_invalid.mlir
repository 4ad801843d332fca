// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics

// Every error of layout/DirectCopy.h, and the errors of the addresses.

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32, hk.shared_bytes = 4096 : i32} {
func.func public @registers(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<128xf16, #shared>
  // expected-error @below {{cannot copy directly to shared memory, where consecutive lanes write consecutive runs of 4 bytes: a lane holds 2 contiguous bytes of the tile in shared memory}}
  // expected-note @below {{hint: give each lane more contiguous elements (size_per_thread) along the tile's fastest dimension}}
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f16>, tensor<128xi32, #b> -> !hk.memdesc<128xf16, #shared>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 4096 : i32} {
func.func public @lanes(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<256xf16, #shared>
  // expected-error @below {{cannot copy directly to shared memory, where consecutive lanes write consecutive runs of 4 or 16 bytes: lane 1 would write 8 bytes after lane 0, not 4}}
  // expected-note @below {{hint: assign consecutive lanes to consecutive offsets of the tile, 2 elements per lane: e.g. with a DistributedLinearLayout whose first registers are the lowest offset bits, up to 2 elements, and whose lanes are the next ones}}
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f16>, tensor<256xi32, #b> -> !hk.memdesc<256xf16, #shared>
  return
}

func.func public @copies(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<128xf32, #shared>
  // expected-error @below {{lanes 0 and 32 hold the same elements}}
  // expected-note @below {{hint: the tile must have at least 1024 bytes, so that each lane of a warp has its own}}
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f32>, tensor<128xi32, #b> -> !hk.memdesc<128xf32, #shared>
  return
}

func.func public @wide(%x: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<256xf32, #shared>
  // expected-error @below {{the 16 bytes of a lane are not known to be contiguous in global memory, aligned to 16 bytes and under one mask}}
  // expected-note @below {{hint: declare facts about the addresses, e.g. strides and sizes that are multiples of 16, or with multiple_of and max_contiguous}}
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f32>, tensor<256xi32, #b> -> !hk.memdesc<256xf32, #shared>
  return
}

func.func public @ring(%x: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %p = hk.splat %x : !hk.ptr<f32> -> tensor<256x!hk.ptr<f32>, #b>
  %i2 = hk.expand_dims %p axis = 0 : tensor<256x!hk.ptr<f32>, #b> -> tensor<1x256x!hk.ptr<f32>, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [1, 64], warps_per_cta = [1, 1], order = [1, 0]>>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<1x256xf32, #shared>
  // expected-error @below {{cannot copy into all buffers of a ring at once; select one with memdesc_index}}
  hk.async_copy_to_shared %i2, %tile : tensor<1x256x!hk.ptr<f32>, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [1, 64], warps_per_cta = [1, 1], order = [1, 0]>> -> !hk.memdesc<1x256xf32, #shared>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [2], order = [0]>
#padded = #hk.padded_shared<intervals = [32], paddings = [1], offset = [[1], [2], [4], [8], [16], [32], [64]], block = [], shape = [128]>
#s = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [1, 64], warps_per_cta = [2, 1], order = [1, 0]>
#swizzled = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 4, order = [1, 0]>
#plain = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "gfx942", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
func.func public @padding(%x: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<128xf32, #padded>
  // expected-error @below {{padding after every 128 bytes splits the 256 bytes that a warp writes at once}}
  // expected-note @below {{hint: use an interval that is a multiple of 64 elements}}
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f32>, tensor<128xi32, #b> -> !hk.memdesc<128xf32, #padded>
  return
}

func.func public @swizzle(%x: !hk.ptr<f32>) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<f32> -> tensor<4x64x!hk.ptr<f32>, #s>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<4x64xf32, #swizzled>
  // expected-error @below {{some registers or warps start 32 bytes into the 256 bytes that a warp writes at once}}
  // expected-note @below {{hint: a swizzle may not move data across lanes: assign consecutive lanes to consecutive offsets of the tile, 1 element per lane: e.g. with a DistributedLinearLayout whose lanes are the lowest offset bits, below those of registers and warps}}
  hk.async_copy_to_shared %p, %tile : tensor<4x64x!hk.ptr<f32>, #s> -> !hk.memdesc<4x64xf32, #swizzled>
  return
}

func.func public @elements(%x: !hk.ptr<f64>) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<128xf64, #plain>
  // expected-error @below {{elements of 64 bits cannot be copied directly to shared memory on gfx942, which copies 4 bytes per lane}}
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f64>, tensor<128xi32, #b> -> !hk.memdesc<128xf64, #plain>
  return
}
}

// -----

#s = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [2, 32], warps_per_cta = [1, 1], order = [1, 0]>
#rows = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 4096 : i32} {
// Lanes fill a view of 32 columns; the rows of the buffer have 64.
func.func public @view(%x: !hk.ptr<f32>) attributes {hk.kernel} {
  %p = hk.splat %x : !hk.ptr<f32> -> tensor<2x32x!hk.ptr<f32>, #s>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<2x64xf32, #rows>
  %view = hk.memdesc_slice %tile [0, 32] : !hk.memdesc<2x64xf32, #rows> -> !hk.memdesc<2x32xf32, #rows, 2x64>
  // expected-error @below {{lane 32 would write 256 bytes after lane 0, not 128}}
  // expected-note @below {{hint: assign consecutive lanes to consecutive offsets of the tile}}
  hk.async_copy_to_shared %p, %view : tensor<2x32x!hk.ptr<f32>, #s> -> !hk.memdesc<2x32xf32, #rows, 2x64>
  return
}
}

// -----

#n = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 128 : i32} {
func.func public @nvidia(%x: !hk.ptr<f32>) attributes {hk.kernel} {
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32xf32, #flat>
  %o = hk.arange 0 to 32 : tensor<32xi32, #n>
  // expected-error @below {{'hk_amd.buffer_load_to_shared' is not supported for target sm_90a}}
  hk_amd.buffer_load_to_shared %x[%o], %tile : !hk.ptr<f32>, tensor<32xi32, #n> -> !hk.memdesc<32xf32, #flat>
  return
}
}
