"""All synchronization of warp pipelines is needed, and the emulator detects its absence; exceptions have known reasons.

As test_needed_synchronization.py, for the pipelined kernels: each barrier, fence and wait is deleted in turn, compiler
fences all at once. A report, or a wrong result, in one of a few schedules is enough. What goes unnoticed must have one
of these reasons:

compiler fence     of one thread, around a raw barrier. It keeps LLVM from moving accesses over the barrier and becomes
                   no instruction. The emulator runs accesses as they stand.
later acquire      the acquiring fence of a slot. What others have waited for is in LDS, which all warps share; the
                   fence does nothing that the barrier of the next slot does not do again, and that one comes before
                   the access that needs it: what all warps read has its fence a stage or more ahead
                   (csrc/analysis/warp_pipeline/StageFences.h).
turns              a barrier between two stages that would not race if they were one stage, because conflicting accesses
                   are at least two barriers away. It only makes the groups alternate: see the timeline.
drain              the wait for all copies between two loops, with its barrier. The first waits of the second loop, and
                   their barriers, would do.
phase              the barrier that one group alone passes, if no barrier follows the pipeline. Without the first one
                   the groups are in step, as in a plain loop. Without the last one the low group ends earlier.
"""

import re

import lane_edits
import pipelined_kernels
import pytest

import hocket
from hocket.errors import RaceError

pytestmark = pytest.mark.slow

#: The natural order, and an adversarial one.
SEEDS = (0, 3)

#: Stages after a barrier that only makes the groups alternate. Halves of A are private to a group, and b0 is written
#: last.
TURNS = ("multiply a1 b1", "store b0")

#: Reasons of exceptions by kernel, and their numbers of lines.
UNNOTICED = {
    "matmul_through_registers_gfx942": {"compiler fence": 13, "later acquire": 4, "turns": 2},
    "matmul_quadrants": {"compiler fence": 12, "later acquire": 4},
    "matmul_scaled": {"compiler fence": 12, "later acquire": 4},
    "matmul_scaled_mxfp8": {"compiler fence": 12, "later acquire": 4},
    "matmul_ring": {"compiler fence": 6, "later acquire": 1},
    "matmul_splits_through_registers": {"compiler fence": 13, "later acquire": 4, "turns": 2},
    "matmul_splits_quadrants": {"compiler fence": 12, "later acquire": 4},
    "matmul_splits_ring": {"compiler fence": 6, "later acquire": 1},
    "attention_through_registers": {"compiler fence": 12, "later acquire": 4},
    "attention_direct_to_shared": {"compiler fence": 16, "later acquire": 4, "drain": 4},
    "attention_narrow": {"compiler fence": 16, "later acquire": 4, "drain": 4},
}


def reason_of(lane, number, synchronizations, slots):
    """Why line `number` of `lane` may be missing, or None. `synchronizations` and `slots` are those of `lane`."""
    line = lane.lines[number]
    if 'llvm.fence syncscope("singlethread")' in line:
        return "compiler fence"
    slot = next((stage for stage, lines in slots if number in lines), None)
    if slot and re.search(r"llvm\.fence .* acquire", line):
        return "later acquire"
    if slot:
        return "turns" if slot in TURNS and "s.barrier" in line else None
    place = synchronizations.index(number)
    if not slot and any("outstanding = 0" in lane.lines[n] for n in synchronizations[max(0, place - 3) : place + 1]):
        return "drain"
    if not slot and lane.is_conditional(number) and synchronizations[-1] in lane.reunion():
        return "phase"
    return None


@pytest.mark.parametrize("name", UNNOTICED)
def test_each_removal_is_noticed_or_explained(name):
    target, launch = (pipelined_kernels.LAUNCHES | pipelined_kernels.VARIANTS)[name]
    with hocket.emulator.target(target), lane_edits.editable() as kernels:
        assert pipelined_kernels.is_right(launch)
        kernel, *second = kernels
        assert not any(adding.lane().synchronizations() for adding in second), "what adds shares up has none"
        unnoticed, unexplained = {}, []
        for reason, numbers in removals(kernel.lane()):
            lane = kernel.lane()
            removed = [lane.delete(number) for number in reversed(numbers)]
            kernel.use(lane)
            if is_noticed(launch):
                continue
            unnoticed[reason] = unnoticed.get(reason, 0) + len(numbers)
            if not reason:
                unexplained += removed
        assert not unexplained
        assert unnoticed == UNNOTICED[name]


def removals(lane):
    """Pairs of a reason and the lines to delete: one line, or all compiler fences, which the emulator ignores."""
    synchronizations, slots = lane.synchronizations(), lane.slots()
    reasons = {number: reason_of(lane, number, synchronizations, slots) for number in synchronizations}
    fences = [number for number, reason in reasons.items() if reason == "compiler fence"]
    return [("compiler fence", fences), *((reasons[number], [number]) for number in reasons if number not in fences)]


def is_noticed(launch):
    for seed in SEEDS:
        with hocket.emulator.schedule(seed=seed):
            try:
                if not pipelined_kernels.is_right(launch):
                    return True
            except RaceError:
                return True
    return False
