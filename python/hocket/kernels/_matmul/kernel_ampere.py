"""GEMM with `mma.sync`, for every NVIDIA GPU since Ampere: one tile of C per CTA.

All warps of a CTA have the same role: they copy k-tiles of A and B into shared memory, and each multiplies its part of
the tile. Copies into shared memory keep the element order of global memory. They use cp.async if a lane can copy 16
bytes, and otherwise pass through registers.

    synchronization                     arrivals
    ring buffers, `cfg.stages` stages   none: commit groups of cp.async, or stores; program order releases the stages
    barriers of the CTA                 all warps

Timeline with 3 stages, and k-tiles 0, 1, 2, ...:

    copy 0, copy 1 | wait for 0 | copy 2, multiply 0 | wait for 1 | copy 3, multiply 1 | ...

The kernel is written with one buffer per operand, and a copy, a wait and an MMA in each iteration. The compiler
software-pipelines this loop (`num_stages`): it creates the ring buffers, issues the copies earlier, and inserts the
barriers. The kernel therefore needs no `gl.RingBuffer`. The kernel reads operands by ldmatrix, transposed if K is not
contiguous. Arrays may have any strides, sizes and addresses.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.ampere import async_copy, mma_v2
from .._epilogue.function import Extent
from .._epilogue.outputs_ampere import store_outputs
from .activation import activate, bias_of
from .kernel_cdna import tile_origin


@jit
def k_tiles(base, start, size, strides, layout: gl.constexpr, k_dim: gl.constexpr, cfg: gl.constexpr):
    """Returns pointers to the elements of an operand's first k-tile, the mask of the elements inside the array along M
    or N, and the index along K of each element."""
    block: gl.constexpr = cfg.block_n if k_dim == 0 else cfg.block_m
    index = gl.arange(0, block, layout=gl.SliceLayout(k_dim, layout))
    along_k = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(1 - k_dim, layout))
    base += start.to(gl.int64) * strides[1 - k_dim]
    if k_dim == 0:
        offsets = along_k[:, None] * strides[0] + index[None, :] * strides[1]
        return base + offsets, (start + index < size)[None, :] & (along_k >= 0)[:, None], along_k[:, None]
    else:
        offsets = index[:, None] * strides[0] + along_k[None, :] * strides[1]
        return base + offsets, (start + index < size)[:, None] & (along_k >= 0)[None, :], along_k[None, :]


@jit
def fetch(tile, pointers, mask, is_copied: gl.constexpr):
    """Copies a k-tile into shared memory. Elements whose mask is false become 0."""
    if is_copied:
        async_copy.async_load(tile, pointers, mask=mask)
    else:
        tile.store(gl.load(pointers, mask=mask, other=0.0))


@jit
def matmul_by_warps(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr, epilogue_args=(),
    EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel that computes C = activation(A x B + bias). With EPILOGUE, a function of the user, `c` and `c_strides`
    are tuples with an element for each of its outputs."""
    matrix = gl.program_id(1).to(gl.int64)
    a += matrix * batch_strides[0]
    b += matrix * batch_strides[1]
    if EPILOGUE is None:
        c += matrix * batch_strides[2]
    row, column = tile_origin(M, N, cfg)
    a_tile = gl.allocate_shared_memory(a.dtype.element_ty, [cfg.block_m, cfg.block_k], cfg.shared_a)
    b_tile = gl.allocate_shared_memory(b.dtype.element_ty, [cfg.block_k, cfg.block_n], cfg.shared_b)
    a_pointers, a_inside, a_k = k_tiles(a, row, M, a_strides, cfg.load_a, 1, cfg)
    b_pointers, b_inside, b_k = k_tiles(b, column, N, b_strides, cfg.load_b, 0, cfg)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    for step in gl.range(gl.cdiv(K, cfg.block_k), num_stages=cfg.stages):
        k = step * cfg.block_k
        fetch(a_tile, a_pointers + k.to(gl.int64) * a_strides[1], a_inside & (a_k < K - k), cfg.copies_a)
        fetch(b_tile, b_pointers + k.to(gl.int64) * b_strides[0], b_inside & (b_k < K - k), cfg.copies_b)
        if cfg.copies_a or cfg.copies_b:
            async_copy.commit_group()
            async_copy.wait_group(0)
        acc = mma_v2(a_tile.load(cfg.operand_a), b_tile.load(cfg.operand_b), acc)
    if cfg.has_bias:
        acc += bias_of(bias, column, N, cfg.acc, cfg.block_n).to(gl.float32)[None, :]
    if EPILOGUE is not None:
        sizes, batch_index = Extent(M, N), gl.program_id(1)
        store_outputs(acc, EPILOGUE, epilogue_args, c, c_strides, batch_index, row, column, sizes, cfg)
    else:
        result = gl.convert_layout(activate(acc, cfg.activation).to(c.dtype.element_ty), cfg.store_c)
        rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.store_c))
        columns = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(0, cfg.store_c))
        offsets = rows[:, None] * c_strides[0] + columns[None, :] * c_strides[1]
        corner = c + row.to(gl.int64) * c_strides[0] + column.to(gl.int64) * c_strides[1]
        gl.store(corner + offsets, result, mask=(row + rows < M)[:, None] & (column + columns < N)[None, :])
