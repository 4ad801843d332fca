"""Grouped GEMM on Hopper with gathered rows: C[t] = A[indices[t]] x B[g] for each row t of group g.

TMA copies no rows at indices on Hopper, so four producer warps copy the k-tiles of A by cp.async. One of them also
starts the copies of B by TMA. The two k-tiles of a stage have separate barriers:

    ring of A    full: 1 per lane of the producer warps, when its copies are complete    empty: 1 per consumer warp
    ring of B    full: 1, and the bytes of TMA                                           empty: 1 per consumer warp

cp.async writes shared memory through the generic proxy and wgmma reads it through the async proxy, so consumers execute
a proxy fence after they have waited. All else is as in `kernel_hopper`.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl
from ...language._ring_buffer import RingConsumer
from ...language.nvidia import hopper
from ...language.nvidia.ampere import async_copy
from ...language.nvidia.hopper import mbarrier
from .._matmul.kernel_hopper import HopperConfig, Memory, load_block, make_ping_pong
from .kernel_hopper import multiply_tiles
from .tiles_of_groups import find_groups, limited, tile_of_work

#: Number of producer warps.
WARPS = gl.constexpr(4)


@aggregate
class RingsOfOperands:
    """The consumers' view of the ring buffers of A and B, as one ring buffer."""

    a: RingConsumer
    b: RingConsumer

    @jit
    def position(self, count):
        """Returns the position of fill number `count`."""
        return self.b.position(count)

    @jit
    def wait(self, position):
        """Waits until both k-tiles of a stage are full."""
        self.b.wait(position)
        self.a.wait(position)
        hopper.fence_async_shared()

    @jit
    def release(self, position, pred=True):
        """Releases both k-tiles of a stage."""
        self.b.release(position, pred=pred)
        self.a.release(position, pred=pred)


@jit
def gather_tiles(
    a, indices, b_desc, memory, ring_of_a, ring_of_b, groups, sources, stride, N, K, cfg: gl.constexpr
):  # fmt: skip
    """The producer warps copy the k-tiles of all tiles of the CTA.

    indices: pointer to the row of A of each row of C. Indices that are not between 0 and `sources` - 1 are replaced by
        the nearest one.
    stride: elements between rows of A.
    """
    vector: gl.constexpr = 128 // a.dtype.element_ty.primitive_bitwidth  # elements that a lane copies at once
    lanes: gl.constexpr = cfg.block_k // vector  # lanes side by side along a row
    layout: gl.constexpr = gl.BlockedLayout([1, vector], [32 // lanes, lanes], [WARPS, 1], [1, 0])
    rows: gl.constexpr = cfg.block_m // cfg.parts
    K = gl.multiple_of(K, vector)
    in_part = gl.arange(0, rows, layout=gl.SliceLayout(1, layout))
    along = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(0, layout))
    position = ring_of_b.position(0)
    for work in range(gl.program_id(0), groups.tiles * gl.cdiv(N, cfg.block_n), gl.num_programs(0)):
        group, row, end, column = tile_of_work(work, groups, N, cfg)
        firsts = [row + part * rows + in_part for part in range(cfg.parts)]
        sources_of = [gl.load(indices + firsts[part], mask=firsts[part] < end, other=0) for part in range(cfg.parts)]
        clamped = [limited(sources_of[part], sources - 1).to(gl.int64) for part in range(cfg.parts)]
        offsets = [clamped[part][:, None] * stride + along[None, :] for part in range(cfg.parts)]
        for step in range(gl.cdiv(K, cfg.block_k)):
            k = step * cfg.block_k
            slot = ring_of_b.acquire(position)
            for side in gl.static_range(cfg.accs):
                left = column + side * cfg.acc_n
                b_tile = memory.b_tile(slot.index, side, cfg)
                load_block(b_desc, group, k, left, slot.full, b_tile, cfg.is_transposed_b)
            ring_of_a.acquire(position)
            # The address of A, its strides and K are multiples of 16 bytes.
            is_inside = gl.max_constancy((k + along < K)[None, :], [1, vector])
            for part in gl.static_range(cfg.parts):
                a_tile = memory.a_tile(slot.index, part, cfg)
                pointers = gl.multiple_of(gl.max_contiguous(a + (offsets[part] + k), [1, vector]), [1, 16])
                async_copy.async_copy_global_to_shared(a_tile, pointers, mask=is_inside)
            ring_of_a.commit(position)
            position = position.next()


@jit
def grouped_gather_by_partitions(
    a, indices, b_desc, c_desc, offsets, scale_a, scale_b, group_count, M, N, K, sources, stride, size: gl.constexpr,
    a_layout: gl.constexpr, cfg: gl.constexpr[HopperConfig],
):  # fmt: skip
    """A kernel that computes C = A[indices] x B[g] for each group g of rows. The grid has at most one CTA per SM.

    `gather_tiles` describes `indices`, `sources` and `stride`; `kernel_hopper` describes the other arguments.
    a_layout: layout of a k-tile of A.
    """
    groups = find_groups(offsets, group_count, M, None, size, cfg.block_m)
    a_shape: gl.constexpr = [cfg.stages * cfg.parts, cfg.block_m // cfg.parts, cfg.block_k]
    a_tiles = gl.allocate_shared_memory(a.dtype.element_ty, a_shape, a_layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [cfg.stages * cfg.accs, *b_desc.block_shape], b_desc.layout)
    subtiles: gl.constexpr = cfg.staging_buffers * (1 if cfg.ping_pong else cfg.consumers)
    staging = gl.allocate_shared_memory(c_desc.dtype, [subtiles, *c_desc.block_shape], c_desc.layout)
    memory = Memory(a_tiles, b_tiles, staging)
    b_bytes: gl.constexpr = cfg.stage_bytes * cfg.block_n // (cfg.block_m + cfg.block_n)
    ring_of_b = gl.RingBuffer(stages=cfg.stages, fill_bytes=b_bytes, consumers=4 * cfg.parts, per_warp=True)
    ring_of_a = gl.RingBuffer(
        stages=cfg.stages, fill="cp.async", producers=WARPS, consumers=4 * cfg.parts, per_warp=True
    )  # fmt: skip
    ping_pong = make_ping_pong(cfg)
    rings = RingsOfOperands(ring_of_a.consumer(), ring_of_b.consumer())
    multiplying = memory, rings, ping_pong, c_desc, (scale_a, scale_b), groups, N, K, cfg
    gathering = (
        a,
        indices,
        b_desc,
        memory,
        ring_of_a.producer(),
        ring_of_b.producer(),
        groups,
        sources,
        stride,
        N,
        K,
        cfg,
    )
    if cfg.consumers == 2:
        gl.warp_specialize(
            [(multiply_tiles, (0, *multiplying)), (multiply_tiles, (1, *multiplying)), (gather_tiles, gathering)],
            [4, WARPS],
            [208, 72],
        )
    else:
        gl.warp_specialize([(multiply_tiles, (0, *multiplying)), (gather_tiles, gathering)], [WARPS], [88])
    ring_of_a.invalidate()
    ring_of_b.invalidate()
    if cfg.ping_pong:
        for warpgroup in gl.static_range(2):
            mbarrier.invalidate(ping_pong.staging.index(warpgroup))


__all__ = ["grouped_gather_by_partitions"]
