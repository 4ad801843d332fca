"""Mistakes with AMD's matrix cores, buffers and copies into LDS."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language import amd
from hocket.language.amd import cdna3, cdna4
from hocket.language.amd.cdna4 import async_copy

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
ACC3 = gl.constexpr(amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2]))
ACC4 = gl.constexpr(amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2]))
SCALED = gl.constexpr(amd.AMDMFMALayout(4, [32, 32, 64], True, [2, 2]))
A3, B3 = (gl.constexpr(gl.DotOperandLayout(i, ACC3.value, 4)) for i in (0, 1))
A4, B4 = (gl.constexpr(gl.DotOperandLayout(i, ACC4.value, 8)) for i in (0, 1))
SA, SB = (gl.constexpr(gl.DotOperandLayout(i, SCALED.value, 16)) for i in (0, 1))


@jit
def tile_offsets():
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, ROWS))
    return rows[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, ROWS))[None, :]


# Layouts -------------------------------------------------------------------------------------------------------------


@mistake(target="gfx950")
def layout_of_an_older_chip():
    amd.AMDMFMALayout(2, [32, 32, 8], True, [2, 2])


@mistake(target="gfx950")
def result_that_no_instruction_has():
    amd.AMDMFMALayout(4, [8, 32, 16], True, [2, 2])


@mistake(target="gfx942")
def instruction_of_the_next_chip():
    amd.AMDMFMALayout(3, [16, 16, 128], True, [2, 2])


@mistake(target="gfx950")
def operand_without_k_width():
    gl.DotOperandLayout(0, ACC4)


@mistake(target="gfx950")
def k_width_that_is_no_power_of_two():
    gl.DotOperandLayout(0, ACC4, 6)


@mistake(target="gfx950")
def lanes_of_a_smaller_wave():
    gl.zeros([64, 64], gl.float16, gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0]))


@mistake(target="gfx950", num_warps=8)
def matrix_layout_of_fewer_warps():
    gl.zeros([64, 64], gl.float32, ACC4)


@mistake(target="sm_90a")
def matrix_layout_of_another_vendor():
    gl.zeros([64, 64], gl.float32, ACC4)


# Products ------------------------------------------------------------------------------------------------------------


@mistake(target="sm_90a")
def amd_only_call():
    cdna3.mfma(1, 2, 3)


@mistake(target="gfx950")
def nvidia_only_call():
    gl.nvidia.hopper.warpgroup_mma(1, 2, 3)


@mistake(target="gfx950")
def operands_still_in_shared_memory():
    a = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    cdna3.mfma(a, gl.zeros([64, 64], gl.float16, B4), gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def operand_in_a_blocked_layout():
    a = gl.zeros([64, 64], gl.float16, ROWS)
    cdna3.mfma(a, gl.zeros([64, 64], gl.float16, B4), gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def operands_exchanged():
    a = gl.zeros([64, 64], gl.float16, B4)
    b = gl.zeros([64, 64], gl.float16, A4)
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def accumulator_in_a_blocked_layout():
    a = gl.zeros([64, 64], gl.float16, A4)
    b = gl.zeros([64, 64], gl.float16, B4)
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ROWS))


@mistake(target="gfx942")
def accumulator_of_another_chip():
    a = gl.zeros([64, 64], gl.float16, A4)
    b = gl.zeros([64, 64], gl.float16, B4)
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def accumulator_too_narrow():
    a = gl.zeros([64, 64], gl.float16, A4)
    b = gl.zeros([64, 64], gl.float16, B4)
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float16, ACC4))


@mistake(target="gfx950")
def accumulator_of_integers_in_floats():
    acc: gl.constexpr = amd.AMDMFMALayout(4, [32, 32, 32], True, [2, 2])
    a = gl.zeros([64, 64], gl.int8, gl.DotOperandLayout(0, acc, 16))
    b = gl.zeros([64, 64], gl.int8, gl.DotOperandLayout(1, acc, 16))
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, acc))


@mistake(target="gfx950")
def doubles_in_a_layout_for_floats():
    acc: gl.constexpr = amd.AMDMFMALayout(4, [16, 16, 4], False, [2, 2])
    a = gl.zeros([64, 64], gl.float64, gl.DotOperandLayout(0, acc, 1))
    b = gl.zeros([64, 64], gl.float64, gl.DotOperandLayout(1, acc, 1))
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float64, acc))


@mistake(target="gfx950")
def shapes_of_a_product():
    a = gl.zeros([64, 32], gl.float16, A4)
    b = gl.zeros([64, 64], gl.float16, B4)
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def operands_of_two_dtypes():
    a = gl.zeros([64, 64], gl.float16, A4)
    b = gl.zeros([64, 64], gl.bfloat16, B4)
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx942")
def float8_of_the_next_chip():
    acc: gl.constexpr = amd.AMDMFMALayout(3, [32, 32, 16], True, [2, 2])
    a = gl.zeros([64, 64], gl.float8e4nv, gl.DotOperandLayout(0, acc, 8))
    b = gl.zeros([64, 64], gl.float8e4nv, gl.DotOperandLayout(1, acc, 8))
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, acc))


@mistake(target="gfx950")
def float8_of_the_chip_before():
    a = gl.zeros([64, 64], gl.float8e5b16, A4)
    b = gl.zeros([64, 64], gl.float8e5b16, B4)
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def unsigned_operands():
    a = gl.zeros([64, 64], gl.uint8, A4)
    b = gl.zeros([64, 64], gl.uint8, B4)
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.int32, ACC4))


@mistake(target="gfx950")
def instruction_shape_of_another_dtype():
    acc: gl.constexpr = amd.AMDMFMALayout(4, [32, 32, 2], True, [2, 2])
    a = gl.zeros([64, 64], gl.float16, gl.DotOperandLayout(0, acc, 8))
    b = gl.zeros([64, 64], gl.float16, gl.DotOperandLayout(1, acc, 8))
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, acc))


@mistake(target="gfx950")
def tf32_that_only_the_chip_before_has():
    amd.AMDMFMALayout(4, [16, 16, 8], True, [2, 2])


@mistake(target="gfx950")
def two_k_widths():
    a = gl.zeros([64, 64], gl.float16, A4)
    b = gl.zeros([64, 64], gl.float16, gl.DotOperandLayout(1, ACC4, 4))
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def k_width_that_does_not_fit():
    a = gl.zeros([64, 32], gl.float16, gl.DotOperandLayout(0, ACC4, 32))
    b = gl.zeros([32, 64], gl.float16, gl.DotOperandLayout(1, ACC4, 32))
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def tile_not_deep_enough():
    a = gl.zeros([64, 8], gl.float16, gl.DotOperandLayout(0, ACC4, 4))
    b = gl.zeros([8, 64], gl.float16, gl.DotOperandLayout(1, ACC4, 4))
    cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, ACC4))


# Scaled products -----------------------------------------------------------------------------------------------------


@mistake(target="gfx942")
def scaled_product_on_the_chip_before():
    a = gl.zeros([64, 64], gl.uint8, A3)
    b = gl.zeros([64, 64], gl.uint8, B3)
    cdna4.mfma_scaled(a, None, "e4m3", b, None, "e4m3", gl.zeros([64, 64], gl.float32, ACC3))


@mistake(target="gfx950")
def unknown_format():
    a = gl.zeros([64, 64], gl.uint8, SA)
    b = gl.zeros([64, 64], gl.uint8, SB)
    cdna4.mfma_scaled(a, None, "fp8", b, None, "e4m3", gl.zeros([64, 64], gl.float32, SCALED))


@mistake(target="gfx950")
def format_of_another_dtype():
    a = gl.zeros([64, 64], gl.float8e5, SA)
    b = gl.zeros([64, 64], gl.uint8, SB)
    cdna4.mfma_scaled(a, None, "e4m3", b, None, "e4m3", gl.zeros([64, 64], gl.float32, SCALED))


@mistake(target="gfx950")
def scaled_product_in_an_ordinary_layout():
    a = gl.zeros([64, 64], gl.uint8, A4)
    b = gl.zeros([64, 64], gl.uint8, B4)
    cdna4.mfma_scaled(a, None, "e4m3", b, None, "e4m3", gl.zeros([64, 64], gl.float32, ACC4))


@mistake(target="gfx950")
def scaled_operand_of_another_k_width():
    a = gl.zeros([64, 64], gl.uint8, gl.DotOperandLayout(0, SCALED, 8))
    b = gl.zeros([64, 64], gl.uint8, SB)
    cdna4.mfma_scaled(a, None, "e4m3", b, None, "e4m3", gl.zeros([64, 64], gl.float32, SCALED))


@mistake(target="gfx950")
def scales_of_another_shape():
    a = gl.zeros([64, 64], gl.uint8, SA)
    b = gl.zeros([64, 64], gl.uint8, SB)
    scale = gl.zeros([64, 4], gl.uint8, cdna4.get_mfma_scale_layout(SA, [64, 4]))
    cdna4.mfma_scaled(a, scale, "e4m3", b, None, "e4m3", gl.zeros([64, 64], gl.float32, SCALED))


@mistake(target="gfx950")
def scales_in_another_layout():
    a = gl.zeros([64, 64], gl.uint8, SA)
    b = gl.zeros([64, 64], gl.uint8, SB)
    scale = gl.zeros([64, 2], gl.uint8, ROWS)
    cdna4.mfma_scaled(a, scale, "e4m3", b, None, "e4m3", gl.zeros([64, 64], gl.float32, SCALED))


@mistake(target="gfx950")
def scales_of_a_blocked_layout():
    cdna4.get_mfma_scale_layout(ROWS, [64, 4])


@mistake(target="gfx950")
def pairs_without_an_axis():
    src = gl.zeros([64, 64], gl.uint8, ROWS)
    cdna3.scaled_upcast(src, gl.zeros([64, 128], gl.uint8, ROWS), gl.float16)


@mistake(target="gfx950")
def scales_that_do_not_fit_the_result():
    src = gl.zeros([64, 64], gl.uint8, ROWS)
    cdna3.scaled_upcast(src, gl.zeros([64, 128], gl.uint8, ROWS), gl.float16, axis=1)


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
    mask = gl.zeros([64, 64], gl.int1, ACC4)
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
