"""GEMM on CDNA with one wave per SIMD, which interleaves its MFMAs with its memory accesses.

All 4 warps copy, read and multiply. A warp has the 512 registers of a whole SIMD, VGPRs and AGPRs: for tiles of 256 x
256, its 128 x 128 accumulators occupy 256 registers, and its operands of a k-tile occupy 128 registers.

As in `kernel_cdna_quadrants`, the tile is multiplied in quadrants, so that each half of a k-tile can be refilled as
soon as all warps have read it. While a warp multiplies a quadrant, it reads a half that a later quadrant needs, and
refills another half. `gl.sched_group_barrier` interleaves these accesses with the MFMAs. Timeline of an iteration,
which multiplies k-tile i:

    multiplied                      a0 b0    | a1 b0      a1 b1          | a0 b1
    read                            a1       | b1         b0, of i + 1   | a0, of i + 1
    refilled                        b0       | a0         a1             | b1

    kernel                          LDS, for each half    filled by                      2 s_barriers per k-tile
    matmul_interleaved_quadrants    a ring of 2 stages    copies, 4 groups in flight     before a1 b0, before a0 b1
    matmul_interleaved_registers    1 buffer              stores of loads, 2 in flight   before a0 b0, before a1 b1

At an s_barrier, a warp has completed its reads of the halves that are refilled before the next s_barrier, and its fills
of the halves that are read before the next s_barrier. `matmul_interleaved_quadrants` has `gl.RingBuffer`s, which have
neither mbarriers nor releases: waits for commit groups and the s_barriers order copies and reads. The compiler inserts
the s_barriers. The MFMAs and their order are those of `kernel_cdna`, so results are bitwise equal.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .._epilogue.outputs_cdna import epilogue_of
from .kernel_cdna import Output, mma, tile_origin, work_of
from .kernel_cdna_quadrants import Quadrants, empty_quadrant, fill_rings, halves_of_a, halves_of_b, multiply_k_tile

#: Number of commit groups that may stay in flight at a wait. Each commit group copies one half of a k-tile.
IN_FLIGHT = gl.constexpr(4)


@jit
def request(accesses: gl.constexpr, part: gl.constexpr, parts: gl.constexpr):
    """Requests part `part` of `parts` equal parts of `accesses` as the next instructions. `accesses`: kinds of
    instructions, each with a number of instructions."""
    for i in gl.static_range(len(accesses)):
        total: gl.constexpr = 2 * accesses[i][1]
        count: gl.constexpr = ((part + 1) * total + parts) // (2 * parts) - (part * total + parts) // (2 * parts)
        if count > 0:
            gl.sched_group_barrier(accesses[i][0], count)


@jit
def read_first(reads: gl.constexpr, fills: gl.constexpr, cfg: gl.constexpr):
    """Interleaves the MFMAs of a quadrant with `reads` reads of LDS and `fills`. The reads are between the MFMAs of the
    first half, so that they are complete at the s_barrier or the MFMA that waits for them."""
    mfmas: gl.constexpr = cfg.interleaving.mfmas
    begin: gl.constexpr = cfg.interleaving.fills_begin
    for i in gl.static_range(mfmas):
        gl.sched_group_barrier("mfma", 1)
        if 2 * i < mfmas:
            request((("lds_read", reads),), i, mfmas // 2)
        if i >= begin:
            request(fills, i - begin, mfmas - begin)
    gl.sched_barrier()


@jit
def read_last(reads: gl.constexpr, fills: gl.constexpr, cfg: gl.constexpr):
    """Interleaves the MFMAs of a quadrant with `reads` reads of LDS and `fills`. The reads overwrite the registers of
    the operand A, so each read comes after the MFMAs that multiply the same rows and the same step along K."""
    mfmas: gl.constexpr = cfg.interleaving.mfmas
    columns: gl.constexpr = cfg.interleaving.columns
    for i in gl.static_range(mfmas):
        gl.sched_group_barrier("mfma", 1)
        if i < mfmas - columns:
            request(fills, i, mfmas - columns)
        # Number of reads whose registers MFMA i has released.
        count: gl.constexpr = (i + 1) // columns * columns * reads // mfmas - i // columns * columns * reads // mfmas
        if count > 0:
            gl.sched_group_barrier("lds_read", count)
    gl.sched_barrier()


@jit
def matmul_interleaved_quadrants(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr,
    epilogue_args=(), EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel with a ring buffer of two stages per half of a k-tile, which copies straight into LDS. Each wait
    completes the copies of the two halves that are read before the next wait."""
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 2, cfg), halves_of_b(b, col0, N, b_strides, 2, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    b, a = fill_rings(b, a, K, cfg)  # with A and B exchanged, in the order b0, a0, a1, b1
    # If there are fewer than two k-tiles, the copies past the end of K have filled the buffers with zeros.
    steps = gl.maximum(gl.cdiv(K, cfg.block_k) - 2, 0)
    counts: gl.constexpr = cfg.interleaving
    amd.cdna4.async_copy.wait_group(IN_FLIGHT)
    a0 = a.buffer(0, 0).load(cfg.operand_a)
    b0 = b.buffer(0, 0).load(cfg.operand_b)
    gl.barrier()  # all warps have read b0 before the first iteration refills it
    for step in range(steps):
        k_left = K - (step + 2) * cfg.block_k
        a1 = a.buffer(1, step).load(cfg.operand_a)
        b.copy(0, step + 2, k_left, cfg)
        acc00 = mma(a0, b0, acc00, cfg)
        read_first(counts.reads[0], counts.fills[1], cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        b1 = b.buffer(1, step).load(cfg.operand_b)
        a.copy(0, step + 2, k_left, cfg)
        acc10 = mma(a1, b0, acc10, cfg)
        read_first(counts.reads[1], counts.fills[0], cfg)
        b0 = b.buffer(0, step + 1).load(cfg.operand_b)
        a.copy(1, step + 2, k_left, cfg)
        a = a.next()
        acc11 = mma(a1, b1, acc11, cfg)
        read_first(counts.reads[1], counts.fills[0], cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        b.copy(1, step + 2, k_left, cfg)
        b = b.next()
        acc01 = mma(a0, b1, acc01, cfg)
        a0 = a.buffer(0, step + 1).load(cfg.operand_a)
        read_last(counts.reads[0], counts.fills[1], cfg)
    amd.cdna4.async_copy.wait_group(0)
    acc = Quadrants(acc00, acc01, acc10, acc11)
    for last in range(2):
        acc = multiply_k_tile(a, b, steps + last, acc, cfg)
    acc.store(Output(c, bias, M, N, c_strides, epilogue_of(EPILOGUE, epilogue_args)), row0, col0, cfg)


@jit
def matmul_interleaved_registers(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr,
    epilogue_args=(), EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel with one LDS buffer per half of a k-tile. Operands pass through registers on their way into these
    buffers: a half is stored to LDS two quadrants after its loads. The loads of an iteration are for the next k-tile
    (a1, b1) and for the k-tile after it (b0, a0). Loads past the last k-tile load the last k-tile again."""
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 1, cfg), halves_of_b(b, col0, N, b_strides, 1, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a0_buffer, a1_buffer, b0_buffer, b1_buffer = *a.buffers, *b.buffers
    counts: gl.constexpr = cfg.interleaving
    last = gl.cdiv(K, cfg.block_k) - 1
    a0_buffer.store(a.load(0, K, cfg))
    b0_buffer.store(b.load(0, K, cfg))
    a1_buffer.store(a.load(1, K, cfg))
    b1_buffer.store(b.load(1, K, cfg))
    a, b = a.next_if(0 < last), b.next_if(0 < last)
    k_left = K - gl.minimum(1, last) * cfg.block_k
    b0_next = b.load(0, k_left, cfg)
    a0_next = a.load(0, k_left, cfg)
    a0 = a0_buffer.load(cfg.operand_a)
    b0 = b0_buffer.load(cfg.operand_b)
    for step in range(last):
        a1 = a1_buffer.load(cfg.operand_a)
        b0_buffer.store(b0_next)
        a1_next = a.load(1, k_left, cfg)
        acc00 = mma(a0, b0, acc00, cfg)
        read_first(counts.reads[0], counts.fills[1], cfg)
        b1 = b1_buffer.load(cfg.operand_b)
        a0_buffer.store(a0_next)
        b1_next = b.load(1, k_left, cfg)
        acc10 = mma(a1, b0, acc10, cfg)
        read_first(counts.reads[1], counts.fills[0], cfg)
        a, b = a.next_if(step + 1 < last), b.next_if(step + 1 < last)
        k_left = K - gl.minimum(step + 2, last) * cfg.block_k
        b0 = b0_buffer.load(cfg.operand_b)
        a1_buffer.store(a1_next)
        b0_next = b.load(0, k_left, cfg)
        acc11 = mma(a1, b1, acc11, cfg)
        read_first(counts.reads[1], counts.fills[0], cfg)
        b1_buffer.store(b1_next)
        a0_next = a.load(0, k_left, cfg)
        acc01 = mma(a0, b1, acc01, cfg)
        a0 = a0_buffer.load(cfg.operand_a)
        read_first(counts.reads[0], counts.fills[1], cfg)
    acc = multiply_k_tile(a, b, 0, Quadrants(acc00, acc01, acc10, acc11), cfg)
    acc.store(Output(c, bias, M, N, c_strides, epilogue_of(EPILOGUE, epilogue_args)), row0, col0, cfg)


__all__ = ["matmul_interleaved_quadrants", "matmul_interleaved_registers"]
