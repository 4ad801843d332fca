"""Ring buffers of attention on Hopper, and the named barriers that order wgmmas."""

from __future__ import annotations

from typing import Any

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import named_barrier

#: Number of integers that describe a tile of packed sequences (`sequences_hopper.pass_tile`).
TILE_FIELDS = gl.constexpr(8)

#: Number of warps that copy rows of pages (`paged_rows_hopper`).
ROW_WARPS = gl.constexpr(4)


@aggregate
class Rings:
    """Views of the ring buffers, for the producer or for consumers: a ring buffer of queries per warpgroup, one of
    keys, and one of values. `values_ready`: with packed sequences, the mbarrier of `sequences_hopper.clear_values`."""

    q: tuple
    k: Any
    v: Any
    values_ready: Any = None


@aggregate
class WgmmaOrder:
    """Named barriers that order the wgmmas of the warpgroups. The tuple is empty without `cfg.ping_pong`."""

    barriers: tuple

    @jit
    def wait(self, cfg: gl.constexpr, CONSUMER: gl.constexpr):
        """Waits until this warpgroup may issue wgmmas; returns at once without `cfg.ping_pong`."""
        if cfg.ping_pong:
            named_barrier.arrive_and_wait(self.barriers[CONSUMER])

    @jit
    def start_next(self, cfg: gl.constexpr, CONSUMER: gl.constexpr):
        """Lets the next warpgroup issue its wgmmas."""
        if cfg.ping_pong:
            named_barrier.arrive(self.barriers[(CONSUMER + 1) % cfg.consumers])


@jit
def make_ring(
    desc, STAGES: gl.constexpr, CONSUMERS: gl.constexpr, PER_WARP: gl.constexpr, ROWS: gl.constexpr = None,
    BY_ROWS: gl.constexpr = False,
):  # fmt: skip
    """Returns a ring buffer that TMA copies fill with blocks. `ROWS`: number of rows of a buffer, if several copies
    fill a buffer. `BY_ROWS`: True if the row warps fill the ring buffer instead."""
    rows: gl.constexpr = desc.block_shape[2] if ROWS is None else ROWS
    shape: gl.constexpr = [STAGES, *desc.block_shape[:2], rows, desc.block_shape[3]]
    tiles = gl.allocate_shared_memory(desc.dtype, shape, desc.layout)
    if BY_ROWS:
        return gl.RingBuffer(tiles, fill="cp.async", producers=ROW_WARPS, consumers=CONSUMERS, per_warp=PER_WARP)
    return gl.RingBuffer(tiles, consumers=CONSUMERS, per_warp=PER_WARP)


@jit
def make_tile_ring(cfg: gl.constexpr):
    """Returns the ring buffer of tile numbers, or, with packed sequences, of descriptions of tiles. Returns None if
    there are neither packed sequences nor a work counter."""
    if cfg.is_varlen:
        numbers = gl.allocate_shared_memory(gl.int32, [2, TILE_FIELDS], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        readers: gl.constexpr = 4 * cfg.consumers + (ROW_WARPS if cfg.copies_rows else 0)
        return gl.RingBuffer(numbers, fill="stores", consumers=readers, per_warp=True)
    if cfg.uses_work_counter:
        numbers = gl.allocate_shared_memory(gl.int32, [2, 1], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        return gl.RingBuffer(numbers, fill="stores", consumers=4 * cfg.consumers, per_warp=True)
    return None


@jit
def wait_for_block(ring, count, cfg: gl.constexpr):
    """A consumer waits until a stage of keys or values is full. Returns the stage."""
    slot = ring.wait(count)
    if cfg.copies_rows:
        hopper.fence_async_shared()
    return slot


@jit
def as_keys(tile, cfg: gl.constexpr):
    """Views a buffer of keys as [D, keys]."""
    return tile.reshape([cfg.block_n, cfg.head_size]).permute([1, 0])


@jit
def as_values(tile, cfg: gl.constexpr):
    """Views a buffer of values as [keys, D]."""
    return tile.reshape([cfg.block_n, cfg.head_size])


@jit
def skip_blocks(rings, ping_pong, count, skipped, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """Skips `skipped` blocks from number `count` on. Other warpgroups of the tile need these blocks, so this warpgroup
    still passes the ping-pong barriers and releases the buffers."""
    for step in range(skipped):
        ping_pong.wait(cfg, CONSUMER)
        ping_pong.start_next(cfg, CONSUMER)
        rings.k.wait(count + step)
        rings.k.release(count + step)
        rings.v.wait(count + step)
        rings.v.release(count + step)


@jit
def skip_masked_blocks(rings, ping_pong, rows, work, count, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """Skips the first blocks whose keys are masked for all queries of the warpgroup, and returns their number.

    At least one block is computed, even if all keys are masked.
    """
    end = (rows.row0 + 63) // cfg.rows_per_query + 1 + rows.after + rows.keys - rows.queries
    seen = gl.cdiv(gl.minimum(rows.keys, end), cfg.block_n)
    skipped = gl.minimum(gl.maximum(work.end - seen, 0), work.blocks - 1)
    skip_blocks(rings, ping_pong, count, skipped, cfg, CONSUMER)
    return skipped


@jit
def end_of_window(rows, work, skipped, cfg: gl.constexpr):
    """Returns the number of steps after which all keys are before the windows of the warpgroup's queries. `skipped`:
    number of the first step."""
    first_key = rows.row0 // cfg.rows_per_query + rows.keys - rows.queries - rows.before
    end = work.end - gl.maximum(first_key, 0) // cfg.block_n
    return gl.minimum(gl.maximum(end, skipped + 1), work.blocks)


__all__ = [
    "ROW_WARPS",
    "TILE_FIELDS",
    "Rings",
    "WgmmaOrder",
    "as_keys",
    "as_values",
    "end_of_window",
    "make_ring",
    "make_tile_ring",
    "skip_blocks",
    "skip_masked_blocks",
    "wait_for_block",
]
