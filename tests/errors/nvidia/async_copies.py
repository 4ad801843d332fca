"""Mistakes with NVIDIA's asynchronous copies."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language.nvidia.ampere import async_copy

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
NARROW = gl.constexpr(gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@jit
def tile_offsets(LAYOUT: gl.constexpr):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, LAYOUT))
    return rows[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, LAYOUT))[None, :]


@mistake("*f16", target="gfx950")
def async_load_on_another_vendor(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.async_load(tile, x + tile_offsets(gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])))


@mistake("*f16")
def copy_into_a_tensor(x):
    pointers = x + tile_offsets(ROWS)
    async_copy.async_load(gl.load(pointers), pointers)


@mistake("*f16")
def copy_into_a_whole_ring(x):
    ring = gl.allocate_shared_memory(gl.float16, [3, 64, 64], PLAIN)
    async_copy.async_load(ring, x + tile_offsets(ROWS))


@mistake("*f16")
def copy_that_would_convert(x):
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], PLAIN)
    async_copy.async_load(tile, x + tile_offsets(ROWS))


@mistake("*f16")
def copy_from_a_scalar_pointer(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.async_load(tile, x)


@mistake("*f16")
def copy_with_a_streaming_cache(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.async_load(tile, x + tile_offsets(ROWS), cache_modifier=".cs")


@mistake("*f16", lowered=True)
def copy_of_two_bytes_per_lane(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.async_load(tile, x + tile_offsets(NARROW))


@mistake("*f16", lowered=True)
def copy_of_rows_at_any_distance(x):
    stride = gl.num_programs(0)
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, ROWS))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, ROWS))
    async_copy.async_load(tile, x + rows[:, None] + columns[None, :] * stride)


@mistake("*f16")
def wait_for_a_negative_number(x):
    async_copy.wait_group(-1)


@mistake("*f16, i32")
def wait_for_a_run_time_number(x, n):
    async_copy.wait_group(n)


@mistake("*f16, *f16", lowered=True)
def tile_read_before_its_wait(x, out):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.async_load(tile, x + tile_offsets(ROWS))
    async_copy.commit_group()
    gl.store(out + tile_offsets(ROWS), tile.load(ROWS))


@mistake("*f16, *f16", lowered=True)
def copy_never_committed(x, out):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.async_load(tile, x + tile_offsets(ROWS))
    async_copy.wait_group(0)
    gl.store(out + tile_offsets(ROWS), tile.load(ROWS))


@mistake("*f16, *f16", lowered=True)
def wait_that_leaves_the_tile_in_flight(x, out):
    ring = gl.allocate_shared_memory(gl.float16, [3, 64, 64], PLAIN)
    for slot in gl.static_range(2):
        async_copy.async_load(ring.index(slot), x + tile_offsets(ROWS) + slot * 4096)
        async_copy.commit_group()
    for step in range(gl.num_programs(0)):
        async_copy.wait_group(2)
        gl.store(out + tile_offsets(ROWS) + step * 4096, ring.index(step % 3).load(ROWS))
        async_copy.async_load(ring.index((step + 2) % 3), x + tile_offsets(ROWS) + (step + 2) * 4096)
        async_copy.commit_group()
    async_copy.wait_group(0)


@mistake("*f16, *f16, *f16", lowered=True)
def tile_overwritten_while_in_flight(x, y, out):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.async_load(tile, x + tile_offsets(ROWS))
    async_copy.commit_group()
    tile.store(gl.load(y + tile_offsets(ROWS)))
    async_copy.wait_group(0)
    gl.store(out + tile_offsets(ROWS), tile.load(ROWS))
