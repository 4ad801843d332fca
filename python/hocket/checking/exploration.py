"""Runs a function under one schedule after another, and collects the errors."""

from __future__ import annotations

import inspect
import numbers
import operator
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from .. import emulator
from ..errors import (
    DeadlockError,
    DeviceAssertError,
    DivisionByZeroError,
    EmulatorError,
    InvalidIndexError,
    LaunchError,
    MbarrierError,
    MisalignedAccessError,
    OutOfBoundsError,
    RaceError,
    ReadOnlyArrayError,
    UndefinedValueError,
)
from . import results
from .progress import Progress
from .report import CheckedLaunch, CheckReport, Finding, Schedule, shown_path

_KINDS: dict[type[EmulatorError], str] = {
    RaceError: "race",
    DeadlockError: "deadlock",
    MbarrierError: "misused mbarrier",
    OutOfBoundsError: "out-of-bounds access",
    MisalignedAccessError: "misaligned access",
    ReadOnlyArrayError: "write to a read-only array",
    DivisionByZeroError: "division by zero",
    InvalidIndexError: "invalid index",
    UndefinedValueError: "undefined value",
    DeviceAssertError: "failed assertion",
}

#: Key by which equal findings are counted once: the kind, and a source location or a name.
_Key = tuple


def check(
    function: Callable[[], Any],
    *,
    target: str | None = None,
    schedules: int = 200,
    completions: str | Sequence[str] = ("late", "random", "now"),
    first_seed: int = 0,
    tolerance: float = 0.0,
    allow_nan: bool = False,
    fail_fast: bool = False,
    threads: int = 1,
    progress: bool = False,
    name: str | None = None,
) -> CheckReport:
    """Runs `function` under many schedules on the emulator, and reports all errors.

    `function` takes no arguments, makes its inputs, and launches kernels on NumPy arrays. `function` returns the arrays
    that the kernels write, or numbers, or tuples, lists or dicts of arrays and numbers. `function` must compute the
    same results in each call, so random numbers need a seed.

    The following are findings, whether they occur under one schedule or under all schedules:

    * errors of the emulator: races, reads of copies in flight, deadlocks, accesses out of bounds, and others;
    * an AssertionError of `function`;
    * a NaN in the results of `function`, because undefined values read as NaN, unless `allow_nan` is True;
    * divergence: a result that differs, in any bit, from the result of the first schedule.

    If a kernel adds floats by atomics, the result depends on the order of the atomics, so the results of different
    schedules diverge. If such differences are intended, pass a `tolerance`.

    Args:
        target: the emulated GPU; default: hocket.emulator.current_target().
        schedules: number of schedules. Seed 0, the natural order, comes first.
        completions: completion times of asynchronous copies, used round-robin; see hocket.emulator.schedule.
        first_seed: the seed of the first schedule, such as the seed of a finding.
        tolerance: largest difference of an element, relative to the largest value of the first schedule's array.
        allow_nan: whether results may contain NaN.
        fail_fast: stop after the first schedule with a finding.
        threads: number of host threads that run blocks. With several threads, interactions of blocks also depend on
            the host.
        progress: show progress on stderr, if it is a terminal.
        name: name of `function` in the report.

    Raises LaunchError for arguments, or a function, that cannot be checked. Errors that are not findings, such as a
    CompileError, propagate.

    Example:
        def example():
            x = np.random.default_rng(0).standard_normal(4096, dtype=np.float32)
            out = np.empty_like(x)
            kernel[(4,)](x, out, BLOCK=1024)
            return out

        report = hocket.check(example, target="gfx950", schedules=200)
        assert report.ok, report
    """
    for what, flag in (("allow_nan", allow_nan), ("fail_fast", fail_fast), ("progress", progress)):
        if not isinstance(flag, bool):
            raise LaunchError(f"{what} must be True or False, not {flag!r}")
    for what, text in (("target", target), ("name", name)):
        if text is not None and not isinstance(text, str):
            raise LaunchError(f"{what} must be a text, not {text!r}")
    name = name or getattr(function, "__name__", "function")
    completions = (completions,) if isinstance(completions, str) else completions
    _check_arguments(function, name, schedules, completions, first_seed, tolerance, threads)
    seeds = range(first_seed, first_seed + schedules)
    planned = [Schedule(seed, completions[seed % len(completions)], threads) for seed in seeds]
    exploration = _Exploration(function, name, target or emulator.current_target(), tolerance, allow_nan)
    with Progress(schedules, progress) as shown:
        for schedule in planned:
            try:
                exploration.run(schedule)
            except KeyboardInterrupt:  # the user has pressed Ctrl-C, e.g. because a kernel does not end
                raise KeyboardInterrupt(f"interrupted under {schedule}") from None
            shown.show(len(exploration.schedules), len(exploration.findings))
            if fail_fast and exploration.findings:
                break
    return exploration.report()


def _check_arguments(
    function: Callable,
    name: str,
    schedules: int,
    completions: Sequence[str],
    first_seed: int,
    tolerance: float,
    threads: int,
) -> None:
    from ..runtime.jit import JITFunction
    from ..tuning.wrapper import KernelWrapper

    for what, value in (("schedules", schedules), ("first_seed", first_seed), ("threads", threads)):
        try:
            operator.index(value)
        except TypeError:
            raise LaunchError(f"{what} must be an integer, not {value!r}") from None
    if isinstance(tolerance, bool) or not isinstance(tolerance, numbers.Real):
        raise LaunchError(f"tolerance must be a number, not {tolerance!r}")
    if not isinstance(completions, Sequence) or not all(isinstance(one, str) for one in completions):
        raise LaunchError(f"completions holds 'late', 'random' or 'now', not {completions!r}")
    if not callable(function):
        raise LaunchError(
            f"check takes a function without arguments, not {function!r}\n"
            "  hint: define one that makes the inputs, launches the kernel and returns the arrays that it writes"
        )
    if type(function).__name__ == "GridLaunch":
        raise LaunchError(
            "check takes a function without arguments, not a kernel with its grid\n"
            "  hint: define a function that launches it, kernel[grid](...), and returns the arrays that it writes"
        )
    if isinstance(function, JITFunction | KernelWrapper):
        raise LaunchError(
            f"{name} is a kernel: check a function without arguments that launches it and returns its output arrays"
        )
    if needed := _needed_arguments(function):
        raise LaunchError(f"{name}() is called without arguments, but needs {', '.join(needed)}")
    if schedules < 1:
        raise LaunchError(f"schedules must be at least 1, not {schedules}")
    if first_seed < 0:
        raise LaunchError(f"a seed must be at least 0, not {first_seed}")
    if threads < 1:
        raise LaunchError(f"threads must be at least 1, not {threads}")
    if not tolerance >= 0:
        raise LaunchError(f"tolerance must be at least 0, not {tolerance}")
    if not completions:
        raise LaunchError("completions is empty: give one or more of 'late', 'random', 'now'")


def _needed_arguments(function: Callable) -> list[str]:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # functions that are written in C may have no signature
        return []
    return [p.name for p in parameters if p.default is p.empty and p.kind not in kinds]


class _Exploration:
    """The schedules that have run, and their findings."""

    def __init__(self, function: Callable[[], Any], name: str, target: str, tolerance: float, allow_nan: bool):
        self.function = function
        self.name = name
        self.target = target
        self.tolerance = tolerance
        self.allow_nan = allow_nan
        self.schedules: list[Schedule] = []
        self.launches: dict[CheckedLaunch, None] = {}
        self.findings: dict[_Key, Finding] = {}
        self.digests: set[bytes] = set()
        self.failures: set[_Key] = set()
        self.first: tuple[Schedule, results.Arrays] | None = None

    def run(self, schedule: Schedule) -> None:
        self.schedules.append(schedule)
        try:
            returned = self._returned_under(schedule)
        except EmulatorError as error:
            kind = _KINDS.get(type(error), "failure")
            key = (kind, error.filename, error.lineno, error.message)
            self.failures.add(key)
            self._add(key, Finding(kind, str(error), error.filename, error.lineno, schedule, error=error))
        except AssertionError as error:
            place = traceback.extract_tb(error.__traceback__)
            frame = next((f for f in reversed(place) if f.filename == self._file()), place[-1])
            key = ("wrong result", frame.filename, frame.lineno)
            self.failures.add(key)
            text = (
                f"{shown_path(frame.filename)}:{frame.lineno}: {frame.line}\n{str(error).strip() or 'AssertionError'}"
            )
            self._add(key, Finding(key[0], text, frame.filename, frame.lineno, schedule, error=error))
        else:
            for name, text in results.unwritten(returned).items():
                self._add(("unwritten", name), self._finding_of_launches("undefined value", text, schedule))
            self._compare(schedule, results.named_arrays(returned))

    def report(self) -> CheckReport:
        return CheckReport(
            name=self.name,
            findings=list(self.findings.values()),
            schedules=self.schedules,
            launches=list(self.launches),
            arrays=len(self.first[1]) if self.first else 0,
            results=len(self.digests),
            outcomes=len(self.digests) + len(self.failures),
            tolerance=self.tolerance,
        )

    def _returned_under(self, schedule: Schedule) -> Any:
        """Returns the result of the checked function under a schedule."""
        context = emulator.target(
            self.target,
            seed=schedule.seed,
            completion=schedule.completion,
            threads=schedule.threads,
            races=True,
            undefined=True,
        )
        with (
            context,
            emulator._prints(self.first is None),
            emulator._watch_launches(lambda *facts: self.launches.setdefault(CheckedLaunch.of(*facts))),
        ):
            returned = self.function()
        if not self.launches:
            raise LaunchError(f"{self.name}() has launched no kernel on the emulator: launch one on NumPy arrays")
        if not results.named_arrays(returned):
            raise LaunchError(f"{self.name}() returns nothing to compare: return the arrays that its kernels write")
        return returned

    def _compare(self, schedule: Schedule, arrays: results.Arrays) -> None:
        self.digests.add(results.digest(arrays))
        if not self.allow_nan:
            for name, array in arrays.items():
                if text := results.nans(name, array):
                    self._add(("poison", name), self._finding_of_launches("poison", text, schedule))
        if self.first is None:
            self.first = schedule, arrays
            return
        _, first = self.first
        if arrays.keys() != first.keys():
            text = f"other arrays are returned: {', '.join(arrays)}; the first schedule's were {', '.join(first)}"
            self._add_divergence("result", text, schedule)
            return
        for name, array in arrays.items():
            if text := results.difference(name, array, first[name], self.tolerance):
                self._add_divergence(name, text, schedule)

    def _add_divergence(self, name: str, text: str, schedule: Schedule) -> None:
        if not any(key[0] == "divergence" for key in self.findings):
            self._check_repeatable()
        self._add(("divergence", name), self._finding_of_launches("divergence", text, schedule))

    def _finding_of_launches(self, kind: str, text: str, schedule: Schedule) -> Finding:
        """Returns a finding about a result. The finding has no source line, because any of the launched kernels may
        have caused it."""
        (launch, *others) = self.launches
        place = (None, None) if others else (launch.filename, launch.lineno)
        where = "\n".join(f"  in {launch}" for launch in self.launches)
        return Finding(kind, f"{text}\n{where}", *place, schedule)

    def _check_repeatable(self) -> None:
        """Raises a LaunchError if two calls of the function under one schedule have different results, because the
        schedule then does not explain the difference."""
        assert self.first is not None
        schedule, arrays = self.first
        if schedule.threads > 1:  # with several threads, the result also depends on the timing of the host
            return
        again = results.named_arrays(self._returned_under(schedule))
        if results.digest(again) != results.digest(arrays):
            raise LaunchError(
                f"{self.name}() returns other values when it runs again under the same schedule: it draws random "
                "numbers without a seed, changes arrays that outlive it, or returns elements that nothing has written"
            )

    def _add(self, key: _Key, finding: Finding) -> None:
        if known := self.findings.get(key):
            known.count += 1
        else:
            self.findings[key] = finding

    def _file(self) -> str | None:
        return getattr(getattr(self.function, "__code__", None), "co_filename", None)
