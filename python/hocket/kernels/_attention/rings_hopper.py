"""Ring buffers of attention on Hopper, and the named barriers that order wgmmas."""

from __future__ import annotations

from typing import Any

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia.hopper import named_barrier


@aggregate
class Rings:
    """Views of the ring buffers, for the producer or for consumers: a ring buffer of queries per warpgroup, one of
    keys, and one of values."""

    q: tuple
    k: Any
    v: Any


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
def make_ring(desc, STAGES: gl.constexpr, CONSUMERS: gl.constexpr, PER_WARP: gl.constexpr):
    """Returns a ring buffer that TMA copies fill with blocks."""
    tiles = gl.allocate_shared_memory(desc.dtype, [STAGES, *desc.block_shape], desc.layout)
    return gl.RingBuffer(tiles, consumers=CONSUMERS, per_warp=PER_WARP)


@jit
def make_tile_ring(cfg: gl.constexpr):
    """Returns the ring buffer of tile numbers, or None without `cfg.uses_work_counter`."""
    if cfg.uses_work_counter:
        numbers = gl.allocate_shared_memory(gl.int32, [2, 1], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        return gl.RingBuffer(numbers, fill="stores", consumers=4 * cfg.consumers, per_warp=True)
    return None


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


__all__ = ["Rings", "WgmmaOrder", "make_ring", "make_tile_ring", "skip_blocks"]
