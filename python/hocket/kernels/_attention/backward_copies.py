"""Warps of attention backward on Hopper that copy: the producer warp, and the warp that adds dQ to global memory.

`backward_hopper` has a table of all warps and ring buffers.
"""

from __future__ import annotations

from typing import Any

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia.hopper import tma
from .backward_sequences import finish_scheduling, found_key_tile, received_key_tile, take_key_tile
from .backward_tiles import additions_before, key_tile, read_tile, take_tile
from .sequences_hopper import has_tile


@aggregate
class BackwardRings:
    """Views of the ring buffers, for one kind of warps."""

    k: Any
    v: Any
    q: Any
    do: Any
    dq: Any
    tiles: Any


@aggregate
class Inputs:
    """TMA descriptors of the arrays that the producer warp copies."""

    q: Any
    k: Any
    v: Any
    do: Any
    lse: Any
    delta: Any


@jit
def copy_tile(inputs, rings, tile, count, tile_count, sizes, cfg: gl.constexpr):
    """Copies K and V of a tile, then Q and dO block by block. `count`: number of blocks of earlier tiles. Returns the
    number of blocks up to the end of this tile."""
    key0 = tile.first_key + tile.block * cfg.block_n
    k = rings.k.acquire(tile_count)
    tma.async_load(inputs.k, [tile.batch, tile.key_head, key0, 0], k.full, k.buffer)
    v = rings.v.acquire(tile_count)
    tma.async_load(inputs.v, [tile.batch, tile.key_head, key0, 0], v.full, v.buffer)
    for member in range(sizes.heads_per_group):
        head = tile.key_head * sizes.heads_per_group + member
        of_all = tile.batch * sizes.key_heads * sizes.heads_per_group + head
        for block in range(tile.first, tile.end):
            row0 = tile.first_query + block * cfg.block_m
            padded = (tile.first_block + block) * cfg.block_m
            q = rings.q.acquire(count)
            tma.async_load(inputs.q, [tile.batch, head, row0, 0], q.full, q.buffers[0])
            tma.async_load(inputs.lse, [of_all, padded], q.full, q.buffers[1])
            do = rings.do.acquire(count)
            tma.async_load(inputs.do, [tile.batch, head, row0, 0], do.full, do.buffers[0])
            tma.async_load(inputs.delta, [of_all, padded], do.full, do.buffers[1])
            count += 1
    return count


@jit
def copy_blocks(inputs, rings, counter, sizes, cfg: gl.constexpr):
    """The producer warp takes tiles, passes them to the other warps, and copies their operands."""
    count = 0
    tile_count = 0
    if cfg.is_varlen:
        number, found = take_key_tile(counter, 0, 0, sizes, cfg)
        while found.sequence < sizes.sequences.count:
            tile = found_key_tile(rings.tiles, tile_count, number, found, sizes, cfg)
            count = copy_tile(inputs, rings, tile, count, tile_count, sizes, cfg)
            tile_count += 1
            number, found = take_key_tile(counter, found.chunk, found.before, sizes, cfg)
        finish_scheduling(rings.tiles, tile_count, counter, number, found)
    else:
        number = take_tile(counter, rings.tiles, tile_count, sizes)
        while number < sizes.tiles:
            tile = key_tile(number, sizes, cfg)
            count = copy_tile(inputs, rings, tile, count, tile_count, sizes, cfg)
            tile_count += 1
            number = take_tile(counter, rings.tiles, tile_count, sizes)


@jit
def add_tile_of_dq(dq_desc, added, rings, tile, count, sizes, cfg: gl.constexpr):
    """Adds the blocks of dQ of a tile. Returns the number of blocks up to the end of this tile."""
    for member in range(sizes.heads_per_group):
        head = (tile.batch * sizes.key_heads + tile.key_head) * sizes.heads_per_group + member
        for block in range(tile.first, tile.end):
            before = additions_before(tile, block, cfg)
            padded = tile.first_block + block
            slot = rings.dq.wait(count)
            cell = added + head.to(gl.int64) * sizes.row_blocks + padded
            gl.atomic_poll(cell, before)
            if before == 0:
                tma.async_store(dq_desc, [head, padded * cfg.block_m, 0], slot.buffer)
            else:
                tma.async_atomic_add(dq_desc, [head, padded * cfg.block_m, 0], slot.buffer)
            tma.store_wait(0)
            rings.dq.release(count)
            # The next CTA may only add when this addition is visible, which is later than the end of the read of
            # shared memory.
            tma.store_wait(0, read_only=False)
            gl.atomic_add(cell, 1, sem="release")
            count += 1
    return count


@jit
def add_blocks_of_dq(dq_desc, added, rings, sizes, cfg: gl.constexpr):
    """The dQ warp adds blocks of dQ to global memory, in the order of the tiles of each head.

    added: int32 [batch x heads, row_blocks], the number of tiles that have been added to each block of dQ.
    """
    count = 0
    tile_count = 0
    if cfg.is_varlen:
        while has_tile(rings.tiles, tile_count):
            tile = received_key_tile(rings.tiles, tile_count, sizes, cfg)
            rings.tiles.release(tile_count)
            count = add_tile_of_dq(dq_desc, added, rings, tile, count, sizes, cfg)
            tile_count += 1
    else:
        number = read_tile(rings.tiles, tile_count)
        while number < sizes.tiles:
            tile = key_tile(number, sizes, cfg)
            count = add_tile_of_dq(dq_desc, added, rings, tile, count, sizes, cfg)
            tile_count += 1
            number = read_tile(rings.tiles, tile_count)


__all__ = ["BackwardRings", "Inputs", "add_blocks_of_dq", "copy_blocks"]
