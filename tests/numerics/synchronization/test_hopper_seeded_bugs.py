"""The bugs of test_seeded_bugs.py in their Hopper forms, planted below the compiler: `hocket check` finds each.

There are no raw barriers, so what may be missing is a slot, a wait for copies or products, or a fence between proxies.
"""

import inspect
import re

import hopper_pipelines
import hopper_seeded_bugs
import lane_edits
import pytest

import hocket

pytestmark = pytest.mark.slow

BARRIER = re.compile(r"\s*nvvm\.barrier\b")
FENCE = re.compile(r"\s*nvvm\.fence\.proxy\b")
DEVICE = hocket.devices.EmulatedDevice("sm_90a")


class HopperLane:
    """Edits the lines of a kernel's lane IR. The barrier of a slot precedes the label of the stage after it."""

    def __init__(self, lane):
        self.lines = lane.lines

    def labels(self, stage):
        return [n for n, line in enumerate(self.lines) if f'lane.stage = "{stage}"' in line]

    def barrier_before(self, stage, of=1):
        """The number of the line; of the first stage of a loop, the one at the loop's end. Where something is joined to
        the loop, there are two, the one at the boundary to the previous pipeline first."""
        barriers = [n - 1 for n in self.labels(stage) if BARRIER.match(self.lines[n - 1])]
        assert len(barriers) == of, barriers
        return barriers[0]

    def delete_barrier(self, stage, of=1):
        del self.lines[self.barrier_before(stage, of)]

    def fences(self):
        return [n for n, line in enumerate(self.lines) if FENCE.match(line)]

    def replace(self, old, new):
        found = [n for n, line in enumerate(self.lines) if old in line]
        assert len(found) == 1, found
        self.lines[found[0]] = self.lines[found[0]].replace(old, new)

    def merge(self, second):
        """Deletes all that keeps the pipeline that begins with `second` apart from the one before it."""
        begin, end_of_first = min(self.labels(second)), min(self.labels(""))
        between = [n for n in range(end_of_first, begin) if "nvvm.barrier" in self.lines[n]]
        assert len(between) == 3, "two barriers of one group, and one of all warps between them"
        for n in reversed(between):
            del self.lines[n]


#: Launches of kernels of hopper_pipelines.py.
OPTIONS = {"by_copies": {"SLOTS": 4}, "by_turns": {}, "through_registers": {"GAP": 1, "FENCE": False}}


def launches(kernel):
    if kernel.__module__ == hopper_seeded_bugs.__name__:
        return lambda: hopper_seeded_bugs.sum_of_tiles(kernel)
    return lambda: hopper_pipelines.product(DEVICE, kernel, 4, **OPTIONS[kernel.fn.__name__])[0]


def check(kernel, edit, schedules=20):
    """Returns the emulator's report for the edited `kernel`."""
    launch = launches(hocket.jit(kernel.fn))  # compiled again
    with lane_edits.edited(lambda lane: edit(HopperLane(lane))):
        return hocket.check(launch, target="sm_90a", schedules=schedules)


def line_of(kernel, source):
    module = inspect.getmodule(kernel.fn)
    first = kernel.fn.__code__.co_firstlineno
    lines = inspect.getsource(module).splitlines()
    return next(n for n, line in enumerate(lines[first - 1 :], first) if source in line)


def expect(report, kernel, source, message, stage, other, *notes):
    """Every schedule shows a race, the first of them `message` at `source`, in `stage`; `other`, a function and a line
    of it, is what it meets."""
    finding = report.findings[0]
    assert {found.kind for found in report.findings} == {"race"}
    assert sum(found.count for found in report.findings) == len(report.schedules)
    assert finding.lineno == line_of(kernel, source)
    assert f": error: {message}\n" in finding.text
    assert f', in stage "{stage}"\n' in finding.text
    assert f"in line {line_of(*other)}, warp" in finding.text
    for note in notes:
        assert note in finding.text


KERNELS = [
    hopper_pipelines.through_registers,
    hopper_pipelines.by_copies,
    hopper_pipelines.by_turns,
    hopper_seeded_bugs.two_pipelines,
    hopper_seeded_bugs.merged_pipelines,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.fn.__name__)
def test_the_repaired_forms(kernel):
    edits = []
    report = check(kernel, edits.append, schedules=200)
    assert len(edits) == 1
    assert report.ok, report
    assert (len(report.schedules), report.results) == (200, 1)


REGISTERS = hopper_pipelines.through_registers
MULTIPLY, STORE, RIGHT = "acc = warpgroup_mma(left", "left.index((k + 1) % 2).store", "right.index((k + 1) % 2).store"


def test_a_missing_slot():
    """Only one slot is left between storing and multiplying: one group multiplies while the other stores."""
    expect(
        check(REGISTERS, lambda lane: lane.delete_barrier("fetch")),
        REGISTERS,
        MULTIPLY,
        "read by a wgmma of `right` races with a write by another warp",
        "multiply",
        (REGISTERS, RIGHT),
        ', in stage "store"\n',
        "hint:    the two groups of warps execute different stages at the same time",
    )


def test_a_wait_that_leaves_a_product_in_flight():
    """The other group stores the next tile but one over what is still being read."""
    expect(
        check(REGISTERS, lambda lane: lane.replace("{outstanding = 0 : i32}", "{outstanding = 1 : i32}")),
        REGISTERS,
        STORE,
        "write to `left` races with a read by a wgmma by another warp",
        "store",
        (REGISTERS, MULTIPLY),
        ', in stage "multiply"\n',
    )


UNSEEN = "read by a wgmma of `left` without a proxy fence after the write of line"


def test_a_missing_fence_between_proxies():
    def edit(lane):
        _, in_stage = lane.fences()
        del lane.lines[in_stage]

    line = line_of(REGISTERS, STORE)
    expect(
        check(REGISTERS, edit),
        REGISTERS,
        MULTIPLY,
        f"{UNSEEN} {line}, which it may not see",
        "multiply",
        (REGISTERS, STORE),
        ', in stage "store"\n',
    )


def test_a_fence_between_proxies_one_slot_late():
    """After the slot that passes the stores on: in time for what each warp has stored itself only."""

    def edit(lane):
        fence = lane.lines.pop(lane.fences()[1])
        lane.lines.insert(lane.barrier_before("multiply"), fence)

    line = line_of(REGISTERS, RIGHT)
    expect(
        check(REGISTERS, edit),
        REGISTERS,
        MULTIPLY,
        f"{UNSEEN.replace('left', 'right')} {line}, which it may not see",
        "multiply",
        (REGISTERS, RIGHT),
    )


def test_a_wait_that_covers_the_wrong_group():
    """It waits for the group before the one whose tile is multiplied next."""
    kernel, copy = hopper_pipelines.by_copies, (hopper_pipelines.copy_step, "async_copy.async_load(left.index")
    line = line_of(*copy)
    expect(
        check(kernel, lambda lane: lane.replace("{outstanding = 1 : i32}", "{outstanding = 2 : i32}")),
        kernel,
        MULTIPLY,
        f"read by a wgmma of `left` while the asynchronous copy of line {line} into it is still in flight",
        "multiply",
        copy,
    )


def test_a_hazard_across_two_merged_pipelines():
    """The last stage of the first pipeline writes what the first stage of the second reads: they must stay apart."""
    kernel = hopper_seeded_bugs.two_pipelines
    expect(
        check(kernel, lambda lane: lane.merge("read")),
        kernel,
        "values = buffer",
        "read of `buffer` races with a write by another warp",
        "read",
        (kernel, "buffer.index(k).store"),
        ', in stage "write"\n',
    )


def test_a_missing_slot_between_two_pipelines():
    """Each is right by itself; without the slot that joins them, writing and reading are one slot apart."""
    kernel = hopper_seeded_bugs.merged_pipelines
    expect(
        check(kernel, lambda lane: lane.delete_barrier("add", of=2)),
        kernel,
        "total += buffer",
        "read of `buffer` races with a write by another warp",
        "read",
        (kernel, "buffer.index(0).store"),
        ', in stage "store"\n',
    )


def test_missing_waits_for_exclusive_stages():
    """The edit keeps the arrivals before the loop and the wait after it, so that there is no deadlock."""
    kernel = hopper_pipelines.by_turns

    def edit(lane):
        arrivals = [n for n, line in enumerate(lane.lines) if "nvvm.barrier.arrive" in line]
        assert len(arrivals) == 2, "before the loop, and in it"
        del lane.lines[arrivals[1]]
        lane.delete_barrier("multiply")

    expect(
        check(kernel, edit),
        kernel,
        MULTIPLY,
        "read by a wgmma of `right` races with a write by another warp",
        "multiply",
        (kernel, "right.index((k + 2) % 3).store"),
        ', in stage "store"\n',
    )
