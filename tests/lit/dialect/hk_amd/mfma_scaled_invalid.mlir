// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// mfma_scaled: one case per numbered constraint, named after it.

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
