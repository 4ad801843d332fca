"""Mistakes with AMD's buffers and copies into LDS."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language import amd
from hocket.language.amd import cdna3, cdna4
from hocket.language.amd.cdna4 import async_copy

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
ACC = gl.constexpr(amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2]))


@jit
def tile_offsets():
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, ROWS))
    return rows[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, ROWS))[None, :]


# Buffers -------------------------------------------------------------------------------------------------------------


@mistake("*f16", target="sm_90a")
def buffer_load_on_another_vendor(x):
    cdna3.buffer_load(x, gl.zeros([64, 64], gl.int32, gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])))


@mistake("*f16", target="gfx950")
def tensor_of_pointers_as_a_base(x):
    offsets = gl.zeros([64, 64], gl.int32, ROWS)
    cdna3.buffer_load(x + offsets, offsets)


@mistake("*f16, i32", target="gfx950")
def base_that_is_no_pointer(x, n):
    cdna3.buffer_store(1.0, n, gl.zeros([64, 64], gl.int32, ROWS))


@mistake("*f16", target="gfx950")
def offsets_of_64_bits(x):
    cdna3.buffer_load(x, gl.zeros([64, 64], gl.int64, ROWS))


@mistake("*f16, i32", target="gfx950")
def scalar_offset(x, n):
    cdna3.buffer_load(x, n)


@mistake("*f16", target="gfx950")
def mask_of_another_layout(x):
    mask = gl.zeros([64, 64], gl.int1, ACC)
    cdna3.buffer_load(x, gl.zeros([64, 64], gl.int32, ROWS), mask=mask)


@mistake("*f16", target="gfx950")
def other_without_a_mask(x):
    cdna3.buffer_load(x, gl.zeros([64, 64], gl.int32, ROWS), other=0.0)


@mistake("*bf16", target="gfx942")
def addition_that_only_the_next_chip_has(x):
    cdna3.buffer_atomic_add(x, gl.zeros([64, 64], gl.int32, ROWS), 1.0)


@mistake("*f16", target="gfx950")
def maximum_of_halves(x):
    cdna3.buffer_atomic_max(x, gl.zeros([64, 64], gl.int32, ROWS), 1.0)


@mistake("*f16", target="gfx950")
def pointer_before_the_value(x):
    cdna3.buffer_store(x, gl.zeros([64, 64], gl.float16, ROWS), gl.zeros([64, 64], gl.int32, ROWS))


@mistake("*f16", target="gfx950")
def unknown_cache_modifier(x):
    cdna3.buffer_load(x, gl.zeros([64, 64], gl.int32, ROWS), cache=".nt")


# Copies into LDS -----------------------------------------------------------------------------------------------------


@mistake("*f16", target="gfx950")
def copy_into_registers(x):
    offsets = gl.zeros([64, 64], gl.int32, ROWS)
    async_copy.buffer_load_to_shared(offsets, x, offsets)


@mistake("*f16", target="gfx950")
def copy_into_a_whole_ring(x):
    tile = gl.allocate_shared_memory(gl.float16, [2, 64, 64], PLAIN)
    async_copy.buffer_load_to_shared(tile, x, gl.zeros([64, 64], gl.int32, ROWS))


@mistake("*f32", target="gfx950")
def copy_that_would_convert(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.global_load_to_shared(tile, x + gl.zeros([64, 64], gl.int32, ROWS))


@mistake("*f16", target="gfx950")
def copy_through_a_scalar_pointer(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.global_load_to_shared(tile, x)


@mistake(target="gfx950")
def wait_for_less_than_none():
    async_copy.wait_group(-1)


@mistake("i32", target="gfx950")
def wait_for_a_number_known_at_run_time(n):
    async_copy.wait_group(n)


# Found by passes -----------------------------------------------------------------------------------------------------


@mistake("*f16", target="gfx942", lowered=True)
def more_lds_than_there_is(x):
    tile = gl.allocate_shared_memory(gl.float16, [256, 256], PLAIN)
    gl.store(x + tile_offsets(), tile.slice(0, 64).slice(0, 64, dim=1).load(ROWS))


@mistake("*f16", target="gfx942", lowered=True)
def copies_wider_than_the_chip_has(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.buffer_load_to_shared(tile, x, tile_offsets())


@mistake("*f16", target="gfx950", lowered=True)
def copies_narrower_than_the_chip_has(x):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 64], [4, 1], [1, 0])
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    offsets = rows[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    async_copy.buffer_load_to_shared(tile, x, offsets)


@mistake("*f16", target="gfx950", lowered=True)
def copies_that_are_not_side_by_side(x):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], gl.SwizzledSharedLayout(8, 1, 8, [1, 0]))
    async_copy.buffer_load_to_shared(tile, x, tile_offsets())


@mistake("*f16", target="gfx950", lowered=True)
def padding_within_a_warp(x):
    layout: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], layout)
    async_copy.buffer_load_to_shared(tile, x, tile_offsets())


@mistake("*f16", target="gfx950", lowered=True)
def halves_added_one_by_one(x):
    offsets = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna3.buffer_atomic_add(x, offsets, 1.0)


@mistake(target="gfx950")
def padding_for_something_that_is_no_dtype():
    acc: gl.constexpr = amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2])
    cdna4.compute_efficient_padded_shared_layout(gl.DotOperandLayout(0, acc, 8), [64, 64], 16, True)


@mistake(target="gfx950")
def operand_of_what_is_no_accumulator():
    gl.DotOperandLayout(0, gl.SliceLayout(0, gl.BlockedLayout([1, 1, 1], [1, 8, 8], [4, 1, 1], [2, 1, 0])))


@mistake("*i32, i32", target="gfx942", lowered=True)
def thousands_of_masked_atomics(out, n):
    i = gl.arange(0, 8192, layout=gl.BlockedLayout([1], [64], [4], [0]))
    for trip in gl.static_range(300):
        gl.atomic_add(out + i, gl.to_tensor(trip), mask=i < n)
