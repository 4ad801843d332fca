// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// Layouts: one case per numbered constraint, named after it.

// blocked C1: lengths
// expected-error@+1 {{size_per_thread, threads_per_warp, warps_per_cta and order need one entry per dimension, but have 2, 1, 1 and 1}}
#b = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// -----

// blocked C1: too many dimensions
// expected-error@+1 {{a layout must have 1 to 5 dimensions, but order has 6 entries}}
#b = #hk.blocked<size_per_thread = [1, 1, 1, 1, 1, 1], threads_per_warp = [1, 1, 1, 1, 1, 32], warps_per_cta = [1, 1, 1, 1, 1, 1], order = [0, 1, 2, 3, 4, 5]>

// -----

// blocked C2
// expected-error@+1 {{size_per_thread must hold powers of two, but has 3}}
#b = #hk.blocked<size_per_thread = [3], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// -----

// blocked C3
// expected-error@+1 {{order must be a permutation of 0..1, but is [1, 1]}}
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 1]>

// -----

// slice C1
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// expected-error@+1 {{the parent of a slice must be a distributed layout, but is #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>}}
#x = #hk.slice<dim = 0, parent = #s>

// -----

// slice C2: dim
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
// expected-error@+1 {{cannot remove dimension 2 of a parent of rank 2}}
#x = #hk.slice<dim = 2, parent = #b>

// -----

// slice C2: rank of the parent
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// expected-error@+1 {{the parent of a slice must have rank 2 or more, but #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]> has rank 1}}
#x = #hk.slice<dim = 0, parent = #b>

// -----

// linear C1: shape
// expected-error@+1 {{shape must hold powers of two, but has 3}}
#l = #hk.linear<reg = [[1]], lane = [], warp = [], block = [], shape = [3]>

// -----

// linear C1: entries of a row
// expected-error@+1 {{rows of reg need 1 entries, one per dimension of shape [2], but one has 2}}
#l = #hk.linear<reg = [[1, 0]], lane = [], warp = [], block = [], shape = [2]>

// -----

// linear C2
// expected-error@+1 {{rows of reg must be coordinates within shape [4], but [4] is not}}
#l = #hk.linear<reg = [[1], [4]], lane = [], warp = [], block = [], shape = [4]>

// -----

// linear C3
// expected-error@+1 {{the rows reach only 2 of the 4 elements of shape [2, 2]: add rows for the missing coordinates}}
#l = #hk.linear<reg = [[0, 1]], lane = [], warp = [[0, 0]], block = [], shape = [2, 2]>

// -----

// auto: sizes
// expected-error@+1 {{sizes of a tensor with a layout must be powers of two, but the shape is [3]}}
func.func private @f(tensor<3xf32, #hk.auto>)

// -----

// auto: rank
// expected-error@+1 {{a tensor with a layout has 1 to 5 dimensions, not 0}}
func.func private @f(tensor<f32, #hk.auto>)

// -----

// auto: no layout is made from it
// expected-error@+1 {{the parent of a slice must be a distributed layout, but is #hk.auto}}
#s = #hk.slice<dim = 0, parent = #hk.auto>

// -----

// dot_operand C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
// expected-error@+1 {{op_idx must be 0 (left operand) or 1 (right operand), but is 2}}
#d = #hk.dot_operand<op_idx = 2, parent = #b>

// -----

// dot_operand C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
// expected-error@+1 {{the parent of a dot operand must be a layout that accumulators can have (#hk.blocked, or of a matrix unit), but is #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>}}
#d = #hk.dot_operand<op_idx = 0, parent = #hk.slice<dim = 0, parent = #b>>

// -----

// dot_operand C2: rank
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// expected-error@+1 {{the parent of a dot operand must have rank 2 or 3, but #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]> has rank 1}}
#d = #hk.dot_operand<op_idx = 0, parent = #b>

// -----

// dot_operand C3
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
// expected-error@+1 {{k_width must be 0 (left out) for a blocked parent, but is 8}}
#d = #hk.dot_operand<op_idx = 0, parent = #b, k_width = 8>

// -----

// swizzled_shared C1
// expected-error@+1 {{per_phase must hold powers of two, but has 0}}
#s = #hk.swizzled_shared<vec = 4, per_phase = 0, max_phase = 8, order = [1, 0]>

// -----

// swizzled_shared C2
// expected-error@+1 {{order must be a permutation of 0..1, but is [1, 2]}}
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 2]>

// -----

// padded_shared C1: lengths
// expected-error@+1 {{intervals and paddings need the same number of entries, at least 1, but have 2 and 1}}
#p = #hk.padded_shared<intervals = [4, 8], paddings = [2], offset = [[0, 1], [1, 0]], block = [], shape = [2, 2]>

// -----

// padded_shared C1: powers of two
// expected-error@+1 {{paddings must hold powers of two, but has 6}}
#p = #hk.padded_shared<intervals = [4], paddings = [6], offset = [[0, 1], [1, 0]], block = [], shape = [2, 2]>

// -----

// padded_shared C1: distinct
// expected-error@+1 {{intervals must be distinct, but 4 appears twice: add up its paddings}}
#p = #hk.padded_shared<intervals = [4, 4], paddings = [2, 2], offset = [[0, 1], [1, 0]], block = [], shape = [2, 2]>

// -----

// padded_shared C2
// expected-error@+1 {{rows of offset must be coordinates within shape [2, 2], but [2, 0] is not}}
#p = #hk.padded_shared<intervals = [4], paddings = [2], offset = [[0, 1], [2, 0]], block = [], shape = [2, 2]>

// -----

// padded_shared C2: blocks
// expected-error@+1 {{a row of block must be zeros, or the next of 1, 2, 4, ... along one dimension, but [2, 0] is not}}
#p = #hk.padded_shared<intervals = [4], paddings = [2], offset = [[0, 1], [1, 0]], block = [[2, 0]], shape = [4, 2]>

// -----

// padded_shared C3
// expected-error@+1 {{offset must give every element of shape [2, 2] one offset: 2 rows reach 2 of 4 elements}}
#p = #hk.padded_shared<intervals = [4], paddings = [2], offset = [[0, 1], [0, 1]], block = [], shape = [2, 2]>

// -----

// padded_shared C3: of what a block holds
// expected-error@+1 {{rows of offset must be coordinates within shape [2, 2], but [2, 0] is not}}
#p = #hk.padded_shared<intervals = [4], paddings = [2], offset = [[0, 1], [2, 0]], block = [[1, 0]], shape = [4, 2]>

// -----

// tensor with a layout of another rank
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// expected-error@+1 {{a tensor of rank 2 cannot have a layout of rank 1: #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>}}
func.func private @f(tensor<4x32xf32, #b>)

// -----

// tensor with a layout, of a size that is not a power of two
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// expected-error@+1 {{sizes of a tensor with a layout must be powers of two, but the shape is [48]}}
func.func private @f(tensor<48xf32, #b>)

// -----

// blocked C2, of 2^32 and 2^31: what is counted with 32 bits
// expected-error@+1 {{size_per_thread may multiply to at most 1048576, not [4294967296]}}
func.func private @f(tensor<128xf32, #hk.blocked<size_per_thread = [4294967296], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>)

// -----

// expected-error@+1 {{threads_per_warp may multiply to at most 1024, not [1024, 2]}}
func.func private @f(tensor<128x128xf32, #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [1024, 2], warps_per_cta = [4, 1], order = [0, 1]>>)

// -----

// expected-error@+1 {{the sizes of a tensor with a layout may multiply to at most 1048576, not [1048576, 2]}}
func.func private @f(tensor<1048576x2xf32, #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [0, 1]>>)
