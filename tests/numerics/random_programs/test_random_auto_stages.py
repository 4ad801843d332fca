"""Random loops with warp_pipeline="auto": with the stages that the compiler forms, they give the plain loop's bits.

Loops that keep no stages give a known reason. HOCKET_RANDOM_AUTO_STAGES multiplies the numbers of loops; the parts
`auto-stages-gfx942`, `auto-stages-gfx950` and `auto-stages-sm_90a` of tests/robustness/seeded_torture.py try more
schedules.
"""

import collections
import os

import auto_stage_loops
import drawn_programs
import pytest

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("HOCKET_RANDOM_AUTO_STAGES", "1"))
#: Loops of one test.
BATCH = 8
SCHEDULES = [(0, "late"), (1, "random"), (7, "now")]


def drawn(folder, seed, target):
    """The kernel of a loop, and its source."""
    loop = auto_stage_loops.DRAWN_BY[target].Loop(seed, target)
    module = drawn_programs.load(folder / f"loop_{seed}.py", loop.source)
    return getattr(module, f"loop_{seed}"), loop.source


@pytest.mark.parametrize("batch", range(2 * TIMES))
@pytest.mark.parametrize("target", auto_stage_loops.DRAWN_BY)
def test_loops_with_formed_stages(tmp_path, target, batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        kernel, source = drawn(tmp_path, seed, target)
        try:
            auto_stage_loops.check(kernel, target, SCHEDULES)
        except Exception as error:
            pytest.fail(f"{target} {seed}\n{source}{error}")


@pytest.mark.parametrize("seed", [20214, 20264])
def test_arrivals_follow_the_waits_of_all_warps(tmp_path, seed):
    """The loops wait at an mbarrier without reading the tile, so no access orders the next arrival."""
    kernel, _ = drawn(tmp_path, seed, "sm_90a")
    auto_stage_loops.check(kernel, "sm_90a", [(order, ("late", "random", "now")[order % 3]) for order in range(20)])


@pytest.mark.parametrize("target", auto_stage_loops.DRAWN_BY)
def test_some_loops_get_stages(tmp_path, target):
    counts = collections.Counter()
    for seed in range(12):
        kernel, _ = drawn(tmp_path, seed, target)
        counts[auto_stage_loops.DRAWN_BY[target].decisions(kernel, target)[0].formed] += 1
    assert min(counts[True], counts[False]) >= 2
