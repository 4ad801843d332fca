"""`hocket.check`: bugs that it finds, its messages, and arguments that it rejects."""

import re

import checked
import numpy as np
import pytest

import hocket
from hocket import errors
from hocket.checking import Schedule, results
from hocket.checking.progress import Progress
from hocket.checking.report import KINDS


def check(function, **options):
    return hocket.check(function, **{"target": "gfx950", "schedules": 12, **options})


def line_of(source):
    lines = [n for n, line in enumerate(open(checked.__file__), 1) if source in line]
    assert len(lines) == 1, lines
    return lines[0]


def only(report):
    assert not report.ok
    (finding,) = report.findings
    return finding


# Bugs that are found -------------------------------------------------------------------------------------------------


def test_a_right_kernel(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    report = check(checked.with_a_barrier)
    assert report.ok
    assert (report.results, report.outcomes, report.arrays) == (1, 1, 1)
    assert report.schedules == [Schedule(seed, ("late", "random", "now")[seed % 3]) for seed in range(12)]
    line = line_of("def reverse(")
    assert str(report) == (
        "with_a_barrier: 12 schedules, 0 races, 0 deadlocks, 0 divergences\n"
        f"  launched:   reverse ({checked.__file__}:{line}) on gfx950, 1 block of 4 warps\n"
        "  schedules:  seeds 0 to 11; order of blocks and warps: natural 1, random 8, adversarial 3; "
        "completion of copies: late 4, random 4, now 4\n"
        "  outcomes:   1 result (1 returned array or number, compared bit by bit)"
    )


def test_a_race():
    report = check(checked.without_a_barrier)
    finding = only(report)
    assert (finding.kind, finding.count, finding.first) == ("race", 12, Schedule(0, "late"))
    assert (finding.filename, finding.lineno) == (checked.__file__, line_of("tile.store("))
    assert isinstance(finding.error, errors.RaceError)
    assert (report.results, report.outcomes) == (0, 1)
    assert str(report).startswith(
        "without_a_barrier: 12 schedules, 1 race\n\n"
        "race in 12 of 12 schedules, first under "
        'hocket.emulator.schedule(seed=0, completion="late", threads=1)\n  '
    )
    assert "error: write to `tile` races with a read by another warp\n" in str(report)
    assert str(report).endswith("  outcomes:   1 way to fail")


@pytest.mark.parametrize(
    "error", [errors.EmulatorError, *errors.EmulatorError.__subclasses__()], ids=lambda error: error.__name__
)
def test_every_error_of_the_emulator_prints(error):
    def function():
        checked.with_a_barrier()
        raise error("what went wrong")

    report = check(function, schedules=2)
    assert isinstance(only(report).error, error)
    one, several = KINDS[only(report).kind]
    assert (one, several) != KINDS["failure"] or error is errors.EmulatorError
    assert str(report).startswith(f"function: 2 schedules, 1 {one}\n\n{one} in 2 of 2 schedules, first under ")


def test_a_missing_wait():
    finding = only(check(checked.without_a_wait))
    assert (finding.kind, finding.count, finding.lineno) == (
        "race",
        12,
        line_of("gl.store(out + i, tile.load(layout))"),
    )
    copy = line_of("buffer_load_to_shared(tile, x, i)")
    assert f"read of `tile` while the asynchronous copy of line {copy} into it is still in flight" in finding.text


def test_a_deadlock_that_some_orders_have():
    report = check(checked.flag_that_nobody_sets, schedules=60)
    finding = only(report)
    assert finding.kind == "deadlock"
    assert 0 < finding.count < 60
    assert finding.lineno == line_of("gl.atomic_add(flag, 0)")
    assert re.search(r"waiting: .* in a loop over line \d+, where `flag`\[0\] is 0", finding.text)
    assert report.outcomes == report.results + 1


def test_a_race_of_global_memory_within_a_block():
    finding = only(check(checked.through_global_memory, schedules=8))
    assert (finding.kind, finding.count, finding.lineno) == ("race", 8, line_of("gl.store(out + i, i)"))
    assert "write to `out` races with a read by another warp" in finding.text


def test_the_first_schedule_repeats_what_it_has_shown():
    first = only(check(checked.flag_that_nobody_sets, schedules=60)).first
    context = eval(str(first), {"hocket": hocket})
    with hocket.emulator.target("gfx950"), context, pytest.raises(errors.DeadlockError):
        checked.flag_that_nobody_sets()
    again = only(check(checked.flag_that_nobody_sets, schedules=1, first_seed=first.seed))
    assert (again.first, again.kind) == (first, "deadlock")


def test_a_sum_that_depends_on_the_order():
    report = check(checked.sum_by_atomics, schedules=30)
    finding = only(report)
    assert finding.kind == "divergence"
    assert finding.text.startswith(
        "`result['total']` depends on the schedule: 1 of 1 elements differ from the first schedule's\n  at [0]:  "
    )
    assert f"  in add_up ({hocket.checking.report.shown_path(checked.__file__)}:{finding.lineno})" in finding.text
    assert "if that is all, give a tolerance" in finding.text
    assert report.results > 1
    assert check(checked.sum_by_atomics, schedules=30, tolerance=1e-5).ok


def test_tickets_that_depend_on_the_order_of_blocks():
    """With one warp per block, nothing else could differ."""
    report = check(checked.tickets_of_blocks, schedules=8)
    finding = only(report)
    assert finding.kind == "divergence"
    assert finding.text.startswith("`result[1]` depends on the schedule: ")
    assert report.results > 4
    assert check(lambda: np.sort(checked.tickets_of_blocks()[1]), schedules=8).ok


def test_blocks_that_wait_for_each_other():
    report = check(checked.blocks_that_meet)
    assert report.ok, report


def test_integers_have_no_tolerance():
    report = check(checked.tickets, tolerance=10.0)
    assert [finding.text.split()[0] for finding in report.findings] == ["`result[1]`"]
    assert check(lambda: checked.tickets()[0]).ok


def test_an_assertion_of_the_function():
    report = check(checked.first_thread_comes_first, schedules=30)
    finding = only(report)
    assert (finding.kind, finding.lineno) == ("wrong result", line_of("assert out[0] == 0"))
    assert finding.first.seed > 0
    assert finding.text.endswith('assert out[0] == 0, "thread 0 came late"\nthread 0 came late')


def test_nan_in_a_result_is_a_finding():
    finding = only(check(checked.not_a_number, schedules=3))
    assert (finding.kind, finding.count) == ("poison", 3)
    assert finding.text.startswith("`result` has 256 NaN among 256 elements, the first at [0]\n  hint:  shared memory")
    assert finding.lineno == line_of("def divide(")
    assert f"\n  in divide ({hocket.checking.report.shown_path(checked.__file__)}:" in finding.text
    assert check(checked.not_a_number, schedules=3, allow_nan=True).ok


def test_undefined_value():
    finding = only(check(checked.never_written, schedules=3, allow_nan=True))
    assert (finding.kind, finding.count) == ("undefined value", 3)
    assert "shared memory that nothing has written" in finding.text


def test_fail_fast():
    report = check(checked.without_a_barrier, fail_fast=True)
    assert len(report.schedules) == only(report).count == 1
    assert len(check(checked.with_a_barrier, fail_fast=True).schedules) == 12


def test_races_are_looked_for_even_where_they_are_switched_off(monkeypatch):
    monkeypatch.setenv("HOCKET_EMULATOR_RACES", "0")
    assert only(check(checked.without_a_barrier, schedules=1)).kind == "race"


def test_completions():
    report = check(checked.with_a_barrier, schedules=4, completions="now", first_seed=7)
    assert report.schedules == [Schedule(seed, "now") for seed in (7, 8, 9, 10)]
    assert "seeds 7 to 10; order of blocks and warps: adversarial 1, random 3; completion of copies: now 4\n" in str(
        report
    )


# Arguments that are rejected -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("needs_arguments", {}, "needs_arguments() is called without arguments, but needs size, slots"),
        (
            "reverse",
            {},
            "reverse is a kernel: check a function without arguments that launches it and returns its output",
        ),
        (
            "returns_nothing",
            {},
            "returns_nothing() returns nothing to compare: return the arrays that its kernels write",
        ),
        ("returns_text", {}, "result[1] is of type str, which cannot be compared: return arrays, numbers, or tuples"),
        (
            "launches_nothing",
            {},
            "launches_nothing() has launched no kernel on the emulator: launch one on NumPy arrays",
        ),
        ("draws_numbers", {}, "draws_numbers() returns other values when it runs again under the same schedule: it"),
        ("launches_too_much", {}, "a grid has one to three extents, not 4"),
        ("with_a_barrier", {"target": "gfx900"}, "unknown target 'gfx900'; hocket compiles for sm_80, sm_90a"),
        ("with_a_barrier", {"schedules": 0}, "schedules must be at least 1, not 0"),
        ("with_a_barrier", {"threads": 0}, "threads must be at least 1, not 0"),
        ("with_a_barrier", {"first_seed": -1}, "a seed must be at least 0, not -1"),
        ("with_a_barrier", {"tolerance": float("nan")}, "tolerance must be at least 0, not nan"),
        ("with_a_barrier", {"completions": ()}, "completions is empty: give one or more of 'late', 'random', 'now'"),
        ("with_a_barrier", {"completions": "soon"}, "completion must be 'late', 'random' or 'now', not 'soon'"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_what_cannot_be_checked(name, options, message):
    with pytest.raises(errors.LaunchError) as raised:
        check(getattr(checked, name), **options)
    assert str(raised.value).startswith(message)


def test_other_errors_pass_through():
    with pytest.raises(errors.CompileError, match="`undefined` is not defined"):
        check(checked.does_not_compile)
    with pytest.raises(IndexError):
        check(checked.fails)


# Comparing ----------------------------------------------------------------------------------------------------------


def test_results_are_named_and_copied():
    array = np.arange(3)
    arrays = results.named_arrays({"a": [array, (2.5, None)], 1: True})
    array[:] = 0
    assert list(arrays) == ["result['a'][0]", "result['a'][1][0]", "result[1]"]
    np.testing.assert_array_equal(arrays["result['a'][0]"], [0, 1, 2])


@pytest.mark.parametrize(
    ("dtype", "value", "rounds"),
    [("f4", 100.001, True), ("f4", 100.1, False), ("f4", np.nan, False), ("f2", 100.5, True), ("f2", 104, False)],
)
def test_differences_as_small_as_rounding(dtype, value, rounds):
    first, other = np.array([100, -7], dtype), np.array([value, -7], dtype)
    assert ("rounded" in results.difference("x", other, first, 0)) == rounds
    lost = np.array([value, np.nan], dtype)
    assert "rounded" not in results.difference("x", lost, first, 0)


def test_differences():
    first = np.array([[1, 100], [0, np.nan]], np.float32)
    assert results.difference("x", first.copy(), first, 0) is None
    other = np.array([[1, 101], [-0.0, np.nan]], np.float32)
    assert results.difference("x", other, first, 0) == (
        "`x` depends on the schedule: 2 of 4 elements differ from the first schedule's\n"
        "  at [0, 1]:  101.0, and was 100.0\n"
        "  largest difference:  1"
    )
    assert results.difference("x", other, first, 0.01) is None
    lost = np.array([[1, 101], [np.nan, np.nan]], np.float32)
    assert "1 of 4 elements differ" in results.difference("x", lost, first, 0.01)
    assert results.difference("x", first[0], first, 0) == (
        "`x` depends on the schedule: it has shape (2,) and type float32, and was (2, 2), float32"
    )


def test_differences_of_small_floats():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    first = np.array([1, 2, np.nan], ml_dtypes.bfloat16)
    other = np.array([1, 2.015625, np.nan], ml_dtypes.bfloat16)
    assert "at [1]:  2.015625, and was 2.0\n" in results.difference("x", other, first, 0)
    assert results.difference("x", other, first, 0.01) is None
    assert results.nans("x", first).startswith("`x` has 1 NaN among 3 elements, the first at [2]\n")


def test_differences_of_numbers():
    assert "1 of 1 elements" in results.difference("x", np.array(1), np.array(2), 0)


# Progress -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("is_terminal", "wanted"), [(True, True), (True, False), (False, True)])
def test_progress_is_for_terminals(monkeypatch, capsys, is_terminal, wanted):
    clock = iter(range(0, 100, 2))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal, raising=False)
    with Progress(200, wanted) as progress:
        progress.show(50, 1)
    err = capsys.readouterr().err
    if is_terminal and wanted:
        line = "[######..................] 50 of 200 schedules, 1 finding, 6 s left"
        assert err == f"\r{line}\r{' ' * len(line)}\r"
    else:
        assert err == ""
