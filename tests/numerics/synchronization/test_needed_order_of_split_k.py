"""The order between the blocks of a split-K tile is needed, and the emulator detects its absence.

Blocks do not synchronize: there are no atomics and no barriers between them. Instead, each block writes to a separate
workspace, and a later launch sums the workspaces. Each test removes one of these two.
"""

from unittest import mock

import lane_edits
import numpy as np
import pipelined_kernels
import pytest

import hocket
from hocket.errors import RaceError
from hocket.kernels import matmul
from hocket.kernels._matmul import host_cdna as matmul_cdna
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile

pytestmark = pytest.mark.slow

#: Two warps along each dimension, several k-tiles.
SMALL_TILE = Tile(64, 64, 2, 2)
M, N, SPLITS = 80, 80, 3

PLANS = {
    "through_registers": CdnaPlan(SMALL_TILE, 64, False, 1, False, splits=SPLITS),
    "direct_to_shared": CdnaPlan(SMALL_TILE, 64, True, 2, False, splits=SPLITS),
    "pipelined_through_registers": CdnaPlan(pipelined_kernels.QUADRANTS_TILE, 64, False, 1, True, splits=SPLITS),
    "pipelined_quadrants": CdnaPlan(pipelined_kernels.QUADRANTS_TILE, 64, True, 2, True, splits=SPLITS),
    "pipelined_ring": CdnaPlan(pipelined_kernels.TILE, 64, True, 3, True, splits=SPLITS),
}


class Launches:
    """Stands where a kernel would: `act(launch, arguments, options)` decides what becomes of its launches."""

    def __init__(self, kernel, act):
        self.kernel, self.act = kernel, act

    def __getitem__(self, grid):
        launch = self.kernel[grid]
        return lambda *arguments, **options: self.act(launch, arguments, options)


def unwritten(like, shape, dtype):
    """A read before the write changes the result."""
    return np.full(shape, np.nan, dtype)


@pytest.fixture(params=PLANS)
def plan(request):
    with (
        hocket.emulator.target("gfx950"),
        mock.patch.object(matmul_cdna, "empty_like", unwritten),
        lane_edits.editable() as kernels,
    ):
        request.node.kernels = kernels
        yield PLANS[request.param]


def is_right(plan):
    k = 64 * SPLITS * 2 - 16
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((M, k), (k, N)))
    result = matmul(a, b, out_dtype="float32", plan=plan)
    return np.allclose(result, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-2)


def first_pass(plan, act):
    way = plan.variant, plan.is_direct
    return mock.patch.dict(matmul_cdna.KERNELS, {way: Launches(matmul_cdna.KERNELS[way], act)})


def second_pass(act):
    return mock.patch.object(matmul_cdna, "add_splits", Launches(matmul_cdna.add_splits, act))


def test_nothing_else_orders_blocks(plan, request):
    assert is_right(plan)
    first, second = (kernel.lane() for kernel in request.node.kernels)
    assert not second.synchronizations()
    assert "atomic" not in f"{first}{second}"


def test_the_emulator_detects_a_second_pass_before_the_first(plan):
    waiting = []

    def keep(launch, arguments, options):
        waiting.append(lambda: launch(*arguments, **options))

    def overtake(launch, arguments, options):
        launch(*arguments, **options)
        waiting.pop()()

    with first_pass(plan, keep), second_pass(overtake):
        assert not is_right(plan)
    assert not waiting


def test_shares_in_one_workspace_are_noticed(plan):
    def overlap(launch, arguments, options):
        *others, starts, m, n, k = arguments
        launch(*others, (*starts[:3], 0), m, n, k, **options)

    with first_pass(plan, overlap), pytest.raises(RaceError, match="races with a write by another block"):
        is_right(plan)
