"""Every wait for products that the compiler leaves is needed, and the emulator notices when one is missing.

Each kernel is compiled to lane form. One after the other, each wait is made one that waits for nothing, or leaves one
group more: products then end later than their results and their memory are used.
"""

import re

import lane_edits
import numpy as np
import pytest
import test_fused_matmuls
import test_hopper_matmul
from fused_matmuls import expected, fused
from hopper_matmul import product

import hocket
from hocket.errors import RaceError

_WAIT = re.compile(r"(lane\.wgmma_wait .*outstanding = )(\d)( : i32)")
_NONE = 2**31 - 1


def fused_matmuls(stages):
    inputs = test_fused_matmuls.operands(64, 64, 320)
    outs = [np.zeros((64, 64), np.float16) for _ in range(4)]
    fused(*inputs, outs, 64, 64, 64, 4, stages)()
    return np.stack(outs), np.stack(expected(*inputs))


def matmul():
    a, b = test_hopper_matmul.operands(64, 64, 320)
    c = np.zeros((64, 64), np.float16)
    product(test_hopper_matmul.KERNELS["pipelined"], a, b, c, 64, 64, 64, 4, 4)()
    return c, a.astype(np.float32) @ b.astype(np.float32)


CASES = {
    "fused_in_two_slots": lambda: fused_matmuls(2),
    "fused_in_three_slots": lambda: fused_matmuls(3),
    "pipelined": matmul,
}


def is_noticed(run):
    try:
        result, right = run()
    except RaceError:
        return True
    return not np.allclose(result, right, atol=0.05, rtol=2e-3)


@pytest.mark.parametrize("name", CASES)
def test_each_weaker_wait_is_noticed(name):
    run = CASES[name]
    with hocket.emulator.target("sm_90a", completion="late"), lane_edits.editable() as kernels:
        assert not is_noticed(run)
        (kernel,) = kernels
        waits = [n for n, line in enumerate(kernel.lane().lines) if _WAIT.search(line)]
        assert waits
        unnoticed = []
        for number in waits:
            for change in (lambda _: _NONE, lambda left: left + 1):
                lane = kernel.lane()
                line = lane.lines[number]
                lane.lines[number] = _WAIT.sub(lambda m, change=change: f"{m[1]}{change(int(m[2]))}{m[3]}", line)
                kernel.use(lane)
                if not is_noticed(run):
                    unnoticed.append(lane.lines[number])
        assert not unnoticed
