"""Mistakes with AMD's matrix cores."""

from cases import mistake

import hocket.language as gl
from hocket.language import amd
from hocket.language.amd import cdna3, cdna4

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
ACC3 = gl.constexpr(amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2]))
ACC4 = gl.constexpr(amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2]))
SCALED = gl.constexpr(amd.AMDMFMALayout(4, [32, 32, 64], True, [2, 2]))
A3, B3 = (gl.constexpr(gl.DotOperandLayout(i, ACC3.value, 4)) for i in (0, 1))
A4, B4 = (gl.constexpr(gl.DotOperandLayout(i, ACC4.value, 8)) for i in (0, 1))
SA, SB = (gl.constexpr(gl.DotOperandLayout(i, SCALED.value, 16)) for i in (0, 1))


# Layouts -------------------------------------------------------------------------------------------------------------


@mistake(target="gfx950")
def layout_of_an_older_chip():
    older: gl.constexpr = amd.AMDMFMALayout(2, [32, 32, 8], True, [2, 2])
    a = gl.zeros([64, 64], gl.float16, gl.DotOperandLayout(0, older, 4))
    b = gl.zeros([64, 64], gl.float16, gl.DotOperandLayout(1, older, 4))
    amd.cdna4.mfma(a, b, gl.zeros([64, 64], gl.float32, older))


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
