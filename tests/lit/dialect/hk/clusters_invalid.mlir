// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// blocked C4
// expected-error@+1 {{a row of block must be zeros, or the next of 1, 2, 4, ... along one dimension, but [2] is not}}
#layout = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0], block = [[2]]>

// -----

// blocked C4
// expected-error@+1 {{rows of block need 1 entries, one per dimension, but one has 2}}
#layout = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0], block = [[1, 0]]>

// -----

// swizzled_shared C3
// expected-error@+1 {{a row of block must be zeros, or the next of 1, 2, 4, ... along one dimension, but [1, 1] is not}}
#layout = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0], block = [[1, 1]]>

// -----

// mma_shared C4
// expected-error@+1 {{block may have at most 4 rows, but has 5}}
#layout = #hk_nv.mma_shared<swizzle = 0, element_bits = 16, rank = 1, transposed = false, block = [[0], [0], [0], [0], [0]]>

// -----

// mma C5
// expected-error@+1 {{a row of block must be zeros, or the next of 1, 2, 4, ... along one dimension, but [0, 4] is not}}
#layout = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8], block = [[0, 4]]>

// -----

// C11
// expected-error@+1 {{hk.num_ctas must be an i32 and a power of two, but is 3 : i32}}
module attributes {hk.num_ctas = 3 : i32} {}

// -----

// C11
// expected-error@+1 {{hk.num_ctas must be at most 1 on gfx950, but is 2}}
module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "gfx950"} {}

// -----

// C11
// expected-error@+1 {{hk.num_ctas must be at most 16 on sm_90a, but is 32}}
module attributes {hk.num_ctas = 32 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {}

// -----

// C11
#layout = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0], block = [[1]]>
module attributes {hk.num_ctas = 4 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @f() attributes {hk.kernel} {
  // expected-error@+1 {{is for clusters of 2 blocks, but they have 4}}
  %i = hk.arange 0 to 256 : tensor<256xi32, #layout>
  return
}
}

// -----

// mbarrier_arrive C3
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @f(%b: !hk.memdesc<1xi64, #bar>) {
  // expected-error@+1 {{needs 'from_cta' from 0 to 1, not 2}}
  hk_nv.mbarrier_arrive %b, 1 from_cta = 2 : !hk.memdesc<1xi64, #bar>
  return
}
}

// -----

// mbarrier_arrive C5
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @f(%b: !hk.memdesc<1xi64, #bar>) {
  // expected-error@+1 {{'relaxed' needs an mbarrier of another block}}
  hk_nv.mbarrier_arrive %b, 1 relaxed : !hk.memdesc<1xi64, #bar>
  return
}
}
