"""GEMM kernels for CDNA without a warp pipeline: C = A x B with tiles in LDS and MFMAs.

Both kernels overlap memory accesses with MFMAs: while one k-tile is multiplied, the next one is in flight, in registers
or straight into the other LDS buffer. The last k-tile is peeled off the loop, so the loop never reads past the end of
K.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .._common.xcd_order import position_of_block
from .activation import activate, bias_of
from .layouts_cdna import MatmulConfig


@jit
def tile_origin(M, N, cfg: gl.constexpr):
    """First row and first column of the block's tile. Consecutive positions share k-tiles of A or B, and a die's L2
    cache."""
    tiles_m = gl.cdiv(M, cfg.block_m)
    tiles_n = gl.cdiv(N, cfg.block_n)
    position = position_of_block(gl.program_id(0), tiles_m * tiles_n, cfg.dies)
    tiles_per_group = cfg.group_rows * tiles_n
    group = position // tiles_per_group
    first_row = group * cfg.group_rows
    rows = gl.minimum(tiles_m - first_row, cfg.group_rows)
    index = position % tiles_per_group
    return (first_row + index % rows) * cfg.block_m, (index // rows) * cfg.block_n


@jit
def k_tiles_of_a(a, row0, M, strides, cfg: gl.constexpr, skipped: gl.constexpr = 0):
    """Base pointer and offsets of the first k-tile of A, the mask of elements inside A, and the k of each element.

    The k-tile begins `skipped` rows below `row0`.
    """
    rows = skipped + gl.arange(0, cfg.part_m, layout=gl.SliceLayout(1, cfg.load_a))
    along_k = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(0, cfg.load_a))[None, :]
    offsets = rows[:, None] * strides[0] + along_k * strides[1]
    is_inside = (row0 + rows < M)[:, None] & (along_k >= 0)
    return a + row0.to(gl.int64) * strides[0], offsets, is_inside, along_k


@jit
def k_tiles_of_b(b, col0, N, strides, cfg: gl.constexpr, skipped: gl.constexpr = 0):
    """Base pointer and offsets of the first k-tile of B, the mask of elements inside B, and the k of each element.

    The k-tile begins `skipped` columns right of `col0`.
    """
    columns = skipped + gl.arange(0, cfg.part_n, layout=gl.SliceLayout(0, cfg.load_b))
    along_k = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(1, cfg.load_b))[:, None]
    offsets = along_k * strides[0] + columns[None, :] * strides[1]
    is_inside = (col0 + columns < N)[None, :] & (along_k >= 0)
    return b + col0.to(gl.int64) * strides[1], offsets, is_inside, along_k


@jit
def work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg: gl.constexpr):
    """Pointers to the matrices of this block's batch index and split of K, and the K extent of the split."""
    matrix = gl.program_id(1).to(gl.int64)
    a += matrix * batch_strides[0]
    b += matrix * batch_strides[1]
    c += matrix * batch_strides[2]
    if cfg.shares > 1:
        split = gl.program_id(2)
        size = gl.cdiv(gl.cdiv(K, cfg.block_k), cfg.shares) * cfg.block_k
        first = split * size
        a += first.to(gl.int64) * a_strides[1]
        b += first.to(gl.int64) * b_strides[0]
        c += split.to(gl.int64) * batch_strides[3]
        K = gl.minimum(K - first, size)
    return a, b, c, K


@jit
def mma(a, b, acc, cfg: gl.constexpr):
    """acc + A x B, with operands in registers."""
    if cfg.wide_format is None:
        return amd.cdna3.mfma(a, b, acc)
    else:
        return amd.cdna4.mfma_scaled(a, None, cfg.wide_format, b, None, cfg.wide_format, acc)


@jit
def multiply(a_tile, b_tile, acc, cfg: gl.constexpr):
    """acc + A x B, with operands in LDS."""
    a = a_tile.load(cfg.operand_a)
    b = b_tile.load(cfg.operand_b)
    return mma(a, b, acc, cfg)


@jit
def store_result(acc, c, bias, row0, col0, M, N, strides, cfg: gl.constexpr):
    """Stores activation(acc + bias). Elements outside C are masked."""
    if cfg.has_bias:
        acc += bias_of(bias, col0, N, cfg.acc, cfg.part_n).to(gl.float32)[None, :]
    rows = gl.arange(0, cfg.part_m, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.part_n, layout=gl.SliceLayout(0, cfg.acc))
    offsets = rows[:, None] * strides[0] + columns[None, :] * strides[1]
    mask = (row0 + rows < M)[:, None] & (col0 + columns < N)[None, :]
    corner = c + row0.to(gl.int64) * strides[0] + col0.to(gl.int64) * strides[1]
    amd.cdna3.buffer_store(activate(acc, cfg.activation).to(c.dtype.element_ty), corner, offsets, mask=mask)


@jit
def load_k_tile(base, offsets, is_inside, along_k, k_left, cfg: gl.constexpr):
    """Loads a k-tile of an operand into registers; 0 outside the array."""
    mask = is_inside
    if cfg.is_ragged_k:
        mask = is_inside & (along_k < k_left)
    return amd.cdna3.buffer_load(base, offsets, mask=mask)


@jit
def matmul_through_registers(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Kernel with one LDS buffer; registers hold the next k-tile while this one is multiplied."""
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a_offsets, a_inside, k_a = k_tiles_of_a(a, row0, M, a_strides, cfg)
    b_base, b_offsets, b_inside, k_b = k_tiles_of_b(b, col0, N, b_strides, cfg)
    a_smem = gl.allocate_shared_memory(a.dtype.element_ty, [cfg.block_m, cfg.block_k], cfg.shared_a)
    b_smem = gl.allocate_shared_memory(b.dtype.element_ty, [cfg.block_k, cfg.block_n], cfg.shared_b)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    a_next = load_k_tile(a_base, a_offsets, a_inside, k_a, K, cfg)
    b_next = load_k_tile(b_base, b_offsets, b_inside, k_b, K, cfg)
    for step in range(1, gl.cdiv(K, cfg.block_k)):
        a_smem.store(a_next)
        b_smem.store(b_next)
        a_base += cfg.block_k * a_strides[1]
        b_base += cfg.block_k * b_strides[0]
        k_left = K - step * cfg.block_k
        a_next = load_k_tile(a_base, a_offsets, a_inside, k_a, k_left, cfg)
        b_next = load_k_tile(b_base, b_offsets, b_inside, k_b, k_left, cfg)
        acc = multiply(a_smem, b_smem, acc, cfg)
    a_smem.store(a_next)
    b_smem.store(b_next)
    acc = multiply(a_smem, b_smem, acc, cfg)
    store_result(acc, c, bias, row0, col0, M, N, c_strides, cfg)


@jit
def copy_k_tile(tile, base, offsets, is_inside, along_k, k_left, cfg: gl.constexpr):
    """Starts copying a k-tile of an operand into LDS; 0 outside the array."""
    mask = is_inside
    if cfg.is_ragged_k:
        mask = is_inside & (along_k < k_left)
    amd.cdna4.async_copy.buffer_load_to_shared(tile, base, offsets, mask=mask)


@jit
def matmul_direct_to_shared(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr
):  # fmt: skip
    """Kernel with two LDS buffers: the next k-tile is copied into one while the other is multiplied."""
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a_base, a_offsets, a_inside, k_a = k_tiles_of_a(a, row0, M, a_strides, cfg)
    b_base, b_offsets, b_inside, k_b = k_tiles_of_b(b, col0, N, b_strides, cfg)
    a_smem = gl.allocate_shared_memory(a.dtype.element_ty, [2, cfg.block_m, cfg.block_k], cfg.shared_a)
    b_smem = gl.allocate_shared_memory(b.dtype.element_ty, [2, cfg.block_k, cfg.block_n], cfg.shared_b)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    copy_k_tile(a_smem.index(0), a_base, a_offsets, a_inside, k_a, K, cfg)
    copy_k_tile(b_smem.index(0), b_base, b_offsets, b_inside, k_b, K, cfg)
    amd.cdna4.async_copy.commit_group()
    steps = gl.cdiv(K, cfg.block_k)
    for step in range(1, steps):
        # The copies are issued before the reads. So one barrier ends the reads of the buffer that is being refilled,
        # and makes the copies that this warp has waited for visible to all warps.
        amd.cdna4.async_copy.wait_group(0)
        a_base += cfg.block_k * a_strides[1]
        b_base += cfg.block_k * b_strides[0]
        k_left = K - step * cfg.block_k
        copy_k_tile(a_smem.index(step % 2), a_base, a_offsets, a_inside, k_a, k_left, cfg)
        copy_k_tile(b_smem.index(step % 2), b_base, b_offsets, b_inside, k_b, k_left, cfg)
        amd.cdna4.async_copy.commit_group()
        acc = multiply(a_smem.index((step - 1) % 2), b_smem.index((step - 1) % 2), acc, cfg)
    amd.cdna4.async_copy.wait_group(0)
    acc = multiply(a_smem.index((steps - 1) % 2), b_smem.index((steps - 1) % 2), acc, cfg)
    store_result(acc, c, bias, row0, col0, M, N, c_strides, cfg)


__all__ = ["MatmulConfig", "matmul_direct_to_shared", "matmul_through_registers"]
