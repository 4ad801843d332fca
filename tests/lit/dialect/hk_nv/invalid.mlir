// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// One case per numbered constraint, named after it.

// layout C1
// expected-error@+1 {{version must be [2, 0], [2, 1] (mma.sync) or [3, 0] (wgmma), but is [1, 0]}}
func.func @f(%x: tensor<32x32xf32, #hk_nv.mma<version = [1, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>>) {
  return
}

// -----

// layout C2: rank
// expected-error@+1 {{warps_per_cta must have an entry per dimension, 2 or 3, but has 1}}
func.func @f(%x: tensor<32x32xf32, #hk_nv.mma<version = [2, 0], warps_per_cta = [4], instr_shape = [16, 8]>>) {
  return
}

// -----

// layout C2: powers of two
// expected-error@+1 {{warps_per_cta}}
func.func @f(%x: tensor<32x32xf32, #hk_nv.mma<version = [2, 0], warps_per_cta = [3, 1], instr_shape = [16, 8]>>) {
  return
}

// -----

// layout C3: mma.sync
// expected-error@+1 {{instr_shape must be [16, 8] in version [2, 0], but is [16, 16]}}
func.func @f(%x: tensor<32x32xf32, #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 16]>>) {
  return
}

// -----

// layout C3: wgmma
// expected-error@+1 {{instr_shape must be [16, N, K] in version [3, 0], with N a power of two from 8 to 256 and K 8, 16 or 32, but is [16, 24, 16]}}
func.func @f(%x: tensor<32x32xf32, #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 24, 16]>>) {
  return
}

// -----

// layout C4: k_width
// expected-error@+1 {{k_width, the consecutive elements along K in a lane, must be a power of two from 1 to 16, but is 32}}
func.func @f(%x: tensor<32x32xf32, #hk.dot_operand<op_idx = 0, parent = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>, k_width = 32>>) {
  return
}

// -----

// layout C4: op_idx
// expected-error@+1 {{wgmma takes operand 1 from shared memory; only operand 0 can be in registers}}
func.func @f(%x: tensor<32x32xf32, #hk.dot_operand<op_idx = 1, parent = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>, k_width = 2>>) {
  return
}

// -----

// mma C1
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, %b: tensor<32x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>>, %c: tensor<32x32xf32, #mma>) {
  // expected-error@+1 {{'hk_nv.mma' op multiplies [M, K] by [K, N] into [M, N], but has [32, 16], [32, 32] and [32, 32]}}
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, tensor<32x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>> -> tensor<32x32xf32, #mma>
  return
}

// -----

// mma C2: accumulators
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, %b: tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>>, %c: tensor<32x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [2, 2], order = [1, 0]>>) {
  // expected-error@+1 {{'hk_nv.mma' op needs an accumulator in a #hk_nv.mma layout of version [2, 0]}}
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>> -> tensor<32x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [2, 2], order = [1, 0]>>
  return
}

// -----

// mma C2: operands
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, %b: tensor<16x32xf16, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [2, 2], order = [1, 0]>>, %c: tensor<32x32xf32, #mma>) {
  // expected-error@+1 {{'hk_nv.mma' op needs b as #hk.dot_operand<op_idx = 1> of the accumulator's layout}}
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, tensor<16x32xf16, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [2, 2], order = [1, 0]>> -> tensor<32x32xf32, #mma>
  return
}

// -----

// mma C2: k_width
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x32xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 4>>, %b: tensor<32x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>>, %c: tensor<32x32xf32, #mma>) {
  // expected-error@+1 {{'hk_nv.mma' op needs operands of one k_width, but has 4 and 2: lanes would multiply elements of different k}}
  %0 = hk_nv.mma %a, %b, %c : tensor<32x32xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 4>>, tensor<32x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>> -> tensor<32x32xf32, #mma>
  return
}

// -----

// mma C3: elements
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, %b: tensor<16x32xbf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>>, %c: tensor<32x32xf32, #mma>) {
  // expected-error@+1 {{'hk_nv.mma' op cannot multiply 'f16' by 'bf16'}}
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, tensor<16x32xbf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>> -> tensor<32x32xf32, #mma>
  return
}

// -----

// mma C3: accumulators
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, %b: tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>>, %c: tensor<32x32xf16, #mma>) {
  // expected-error@+1 {{'hk_nv.mma' op of 'f16' and 'f16' accumulates in 'f32', not 'f16'}}
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>> -> tensor<32x32xf16, #mma>
  return
}

// -----

// mma C3: signs
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, %b: tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>>, %c: tensor<32x32xf32, #mma>) {
  // expected-error@+1 {{'hk_nv.mma' op has 'unsigned_a' or 'unsigned_b' for an operand that is not an integer}}
  %0 = hk_nv.mma %a unsigned_a, %b, %c : tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>>, tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>> -> tensor<32x32xf32, #mma>
  return
}

// -----

// mma C4: k_width
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 1>>, %b: tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 1>>, %c: tensor<32x32xf32, #mma>) {
  // expected-error@+1 {{'hk_nv.mma' op needs k_width of at least 2 (4 bytes), not 1}}
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 1>>, tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 1>> -> tensor<32x32xf32, #mma>
  return
}

// -----

// mma C4: K
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
func.func @f(%a: tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 4>>, %b: tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 4>>, %c: tensor<32x32xf32, #mma>) {
  // expected-error@+1 {{'hk_nv.mma' op needs K to be a multiple of 32 (8 x k_width), but K is 16}}
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 4>>, tensor<16x32xf16, #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 4>> -> tensor<32x32xf32, #mma>
  return
}

// -----

// shared C1: swizzle
// expected-error@+1 {{swizzle must be 0, 32, 64 or 128 bytes, but is 48}}
func.func @f(%t: !hk.memdesc<64x128xf16, #hk_nv.mma_shared<swizzle = 48, element_bits = 16, rank = 2, transposed = false>>) {
  return
}

// -----

// shared C1: elements
// expected-error@+1 {{element_bits must be 8, 16, 32 or 64, but is 4}}
func.func @f(%t: !hk.memdesc<64x128xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 4, rank = 2, transposed = false>>) {
  return
}

// -----

// shared C2: rank
// expected-error@+1 {{rank must be 1 to 5, but is 6}}
func.func @f(%t: !hk.memdesc<64x128xf16, #hk_nv.mma_shared<swizzle = 0, element_bits = 16, rank = 6, transposed = false>>) {
  return
}

// -----

// shared C2: transposed
// expected-error@+1 {{a transposed layout has rank 2, not 3}}
func.func @f(%t: !hk.memdesc<64x128xf16, #hk_nv.mma_shared<swizzle = 0, element_bits = 16, rank = 3, transposed = true>>) {
  return
}

// -----

// shared C2: swizzled
// expected-error@+1 {{a swizzled layout has rank 2 or more}}
func.func @f(%t: !hk.memdesc<64x128xf16, #hk_nv.mma_shared<swizzle = 32, element_bits = 16, rank = 1, transposed = false>>) {
  return
}

// -----

// shared C3: columns
// expected-error@+1 {{with a swizzle of 128 bytes, rows have at least 64 elements, not 32}}
func.func @f(%t: !hk.memdesc<32x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = true>>) {
  return
}

// -----

// shared C3: rows
// expected-error@+1 {{a swizzled tile has at least 8 rows, not 4}}
func.func @f(%t: !hk.memdesc<4x64xf16, #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>>) {
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_init C1
func.func @f(%bar: !hk.memdesc<2xi64, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_init' op needs a handle to one i64, not '!hk.memdesc<2xi64, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_nv.mbarrier_init %bar, 1 : !hk.memdesc<2xi64, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_init C2: none
func.func @f(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_init' op needs 'count' from 1 to 1048575, not 0}}
  hk_nv.mbarrier_init %bar, 0 : !hk.memdesc<1xi64, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_init C2: too many
func.func @f(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_init' op needs 'count' from 1 to 1048575, not 1048576}}
  hk_nv.mbarrier_init %bar, 1048576 : !hk.memdesc<1xi64, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_invalidate C1
func.func @f(%bar: !hk.memdesc<1xi32, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_invalidate' op needs a handle to one i64, not '!hk.memdesc<1xi32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_nv.mbarrier_invalidate %bar : !hk.memdesc<1xi32, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_expect C1: what is too large to be placed
func.func @f(%bar: !hk.memdesc<2147483648xi64, #flat>) {
  // expected-error@+1 {{'hk_nv.mbarrier_expect' op needs a handle to one i64, not '!hk.memdesc<2147483648xi64, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_nv.mbarrier_expect %bar, 64 : !hk.memdesc<2147483648xi64, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_expect C1
func.func @f(%bar: !hk.memdesc<2xi64, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_expect' op needs a handle to one i64, not '!hk.memdesc<2xi64, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_nv.mbarrier_expect %bar, 64 : !hk.memdesc<2xi64, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_expect C2
func.func @f(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_expect' op needs 'bytes' from 0 to 1048575, not -1}}
  hk_nv.mbarrier_expect %bar, -1 : !hk.memdesc<1xi64, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_arrive C1
func.func @f(%bar: !hk.memdesc<1xi32, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_arrive' op needs a handle to one i64, not '!hk.memdesc<1xi32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_nv.mbarrier_arrive %bar, 1 : !hk.memdesc<1xi32, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_arrive C2
func.func @f(%bar: !hk.memdesc<1xi64, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_arrive' op needs 'count' from 1 to 1048575, not 0}}
  hk_nv.mbarrier_arrive %bar, 0 : !hk.memdesc<1xi64, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_arrive_copies C1
func.func @f(%bar: !hk.memdesc<2xi64, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_arrive_copies' op needs a handle to one i64, not '!hk.memdesc<2xi64, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_nv.mbarrier_arrive_copies %bar : !hk.memdesc<2xi64, #flat>
  return
}

// -----

#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>

// mbarrier_wait C1
func.func @f(%bar: !hk.memdesc<2xi64, #flat>, %phase: i32) {
  // expected-error@+1 {{'hk_nv.mbarrier_wait' op needs a handle to one i64, not '!hk.memdesc<2xi64, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_nv.mbarrier_wait %bar, %phase : !hk.memdesc<2xi64, #flat>
  return
}
