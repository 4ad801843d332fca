// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// One case per numbered constraint, named after it.

// product C1
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<32x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op multiplies [M, K] by [K, N] into [M, N], but has [64, 64], [32, 64] and [64, 64]}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<32x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// product C2: version
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [4, 1], instr_shape = [16, 8]>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #mma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op needs an accumulator in a #hk_nv.mma layout of version [3, 0], not}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #mma>
  return
}

// -----

// product C2: warpgroups
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [2, 2], instr_shape = [16, 32, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{the four warps of a warpgroup are stacked along M: the first entry of warps_per_cta must be a multiple of 4}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// product C2: a
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#other = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<64x64xf16, #other>, %b: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op needs a as #hk.dot_operand<op_idx = 0> of the accumulator's layout}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : tensor<64x64xf16, #other>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// product C2: k_width
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#a = #hk.dot_operand<op_idx = 0, parent = #wgmma, k_width = 4>
func.func @f(%a: tensor<64x64xf16, #a>, %b: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op needs a k_width of 2 (4 bytes), not 4}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : tensor<64x64xf16, #a>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// product C3: types
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<64x64xbf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op cannot multiply 'f16' by 'bf16' into 'f32'}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xbf16, #shared> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// product C3: sum
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xbf16, #shared>, %b: !hk.memdesc<64x64xbf16, #shared>, %c: tensor<64x64xf16, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op cannot multiply 'bf16' by 'bf16' into 'f16'}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xbf16, #shared>, !hk.memdesc<64x64xbf16, #shared> -> tensor<64x64xf16, #wgmma>
  return
}

// -----

// product C3: unsigned
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op has 'unsigned_a' or 'unsigned_b' for an operand that is not an integer}}
  %d = hk_nv.warpgroup_mma %a unsigned_a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// product C4: K of the layout
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#words = #hk_nv.mma_shared<swizzle = 128, element_bits = 32, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf32, #words>, %b: !hk.memdesc<64x64xf32, #words>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op of 'f32' has K = 8 in its instr_shape, but the layout has 16}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf32, #words>, !hk.memdesc<64x64xf32, #words> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// product C4: M
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<32x64xf16, #shared>, %b: !hk.memdesc<64x64xf16, #shared>, %c: tensor<32x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op needs M to be a multiple of 64, but M is 32}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<32x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<32x64xf32, #wgmma>
  return
}

// -----

// product C4: N
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#narrow = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<64x32xf16, #narrow>, %c: tensor<64x32xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op needs N to be a multiple of 64, but N is 32}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x32xf16, #narrow> -> tensor<64x32xf32, #wgmma>
  return
}

// -----

// product C4: K
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#none = #hk_nv.mma_shared<swizzle = 0, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x8xf16, #none>, %b: !hk.memdesc<8x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma' op needs K to be a multiple of 16, but K is 8}}
  %d = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x8xf16, #none>, !hk.memdesc<8x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// wait C1
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.warpgroup_mma_wait' op attribute 'outstanding' failed to satisfy constraint}}
  %d = hk_nv.warpgroup_mma_wait %c {outstanding = 8 : i32} : tensor<64x64xf32, #wgmma>
  return
}

// -----

// fused C1: number
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.fused_warpgroup_mma' op needs at least two accumulators}}
  %d = hk_nv.fused_warpgroup_mma %a, %a, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  return
}

// -----

// fused C1: types
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>, %e: tensor<64x64xf16, #wgmma>) {
  // expected-error@+1 {{'hk_nv.fused_warpgroup_mma' op needs accumulators of one type}}
  %d:2 = hk_nv.fused_warpgroup_mma %a, %a, %c, %e : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>, tensor<64x64xf16, #wgmma>
  return
}

// -----

// fused C1: width
#half = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 32, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #half>) {
  // expected-error@+1 {{'hk_nv.fused_warpgroup_mma' op needs accumulators that are each as wide as an instruction of their layout}}
  %d:2 = hk_nv.fused_warpgroup_mma %a, %a, %c, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #half>, tensor<64x64xf32, #half>
  return
}

// -----

// fused C2
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<32x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.fused_warpgroup_mma' op multiplies [M, K] by [K, N] into [M, N], but has [64, 64], [32, 64] and [64, 64]}}
  %d:2 = hk_nv.fused_warpgroup_mma %a, %b, %c, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<32x64xf16, #shared> -> tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>
  return
}

// -----

// fused C3
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
func.func @f(%a: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) {
  // expected-error@+1 {{'hk_nv.fused_warpgroup_mma' op has no instruction for 320 columns}}
  %d:5 = hk_nv.fused_warpgroup_mma %a, %a, %c, %c, %c, %c, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>
  return
}
