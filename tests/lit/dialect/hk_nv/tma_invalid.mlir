// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// tensor_desc C1: transposed
// expected-error@+1 {{TMA writes rows of the tensor as rows of the tile: the layout of a tensor descriptor cannot be transposed}}
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = true>>) {
  return
}

// -----

// tensor_desc C1: rank
// expected-error@+1 {{a block of rank 1 cannot have a layout of rank 2}}
func.func @f(%d: !hk_nv.tensor_desc<64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>>) {
  return
}

// -----

// tensor_desc C2
// expected-error@+1 {{sizes of a block must be powers of two, but it is [24, 64]}}
func.func @f(%d: !hk_nv.tensor_desc<24x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>>) {
  return
}

// -----

// tensor_desc C3
// expected-error@+1 {{rows of a block have a multiple of 16 bytes, not 8}}
func.func @f(%d: !hk_nv.tensor_desc<16x4xf16, #hk_nv.mma_shared<swizzle = 0, element_bits = 16, rank = 2, transposed = false>>) {
  return
}

// -----

// tma_store C1
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>>, %t: !hk.memdesc<64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>>, %i: i32) {
  // expected-error@+1 {{'hk_nv.tma_store' op needs a coordinate per dimension of the block, 2, not 1}}
  hk_nv.tma_store %t, %d[%i] : !hk.memdesc<64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>> -> !hk_nv.tensor_desc<64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>>
  return
}

// -----

// tma_store C2
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows>, %t: !hk.memdesc<128x64xf16, #rows>, %i: i32) {
  // expected-error@+1 {{'hk_nv.tma_store' op needs a tile with the shape, element type and layout of '!hk_nv.tensor_desc<64x64xf16}}
  hk_nv.tma_store %t, %d[%i, %i] : !hk.memdesc<128x64xf16, #rows> -> !hk_nv.tensor_desc<64x64xf16, #rows>
  return
}

// -----

// tma_store C2: elements of another width than the layout's
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 32, rank = 2, transposed = false>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows>, %t: !hk.memdesc<64x64xf16, #rows>, %i: i32) {
  // expected-error@+1 {{the layout is for elements of 32 bits, not of 16}}
  hk_nv.tma_store %t, %d[%i, %i] : !hk.memdesc<64x64xf16, #rows> -> !hk_nv.tensor_desc<64x64xf16, #rows>
  return
}

// -----

// tma_store C2: a slice with gaps
#planes = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 3, transposed = false>
func.func @f(%d: !hk_nv.tensor_desc<4x4x64xf16, #planes>, %t: !hk.memdesc<4x4x64xf16, #planes, 4x8x64>, %i: i32) {
  // expected-error@+1 {{its rows are further apart than those of a tile that is not a slice}}
  hk_nv.tma_store %t, %d[%i, %i, %i] : !hk.memdesc<4x4x64xf16, #planes, 4x8x64> -> !hk_nv.tensor_desc<4x4x64xf16, #planes>
  return
}

// -----

// tma_store C3
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows>, %t: !hk.memdesc<64x64xf16, #rows>, %i: i32) {
  // expected-error@+1 {{'hk_nv.tma_store' op cannot reduce 'f16' by 'xor'}}
  hk_nv.tma_store reduction = xor %t, %d[%i, %i] : !hk.memdesc<64x64xf16, #rows> -> !hk_nv.tensor_desc<64x64xf16, #rows>
  return
}

// -----

// tma_store_wait C1
func.func @f() {
  // expected-error@+1 {{attribute 'outstanding' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  hk_nv.tma_store_wait {outstanding = -1 : i32}
  return
}

// -----

// tma_load C3
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows>, %t: !hk.memdesc<64x64xf16, #rows>, %b: !hk.memdesc<2xi64, #bar>, %i: i32, %p: i1) {
  // expected-error@+1 {{'hk_nv.tma_load' op needs one mbarrier, a handle to 1 x i64, not '!hk.memdesc<2xi64}}
  hk_nv.tma_load %d[%i, %i], %t, %b, %p : !hk_nv.tensor_desc<64x64xf16, #rows> -> !hk.memdesc<64x64xf16, #rows>, !hk.memdesc<2xi64, #bar>
  return
}

// -----

// tensor_desc C4: dimensions
// expected-error@+1 {{an im2col descriptor is of a tensor with 3 to 5 dimensions, not 2}}
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>, im2col = 2>) {
  return
}

// -----

// tensor_desc C4: block
// expected-error@+1 {{a block of an im2col descriptor has two dimensions, pixels and channels, not 3}}
func.func @f(%d: !hk_nv.tensor_desc<2x64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 3, transposed = false>, im2col = 3>) {
  return
}

// -----

// tensor_desc C4: rows
// expected-error@+1 {{a block of an im2col descriptor has at most 1024 pixels and 256 channels, but it is [2048, 64]}}
func.func @f(%d: !hk_nv.tensor_desc<2048x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>, im2col = 3>) {
  return
}

// -----

// tensor_desc C5
// expected-error@+1 {{a block of an im2col descriptor cannot be split among the blocks of a cluster}}
func.func @f(%d: !hk_nv.tensor_desc<128x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false, block = [[1, 0]]>, im2col = 4>) {
  return
}

// -----

// tma_load_im2col C1
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 4>, %t: !hk.memdesc<64x64xf16, #rows>, %b: !hk.memdesc<1xi64, #bar>, %i: i32, %o: i16, %p: i1) {
  // expected-error@+1 {{'hk_nv.tma_load_im2col' op needs a coordinate per dimension of the tensor, 4, not 2}}
  hk_nv.tma_load_im2col %d[%i, %i] offsets [%o, %o], %t, %b, %p : !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 4> -> !hk.memdesc<64x64xf16, #rows>, !hk.memdesc<1xi64, #bar>
  return
}

// -----

// tma_load_im2col C2
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 3>, %t: !hk.memdesc<32x64xf16, #rows>, %b: !hk.memdesc<1xi64, #bar>, %i: i32, %o: i16, %p: i1) {
  // expected-error@+1 {{'hk_nv.tma_load_im2col' op needs a tile with the shape, element type and layout of '!hk_nv.tensor_desc<64x64xf16}}
  hk_nv.tma_load_im2col %d[%i, %i, %i] offsets [%o], %t, %b, %p : !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 3> -> !hk.memdesc<32x64xf16, #rows>, !hk.memdesc<1xi64, #bar>
  return
}

// -----

// tma_load_im2col C3
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 3>, %t: !hk.memdesc<64x64xf16, #rows>, %b: !hk.memdesc<2xi64, #bar>, %i: i32, %o: i16, %p: i1) {
  // expected-error@+1 {{'hk_nv.tma_load_im2col' op needs one mbarrier, a handle to 1 x i64, not '!hk.memdesc<2xi64}}
  hk_nv.tma_load_im2col %d[%i, %i, %i] offsets [%o], %t, %b, %p : !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 3> -> !hk.memdesc<64x64xf16, #rows>, !hk.memdesc<2xi64, #bar>
  return
}

// -----

// tma_load_im2col C4
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows>, %t: !hk.memdesc<64x64xf16, #rows>, %b: !hk.memdesc<1xi64, #bar>, %i: i32, %p: i1) {
  // expected-error@+1 {{'hk_nv.tma_load_im2col' op cannot use '!hk_nv.tensor_desc<64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>>', which is not of im2col}}
  hk_nv.tma_load_im2col %d[%i, %i] offsets [], %t, %b, %p : !hk_nv.tensor_desc<64x64xf16, #rows> -> !hk.memdesc<64x64xf16, #rows>, !hk.memdesc<1xi64, #bar>
  return
}

// -----

// tma_load_im2col C5
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bar = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 4>, %t: !hk.memdesc<64x64xf16, #rows>, %b: !hk.memdesc<1xi64, #bar>, %i: i32, %o: i16, %p: i1) {
  // expected-error@+1 {{'hk_nv.tma_load_im2col' op needs an offset per dimension of an image, 2, not 1}}
  hk_nv.tma_load_im2col %d[%i, %i, %i, %i] offsets [%o], %t, %b, %p : !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 4> -> !hk.memdesc<64x64xf16, #rows>, !hk.memdesc<1xi64, #bar>
  return
}

// -----

// tma_load C1, tma_store C1: not of im2col
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%d: !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 3>, %t: !hk.memdesc<64x64xf16, #rows>, %i: i32) {
  // expected-error@+1 {{'hk_nv.tma_store' op cannot use '!hk_nv.tensor_desc<64x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>, im2col = 3>', which is of im2col}}
  hk_nv.tma_store %t, %d[%i, %i] : !hk.memdesc<64x64xf16, #rows> -> !hk_nv.tensor_desc<64x64xf16, #rows, im2col = 3>
  return
}
