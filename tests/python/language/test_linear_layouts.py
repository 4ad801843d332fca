"""to_linear_layout: each element has the same register, lane and warp, on the host and in kernels."""

import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language import amd

TILE = gl.BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])
REGISTERS = {
    "blocked": (TILE, [16, 64]),
    "slice": (gl.SliceLayout(1, TILE), [32]),
    "operand": (gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2), [64, 32]),
    "mma": (gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]), [64, 64]),
    "mfma": (amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2]), [64, 128]),
    "linear": (gl.DistributedLinearLayout([[1], [0]], [[2], [4]], [[8]], [], [16]), [16]),
}
SHARED = {
    "swizzled": (gl.SwizzledSharedLayout(4, 1, 8, [1, 0]), [16, 64]),
    "mma": (gl.NVMMASharedLayout(64, 16, 2), [32, 32]),
    "linear": (gl.SharedLinearLayout([[0, 1], [1, 0]], alignment=256), [2, 2]),
}


@pytest.mark.parametrize("name", REGISTERS)
def test_registers(name):
    layout, shape = REGISTERS[name]
    linear = gl.to_linear_layout(layout, shape)
    assert isinstance(linear, gl.DistributedLinearLayout) and linear.shape == shape
    assert linear.format_hardware_view(shape) == layout.format_hardware_view(shape)
    assert gl.to_linear_layout(linear, shape) == linear


@pytest.mark.parametrize("name", SHARED)
def test_shared_memory(name):
    layout, shape = SHARED[name]
    linear = gl.to_linear_layout(layout, shape)
    assert isinstance(linear, gl.SharedLinearLayout)
    assert linear.format_hardware_view(shape) == layout.format_hardware_view(shape)


def test_blocks_of_a_cluster():
    dealt = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1], [0]])
    assert gl.to_linear_layout(dealt, [256]).block_bases == [[128], [0]]


@hocket.jit
def convert_kernel(LAYOUT: gl.constexpr, M: gl.constexpr, N: gl.constexpr):
    """A conversion to the linear form moves nothing."""
    x = gl.full([M, N], 1, gl.float32, LAYOUT)
    linear: gl.constexpr = gl.to_linear_layout(x.type.layout, x.shape)
    gl.static_assert(linear == gl.to_linear_layout(LAYOUT, [M, N]))
    gl.convert_layout(x, linear, assert_trivial=True)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "gfx942", "gfx950"])
def test_in_kernels(target):
    lanes = 64 if target.startswith("gfx") else 32
    with emulator.target(target):
        convert_kernel[(1,)](gl.BlockedLayout([1, 2], [lanes // 8, 8], [2, 2], [1, 0]), 16, 64)
