// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// One case per numbered constraint, named after it.

// Module facts --------------------------------------------------------------------------------------------------------

// dialect C1: unknown target
// expected-error@+1 {{hk.target is "sm_12", but must be one of "sm_80", "sm_90a", "gfx942", "gfx950"}}
module attributes {hk.target = "sm_12"} {}

// -----

// dialect C1: target of a function
// expected-error@+1 {{hk.target belongs on the module}}
func.func private @f() attributes {hk.target = "sm_80"}

// -----

// dialect C2: number of warps
// expected-error@+1 {{hk.num_warps must be an i32 and a power of two, but is 3 : i32}}
module attributes {hk.num_warps = 3 : i32} {}

// -----

// dialect C2: number of warps of the target
// expected-error@+1 {{hk.num_warps must be at most 32 on sm_90a, but is 64}}
module attributes {hk.target = "sm_90a", hk.num_warps = 64 : i32} {}

// -----

// module C8
// expected-error@+1 {{hk.implicit of argument 0 must be an #hk.implicit on a pointer of a function, but is unit}}
func.func @implicit_of_what(%x: !hk.ptr<i8> {hk.implicit}) {
  return
}

// -----

// module C8
// expected-error@+1 {{argument 1 must come before the implicit argument 0}}
func.func @implicit_first(%x: !hk.ptr<i8> {hk.implicit = #hk.implicit<scratch, bytes_per_launch = 4, bytes_per_block = 0>}, %y: !hk.ptr<i8>) {
  return
}

// -----

// implicit C1
// expected-error@+1 {{bytes_per_launch and bytes_per_block must not be negative, but are -1 and 0}}
func.func @negative(%x: !hk.ptr<i8> {hk.implicit = #hk.implicit<scratch, bytes_per_launch = -1, bytes_per_block = 0>}) {
  return
}

// -----

// module C7
// expected-error@+1 {{the module must have a target (hk.target) and number of warps (hk.num_warps)}}
module attributes {hk.target = "sm_90a"} {
func.func @kernel() attributes {hk.kernel} {
  return
}
}

// -----

// expected-error@+1 {{hk.maxnreg must be an i32 and positive, but is 0 : i32}}
module attributes {hk.maxnreg = 0 : i32} {
}

// -----

// expected-error@+1 {{hk.waves_per_eu must be an i32 and positive, but is 2 : i64}}
module attributes {hk.waves_per_eu = 2} {
}

// -----

// expected-error@+1 {{hk.fp_fusion must be true or false, but is 1 : i32}}
module attributes {hk.fp_fusion = 1 : i32} {
}

// -----

// dialect C3: shared bytes
// expected-error@+1 {{hk.shared_bytes must be an i32 and not negative, but is -4 : i32}}
module attributes {hk.shared_bytes = -4 : i32} {}

// -----

// dialect C3: offset
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f() {
  // expected-error@+1 {{hk.offset must be below 1048576, but is 2147483647}}
  %far = hk.local_alloc {hk.offset = 2147483647 : i32} : () -> !hk.memdesc<8xi32, #s1>
  return
}

// -----

#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @offset_type() {
  // expected-error@+1 {{hk.offset must be an i32 and not negative, but is 16 : i64}}
  %0 = hk.local_alloc {hk.offset = 16 : i64} : () -> !hk.memdesc<8xi32, #s1>
  return
}

// -----

// dialect C4: divisibility
// expected-error@+1 {{hk.divisibility of argument 0 must be an i32 and a power of two, but is 12 : i32}}
func.func private @f(!hk.ptr<f32> {hk.divisibility = 12 : i32})

// -----

// dialect C5: lanes of the target
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func @f() attributes {hk.kernel} {
  // expected-error@+1 {{layout #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]> has 64 lanes, but a warp of sm_90a has 32}}
  %0 = hk.arange 0 to 128 : tensor<128xi32, #b>
  return
}
}

// -----

// dialect C5: number of warps
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
func.func @f() attributes {hk.kernel} {
  // expected-error@+1 {{layout #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]> has 4 warps, but 8 run the operation}}
  %0 = hk.arange 0 to 128 : tensor<128xi32, #b>
  return
}
}

// -----

// dialect: what hk.kernel belongs on
// expected-error@+1 {{hk.kernel is a unit attribute of functions}}
module attributes {hk.kernel} {}

// -----

// Layouts -------------------------------------------------------------------------------------------------------------

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

// Types ---------------------------------------------------------------------------------------------------------------

// ptr C1: bool
// expected-error@+1 {{a pointer cannot point to i1: a bool is one byte in memory, load it as i8}}
func.func private @f(!hk.ptr<i1>)

// -----

// ptr C1
// expected-error@+1 {{a pointer must point to a signless integer of whole bytes, a float or a pointer, not to 'index'}}
func.func private @f(!hk.ptr<index>)

// -----

// memdesc C1: kind of layout
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
// expected-error@+1 {{the layout of a memory descriptor must be a shared layout, but is #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>}}
func.func private @f(!hk.memdesc<64x32xf16, #b>)

// -----

// memdesc C1: rank
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// expected-error@+1 {{a memory descriptor of rank 1 cannot have a layout of rank 2: #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>}}
func.func private @f(!hk.memdesc<64xf16, #s>)

// -----

// memdesc C2: ranks
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// expected-error@+1 {{shape [64, 32] and alloc_shape [2, 64, 32] must have the same rank}}
func.func private @f(!hk.memdesc<64x32xf16, #s, 2x64x32>)

// -----

// memdesc C2: sizes
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// expected-error@+1 {{shape [64, 32] must fit in alloc_shape [64, 16]}}
func.func private @f(!hk.memdesc<64x32xf16, #s, 64x16>)

// -----

// memdesc C3: slots
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// expected-error@+1 {{a ring needs at least 1 slot, but the shape is [0, 64, 32]}}
func.func private @f(!hk.memdesc<0x64x32xf16, #s>)

// -----

// memdesc C3: tile
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// expected-error@+1 {{sizes of the layout's dimensions must be powers of two, but the shape is [64, 48]}}
func.func private @f(!hk.memdesc<64x48xf16, #s>)

// -----

// memdesc C4
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// expected-error@+1 {{a memory descriptor holds signless integers of whole bytes or floats, not 'i1'}}
func.func private @f(!hk.memdesc<64x32xi1, #s>)

// -----

// memdesc C5
#p = #hk.padded_shared<intervals = [4], paddings = [2], offset = [[0, 1], [1, 0]], block = [], shape = [2, 2]>
// expected-error@+1 {{the layout was made for the shape [2, 2], not for [4, 2]}}
func.func private @f(!hk.memdesc<3x4x2xf16, #p>)

// -----

// memdesc C6
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
// expected-error@+1 {{the sizes of a buffer may multiply to at most 2147483648, not [4611686018427387904, 64, 32]}}
func.func private @f(!hk.memdesc<4611686018427387904x64x32xf16, #s>)

// -----

// The program ---------------------------------------------------------------------------------------------------------

// program_id C1
func.func @f() {
  // expected-error@+1 {{'hk.program_id' op attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 2}}
  %0 = hk.program_id 3
  return
}

// -----

// num_programs C1
func.func @f() {
  // expected-error@+1 {{'hk.num_programs' op attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 2}}
  %0 = hk.num_programs -1
  return
}

// -----

// Tensors -------------------------------------------------------------------------------------------------------------

// arange C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f() {
  // expected-error@+1 {{'hk.arange' op from 0 to 128 makes a 1-D tensor of 128 i32, not 'tensor<64xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.arange 0 to 128 : tensor<64xi32, #b>
  return
}

// -----

// arange C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f() {
  // expected-error@+1 {{'hk.arange' op needs start < end, but start is 128 and end 0}}
  %0 = hk.arange 128 to 0 : tensor<128xi32, #b>
  return
}

// -----

// arange: no layout
func.func @f() {
  // expected-error@+1 {{'hk.arange' op result #0 must be tensor of integers with a distributed layout, but got 'tensor<128xi32>'}}
  %0 = hk.arange 0 to 128 : tensor<128xi32>
  return
}

// -----

// splat C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: f16) {
  // expected-error@+1 {{'hk.splat' op of 'f16' cannot make a tensor of 'f32'}}
  %0 = hk.splat %x : f16 -> tensor<128xf32, #b>
  return
}

// -----

// expand_dims C1: shape
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) {
  // expected-error@+1 {{'hk.expand_dims' op of shape [16] at axis 1 has shape [16, 1], not [1, 16]}}
  %0 = hk.expand_dims %x axis = 1 : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<1x16xf32, #b>
  return
}

// -----

// expand_dims C1: element type
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) {
  // expected-error@+1 {{'hk.expand_dims' op keeps the element type, but turns 'f32' into 'f16'}}
  %0 = hk.expand_dims %x axis = 1 : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16x1xf16, #b>
  return
}

// -----

// expand_dims C1: axis
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) {
  // expected-error@+1 {{'hk.expand_dims' op axis must be in 0..1, but is 2}}
  %0 = hk.expand_dims %x axis = 2 : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16x1xf32, #b>
  return
}

// -----

// expand_dims C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 0, parent = #b>>) {
  // expected-error@+1 {{'hk.expand_dims' op needs an operand in the result's layout sliced along axis 1; convert #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>> to #hk.slice<dim = 1, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>> first}}
  %0 = hk.expand_dims %x axis = 1 : tensor<16xf32, #hk.slice<dim = 0, parent = #b>> -> tensor<16x1xf32, #b>
  return
}

// -----

// broadcast C1: sizes
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x1xf32, #b>) {
  // expected-error@+1 {{'hk.broadcast' op stretches dimensions of size 1 only, but turns shape [16, 1] into [32, 32]}}
  %0 = hk.broadcast %x : tensor<16x1xf32, #b> -> tensor<32x32xf32, #b>
  return
}

// -----

// broadcast C1: rank
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>) {
  // expected-error@+1 {{'hk.broadcast' op keeps the rank, but turns shape [16] into [16, 32]; use hk.expand_dims first}}
  %0 = hk.broadcast %x : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

// broadcast C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x1xf32, #b>) {
  // expected-error@+1 {{'hk.broadcast' op keeps the layout, but turns #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]> into #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>}}
  %0 = hk.broadcast %x : tensor<16x1xf32, #b> -> tensor<16x32xf32, #c>
  return
}

// -----

// reshape C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#b1 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<256xf32, #b1>) {
  // expected-error@+1 {{'hk.reshape' op keeps the number of elements, but turns shape [256] into [16, 32]}}
  %0 = hk.reshape %x : tensor<256xf32, #b1> -> tensor<16x32xf32, #b>
  return
}

// -----

// reshape C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#b1 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<256xf32, #b1>) {
  // expected-error@+1 {{'hk.reshape' op moves no data, but layouts #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]> of shape [256] and #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]> of shape [16, 16] hold row-major elements at different positions}}
  %0 = hk.reshape %x : tensor<256xf32, #b1> -> tensor<16x16xf32, #b>
  return
}

// -----

// permute C1: order
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.permute' op needs an order that names each of the 2 dimensions once, not [1, 1]}}
  %0 = hk.permute %x [1, 1] : tensor<16x32xf32, #b> -> tensor<32x16xf32, #c>
  return
}

// -----

// permute C1: shape
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.permute' op of shape [16, 32] by [1, 0] has shape [32, 16], not [16, 32]}}
  %0 = hk.permute %x [1, 0] : tensor<16x32xf32, #b> -> tensor<16x32xf32, #c>
  return
}

// -----

// permute C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.permute' op moves no data, but layout #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]> is not #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]> permuted by [1, 0]}}
  %0 = hk.permute %x [1, 0] : tensor<16x32xf32, #b> -> tensor<32x16xf32, #b>
  return
}

// -----

// views of an undecided layout: shapes
func.func @f(%x: tensor<16x32xf32, #hk.auto>) {
  // expected-error@+1 {{'hk.permute' op of shape [16, 32] by [1, 0] has shape [32, 16], not [16, 32]}}
  %0 = hk.permute %x [1, 0] : tensor<16x32xf32, #hk.auto> -> tensor<16x32xf32, #hk.auto>
  return
}

// -----

// convert_layout C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.convert_layout' op changes the layout only, but turns 'tensor<16x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' into 'tensor<16x32xf16, #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>>'}}
  %0 = hk.convert_layout %x : tensor<16x32xf32, #b> -> tensor<16x32xf16, #c>
  return
}

// -----

// Pointers ------------------------------------------------------------------------------------------------------------

// addptr C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: !hk.ptr<f32>, %i: tensor<128xi32, #b>) {
  // expected-error@+1 {{'hk.addptr' op needs operand types of one shape and layout, but has '!hk.ptr<f32>' and 'tensor<128xi32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.addptr %p, %i : !hk.ptr<f32>, tensor<128xi32, #b>
  return
}

// -----

// ptr_to_int C1
func.func @f(%p: !hk.ptr<f32>) {
  // expected-error@+1 {{'hk.ptr_to_int' op of '!hk.ptr<f32>' makes 'i64', not 'i32'}}
  %0 = hk.ptr_to_int %p : !hk.ptr<f32> -> i32
  return
}

// -----

// int_to_ptr C1
func.func @f(%i: i32) {
  // expected-error@+1 {{'hk.int_to_ptr' op to '!hk.ptr<f32>' needs 'i64', not 'i32'}}
  %0 = hk.int_to_ptr %i : i32 -> !hk.ptr<f32>
  return
}

// -----

// ptr_cast C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: !hk.ptr<f32>) {
  // expected-error@+1 {{'hk.ptr_cast' op needs operand types of one shape and layout, but has '!hk.ptr<f32>' and 'tensor<128x!hk.ptr<f32>, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.ptr_cast %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #b>
  return
}

// -----

// Global memory -------------------------------------------------------------------------------------------------------

// load C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>) {
  // expected-error@+1 {{'hk.load' op through 'tensor<128x!hk.ptr<f32>, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>' accesses 'tensor<128xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>', not 'tensor<128xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>'}}
  %0 = hk.load %p : tensor<128x!hk.ptr<f32>, #b> -> tensor<128xf16, #b>
  return
}

// -----

// load C2: mask
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %m: tensor<64xi1, #b>) {
  // expected-error@+1 {{'hk.load' op failed to verify that mask is i1 in the shape and layout of ptr}}
  %0 = "hk.load"(%p, %m) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<128x!hk.ptr<f32>, #b>, tensor<64xi1, #b>) -> tensor<128xf32, #b>
  return
}

// -----

// load C2: other
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %m: tensor<128xi1, #b>, %o: f32) {
  // expected-error@+1 {{'hk.load' op failed to verify that other has the type of the result}}
  %0 = "hk.load"(%p, %m, %o) {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<128x!hk.ptr<f32>, #b>, tensor<128xi1, #b>, f32) -> tensor<128xf32, #b>
  return
}

// -----

// load C3
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %o: tensor<128xf32, #b>) {
  // expected-error@+1 {{'hk.load' op has 'other' but no mask, so 'other' would never be used}}
  %0 = "hk.load"(%p, %o) {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>) -> tensor<128xf32, #b>
  return
}

// -----

// store C1
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %v: f32) {
  // expected-error@+1 {{'hk.store' op through 'tensor<128x!hk.ptr<f32>, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>' accesses 'tensor<128xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>', not 'f32'}}
  hk.store %p, %v : tensor<128x!hk.ptr<f32>, #b>, f32
  return
}

// -----

// store C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %v: tensor<128xf32, #b>, %m: i1) {
  // expected-error@+1 {{'hk.store' op failed to verify that mask is i1 in the shape and layout of ptr}}
  "hk.store"(%p, %v, %m) : (tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>, i1) -> ()
  return
}

// -----

// atomic_rmw C1
func.func @f(%p: !hk.ptr<f32>, %v: f16) {
  // expected-error@+1 {{'hk.atomic_rmw' op through '!hk.ptr<f32>' accesses 'f32', not 'f16'}}
  %0 = hk.atomic_rmw fadd, %p, %v : !hk.ptr<f32>, f16
  return
}

// -----

// atomic_rmw C2
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%p: tensor<128x!hk.ptr<f32>, #b>, %v: tensor<128xf32, #b>, %m: i1) {
  // expected-error@+1 {{'hk.atomic_rmw' op failed to verify that mask is i1 in the shape and layout of ptr}}
  %0 = "hk.atomic_rmw"(%p, %v, %m) {op = #hk<atomic_op fadd>} : (tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>, i1) -> tensor<128xf32, #b>
  return
}

// -----

// atomic_rmw C3: float
func.func @f(%p: !hk.ptr<i32>, %v: i32) {
  // expected-error@+1 {{'hk.atomic_rmw' op fadd needs float elements, not 'i32'}}
  %0 = hk.atomic_rmw fadd, %p, %v : !hk.ptr<i32>, i32
  return
}

// -----

// atomic_rmw C3: integer
func.func @f(%p: !hk.ptr<f32>, %v: f32) {
  // expected-error@+1 {{'hk.atomic_rmw' op max needs integer elements, not 'f32'}}
  %0 = hk.atomic_rmw max, %p, %v : !hk.ptr<f32>, f32
  return
}

// -----

// atomic_rmw C4
func.func @f(%p: !hk.ptr<i8>, %v: i8) {
  // expected-error@+1 {{'hk.atomic_rmw' op needs elements of 16, 32 or 64 bits, but 'i8' has 8}}
  %0 = hk.atomic_rmw add, %p, %v : !hk.ptr<i8>, i8
  return
}

// -----

// atomic_cas C1
func.func @f(%p: !hk.ptr<i32>, %v: i64) {
  // expected-error@+1 {{'hk.atomic_cas' op through '!hk.ptr<i32>' accesses 'i32', not 'i64'}}
  %0 = hk.atomic_cas %p, %v, %v : !hk.ptr<i32>, i64
  return
}

// -----

// atomic_cas C2
func.func @f(%p: !hk.ptr<i8>, %v: i8) {
  // expected-error@+1 {{'hk.atomic_cas' op needs elements of 16, 32 or 64 bits, but 'i8' has 8}}
  %0 = hk.atomic_cas %p, %v, %v : !hk.ptr<i8>, i8
  return
}

// -----

// Reductions and dots -------------------------------------------------------------------------------------------------

// reduce C1: no operand
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f() {
  // expected-error@+1 {{'hk.reduce' op needs at least one operand}}
  "hk.reduce"() <{axis = 0 : i32}> ({
    "hk.combine.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// reduce C1: layouts
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
func.func @f(%x: tensor<16x32xf32, #b>, %y: tensor<16x32xf32, #c>) {
  // expected-error@+1 {{'hk.reduce' op needs operands of one shape and layout, but has 'tensor<16x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' and 'tensor<16x32xf32, #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>>'}}
  %0:2 = hk.reduce %x, %y axis = 0 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>, tensor<16x32xf32, #c>) -> (f32, f32)
  return
}

// -----

// reduce C2
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op axis must be in 0..1, but is 2}}
  %0 = hk.reduce %x axis = 2 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> f32
  return
}

// -----

// reduce C3
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op of 'tensor<16x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' along axis 1 makes 'tensor<16xf32, #hk.slice<dim = 1, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>>', not 'tensor<16xf32, #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>>'}}
  %0 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> tensor<16xf32, #hk.slice<dim = 0, parent = #b>>
  return
}

// -----

// reduce C3: scalar
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op of 'tensor<16x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' along axis 1 makes 'tensor<16xf32, #hk.slice<dim = 1, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>>', not 'f32'}}
  %0 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> f32
  return
}

// -----

// reduce C3: number of results
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op has 1 operands but 2 results}}
  %0:2 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> (f32, f32)
  return
}

// -----

// reduce C4: arguments
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op combines ('f32', 'f32'), but its region takes ('f32', 'f16')}}
  %0 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f16):
    hk.combine.return %l : f32
  } : (tensor<16x32xf32, #b>) -> tensor<16xf32, #hk.slice<dim = 1, parent = #b>>
  return
}

// -----

// reduce C4: returned values
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%x: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.reduce' op must return ('f32') from its region, but returns ('f32', 'f32')}}
  %0 = hk.reduce %x axis = 1 {
  ^bb0(%l: f32, %r: f32):
    hk.combine.return %l, %r : f32, f32
  } : (tensor<16x32xf32, #b>) -> tensor<16xf32, #hk.slice<dim = 1, parent = #b>>
  return
}

// -----

// combine.return C1
func.func @f(%x: f32) {
  // expected-error@+1 {{'hk.combine.return' op must be in a region that combines elements, such as that of hk.reduce}}
  hk.combine.return %x : f32
}

// -----

// dot_fma C1: shapes
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<16x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op multiplies [M, K] by [K, N] into [M, N], but has [16, 8], [16, 32] and [16, 32]}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<16x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

// dot_fma C1: ranks
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#b1 = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<128xf32, #b1>) {
  // expected-error@+1 {{'hk.dot_fma' op needs three tensors of rank 2, or of rank 3, but has ranks 2, 2 and 1}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<128xf32, #b1>
  return
}

// -----

// dot_fma C2: a layout that is not decided
func.func @f(%a: tensor<64x32xf32, #hk.auto>, %b: tensor<32x64xf32, #hk.auto>, %c: tensor<64x64xf32, #hk.auto>) {
  // expected-error@+1 {{'hk.dot_fma' op needs an accumulator in a #hk.blocked layout, not #hk.auto}}
  %0 = hk.dot_fma %a, %b, %c : tensor<64x32xf32, #hk.auto>, tensor<32x64xf32, #hk.auto> -> tensor<64x64xf32, #hk.auto>
  return
}

// -----

// dot_fma C2: accumulator
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xf32, #hk.dot_operand<op_idx = 0, parent = #b>>) {
  // expected-error@+1 {{'hk.dot_fma' op needs an accumulator in a #hk.blocked layout, not #hk.dot_operand<op_idx = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf32, #hk.dot_operand<op_idx = 0, parent = #b>>
  return
}

// -----

// dot_fma C2: operand
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %c: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operand 1 in layout #hk.dot_operand<op_idx = 1, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>, not #hk.dot_operand<op_idx = 0, parent = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 0, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

// dot_fma C3
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xf16, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'f32', 'f32' and 'f16'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf32, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf32, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf16, #b>
  return
}

// -----

// dot_fma C3: bf16 and f16
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf16, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf16, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xbf16, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'f16', 'f16' and 'bf16'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf16, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf16, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xbf16, #b>
  return
}

// -----

// dot_fma C3: bf16 and f16
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xf8E4M3FN, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xf8E4M3FN, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xf32, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'f8E4M3FN', 'f8E4M3FN' and 'f32'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xf8E4M3FN, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xf8E4M3FN, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xf32, #b>
  return
}

// -----

// dot_fma C3: bf16 and f16
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xi16, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xi16, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xi32, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'i16', 'i16' and 'i32'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xi16, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xi16, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xi32, #b>
  return
}

// -----

// dot_fma C3: bf16 and f16
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
func.func @f(%a: tensor<16x8xi1, #hk.dot_operand<op_idx = 0, parent = #b>>, %b: tensor<8x32xi1, #hk.dot_operand<op_idx = 1, parent = #b>>, %c: tensor<16x32xi1, #b>) {
  // expected-error@+1 {{'hk.dot_fma' op needs operands of one type, floats of at least 16 bits or integers of at least 8, and an accumulator of that type or a wider float, but has 'i1', 'i1' and 'i1'}}
  %0 = hk.dot_fma %a, %b, %c : tensor<16x8xi1, #hk.dot_operand<op_idx = 0, parent = #b>>, tensor<8x32xi1, #hk.dot_operand<op_idx = 1, parent = #b>> -> tensor<16x32xi1, #b>
  return
}

// -----

// Shared memory -------------------------------------------------------------------------------------------------------

// local_alloc C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%x: tensor<32x64xf16, #b>) {
  // expected-error@+1 {{'hk.local_alloc' op needs a tensor and a descriptor of one shape and element type, but has 'tensor<32x64xf16, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' and '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.local_alloc %x : (tensor<32x64xf16, #b>) -> !hk.memdesc<64x32xf16, #s>
  return
}

// -----

// local_alloc C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f() {
  // expected-error@+1 {{'hk.local_alloc' op needs whole buffers, but '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>, 64x32>' shows only a part of one}}
  %0 = hk.local_alloc : () -> !hk.memdesc<64x16xf16, #s, 64x32>
  return
}

// -----

// local_load C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.local_load' op needs a tensor and a descriptor of one shape and element type, but has 'tensor<64x32xf32, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' and '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.local_load %m : !hk.memdesc<64x32xf16, #s> -> tensor<64x32xf32, #b>
  return
}

// -----

// local_store C1
#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%x: tensor<64x16xf16, #b>, %m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.local_store' op needs a tensor and a descriptor of one shape and element type, but has 'tensor<64x16xf16, #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>>' and '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  hk.local_store %x, %m : tensor<64x16xf16, #b> -> !hk.memdesc<64x32xf16, #s>
  return
}

// -----

// memdesc_index C1
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<3x64x32xf16, #s>, %i: i32) {
  // expected-error@+1 {{'hk.memdesc_index' op of '!hk.memdesc<3x64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' makes '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>', not '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.memdesc_index %m[%i] : !hk.memdesc<3x64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s>
  return
}

// -----

// memdesc_index C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>, %i: i32) {
  // expected-error@+1 {{'hk.memdesc_index' op needs a ring of slots: the layout of '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' includes all dimensions; give it a rank lower than the descriptor's}}
  %0 = hk.memdesc_index %m[%i] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<32xf16, #s1>
  return
}

// -----

// memdesc_slice C1: number of offsets
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_slice' op needs one offset for each of 2 dimensions, but has 1}}
  %0 = hk.memdesc_slice %m [0] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s, 64x32>
  return
}

// -----

// memdesc_slice C1: bounds
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_slice' op selects [32, 48) of dimension 1, which has 32 elements}}
  %0 = hk.memdesc_slice %m [0, 32] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s, 64x32>
  return
}

// -----

// memdesc_slice C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_slice' op changes the shape only, but turns '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' into '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.memdesc_slice %m [0, 16] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s>
  return
}

// -----

// memdesc_slice C3
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_slice' op needs an offset that is a multiple of the size 16 in dimension 1, not 8}}
  %0 = hk.memdesc_slice %m [0, 8] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x16xf16, #s, 64x32>
  return
}

// -----

// memdesc_permute C1: order
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#t = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_permute' op cannot have the order [0, 0]: the order must name each of the 2 dimensions once}}
  %0 = hk.memdesc_permute %m [0, 0] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<32x64xf16, #t>
  return
}

// -----

// memdesc_permute C1: slots
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#t = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
func.func @f(%m: !hk.memdesc<3x64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_permute' op cannot have the order [1, 0, 2]: dimension 0 numbers the slots of a ring and must keep its position}}
  %0 = hk.memdesc_permute %m [1, 0, 2] : !hk.memdesc<3x64x32xf16, #s> -> !hk.memdesc<64x4x32xf16, #t>
  return
}

// -----

// memdesc_permute C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#t = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_permute' op of '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' by [1, 0] makes '!hk.memdesc<32x64xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>>', not '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>>'}}
  %0 = hk.memdesc_permute %m [1, 0] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<64x32xf16, #t>
  return
}

// -----

// memdesc_permute C3
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#t = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_permute' op of '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' by [1, 0] makes '!hk.memdesc<32x64xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [0, 1]>>', not '!hk.memdesc<32x64xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>'}}
  %0 = hk.memdesc_permute %m [1, 0] : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<32x64xf16, #s>
  return
}

// -----

// memdesc_reshape C1
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x16xf16, #s, 64x32>) {
  // expected-error@+1 {{'hk.memdesc_reshape' op needs whole buffers, but '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>, 64x32>' shows only a part of one}}
  %0 = hk.memdesc_reshape %m : !hk.memdesc<64x16xf16, #s, 64x32> -> !hk.memdesc<1024xf16, #s1>
  return
}

// -----

// memdesc_reshape C2: elements
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_reshape' op keeps the slots and the number of elements, but turns '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' into '!hk.memdesc<1024xf16, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  %0 = hk.memdesc_reshape %m : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<1024xf16, #s1>
  return
}

// -----

// memdesc_reshape C2: element type
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_reshape' op keeps the element type, but turns 'f16' into 'f32'}}
  %0 = hk.memdesc_reshape %m : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<2048xf32, #s1>
  return
}

// -----

// memdesc_reshape C3
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_reshape' op moves no data, but layouts #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]> and #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]> hold row-major elements at different positions}}
  %0 = hk.memdesc_reshape %m : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<2048xf16, #s1>
  return
}

// -----

// memdesc_reinterpret C1
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x16xf16, #s, 64x32>) {
  // expected-error@+1 {{'hk.memdesc_reinterpret' op needs whole buffers, but '!hk.memdesc<64x16xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>, 64x32>' shows only a part of one}}
  %0 = hk.memdesc_reinterpret %m : !hk.memdesc<64x16xf16, #s, 64x32> -> !hk.memdesc<512xi32, #s1>
  return
}

// -----

// memdesc_reinterpret C2
#s = #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%m: !hk.memdesc<64x32xf16, #s>) {
  // expected-error@+1 {{'hk.memdesc_reinterpret' op to '!hk.memdesc<2048xi32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>' needs 8192 bytes, but '!hk.memdesc<64x32xf16, #hk.swizzled_shared<vec = 4, per_phase = 1, max_phase = 8, order = [1, 0]>>' has 4096}}
  %0 = hk.memdesc_reinterpret %m : !hk.memdesc<64x32xf16, #s> -> !hk.memdesc<2048xi32, #s1>
  return
}

// -----

// print C1
#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @f(%x: tensor<128xi32, #b>, %n: i32) {
  // expected-error@+1 {{'hk.print' op shows values of one shape and layout, not 'tensor<128xi32, #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>>' and 'i32'}}
  hk.print "{d} {d}", %x, %n : tensor<128xi32, #b>, i32
  return
}

// -----

// dialect C9
func.func @negative_lag(%n: index) {
  // expected-error@+1 {{hk.pipelined must be an i32 from 1 to 256, but is -1 : i32}}
  scf.for %i = %n to %n step %n {
  } {hk.pipelined = -1 : i32}
  return
}

// -----

// print C2
func.func @f(%n: i32) {
  // expected-error@+1 {{'hk.print' op has a text whose placeholders do not match its values}}
  hk.print "{d} of {f}", %n, %n : i32, i32
  return
}

// -----

// dialect C9
func.func @unrolled_once(%n: index) {
  // expected-error@+1 {{hk.unroll must be an i32 from 2 to 256, but is 1 : i32}}
  scf.for %i = %n to %n step %n {
  } {hk.unroll = 1 : i32}
  return
}

// -----

// dialect C9
// expected-error@+1 {{hk.unroll belongs on an scf.for}}
func.func private @unrolled_function() attributes {hk.unroll = 2 : i32}

// -----

// dialect C9
// expected-error@+1 {{hk.num_stages must be an i32 from 1 to 256, but is 1000 : i32}}
module attributes {hk.num_stages = 1000 : i32} {}

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

// -----

// async_copy_to_shared C1
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%q: tensor<256x!hk.ptr<f16>, #blocked>, %t: !hk.memdesc<256xf32, #shared>) {
  // expected-error@+1 {{'hk.async_copy_to_shared' op copies a tile of shape [256] of 'f16', not into '!hk.memdesc<256xf32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>'}}
  hk.async_copy_to_shared %q, %t : tensor<256x!hk.ptr<f16>, #blocked> -> !hk.memdesc<256xf32, #shared>
  return
}

// -----

// async_copy_to_shared C2: other
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%q: tensor<256x!hk.ptr<f16>, #blocked>, %t: !hk.memdesc<256xf16, #shared>, %m: tensor<256xi1, #blocked>, %v: tensor<256xf32, #blocked>) {
  // expected-error@+1 {{'hk.async_copy_to_shared' op needs 'other' of type 'tensor<256xf16, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>', not 'tensor<256xf32, #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>>'}}
  hk.async_copy_to_shared %q, %t, mask %m, other %v : tensor<256xf32, #blocked> : tensor<256x!hk.ptr<f16>, #blocked> -> !hk.memdesc<256xf16, #shared>
  return
}

// -----

// async_copy_to_shared C3
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f(%q: tensor<256x!hk.ptr<f16>, #blocked>, %t: !hk.memdesc<256xf16, #shared>, %v: tensor<256xf16, #blocked>) {
  // expected-error@+1 {{'hk.async_copy_to_shared' op has 'other' but no mask, so 'other' would never be used}}
  "hk.async_copy_to_shared"(%q, %t, %v) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (tensor<256x!hk.ptr<f16>, #blocked>, !hk.memdesc<256xf16, #shared>, tensor<256xf16, #blocked>) -> ()
  return
}

// -----

// cache_policy C1
// expected-error@+1 {{no_allocate is a priority of l1, not of l2}}
func.func @f() attributes {p = #hk.cache_policy<l2 = no_allocate>} { return }

// -----

// cache_policy C2
// expected-error@+1 {{secondary must be none, evict_first or evict_unchanged, but is evict_last}}
func.func @f() attributes {p = #hk.cache_policy<l2 = evict_last, secondary = evict_last>} { return }

// -----

// cache_policy C3
// expected-error@+1 {{fraction must be above 0 and at most 1, but is 0}}
func.func @f() attributes {p = #hk.cache_policy<l2 = evict_last, fraction = 0.0 : f32>} { return }

// -----

// cache_policy C4
// expected-error@+1 {{prefetch must be 0, 64, 128 or 256, but is 32}}
func.func @f() attributes {p = #hk.cache_policy<prefetch = 32>} { return }
