"""Every wait for products that the compiler leaves is needed, and the emulator notices when one is missing.

Each kernel is compiled to lane form. One after the other, each wait is made one that waits for nothing, or leaves one
group more: products then end later than their results and their memory are used.
"""

import re

import fused_matmuls
import hopper_matmul
import lane_edits
import numpy as np
import pytest
from gemm_operands import fused_operands, gemm_operands

import hocket
from hocket.errors import RaceError

pytestmark = pytest.mark.slow

_WAIT = re.compile(r"(lane\.wgmma_wait .*outstanding = )(\d)( : i32)")
_NONE = 2**31 - 1


def two_products(stages):
    inputs = fused_operands(64, 64, 320)
    outs = [np.zeros((64, 64), np.float16) for _ in range(4)]
    fused_matmuls.fused(*inputs, outs, 64, 64, 64, 4, stages)()
    return np.stack(outs), np.stack(fused_matmuls.expected(*inputs))


def matmul():
    a, b = gemm_operands(64, 64, 320)
    c = np.zeros((64, 64), np.float16)
    hopper_matmul.product(hopper_matmul.pipelined, a, b, c, 64, 64, 64, 4, 4)()
    return c, a.astype(np.float32) @ b.astype(np.float32)


CASES = {
    "fused_in_two_slots": lambda: two_products(2),
    "fused_in_three_slots": lambda: two_products(3),
    "pipelined": matmul,
}


def is_noticed(run):
    try:
        result, right = run()
    except RaceError:
        return True
    return not np.allclose(result, right, atol=0.05, rtol=2e-3)


@pytest.fixture(autouse=True)
def fresh_kernels(monkeypatch):
    """Gives each test new kernels, because the tests edit the compiled code."""
    for module, name in ((fused_matmuls, "fused_kernel"), (hopper_matmul, "pipelined")):
        monkeypatch.setattr(module, name, hocket.jit(getattr(module, name).fn))


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
