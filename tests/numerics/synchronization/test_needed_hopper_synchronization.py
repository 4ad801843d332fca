"""Each barrier, wait, arrival, commit and fence of products on Hopper is needed, and the emulator notices when one is
missing: it reports an error, or the result is wrong."""

import dataclasses
import re

import lane_edits
import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket.errors import EmulatorError
from hocket.kernels import matmul, matmul_scaled
from hocket.kernels._matmul import host_block_scaled, plan_block_scaled
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


def block_scaled_product():
    """Two blocks that take two tiles each, some of which stick out, with an even and with an odd number of k-tiles. A
    tile has more subtiles than staging buffers."""
    m, n = 136, 136
    rng = np.random.default_rng(0)
    found = []
    for k in (512, 640):
        a, b = (rng.standard_normal((rows, k)).astype(ml_dtypes.float8_e4m3fn) for rows in (m, n))
        a_scales, b_scales = (2.0 ** rng.integers(-2, 3, (rows, k // 128)).astype(np.float32) for rows in (m, 2))
        plan = choose_hopper_plan(m, n, k, 1, 8, 32, 232448, 2, tile=plan_block_scaled.TILES[0], splits=1)
        plan = dataclasses.replace(plan, stages=3)
        out = emulator.empty((m, n), np.float32)
        left = a.astype(np.float32) * np.repeat(a_scales, 128, 1)
        right = b.astype(np.float32) * np.repeat(np.repeat(b_scales, 128, 0)[:n], 128, 1)
        found.append((matmul_scaled(a, a_scales, b.T, b_scales, out, plan=plan), left @ right.T))
    return tuple(np.stack(arrays) for arrays in zip(*found, strict=True))


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
_SPARE = ("matmul_by_partitions", "matmul_block_scaled", "specialize_scaled", "pass_staging")


@pytest.mark.parametrize("tile", [TILES[0], TILES[3]], ids=["shared", "in turns"])
def test_each_removal_is_noticed(tile, monkeypatch):
    monkeypatch.setattr(matmul_nvidia, "matmul_by_partitions", hocket.jit(matmul_nvidia.matmul_by_partitions.fn))
    with emulator.target("sm_90a", completion="late"), lane_edits.editable() as kernels:
        product(tile)
        (kernel,) = kernels
        assert len(list(weakenings(kernel.lane()))) > 30
        left = unnoticed(kernel, lambda: product(tile))
    assert not [line for place, line in left if not (place.startswith(_SPARE) and line.startswith("nvvm.barrier"))]


def test_each_removal_from_the_block_scaled_kernel_is_noticed(monkeypatch):
    copy = hocket.jit(host_block_scaled.matmul_block_scaled.fn)
    monkeypatch.setattr(host_block_scaled, "matmul_block_scaled", copy)
    with emulator.target("sm_90a", completion="late"), lane_edits.editable() as kernels:
        block_scaled_product()
        (kernel,) = kernels
        assert len(list(weakenings(kernel.lane()))) > 15
        left = unnoticed(kernel, block_scaled_product)
    assert not [line for place, line in left if not (place.startswith(_SPARE) and line.startswith("nvvm.barrier"))]
