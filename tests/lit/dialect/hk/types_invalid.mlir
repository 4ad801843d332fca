// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// Pointers and memory descriptors: one case per numbered constraint, named after it.

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
// expected-error@+1 {{a ring of buffers needs at least 1 buffer, but the shape is [0, 64, 32]}}
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
