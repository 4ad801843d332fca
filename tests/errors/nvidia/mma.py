"""Mistakes with products on NVIDIA's tensor cores."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia.ampere import mma_v2

MMA = gl.constexpr(gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]))
WGMMA = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
BLOCKED = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
A = gl.constexpr(gl.DotOperandLayout(0, MMA.value, 2))
B = gl.constexpr(gl.DotOperandLayout(1, MMA.value, 2))
A8 = gl.constexpr(gl.DotOperandLayout(0, MMA.value, 4))
B8 = gl.constexpr(gl.DotOperandLayout(1, MMA.value, 4))


@mistake(target="gfx942")
def mma_on_another_vendor():
    mma_v2(None, None, None)


@mistake()
def mma_of_shared_memory():
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], gl.SwizzledSharedLayout(8, 1, 8, [1, 0]))
    mma_v2(tile, tile, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def mma_of_shapes_that_do_not_fit():
    a, b = gl.zeros([64, 32], gl.float16, A), gl.zeros([16, 64], gl.float16, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def mma_of_double():
    a, b = gl.zeros([64, 32], gl.float64, A), gl.zeros([32, 64], gl.float64, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake(target="sm_80")
def mma_of_float8_on_ampere():
    a, b = gl.zeros([64, 32], gl.float8e4nv, A8), gl.zeros([32, 64], gl.float8e4nv, B8)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def mma_of_two_types():
    a, b = gl.zeros([64, 32], gl.float16, A), gl.zeros([32, 64], gl.bfloat16, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def mma_into_a_blocked_layout():
    a, b = gl.zeros([64, 32], gl.float16, A), gl.zeros([32, 64], gl.float16, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, BLOCKED))


@mistake()
def mma_into_the_layout_of_wgmma():
    a, b = gl.zeros([64, 32], gl.float16, A), gl.zeros([32, 64], gl.float16, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, WGMMA))


@mistake()
def mma_into_halves():
    a, b = gl.zeros([64, 32], gl.bfloat16, A), gl.zeros([32, 64], gl.bfloat16, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.float16, MMA))


@mistake()
def mma_of_a_blocked_operand():
    a, b = gl.zeros([64, 32], gl.float16, BLOCKED), gl.zeros([32, 64], gl.float16, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def mma_of_exchanged_operands():
    a, b = gl.zeros([64, 32], gl.float16, B), gl.zeros([32, 64], gl.float16, A)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def mma_of_different_k_widths():
    a, b = gl.zeros([64, 32], gl.float16, A8), gl.zeros([32, 64], gl.float16, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def mma_of_bytes_with_the_k_width_of_halves():
    a, b = gl.zeros([64, 32], gl.int8, A), gl.zeros([32, 64], gl.int8, B)
    mma_v2(a, b, gl.zeros([64, 64], gl.int32, MMA))


@mistake()
def mma_of_a_shallow_tile():
    a, b = gl.zeros([64, 16], gl.float16, A8), gl.zeros([16, 64], gl.float16, B8)
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake()
def mma_in_full_precision():
    a = gl.zeros([64, 32], gl.float32, gl.DotOperandLayout(0, MMA, 1))
    b = gl.zeros([32, 64], gl.float32, gl.DotOperandLayout(1, MMA, 1))
    mma_v2(a, b, gl.zeros([64, 64], gl.float32, MMA), input_precision="ieee")


@mistake(target="gfx950")
def layout_of_tensor_cores_on_amd():
    gl.zeros([64, 64], gl.float32, MMA)


@mistake(target="sm_80")
def layout_of_wgmma_on_ampere():
    gl.zeros([64, 64], gl.float32, WGMMA)


@mistake()
def dot_fma_on_tensor_cores():
    a, b = gl.zeros([64, 32], gl.float16, A), gl.zeros([32, 64], gl.float16, B)
    gl.dot_fma(a, b, gl.zeros([64, 64], gl.float32, MMA))


@mistake("*f16")
def shared_layout_wider_than_the_tile(x):
    gl.allocate_shared_memory(gl.float16, [64, 32], gl.NVMMASharedLayout(128, 16))
