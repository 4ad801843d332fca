// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// set_layout C1
func.func @f(%x: tensor<32xf32, #hk.auto>) {
  // expected-error@+1 {{'hk.set_layout' op changes the layout only, but turns 'tensor<32xf32, #hk.auto>' into 'tensor<64xf32, #hk.coalesced>'}}
  %y = hk.set_layout %x : tensor<32xf32, #hk.auto> -> tensor<64xf32, #hk.coalesced>
  return
}

// -----

// set_layout C1: both decided
#a = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
func.func @f(%x: tensor<32xf32, #a>) {
  // expected-error@+1 {{'hk.set_layout' op needs a layout that is not decided, but has #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]> and #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>; use hk.convert_layout}}
  %y = hk.set_layout %x : tensor<32xf32, #a> -> tensor<32xf32, #a>
  return
}

// -----

// coalesced: sizes
// expected-error@+1 {{sizes of a tensor with a layout must be powers of two, but the shape is [3]}}
func.func private @f(tensor<3xf32, #hk.coalesced>)

// -----

// shared_linear C1
// expected-error@+1 {{shape must have 1 to 5 dimensions, but has 0}}
#l = #hk.shared_linear<offset = [], block = [], alignment = 16>

// -----

// shared_linear C1: rows
// expected-error@+1 {{rows of offset need 2 entries, one per dimension of shape [1, 2], but one has 1}}
#l = #hk.shared_linear<offset = [[0, 1], [0]], block = [], alignment = 16>

// -----

// shared_linear C1: negative
// expected-error@+1 {{rows of offset must be coordinates within shape [1, 2], but [-1, 0] is not}}
#l = #hk.shared_linear<offset = [[0, 1], [-1, 0]], block = [], alignment = 16>

// -----

// shared_linear C2
// expected-error@+1 {{offset and block must give every element of shape [2, 2] one offset: 3 rows reach 4 of 4 elements}}
#l = #hk.shared_linear<offset = [[0, 1], [1, 0], [1, 1]], block = [], alignment = 16>

// -----

// shared_linear C3
// expected-error@+1 {{alignment must be a power of two, but is 12}}
#l = #hk.shared_linear<offset = [[1]], block = [], alignment = 12>

// -----

// A tile of another shape.
#l = #hk.shared_linear<offset = [[1], [2]], block = [], alignment = 16>
// expected-error@+1 {{the layout was made for the shape [4], not for [8]}}
func.func private @f(!hk.memdesc<8xf32, #l>)

// -----

// local_gather C1
#a = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%t: !hk.memdesc<64xf32, #s>, %i: tensor<32xi64, #a>) {
  // expected-error@+1 {{'hk.local_gather' op needs i32 indices of rank 1, not 'tensor<32xi64, #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>>'}}
  %x = hk.local_gather %t[%i] axis = 0 : !hk.memdesc<64xf32, #s>, tensor<32xi64, #a> -> tensor<32xf32, #a>
  return
}

// -----

// local_gather C1: elements
#a = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%t: !hk.memdesc<64xf32, #s>, %i: tensor<32xi32, #a>) {
  // expected-error@+1 {{'hk.local_gather' op needs values of the descriptor's element type in the shape and layout of the indices, but has}}
  %x = hk.local_gather %t[%i] axis = 0 : !hk.memdesc<64xf32, #s>, tensor<32xi32, #a> -> tensor<32xf16, #a>
  return
}

// -----

// local_gather C2
#a = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%t: !hk.memdesc<64xf32, #s>, %i: tensor<32xi32, #a>) {
  // expected-error@+1 {{'hk.local_gather' op axis must be in 0..0, but is 1}}
  %x = hk.local_gather %t[%i] axis = 1 : !hk.memdesc<64xf32, #s>, tensor<32xi32, #a> -> tensor<32xf32, #a>
  return
}

// -----

// local_scatter C2: sizes
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
func.func @f(%t: !hk.memdesc<16x16xf32, #s>, %i: tensor<16x32xi32, #b>, %x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.local_scatter' op selects along axis 0 only, but dimension 1 of}}
  hk.local_scatter %x, %t[%i] axis = 0 : tensor<16x32xf32, #b>, !hk.memdesc<16x16xf32, #s>, tensor<16x32xi32, #b>
  return
}

// -----

// local_atomic_scatter C1: mask
#a = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%t: !hk.memdesc<64xi32, #s>, %i: tensor<32xi32, #a>, %m: tensor<64xi1, #a>) {
  // expected-error@+1 {{'hk.local_atomic_scatter' op needs a mask in the shape and layout of the values, but has}}
  %x = hk.local_atomic_scatter add, %i, %t[%i], mask %m axis = 0 : tensor<32xi32, #a>, !hk.memdesc<64xi32, #s>, tensor<32xi32, #a>, tensor<64xi1, #a>
  return
}

// -----

// local_atomic_scatter C3
#a = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [1], order = [0]>
#s = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%t: !hk.memdesc<64xf32, #s>, %i: tensor<32xi32, #a>, %v: tensor<32xf32, #a>) {
  // expected-error@+1 {{'hk.local_atomic_scatter' op and needs integer elements, not 'f32'}}
  %x = hk.local_atomic_scatter and, %v, %t[%i] axis = 0 : tensor<32xf32, #a>, !hk.memdesc<64xf32, #s>, tensor<32xi32, #a>
  return
}
