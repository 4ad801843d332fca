"""Each barrier, wait, arrival, commit and fence of products on Hopper is needed, and the emulator notices when one is
missing: it reports an error, or the result is wrong."""

import dataclasses
import re

import lane_edits
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket.errors import EmulatorError
from hocket.kernels import matmul
from hocket.kernels._matmul import host_nvidia as matmul_nvidia
from hocket.kernels._matmul.plan_hopper import TILES, choose_hopper_plan

pytestmark = pytest.mark.slow

_SYNCHRONIZATION = re.compile(
    r"\s*(%\w+ = )?\"?(nvvm\.barrier(\.arrive)?|nvvm\.mbarrier\.arrive[.\w]*|nvvm\.cp\.async\.bulk\.wait_group"
    r"|nvvm\.cp\.async\.bulk\.commit\.group|nvvm\.wgmma\.commit[.\w]*|nvvm\.fence\.proxy|lane\.mbarrier_wait"
    r"|lane\.wgmma_wait)[\" ]"
)
#: Products' results pass through such a wait, which cannot be left out, but be weaker.
_PASSED = re.compile(r"\s*%\w+:?\d* = lane\.wgmma_wait")


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float16)


def product(tile):
    """Two blocks that take a different number of tiles, some of which stick out."""
    m, n, k = 264, 392, 136
    a, b = random(m, k), random(k, n)
    plan = choose_hopper_plan(m, n, k, 1, 16, 16, 232448, 2, tile=tile)
    plan = dataclasses.replace(plan, stages=3)
    out = emulator.empty((m, n), np.float16)
    return matmul(a, b, out, plan=plan), a.astype(np.float32) @ b.astype(np.float32)


def is_noticed(run):
    """With two orders of warps."""
    for seed in range(2):
        try:
            with emulator.schedule(seed=seed, completion="late"):
                result, expected = run()
        except EmulatorError:
            return True
        if not np.allclose(result.astype(np.float32), expected, rtol=2e-2, atol=5e-2):
            return True
    return False


def weakenings(lane):
    """Returns the number of each line with synchronization, and its replacement."""
    for number, line in enumerate(lane.lines):
        if _PASSED.match(line):
            yield number, re.sub(r"outstanding = (\d+)", lambda found: f"outstanding = {int(found[1]) + 1}", line)
        elif _SYNCHRONIZATION.match(line):
            yield number, ""


def unnoticed(kernel, run):
    assert not is_noticed(run)
    found = []
    for number, weaker in weakenings(kernel.lane()):
        lane = kernel.lane()
        line = lane.lines[number]
        assert line != weaker
        lane.lines[number] = weaker
        kernel.use(lane)
        if not is_noticed(run):
            found.append((lane_edits.place_of(kernel.lane(), line), line.split(" loc")[0].strip()[:80]))
    return found


#: Barriers that may be missing, one at a time: of the several where partitions meet; and between the wait for stores
#: and the arrival that passes the buffers on, as the thread that has waited is the one that arrives.
_SPARE = ("matmul_by_partitions", "pass_staging")


@pytest.mark.parametrize("tile", [TILES[0], TILES[3]], ids=["shared", "in turns"])
def test_each_removal_is_noticed(tile, monkeypatch):
    monkeypatch.setattr(matmul_nvidia, "matmul_by_partitions", hocket.jit(matmul_nvidia.matmul_by_partitions.fn))
    with emulator.target("sm_90a", completion="late"), lane_edits.editable() as kernels:
        product(tile)
        (kernel,) = kernels
        assert len(list(weakenings(kernel.lane()))) > 30
        left = unnoticed(kernel, lambda: product(tile))
    assert not [line for place, line in left if not (place.startswith(_SPARE) and line.startswith("nvvm.barrier"))]
