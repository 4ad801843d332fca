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
  // expected-error @below {{the result of 'hk.atomic_rmw' is used by several warps but was given no shared memory to pass through; run hocket-allocate-shared first}}
  %0 = hk.atomic_rmw add, %x, %n : !hk.ptr<i32>, i32
  hk.store %x, %0 : !hk.ptr<i32>, i32
  return
}
}

// -----

// expected-error @below {{the module must say its target (hk.target) and number of warps (hk.num_warps)}}
module {
}
