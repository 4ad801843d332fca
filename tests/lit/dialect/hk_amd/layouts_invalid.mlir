// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// The MFMA layout: one case per numbered constraint, named after it.

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
