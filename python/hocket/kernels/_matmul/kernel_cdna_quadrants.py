"""GEMM on CDNA as a warp pipeline over the quadrants of a tile. LDS holds one or two whole k-tiles.

    a0 b0 > a0 b1        a0, a1: upper and lower half of a k-tile of A; b0, b1: left and right half of a k-tile of B.
                v        Each compute stage multiplies one quadrant, in the order of the arrows. So each stage reads
    a1 b0 < a1 b1        only one half that the previous stage did not read.

All 8 warps copy, read and multiply, in two groups. One group is a pipeline stage ahead of the other:

    warps 0-3    read b0   | a0 b0     | read b1   | a0 b1     | read a1   | a1 b1     | read a0   | a1 b0     | ...
    warps 4-7              | read b0   | a0 b0     | read b1   | a0 b1     | read a1   | a1 b1     | read a0   | ...
    refilled     a0        |           | b0        |           | b1        |           | a1        |           | ...

Between two compute stages, a load stage reads one half of a k-tile from LDS, and refills the buffer of a half that all
warps have read. Only halves of k-tiles are refilled, so LDS has room for k-tiles whose rows are whole cache lines. A
ring buffer (`kernel_cdna_ring`) would only have room for rows of half a cache line. Reads and copies are divided evenly
among all load stages.

    kernel                        LDS, for each half    filled by                     s_barriers per k-tile
    matmul_pipelined_quadrants    a ring of 2 stages    copies, 6 groups in flight    8 of all warps, between stages
    matmul_pipelined_registers    1 buffer              stores of loaded registers    8 of all warps, between stages

The four `gl.RingBuffer`s of `matmul_pipelined_quadrants` have neither mbarriers nor releases: waits for commit groups
and the barriers between pipeline stages order copies and reads. `matmul_pipelined_registers` has no ring buffers: a
half that is in flight is in registers.

Compute stages contain only MFMAs. The operands are in registers at the preceding barrier, or a single wait after this
barrier completes their loads. The MFMAs and their order are those of `kernel_cdna`, so results are bitwise equal.
"""

from __future__ import annotations

from ... import aggregate, aggregate_replace, jit, must_use_result
from ... import language as gl
from ...language import amd
from .._epilogue.outputs_cdna import epilogue_of
from .kernel_cdna import Output, k_tiles_of_a, k_tiles_of_b, mma, tile_origin, work_of

#: Number of commit groups that may stay in flight at a wait. Each commit group copies one half of a k-tile.
IN_FLIGHT = gl.constexpr(6)


@aggregate
class Halves:
    """The k-tiles of A or of B, in two halves: the upper and lower rows of A, or the left and right columns of B."""

    #: `KTiles` of both halves in global memory. The current k-tile of both halves is the same.
    tiles: tuple
    #: Buffers of both halves in LDS: each is a ring buffer or, with one stage, a single buffer.
    buffers: tuple

    @must_use_result
    @jit
    def next(self):
        """Returns a copy of `self` whose current k-tile is the next k-tile."""
        first = self.tiles[0].next()
        return aggregate_replace(self, tiles=(first, aggregate_replace(self.tiles[1], base=first.base)))

    @must_use_result
    @jit
    def next_if(self, exists):
        """Returns a copy of `self` whose current k-tile is the next k-tile if `exists`, and the same k-tile
        otherwise."""
        first = aggregate_replace(self.tiles[0], base=self.tiles[0].base + gl.where(exists, self.tiles[0].step, 0))
        return aggregate_replace(self, tiles=(first, aggregate_replace(self.tiles[1], base=first.base)))

    @jit
    def load(self, half: gl.constexpr, k_left, cfg: gl.constexpr):
        """Loads half `half` (0 or 1) of the current k-tile into registers."""
        return self.tiles[half].load(k_left, cfg)

    @jit
    def copy(self, half: gl.constexpr, step, k_left, cfg: gl.constexpr):
        """Starts copying half `half` (0 or 1) of k-tile `step` into its stage of the ring buffer, as one commit
        group."""
        producer = self.buffers[half].producer()
        self.tiles[half].copy(producer.acquire(step).buffer, k_left, cfg)
        producer.commit()

    @jit
    def buffer(self, half: gl.constexpr, step):
        """Returns the LDS buffer of half `half` (0 or 1) of k-tile `step`."""
        buffers = self.buffers[half]
        if isinstance(buffers, gl.RingBuffer):
            return buffers.slot(step).buffer
        return buffers


@aggregate
class Quadrants:
    """The accumulators of the four quadrants of a tile: upper left, upper right, lower left, lower right."""

    acc00: gl.tensor
    acc01: gl.tensor
    acc10: gl.tensor
    acc11: gl.tensor

    @jit
    def store(self, output, row0, col0, cfg: gl.constexpr):
        """Stores the four quadrants to the tile at (row0, col0) of `output`."""
        row1, col1 = row0 + cfg.part_m, col0 + cfg.part_n
        output.store(self.acc00, row0, col0, cfg)
        output.store(self.acc01, row0, col1, cfg)
        output.store(self.acc11, row1, col1, cfg)
        output.store(self.acc10, row1, col0, cfg)


@jit
def halves_of_a(a, row0, M, strides, stages: gl.constexpr, cfg: gl.constexpr):
    """Returns the Halves of A, with `stages` buffers per half."""
    tiles = k_tiles_of_a(a, row0, M, strides, cfg), k_tiles_of_a(a, row0, M, strides, cfg, cfg.part_m)
    shape: gl.constexpr = [cfg.part_m, cfg.block_k]
    return Halves(tiles, [allocate_half(a.dtype.element_ty, shape, cfg.shared_a, stages) for _ in range(2)])


@jit
def halves_of_b(b, col0, N, strides, stages: gl.constexpr, cfg: gl.constexpr):
    """Returns the Halves of B, with `stages` buffers per half."""
    tiles = k_tiles_of_b(b, col0, N, strides, cfg), k_tiles_of_b(b, col0, N, strides, cfg, cfg.part_n)
    shape: gl.constexpr = [cfg.block_k, cfg.part_n]
    return Halves(tiles, [allocate_half(b.dtype.element_ty, shape, cfg.shared_b, stages) for _ in range(2)])


@jit
def allocate_half(dtype: gl.constexpr, shape: gl.constexpr, layout: gl.constexpr, stages: gl.constexpr):
    """Allocates LDS for one half of the k-tiles: a single buffer, or a ring buffer that asynchronous copies fill."""
    if stages == 1:
        return gl.allocate_shared_memory(dtype, shape, layout)
    return gl.RingBuffer(gl.allocate_shared_memory(dtype, [stages, *shape], layout), fill="groups", consumers=0)


@jit
def fill_rings(a, b, K, cfg: gl.constexpr):
    """Starts copying the first two k-tiles. Returns the Halves of A and B whose current k-tile is the third k-tile."""
    for step in gl.static_range(2):
        k_left = K - step * cfg.block_k
        a.copy(0, step, k_left, cfg)
        b.copy(0, step, k_left, cfg)
        b.copy(1, step, k_left, cfg)
        a.copy(1, step, k_left, cfg)
        a, b = a.next(), b.next()
    return a, b


@jit
def empty_quadrant(cfg: gl.constexpr):
    """Returns the initial accumulator of a quadrant: zeros."""
    return gl.zeros([cfg.part_m, cfg.part_n], gl.float32, cfg.acc)


@jit
def end_quadrant(cfg: gl.constexpr):
    """In interleaved kernels, keeps the reads for the next quadrant after the MFMAs of this quadrant. Accumulators and
    the operands of one quadrant leave too few registers for earlier reads: LLVM would copy accumulators."""
    if cfg.interleaving is not None:
        gl.sched_barrier()


@jit
def multiply_k_tile(a, b, step, acc, cfg: gl.constexpr):
    """Returns `acc` plus A x B of k-tile `step`. The quadrants are multiplied without pipeline stages, in the order a0
    b0, a0 b1, a1 b1, a1 b0."""
    a0 = a.buffer(0, step).load(cfg.operand_a)
    b0 = b.buffer(0, step).load(cfg.operand_b)
    acc00 = mma(a0, b0, acc.acc00, cfg)
    end_quadrant(cfg)
    b1 = b.buffer(1, step).load(cfg.operand_b)
    acc01 = mma(a0, b1, acc.acc01, cfg)
    end_quadrant(cfg)
    a1 = a.buffer(1, step).load(cfg.operand_a)
    acc11 = mma(a1, b1, acc.acc11, cfg)
    end_quadrant(cfg)
    return Quadrants(acc00, acc01, mma(a1, b0, acc.acc10, cfg), acc11)


@jit
def matmul_pipelined_quadrants(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr,
    epilogue_args=(), EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel with a ring buffer of two stages per half of a k-tile. Each load stage reads one half of a k-tile. The
    stage also refills the buffer that the previous load stage has read: it starts the copy of the same half of the
    k-tile two further on.

    The last load stage reads a0 for the next k-tile. Each wait completes the copies of the half that the next load
    stage reads. A compute stage lies between a wait and this load stage. Before this load stage, the other group of
    warps has also waited for the copies that it has issued.
    """
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 2, cfg), halves_of_b(b, col0, N, b_strides, 2, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a, b = fill_rings(a, b, K, cfg)
    # If there are fewer than two k-tiles, the copies past the end of K have filled the buffers with zeros.
    steps = gl.maximum(gl.cdiv(K, cfg.block_k) - 2, 0)
    amd.cdna4.async_copy.wait_group(IN_FLIGHT)
    a0 = a.buffer(0, 0).load(cfg.operand_a)
    for step in range(steps):
        with amd.warp_pipeline_stage("read b0", priority=1):
            k_left = K - (step + 2) * cfg.block_k
            b0 = b.buffer(0, step).load(cfg.operand_b)
            a.copy(0, step + 2, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a0 b0", priority=0):
            acc00 = mma(a0, b0, acc00, cfg)
        with amd.warp_pipeline_stage("read b1", priority=1):
            b1 = b.buffer(1, step).load(cfg.operand_b)
            b.copy(0, step + 2, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a0 b1", priority=0):
            acc01 = mma(a0, b1, acc01, cfg)
        with amd.warp_pipeline_stage("read a1", priority=1):
            a1 = a.buffer(1, step).load(cfg.operand_a)
            b.copy(1, step + 2, k_left, cfg)
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a1 b1", priority=0):
            acc11 = mma(a1, b1, acc11, cfg)
        with amd.warp_pipeline_stage("read the next a0", priority=1):
            a0 = a.buffer(0, step + 1).load(cfg.operand_a)
            a.copy(1, step + 2, k_left, cfg)
            a, b = a.next(), b.next()
        amd.cdna4.async_copy.wait_group(IN_FLIGHT)
        with amd.warp_pipeline_stage("multiply a1 b0", priority=0):
            acc10 = mma(a1, b0, acc10, cfg)
    amd.cdna4.async_copy.wait_group(0)
    acc = Quadrants(acc00, acc01, acc10, acc11)
    for last in range(2):
        acc = multiply_k_tile(a, b, steps + last, acc, cfg)
    acc.store(Output(c, bias, M, N, c_strides, epilogue_of(EPILOGUE, epilogue_args)), row0, col0, cfg)


@jit
def matmul_pipelined_registers(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr,
    epilogue_args=(), EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel with one LDS buffer per half of a k-tile. Operands pass through registers on their way into these
    buffers. Each load stage stores one half of a k-tile to LDS, and loads another half of the next k-tile into
    registers. The loaded half is stored two load stages later. The registers therefore hold half of a k-tile in flight:
    32 KiB for the largest tiles.

    The halves b1 and a1 are stored to LDS in the iteration that multiplies them. At least one stage separates the
    stores of a half from the preceding and the following reads of the other group of warps, which runs one stage
    behind.
    """
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 1, cfg), halves_of_b(b, col0, N, b_strides, 1, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a0_buffer, a1_buffer, b0_buffer, b1_buffer = *a.buffers, *b.buffers
    a0_buffer.store(a.load(0, K, cfg))
    b0_buffer.store(b.load(0, K, cfg))
    # The half b1 is loaded before a1, because the loop needs b1 first: it waits for b1 while the loads of a1 are in
    # flight.
    b1_next = b.load(1, K, cfg)
    gl.sched_barrier()
    a1_next = a.load(1, K, cfg)
    for step in range(1, gl.cdiv(K, cfg.block_k)):
        with amd.warp_pipeline_stage("read a0 and b0", priority=1):
            a0 = a0_buffer.load(cfg.operand_a)
            b0 = b0_buffer.load(cfg.operand_b)
            b1_buffer.store(b1_next)
            a, b = a.next(), b.next()
            k_left = K - step * cfg.block_k
            a0_next = a.load(0, k_left, cfg)
        with amd.warp_pipeline_stage("multiply a0 b0", priority=0):
            acc00 = mma(a0, b0, acc00, cfg)
        with amd.warp_pipeline_stage("read b1", priority=1):
            b1 = b1_buffer.load(cfg.operand_b)
            a1_buffer.store(a1_next)
            b0_next = b.load(0, k_left, cfg)
        with amd.warp_pipeline_stage("multiply a0 b1", priority=0):
            acc01 = mma(a0, b1, acc01, cfg)
        with amd.warp_pipeline_stage("read a1", priority=1):
            a1 = a1_buffer.load(cfg.operand_a)
            a0_buffer.store(a0_next)
            b1_next = b.load(1, k_left, cfg)
        with amd.warp_pipeline_stage("multiply a1 b1", priority=0):
            acc11 = mma(a1, b1, acc11, cfg)
        with amd.warp_pipeline_stage("store b0", priority=1):
            b0_buffer.store(b0_next)
            a1_next = a.load(1, k_left, cfg)
        with amd.warp_pipeline_stage("multiply a1 b0", priority=0):
            acc10 = mma(a1, b0, acc10, cfg)
    b1_buffer.store(b1_next)
    a1_buffer.store(a1_next)
    acc = multiply_k_tile(a, b, 0, Quadrants(acc00, acc01, acc10, acc11), cfg)
    acc.store(Output(c, bias, M, N, c_strides, epilogue_of(EPILOGUE, epilogue_args)), row0, col0, cfg)


__all__ = ["matmul_pipelined_quadrants", "matmul_pipelined_registers"]
