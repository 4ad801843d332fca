"""GEMM with at most a few rows of A, on CUDA cores: the time is the time to read B once.

All warps of a CTA have the same role. A CTA computes a block of columns of C. Its lanes load vectors of B from global
memory into registers, several loads ahead of the multiplications, and each lane adds up its elements of K in float32.
At the end, the lanes and warps of the CTA add up their sums. Neither tensor cores nor shared memory take part in the
loop over K.

    synchronization                 arrivals
    reduction of sums over K        all warps of the CTA, once
    counter of a block of columns   one per split of K, with split-K only

`cfg.tile` is the layout of a tile of B^T [columns, K]. With K contiguous in B, a lane holds adjacent elements of K, and
otherwise adjacent columns, so that neighboring lanes always read neighboring memory.

If there are too few blocks of columns for all SMs, several CTAs share the K extent of a block (split-K). Each CTA
stores its sums. The last CTA to arrive adds them up in the order of K, so results are the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass

from ... import jit
from ... import language as gl
from .._common.cached_hash import cached_hash
from .activation import activate


@cached_hash
@dataclass(frozen=True)
class FewRowsConfig:
    """Compile-time parameters of `matmul_few_rows`."""

    #: Number of rows of A and C.
    rows: int
    #: Columns of C of a CTA.
    block_n: int
    #: K extent of a tile of B, and number of tiles that are loaded before they are multiplied.
    block_k: int
    unrolled: int
    #: True if K is the contiguous dimension of B.
    is_k_contiguous: bool
    #: Number of adjacent elements that a lane loads at once. N, or K if K is contiguous, and all strides and addresses
    #: are multiples of this number.
    vector: int
    #: True if lanes also load `vector` elements of A at once.
    is_a_aligned: bool
    divides_k: bool
    has_bias: bool
    activation: str
    #: Layout of a tile of B^T [block_n, block_k].
    tile: gl.BlockedLayout


@jit
def load_tile(b, n, k, strides, N, end, is_whole: gl.constexpr, cfg: gl.constexpr):
    """Loads the tile of B^T with columns `n` and indices `k`. Elements at `end` and after it along K are 0, unless the
    tile `is_whole`."""
    if cfg.is_k_contiguous:
        # Columns after the last one read the last column, and are not stored: loads need no mask along N.
        pointers = b + gl.minimum(n, N - 1).to(gl.int64)[:, None] * strides[1] + k[None, :]
        if is_whole:
            return gl.load(pointers, cache_modifier=".cs")
        return gl.load(pointers, mask=(k < end)[None, :], other=0.0, cache_modifier=".cs")
    else:
        pointers = b + k.to(gl.int64)[None, :] * strides[0] + n[:, None]
        is_inside = (n < N)[:, None]
        if not is_whole:
            is_inside &= (k < end)[None, :]
        return gl.load(pointers, mask=is_inside, other=0.0, cache_modifier=".cs")


@jit
def load_row(a, row: gl.constexpr, k, strides, end, is_whole: gl.constexpr):
    """Loads the elements `k` of a row of A, as float32. Elements at `end` and after it are 0, unless the tile
    `is_whole`."""
    pointers = a + row * strides[0] + k.to(gl.int64) * strides[1]
    if is_whole:
        return gl.load(pointers).to(gl.float32)
    return gl.load(pointers, mask=k < end, other=0.0).to(gl.float32)


@jit
def add_tiles(accs, a, b, n, first, a_strides, b_strides, N, end, is_whole: gl.constexpr, cfg: gl.constexpr):
    """Multiplies `cfg.unrolled` tiles of B, from index `first` of K on, by each row of A, and adds to the sums."""
    along_k = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(0, cfg.tile))
    ks = [first + tile * cfg.block_k + along_k for tile in range(cfg.unrolled)]
    tiles = [load_tile(b, n, ks[tile], b_strides, N, end, is_whole, cfg) for tile in range(cfg.unrolled)]
    for tile in gl.static_range(cfg.unrolled):
        wide = tiles[tile].to(gl.float32)
        factors = [load_row(a, row, ks[tile], a_strides, end, is_whole) for row in range(cfg.rows)]
        accs = [gl.fma(wide, factors[row][None, :], accs[row]) for row in range(cfg.rows)]
    return accs


@jit
def combine(sums, offsets, size: gl.constexpr, workspace, block, split, splits):
    """Stores the sums of a split. Returns a flag and sums: the flag is True if this split of the block is the last one
    to arrive, and then the sums are those of the whole block.

    sums: a list of tensors of a block, of `size` elements each, at `offsets` from the first one.
    workspace: float32 [blocks, splits, tensors, size]; int32 [blocks], the number of splits that have arrived, 0 before
        and after the launch.
    """
    partial_sums, arrivals = workspace
    first = partial_sums + block.to(gl.int64) * splits * (size * len(sums)) + offsets
    for number in gl.static_range(len(sums)):
        gl.store(first + (split * len(sums) + number) * size, sums[number])
    is_last = gl.atomic_add(arrivals + block, 1) == splits - 1
    if is_last:
        gl.atomic_xchg(arrivals + block, 0, sem="relaxed")
        sums = [gl.zeros_like(part) for part in sums]
        for _ in range(splits):
            sums = [sums[number] + gl.load(first + number * size) for number in range(len(sums))]
            first += size * len(sums)
    return is_last, sums


@jit
def matmul_few_rows(
    a, b, c, bias, N, K, a_strides, b_strides, c_strides, batch_strides, cfg: gl.constexpr[FewRowsConfig],
    partial_sums=None, arrivals=None, splits=1,
):  # fmt: skip
    """A kernel that computes C = activation(A x B + bias). The grid is [blocks of columns, splits of K, batch]."""
    matrix = gl.program_id(2).to(gl.int64)
    a += matrix * batch_strides[0]
    b += matrix * batch_strides[1]
    c += matrix * batch_strides[2]
    if cfg.is_k_contiguous:
        K = gl.multiple_of(K, cfg.vector)
        b_strides = 1, gl.multiple_of(b_strides[1], cfg.vector)
        if cfg.is_a_aligned:
            a_strides = gl.multiple_of(a_strides[0], cfg.vector), 1
    else:
        N = gl.multiple_of(N, cfg.vector)
        b_strides = gl.multiple_of(b_strides[0], cfg.vector), 1
    n = gl.program_id(0) * cfg.block_n + gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, cfg.tile))
    step: gl.constexpr = cfg.block_k * cfg.unrolled
    steps = gl.cdiv(K, step)
    begin = 0
    end = steps
    if cfg.divides_k:
        begin = gl.program_id(1) * steps // splits
        end = (gl.program_id(1) + 1) * steps // splits
    whole = gl.minimum(end, K // step)
    accs = [gl.zeros([cfg.block_n, cfg.block_k], gl.float32, cfg.tile) for _ in range(cfg.rows)]
    for number in range(begin, whole):
        accs = add_tiles(accs, a, b, n, number * step, a_strides, b_strides, N, K, True, cfg)
    if whole < end:
        accs = add_tiles(accs, a, b, n, whole * step, a_strides, b_strides, N, K, False, cfg)
    sums = [gl.sum(accs[row], axis=1) for row in range(cfg.rows)]
    is_complete = True
    if cfg.divides_k:
        block = gl.program_id(2) * gl.num_programs(0) + gl.program_id(0)
        offsets = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, cfg.tile))
        workspace = partial_sums, arrivals
        is_complete, sums = combine(sums, offsets, cfg.block_n, workspace, block, gl.program_id(1), splits)
    if is_complete:
        for row in gl.static_range(cfg.rows):
            total = sums[row]
            if cfg.has_bias:
                total += gl.load(bias + n, mask=n < N, other=0.0).to(gl.float32)
            total = activate(total, cfg.activation).to(c.dtype.element_ty)
            gl.store(c + row * c_strides[0] + n.to(gl.int64) * c_strides[1], total, mask=n < N)


__all__ = ["FewRowsConfig", "combine", "matmul_few_rows"]
