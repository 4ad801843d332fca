// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// mfma: one case per numbered constraint, named after it.

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
