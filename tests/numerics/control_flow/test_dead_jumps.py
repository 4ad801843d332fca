"""Jumps in branches that are not taken at compile time: the loop is compiled as if they were not there."""

import numpy as np
import pytest

import hocket
from hocket import language as gl


def run(device, kernel, *arguments, size=1, **constexprs):
    out = device.to_device(np.zeros(size, np.int32))
    kernel[(1,)](*arguments, out, **constexprs)
    return device.to_host(out)


@hocket.jit
def dead_jumps_kernel(n, out, DEAD: gl.constexpr):
    total = 0
    for k in range(n):
        if k == 2:
            total += 1
            for j in range(k):
                if DEAD:
                    return
                total = total * 3 + j
            if DEAD:
                break
            total += 7
        elif k == 3:
            if DEAD:
                continue
        total = total * 2 + k
    gl.store(out, total)


@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_what_follows_a_dead_jump_is_executed(every_device, n):
    assert run(every_device, dead_jumps_kernel, n, DEAD=False)[0] == dead_jumps_in_python(n)


def dead_jumps_in_python(n):
    total = 0
    for k in range(n):
        if k == 2:
            total = ((total + 1) * 3) * 3 + 1 + 7
        total = total * 2 + k
    return total


@hocket.jit
def first_tiles(n, out, DEAD: gl.constexpr):
    for k in gl.range(n, loop_unroll_factor=2):
        if DEAD:
            break
        gl.store(out + k, k + 1)
        if DEAD:
            return


def test_a_loop_with_dead_jumps_is_counted(every_device):
    """Else `loop_unroll_factor`, or a stage of a warp pipeline, would be an error."""
    assert run(every_device, first_tiles, 5, DEAD=False, size=6).tolist() == [1, 2, 3, 4, 5, 0]
    with pytest.raises(hocket.CompileError, match="needs a loop that neither `break` nor `return` may end"):
        run(every_device, breaks_at_run_time, 5)


@hocket.jit
def breaks_at_run_time(n, out):
    for k in gl.range(n, loop_unroll_factor=2):
        if k == 3:
            break
        gl.store(out + k, k + 1)


@hocket.jit
def staged(x, out, n, DEAD: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [64], [8], [0])
    i = gl.arange(0, 512, layout)
    ring = gl.allocate_shared_memory(gl.int32, [2, 512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    total = i * 0
    for k in range(n):
        with gl.warp_pipeline_stage("store"):
            ring.index(k % 2).store(gl.load(x + k * 512 + i))
        with gl.warp_pipeline_stage("pause"):
            pass
        with gl.warp_pipeline_stage("load"):
            total += ring.index(k % 2).load(layout)
        if DEAD:
            break
    gl.store(out + i, total)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_loop_with_a_dead_jump_may_have_stages(n):
    x = np.arange(4 * 512, dtype=np.int32).reshape(4, 512)
    out = np.zeros(512, np.int32)
    with hocket.emulator.target("gfx950"):
        staged[(1,)](x, out, n, DEAD=False, num_warps=8)
    np.testing.assert_array_equal(out, x[:n].sum(axis=0))
