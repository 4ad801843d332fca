"""Bugs that warp pipelines are known for, planted below the compiler: `hocket check` finds each, and nothing without.

The compiler refuses these programs, or places the barriers itself, so each bug is an edit of what it emits for a right
kernel (lane_edits.py). That kernel without the edit is the repaired form.
"""

import inspect

import lane_edits
import pytest
import seeded_bugs

import hocket
from hocket.cli import main

pytestmark = pytest.mark.slow

TARGETS = ["gfx942", "gfx950"]
SCHEDULES = 200

#: Kernel -> compile-time arguments of the right form.
KERNELS = {
    "one_buffer": {},
    "two_stages_behind": {},
    "ring_of_copies": {"AT_THE_END": 0},
    "two_pipelines": {},
    "merged_pipelines": {},
}


def check(name, target, edit, schedules=SCHEDULES, **constexprs):
    """Returns the emulator's report for the edited kernel `name`."""
    kernel = hocket.jit(getattr(seeded_bugs, name).fn)  # compiled again
    with lane_edits.edited(edit):
        return hocket.check(
            lambda: seeded_bugs.sum_of_tiles(kernel, **(constexprs or KERNELS[name])),
            target=target,
            schedules=schedules,
        )


def line_of(source):
    lines = [n for n, line in enumerate(inspect.getsource(seeded_bugs).splitlines(), 1) if source in line]
    assert len(lines) == 1, lines
    return lines[0]


def expect(report, kind, message, source, *notes):
    """`report` has one finding, which every schedule shows: `message` at the line of `source`."""
    (finding,) = report.findings
    assert (finding.kind, finding.count) == (kind, len(report.schedules))
    assert (finding.filename, finding.lineno) == (seeded_bugs.__file__, line_of(source))
    assert f": error: {message}\n" in finding.text
    for note in notes:
        assert note in finding.text


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", KERNELS)
def test_the_repaired_forms(name, target):
    edits = []
    report = check(name, target, edits.append)
    assert len(edits) == 1
    assert report.ok, report
    assert len(report.schedules) == SCHEDULES
    assert report.results == 1


@pytest.mark.parametrize("target", TARGETS)
def test_a_raw_barrier_before_the_wait_for_reads(target):
    """The reads of "read" may still be on their way when the other group writes."""

    def edit(lane):
        lane.make_raw("add")

    expect(
        check("one_buffer", target, edit, schedules=20),
        "race",
        "write to `tile` races with a read by another warp",
        "tile.store(following)",
        ', in stage "write"\n',
        f"read in line {line_of('values = tile.load(COLUMNS)')}, warp",
        ', in stage "read"\n',
        "hint:    the two groups of warps execute different stages at the same time",
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_missing_check_of_adjacent_stages(target):
    """A fence is all that lies between writing and reading: the low group reads while the high group writes."""

    def edit(lane):
        assert lane.is_fence("fetch")
        lane.delete_barrier("read")

    expect(
        check("one_buffer", target, edit, schedules=20),
        "race",
        "read of `tile` races with a write by another warp",
        "values = tile.load(COLUMNS)",
        ', in stage "read"\n',
        f"write in line {line_of('tile.store(following)')}, warp",
        ', in stage "write"\n',
    )


READ, WRITE = ("values = tile.load(COLUMNS)", "tile.store(following)")
READ_2, WRITE_2 = ("values_2 = tile.load(COLUMNS)", "tile.store(following * 1)")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("kernel", "stage", "later", "first", "second"),
    [
        ("one_buffer", "add", "write", READ, WRITE),
        ("one_buffer", "fetch", "read", WRITE, READ),
        # Both would be in time for a lag of one stage.
        ("two_stages_behind", "add", "pause", READ_2, WRITE_2),
        ("two_stages_behind", "fetch", "rest", WRITE_2, READ_2),
    ],
)
def test_a_fence_one_slot_late(target, kernel, stage, later, first, second):
    """It is in time for the low group only: when low passes it, high has not."""

    def edit(lane):
        lane.move_fence(stage, to=later)

    report = check(kernel, target, edit, schedules=20)
    access, stage, other = (
        ("write to", "write", "read") if later in ("write", "pause") else ("read of", "read", "write")
    )
    expect(
        report,
        "race",
        f"{access} `tile` races with a {other} by another warp",
        second,
        f', in stage "{stage}"\n',
        f"{other} in line {line_of(first)}, warp",
        f', in stage "{other}"\n',
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_wait_that_covers_the_wrong_group(target):
    """It waits for the group before the one whose tile is read next."""

    def edit(lane):
        lane.change_wait("add", outstanding=1, to=2)

    copy = line_of("x + k * SIZE * SIZE, places(ROWS))")
    expect(
        check("ring_of_copies", target, edit, schedules=20),
        "race",
        f"read of `ring` while the asynchronous copy of line {copy} into it is still in flight",
        "values = ring.index(k % 3).load(COLUMNS)",
        ', in stage "read"\n',
        f"asynchronous copy in line {copy}, warp",
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_hazard_across_two_merged_pipelines(target):
    """The last stage of the first pipeline writes what the first stage of the second reads: they must stay apart."""

    def edit(lane):
        lane.merge("read")

    expect(
        check("two_pipelines", target, edit, schedules=20),
        "race",
        "read of `buffer` races with a write by another warp",
        "values = buffer.index(tiles - 1 - k).load(COLUMNS)",
        ', in stage "read"\n',
        f"write in line {line_of('buffer.index(k).store(fetched)')}, warp",
        ', in stage "write"\n',
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_raw_barrier_that_joins_two_pipelines(target):
    """Each is right by itself, and no other slot between writing and reading is a fence."""

    def edit(lane):
        lane.make_raw("add", nth=0, of=2)

    expect(
        check("merged_pipelines", target, edit, schedules=20),
        "race",
        "read of `buffer` races with a write by another warp",
        "total += buffer.index(k).load(COLUMNS)",
        ', in stage "read"\n',
        f"write in line {line_of('buffer.index(0).store(fetched)')}, warp",
        ', in stage "write"\n',
    )


KERNEL = f"{seeded_bugs.__file__}::ring_of_copies"
ARGUMENTS = ["--signature", "*f32[4x64x64],*f32[64x64],i32=4", "--num-warps", "8", "--target", "gfx950"]


def test_a_bug_of_the_kernel_itself_on_the_command_line(capsys):
    """Edits the waits after the pipeline, which only the kernel contains."""
    arguments = ["check", KERNEL, *ARGUMENTS, "--schedules", str(SCHEDULES)]
    assert main([*arguments, "--constexpr", "AT_THE_END=1"]) == 1
    out = capsys.readouterr().out
    copy, read = line_of("ring.index((k + 2) % 3), x"), line_of("total += ring.index((tiles - 2 + k) % 3)")
    assert out.startswith(f"ring_of_copies: {SCHEDULES} schedules, 1 race\n\nrace in {SCHEDULES} of {SCHEDULES} schedu")
    assert f"seeded_bugs.py:{read}:18: error: read of `ring` while the asynchronous copy of line {copy} into" in out
    assert ', lane 0, in stage "read"\n' in out

    assert main([*arguments, "--constexpr", "AT_THE_END=0"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"ring_of_copies: {SCHEDULES} schedules, 0 races, 0 deadlocks, 0 divergences\n")
