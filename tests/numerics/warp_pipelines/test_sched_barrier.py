"""gl.sched_barrier changes no result, whatever is named."""

import ml_dtypes
import numpy as np
import pytest
from tile_layouts import lanes

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language import amd


@hocket.jit
def kernel(x, y, out, N: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    total = gl.load(x + i) + gl.load(y + i).to(gl.float32)
    gl.sched_barrier()
    half = total.to(gl.float16) * 2
    gl.sched_barrier(computed=[half, (i, gl.program_id(0)), total.to(gl.float64)])
    gl.store(out + i, half.to(gl.float32) + total)


def test_named_or_not(device):
    x, y = np.arange(1024, dtype=np.float32), np.arange(1024).astype(np.float16)
    out = device.to_device(np.zeros(1024, np.float32))
    layout = gl.BlockedLayout([8], [lanes(device)], [4], [0])
    kernel[(1,)](device.to_device(x), device.to_device(y), out, N=1024, LAYOUT=layout)
    np.testing.assert_array_equal(device.to_host(out), (x + y).astype(np.float16) * np.float16(2) + (x + y))


@hocket.jit
def copy(x, out, LAYOUT: gl.constexpr):
    i = gl.arange(0, 256, layout=LAYOUT)
    value = gl.load(x + i)
    gl.sched_barrier(computed=[value])
    gl.store(out + i, value)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "int64"])
def test_values_of_every_width_hold_waits_below_them(dtype):
    """On Hopper the barrier is a conditional nanosleep, which LLVM removes if it can prove that the condition is
    false."""
    x = np.zeros(256, dtype)
    layout = gl.BlockedLayout([2], [32], [4], [0])
    ptx = copy.warmup(x, x, LAYOUT=layout, num_warps=4, grid=(1,), target="sm_90a").asm["ptx"]
    assert ptx.count("nanosleep") == 1


@hocket.jit
def narrow_numbers(x, out, PER_LANE: gl.constexpr, LANES: gl.constexpr):
    i = gl.arange(0, PER_LANE * LANES, layout=gl.BlockedLayout([PER_LANE], [LANES], [1], [0]))
    value = gl.load(x + i)
    gl.sched_barrier(computed=[value, value > 3, gl.load(x)])
    gl.store(out + i, value)


@pytest.mark.parametrize("per_lane", [1, 2, 4, 8])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "bfloat16"])
def test_narrow_numbers(device, dtype, per_lane):
    """Elements smaller than a register: exactly one register of them, and fewer."""
    x = np.arange(per_lane * lanes(device)).astype(getattr(ml_dtypes, dtype, None) or dtype)
    out = device.to_device(np.zeros_like(x))
    narrow_numbers[(1,)](device.to_device(x), out, PER_LANE=per_lane, LANES=lanes(device), num_warps=1)
    np.testing.assert_array_equal(device.to_host(out), x)


@hocket.jit
def hinted(x, out):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    amd.cdna3.set_prio(2)
    value = gl.load(x + i)
    amd.cdna3.sched_barrier(8)
    value = value * 3
    amd.cdna4.sched_group_barrier(2, 4)
    amd.cdna3.sched_group_barrier(64, 1, group_id=0)
    amd.cdna3.set_prio(0)
    gl.store(out + i, value)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_hints_of_amd_change_no_result(target):
    x = np.arange(256, dtype=np.float32)
    out = np.zeros_like(x)
    with emulator.target(target):
        hinted[(1,)](x, out)
    np.testing.assert_array_equal(out, 3 * x)
    asm = hinted.warmup(x, out, grid=(1,), target=target).asm
    assert "s_setprio 2" in asm["amdgcn"] and "s_setprio 0" in asm["amdgcn"]
    assert "@llvm.amdgcn.sched.barrier(i32 8)" in asm["llir"]
    assert "@llvm.amdgcn.sched.group.barrier(i32 64, i32 1, i32 0)" in asm["llir"]
