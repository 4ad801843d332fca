// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
func.func public @no_lowering(%x: f32) attributes {hk.kernel} {
  // expected-error @below {{'math.atan' is not supported for target gfx950}}
  %0 = math.atan %x : f32
  return
}
}

// -----

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32} {
func.func public @no_f128(%x: f128) attributes {hk.kernel} {
  // expected-error @below {{'math.exp' of 'f128' is not supported for target sm_80}}
  %0 = math.exp %x : f128
  return
}
}

// -----

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32} {
func.func public @no_other_f8(%x: f8E4M3B11FNUZ) attributes {hk.kernel} {
  // expected-error @below {{the conversion from 'f8E4M3B11FNUZ' to 'f32' is not supported for target sm_80}}
  %0 = arith.extf %x : f8E4M3B11FNUZ to f32
  return
}
}

// -----

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32} {
func.func public @no_scratch(%x: !hk.ptr<i32>, %n: i32) attributes {hk.kernel} {
  // expected-error @below {{the result of 'hk.atomic_rmw' is used by several warps but was given no shared memory to pass through; run hocket-allocate-memory first}}
  %0 = hk.atomic_rmw add, %x, %n : !hk.ptr<i32>, i32
  hk.store %x, %0 : !hk.ptr<i32>, i32
  return
}
}

// -----

// expected-error @below {{the module must have a target (hk.target) and number of warps (hk.num_warps)}}
module {
}

// -----

// A refused kernel has no signature for its body to be lowered into, so it is refused first.
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// expected-error @below {{a kernel must have a body and return nothing}}
func.func @returns_a_tile(%x: f32) -> tensor<1024xf32, #b> {
  %0 = hk.splat %x : f32 -> tensor<1024xf32, #b>
  %1 = hk.local_alloc %0 offset = 0 : (tensor<1024xf32, #b>) -> !hk.memdesc<1024xf32, #s>
  return %0 : tensor<1024xf32, #b>
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// expected-error @below {{the kernel has an argument of type 'si32', which has no lowering}}
func.func @signed_argument(%x: si32) {
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// expected-error @below {{kernel arguments must be scalars or pointers, not 'tensor<1024xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>>'}}
func.func @tile_argument(%x: tensor<1024xf32, #b>) {
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// expected-error @below {{'hk.barrier' is not in a kernel}}
hk.barrier
}
