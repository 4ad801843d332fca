// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// One case per numbered constraint, named after it. Constraints on the target and on how copies lie in LDS are checked
// in the lowering: conversion/hk_amd_to_rocdl.

// mfma layout C1
// expected-error@+1 {{version must be 1 (gfx908), 2 (gfx90a), 3 (CDNA3) or 4 (CDNA4), but is 5}}
#mfma = #hk_amd.mfma<version = 5, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>

// -----

// mfma layout C2
// expected-error@+1 {{instr_shape must be [M, N, K], but is [32, 32]}}
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32], transposed = true, warps_per_cta = [2, 2]>

// -----

// mfma layout C2: of the version
// expected-error@+1 {{CDNA3 has no matrix instruction of shape [32, 32, 32]; its shapes are [32, 32, 8], [16, 16, 16], [64, 4, 4], [4, 64, 4], [4, 4, 64], [32, 32, 16], [16, 16, 32], [32, 32, 2], [16, 16, 4], [32, 32, 4], [16, 16, 8], [64, 4, 1], [4, 64, 1], [4, 4, 16]}}
#mfma = #hk_amd.mfma<version = 3, instr_shape = [32, 32, 32], transposed = true, warps_per_cta = [2, 2]>

// -----

// mfma layout C3
// expected-error@+1 {{warps_per_cta must have an entry per dimension, 2 or 3, but has 1}}
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [4]>

// -----

// mfma layout C3: tiles
// expected-error@+1 {{tiles_per_warp needs 2 entries, as warps_per_cta has, but has 3}}
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2], tiles_per_warp = [1, 1, 1]>

// -----

// mfma layout C3: powers of two
// expected-error@+1 {{warps_per_cta must hold powers of two, but has 3}}
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [3, 2]>

// -----

// mfma layout C3: powers of two
// expected-error@+1 {{tiles_per_warp must hold powers of two, but has 0}}
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2], tiles_per_warp = [0, 2]>

// -----

// mfma layout C4
// expected-error@+1 {{element_bits must be 32, or 64 with instr_shape [16, 16, 4], but is 16 with [32, 32, 16]}}
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2], element_bits = 16>

// -----

// mfma layout C4: shape
// expected-error@+1 {{element_bits must be 32, or 64 with instr_shape [16, 16, 4], but is 64 with [32, 32, 16]}}
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2], element_bits = 64>

// -----

// mfma layout: an option that there is not
// expected-error@+1 {{expected element_bits or tiles_per_warp, not k_width}}
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2], k_width = 4>

// -----

// mfma layout C5
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
// expected-error@+1 {{k_width, the consecutive elements along K in a lane, must be a power of two from 1 to 32, but is 0}}
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 0>

// -----

// mfma layout C5
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
// expected-error@+1 {{k_width, the consecutive elements along K in a lane, must be a power of two from 1 to 32, but is 12}}
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 12>

// -----

// mfma layout C5
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
// expected-error@+1 {{k_width, the consecutive elements along K in a lane, must be a power of two from 1 to 32, but is 64}}
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 64>

// -----

// mfma layout: rank of the tensor
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
// expected-error@+1 {{a tensor of rank 3 cannot have a layout of rank 2: #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>}}
func.func private @f(tensor<2x64x64xf32, #mfma>)

// -----

// mfma layout: sizes of the tensor
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
// expected-error@+1 {{sizes of a tensor with a layout must be powers of two, but the shape is [48, 64]}}
func.func private @f(tensor<48x64xf32, #mfma>)

// -----

// mfma C1
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf16, #a>, %b: tensor<16x64xf16, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op multiplies [M, K] by [K, N] into [M, N], but has [64, 32], [16, 64] and [64, 64]}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #a>, tensor<16x64xf16, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C1: ranks
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
func.func @f(%a: tensor<64xf16, #blocked>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op needs three tensors of rank 2, or of rank 3, but has ranks 1, 2 and 2}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64xf16, #blocked>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C2: accumulator
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
#blocked = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.mfma' op needs an accumulator in a #hk_amd.mfma layout, not #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 8], warps_per_cta = [4, 1], order = [1, 0]>}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  return
}

// -----

// mfma C2: operand
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
#blocked = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<64x32xf16, #blocked>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op needs a as #hk.dot_operand<op_idx = 0> of the accumulator's layout, but it is in #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [8, 8], warps_per_cta = [4, 1], order = [1, 0]>}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #blocked>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C2: operands exchanged
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #a>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op needs b as #hk.dot_operand<op_idx = 1> of the accumulator's layout, but it is in #hk.dot_operand<op_idx = 0, parent = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>, k_width = 8>}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #a> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C2: k_width
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 4>
func.func @f(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op needs operands of one k_width, but has 8 and 4: lanes would multiply elements of different k}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C3: types
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xbf16, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op multiplies 'f16' by 'bf16', for which CDNA4 has no matrix instruction}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xbf16, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C3: types that no instruction takes
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xi32, #a>, %b: tensor<32x64xi32, #b>, %c: tensor<64x64xi32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op multiplies 'i32' by 'i32', for which CDNA4 has no matrix instruction}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xi32, #a>, tensor<32x64xi32, #b> -> tensor<64x64xi32, #mfma>
  return
}

// -----

// mfma C3: shape
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf32, #a>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op multiplies 'f32' by 'f32', for which CDNA4 has no instr_shape [32, 32, 16], but [32, 32, 2], [16, 16, 4], [64, 4, 1], [4, 64, 1], [4, 4, 16]}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf32, #a>, tensor<32x64xf32, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C3: 8-bit floats of the other generation
#mfma = #hk_amd.mfma<version = 3, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf8E4M3FN, #a>, %b: tensor<32x64xf8E4M3FN, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op multiplies 'f8E4M3FN' (float8e4nv), but the matrix cores of CDNA3 read 8-bit floats as FNUZ encodings: use 'f8E4M3FNUZ' (float8e4b8)}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf8E4M3FN, #a>, tensor<32x64xf8E4M3FN, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C3: 8-bit floats of the other generation, on the right
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf8E4M3FN, #a>, %b: tensor<32x64xf8E5M2FNUZ, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op multiplies 'f8E5M2FNUZ' (float8e5b16), but the matrix cores of CDNA4 read 8-bit floats as OCP encodings: use 'f8E5M2' (float8e5)}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf8E4M3FN, #a>, tensor<32x64xf8E5M2FNUZ, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C3: accumulator
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf16, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op of 'f16' and 'f16' accumulates in 'f32', not 'f16'}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf16, #mfma>
  return
}

// -----

// mfma C3: accumulator of i8
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xi8, #a>, %b: tensor<32x64xi8, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op of 'i8' and 'i8' accumulates in 'i32', not 'f32'}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xi8, #a>, tensor<32x64xi8, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C3: width
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 4], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf64, #a>, %b: tensor<32x64xf64, #b>, %c: tensor<64x64xf64, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op accumulates in 'f64', which needs a layout with element_bits = 64, not 32}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf64, #a>, tensor<32x64xf64, #b> -> tensor<64x64xf64, #mfma>
  return
}

// -----

// mfma C3: width
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 4], transposed = true, warps_per_cta = [2, 2], element_bits = 64>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
func.func @f(%a: tensor<64x32xf32, #a>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op accumulates in 'f32', which needs a layout with element_bits = 32, not 64}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf32, #a>, tensor<32x64xf32, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C4: the instruction's K
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 4>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 4>
func.func @f(%a: tensor<64x8xf16, #a>, %b: tensor<8x64xf16, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op needs K to be a multiple of 16 (2 groups of lanes with 8 elements each), but K is 8}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x8xf16, #a>, tensor<8x64xf16, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma C4: k_width
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
func.func @f(%a: tensor<64x16xf16, #a>, %b: tensor<16x64xf16, #b>, %c: tensor<64x64xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma' op needs K to be a multiple of 32 (2 groups of lanes with 16 elements each), but K is 16}}
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x16xf16, #a>, tensor<16x64xf16, #b> -> tensor<64x64xf32, #mfma>
  return
}

// -----

// mfma_scaled C1: elements of 4 bits
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xi8, #a>, %b: tensor<128x16xi8, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op multiplies [M, K] by [K, N] into [M, N], but has [16, 128], [128, 16] and [16, 16]}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x128xi8, #a>, tensor<16x4xi8, #scale>, tensor<128x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// mfma_scaled C2: instruction
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 32], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xi8, #a>, %b: tensor<64x16xi8, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs a layout of version 4 with instr_shape [16, 16, 128] or [32, 32, 64], not version 4 with [16, 16, 32]}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x128xi8, #a>, tensor<16x4xi8, #scale>, tensor<64x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// mfma_scaled C2: accumulator
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xi8, #a>, %b: tensor<64x16xi8, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xi32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op accumulates in f32, not 'i32'}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x128xi8, #a>, tensor<16x4xi8, #scale>, tensor<64x16xi8, #b>, tensor<16x16xi32, #mfma>) -> tensor<16x16xi32, #mfma>
  return
}

// -----

// mfma_scaled C2: k_width
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 32>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xi8, #a>, %b: tensor<64x16xi8, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs a of e4m3 with k_width = 16, not 32}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x128xi8, #a>, tensor<16x4xi8, #scale>, tensor<64x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// mfma_scaled C2: k_width of elements of 6 bits
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xi8, #a>, %b: tensor<128x16xi8, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs b of e2m3 with k_width = 32, not 16}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m3, %c : (tensor<16x128xi8, #a>, tensor<16x4xi8, #scale>, tensor<128x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// mfma_scaled C3: elements
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xf8E5M2, #a>, %b: tensor<64x16xi8, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs a of e4m3 as i8 or f8E4M3FN, not 'f8E5M2'}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x128xf8E5M2, #a>, tensor<16x4xi8, #scale>, tensor<64x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// mfma_scaled C3: elements of 4 bits
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xi8, #a>, %b: tensor<64x16xf16, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs b of e2m1 as i8, not 'f16'}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x128xi8, #a>, tensor<16x4xi8, #scale>, tensor<64x16xf16, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// mfma_scaled C4
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x64xi8, #a>, %b: tensor<32x16xi8, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs K to be a multiple of 128, but K is 64}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x64xi8, #a>, tensor<16x4xi8, #scale>, tensor<32x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// mfma_scaled C5: shape
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xi8, #a>, %b: tensor<64x16xi8, #b>, %s: tensor<16x8xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs the scale of a as i8 of shape [16, 4], one per 32 elements along K, but it is 'tensor<16x8xi8, #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>>'}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x128xi8, #a>, tensor<16x8xi8, #scale>, tensor<64x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// mfma_scaled C5: layout
#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [], shape = [16, 4]>
func.func @f(%a: tensor<16x128xi8, #a>, %b: tensor<64x16xi8, #b>, %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #mfma>) {
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs the scale of a in layout #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>, not #hk.linear<reg = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [], shape = [16, 4]>}}
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b e2m1, %c : (tensor<16x128xi8, #a>, tensor<16x4xi8, #scale>, tensor<64x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  return
}

// -----

// buffer_load C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_load' op at 'tensor<256xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>' from '!hk.ptr<f16>' accesses 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  %0 = hk_amd.buffer_load %p[%o] : !hk.ptr<f16>, tensor<256xi32, #blocked> -> tensor<256xf32, #blocked>
  return
}

// -----

// buffer_load C2: other
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %m: tensor<256xi1, #blocked>,
  // expected-note@+1 {{prior use here}}
  %v: tensor<256xf16, #blocked>) {
  // expected-error@+1 {{use of value '%v' expects different type than prior uses: 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>' vs 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  %0 = hk_amd.buffer_load %p[%o], mask %m, other %v : !hk.ptr<f16>, tensor<256xi32, #blocked> -> tensor<256xf32, #blocked>
  return
}

// -----

// buffer_load C3
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %v: tensor<256xf16, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_load' op has 'other' but no mask, so 'other' would never be used}}
  %0 = "hk_amd.buffer_load"(%p, %o, %v) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!hk.ptr<f16>, tensor<256xi32, #blocked>, tensor<256xf16, #blocked>) -> tensor<256xf16, #blocked>
  return
}

// -----

// buffer_load: offsets of 64 bits
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi64, #blocked>) {
  // expected-error@+1 {{custom op 'hk_amd.buffer_load' 'offsets' must be tensor of i32 with a distributed layout, but got 'tensor<256xi64, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  %0 = hk_amd.buffer_load %p[%o] : !hk.ptr<f16>, tensor<256xi64, #blocked> -> tensor<256xf16, #blocked>
  return
}

// -----

// buffer_store C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_store' op at 'tensor<256xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>' from '!hk.ptr<f16>' accesses 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  hk_amd.buffer_store %v, %p[%o] : tensor<256xf32, #blocked>, !hk.ptr<f16>, tensor<256xi32, #blocked>
  return
}

// -----

// buffer_atomic_rmw C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_atomic_rmw' op at 'tensor<256xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>' from '!hk.ptr<f16>' accesses 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  %0 = hk_amd.buffer_atomic_rmw fadd, %p[%o], %v : !hk.ptr<f16>, tensor<256xi32, #blocked>, tensor<256xf32, #blocked>
  return
}

// -----

// buffer_atomic_rmw C3
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f32>, %o: tensor<256xi32, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_atomic_rmw' op max needs integer elements, not 'f32'}}
  %0 = hk_amd.buffer_atomic_rmw max, %p[%o], %v : !hk.ptr<f32>, tensor<256xi32, #blocked>, tensor<256xf32, #blocked>
  return
}

// -----

// buffer_atomic_rmw C4
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<i16>, %o: tensor<256xi32, #blocked>, %v: tensor<256xi16, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_atomic_rmw' op needs elements of 32 or 64 bits (16 for fadd), but 'i16' has 16}}
  %0 = hk_amd.buffer_atomic_rmw add, %p[%o], %v : !hk.ptr<i16>, tensor<256xi32, #blocked>, tensor<256xi16, #blocked>
  return
}

// -----

// buffer_load_to_shared C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %t: !hk.memdesc<128xf16, #shared>) {
  // expected-error@+1 {{'hk_amd.buffer_load_to_shared' op copies a tile of shape [256] of 'f16', not into '!hk.memdesc<128xf16, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk_amd.buffer_load_to_shared %p[%o], %t : !hk.ptr<f16>, tensor<256xi32, #blocked> -> !hk.memdesc<128xf16, #shared>
  return
}

// -----

// buffer_load_to_shared C2: other
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %t: !hk.memdesc<256xf16, #shared>, %m: tensor<256xi1, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_load_to_shared' op needs 'other' of type 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  hk_amd.buffer_load_to_shared %p[%o], %t, mask %m, other %v : tensor<256xf32, #blocked> : !hk.ptr<f16>, tensor<256xi32, #blocked> -> !hk.memdesc<256xf16, #shared>
  return
}

// -----

// buffer_load_to_shared C3
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%p: !hk.ptr<f16>, %o: tensor<256xi32, #blocked>, %t: !hk.memdesc<256xf16, #shared>, %v: tensor<256xf16, #blocked>) {
  // expected-error@+1 {{'hk_amd.buffer_load_to_shared' op has 'other' but no mask, so 'other' would never be used}}
  "hk_amd.buffer_load_to_shared"(%p, %o, %t, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}> : (!hk.ptr<f16>, tensor<256xi32, #blocked>, !hk.memdesc<256xf16, #shared>, tensor<256xf16, #blocked>) -> ()
  return
}

// -----

// async_wait_group C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f() {
  // expected-error@+1 {{'hk.async_wait_group' op attribute 'outstanding' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  hk.async_wait_group {outstanding = -1 : i32}
  return
}
