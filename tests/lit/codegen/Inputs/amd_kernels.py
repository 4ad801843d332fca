"""Kernels that use features of CDNA, for tests of the generated instructions."""

import hocket
from hocket import language as gl
from hocket.language.amd import cdna3
from hocket.language.amd.cdna4 import async_copy

ROWS = gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])


@hocket.jit
def tile_offsets(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * N + gl.arange(0, N, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def matmul(
    a, b, c, VERSION: gl.constexpr, SHAPE: gl.constexpr, WIDTH: gl.constexpr, B_IS_K_CONTIGUOUS: gl.constexpr = False
):
    """Computes one 64 x 64 tile through LDS."""
    TYPE: gl.constexpr = a.dtype.element_ty
    K: gl.constexpr = 32 if TYPE == gl.float64 else 64
    WIDE: gl.constexpr = 128 // TYPE.primitive_bitwidth
    loads: gl.constexpr = gl.BlockedLayout([1, WIDE], [WIDE, 64 // WIDE], [4, 1], [1, 0])
    L: gl.constexpr = gl.amd.AMDMFMALayout(VERSION, list(SHAPE), True, [2, 2], 64 if TYPE == gl.float64 else 32)
    a_shared: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, WIDE]], [64, K], [1, 0])
    b_shared: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, WIDE]], [K, 64], [1, 0])
    a_tile = gl.allocate_shared_memory(TYPE, [64, K], a_shared, cdna3.buffer_load(a, tile_offsets(64, K, loads)))
    b_tile = gl.allocate_shared_memory(TYPE, [K, 64], b_shared, cdna3.buffer_load(b, tile_offsets(K, 64, loads)))
    if B_IS_K_CONTIGUOUS:
        b_tile = b_tile.permute([1, 0])
    left, right = a_tile.load(gl.DotOperandLayout(0, L, WIDTH)), b_tile.load(gl.DotOperandLayout(1, L, WIDTH))
    acc = cdna3.mfma(left, right, gl.zeros([64, 64], c.dtype.element_ty, L))
    cdna3.buffer_store(acc, c, tile_offsets(64, 64, L))


@hocket.jit
def masked_copy(x, out, n):
    offsets = gl.arange(0, 2048, layout=gl.BlockedLayout([8], [64], [4], [0]))
    mask = offsets < n
    cdna3.buffer_store(cdna3.buffer_load(x, offsets, mask=mask), out, offsets, mask=mask)


@hocket.jit
def atomics(x, n):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([2], [64], [4], [0]))
    cdna3.buffer_atomic_add(x, offsets, 1, mask=offsets < n)


@hocket.jit
def integer_atomics(x):
    offsets = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna3.buffer_atomic_max(x, offsets, 1)
    cdna3.buffer_atomic_and(x, offsets, 2)
    cdna3.buffer_atomic_xchg(x, offsets, 3)


@hocket.jit
def exchange(x, out):
    offsets = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna3.buffer_store(cdna3.buffer_atomic_xchg(x, offsets, 3), out, offsets)


@hocket.jit
def copy_through_lds(x, out, BYTES: gl.constexpr, BUFFER: gl.constexpr, PAD: gl.constexpr = 0):
    """Waits for the first of two groups of copies while the second is in flight."""
    ELEMENTS: gl.constexpr = BYTES // 2
    lanes: gl.constexpr = 64 // ELEMENTS
    copies: gl.constexpr = gl.BlockedLayout([1, ELEMENTS], [64 // lanes, lanes], [4, 1], [1, 0])
    if PAD:
        shared: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64 * ELEMENTS, PAD]], [64, 64], [1, 0])
    else:
        shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], shared)
    offsets = tile_offsets(64, 64, copies)
    for slot in gl.static_range(2):
        if BUFFER:
            async_copy.buffer_load_to_shared(ring.index(slot), x, offsets + slot * 4096)
        else:
            async_copy.global_load_to_shared(ring.index(slot), x + slot * 4096 + offsets)
        async_copy.commit_group()
    for slot in gl.static_range(2):
        async_copy.wait_group(1 - slot)
        cdna3.buffer_store(ring.index(slot).load(ROWS), out, tile_offsets(64, 64, ROWS) + slot * 4096)


@hocket.jit
def uniform_floats(x, out, n):
    """Uses floats that are uniform over all lanes but in vector registers: from arithmetic, a buffer and LDS."""
    layout: gl.constexpr = gl.row_layout()
    one = gl.arange(0, 1, layout=layout)
    smem = gl.allocate_shared_memory(
        gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.zeros([64], gl.float32, layout)
    )
    gl.store(out, (n.to(gl.float32) * 0.5).to(gl.int32))
    gl.store(out + 1 + one, cdna3.buffer_load(x, one).to(gl.int8).to(gl.int32))
    gl.store(out + 2 + one, smem.slice(0, 1).load(layout).to(gl.uint32).to(gl.int32))
