"""The emulated GPU. Kernels on NumPy arrays run on the emulator, which executes the code that is compiled for the GPU.

    with hocket.emulator.target("gfx950"):          # default: "sm_90a"
        kernel[grid](x, out, n, BLOCK=1024)

Each lane runs the kernel separately. Lanes wait for each other at shuffles, and warps at barriers, as on the hardware.
Every access is checked against the arrays that were passed. An error is an exception that names the kernel's line,
block, warp, lane and array (see hocket.errors). Shared memory that was never written, and masked-off loads without
`other`, read as NaN.

A pointer to an array with gaps, such as big[::2], points to its first element; memory between its elements is out of
bounds. A kernel takes the strides of such an array as integer arguments. If a launch passes none of the array's
strides, the launch issues a warning.

Unordered accesses to the same memory raise a RaceError, even if they happened in the intended order. Therefore the
emulator finds a missing barrier with every seed of `schedule`. Unordered writes of the same value to shared memory, and
atomic accesses, are not races. `schedule(races=False)` disables this check, which makes launches faster. The
environment variable HOCKET_EMULATOR_RACES=0 disables the check for a whole process. By default, the data of an
asynchronous copy arrives as late as the kernel's waits allow. `schedule(completion=...)` makes the data arrive earlier.

Assertions in kernels are checked. Output of `print` and `device_print` in kernels appears after the launch, block by
block.

A correct kernel gives the same result for every seed:

    for seed in range(20):
        with hocket.emulator.schedule(seed=seed):
            kernel[grid](x, out, n, BLOCK=1024)

Count bank conflicts of shared memory:

    with hocket.emulator.count_bank_conflicts() as counts:
        kernel[grid](x, out, n, BLOCK=1024)
    print(counts)

Record the activities of warps on a virtual clock (a model, never the speed of hardware):

    with hocket.emulator.record_timeline() as recorded:
        kernel[grid](x, out, n, BLOCK=1024)
    recorded.save("trace.json")                     # for https://ui.perfetto.dev
    hocket.emulator.timeline(recorded)              # a picture
    print(recorded.summary())                       # stages, waits, how busy the matrix cores are
"""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Iterable, Iterator
from typing import Any

from .. import _core
from ..errors import LaunchError
from ..runtime import emulated, places
from ..runtime.launch_settings import LaunchSetting
from .bank_counts import BankCount, BankCounts
from .scopes import Scope
from .slices import Slice
from .timeline_summary import StageTimes, TimelineSummary
from .timelines import Timeline, timeline

__all__ = [
    "BankCount",
    "BankCounts",
    "Slice",
    "StageTimes",
    "Timeline",
    "TimelineSummary",
    "count_bank_conflicts",
    "current_target",
    "empty",
    "record_timeline",
    "schedule",
    "target",
    "timeline",
]


_COMPLETIONS = ("late", "random", "now")
_LARGEST_ARRAY = 1 << 40
_LARGEST_SEED = 2**64 - 1
_MOST_THREADS = 1024


def empty(shape: int | tuple[int, ...], dtype: Any = "float32") -> Any:
    """Returns an uninitialized NumPy array that records which of its elements have been written.

    With checks for undefined values (`hocket.check`, or `schedule(undefined=True)`), a kernel that uses an unwritten
    element raises UndefinedValueError. A store in a kernel or an assignment on the host writes an element. Unwritten
    elements have unlikely values, which are the same in each run. Assignments on the host are tracked in units of 8
    bytes: an assignment to one element of a unit marks all elements of the unit as written. Copies of the array do not
    track writes, and neither do tensors that torch.from_numpy copies.

        out = hocket.emulator.empty((rows, columns), "float16")

    Memory of `numpy.empty` and `torch.empty` counts as written, since the host may have filled it.
    """
    import numpy as np

    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError):
        kind = np.dtype(object)
    if kind.hasobject:
        raise TypeError(f"emulator.empty: dtype must be one of NumPy's for numbers, not {dtype!r}")
    try:
        shape = tuple(map(operator.index, shape if isinstance(shape, Iterable) else (shape,)))
    except TypeError:
        raise TypeError(f"emulator.empty: shape must be an int or a tuple of ints, not {shape!r}") from None
    if any(size < 0 for size in shape) or math.prod(shape) * kind.itemsize > _LARGEST_ARRAY:
        raise ValueError(f"emulator.empty: an array of shape {shape} has a negative size or more than 2^40 bytes")
    memory = _core.UnwrittenMemory(math.prod(shape) * kind.itemsize)
    return np.frombuffer(memory, kind, math.prod(shape)).reshape(shape)


def target(
    name: str,
    *,
    seed: int | None = None,
    threads: int | None = None,
    races: bool | None = None,
    completion: str | None = None,
    undefined: bool | None = None,
) -> contextlib.AbstractContextManager[None]:
    """Returns a context manager in which kernels on NumPy arrays run on an emulated `name`: "sm_80", "sm_90a",
    "gfx942", "gfx950".

    Until the context ends, the target also applies to launches of other threads, including threads of thread pools. A
    thread that has not set a target uses the target that other threads have set. `schedule` documents the other
    arguments.

    Raises LaunchError for an unknown target. The next launch raises LaunchError if the context manager was not entered
    (`hocket.emulator.target("gfx950")` without `with`), or if several other threads have chosen different targets.
    """
    places.check_target(name)
    change = _schedule_change(seed, threads, races, completion, undefined)

    @contextlib.contextmanager
    def enter() -> Iterator[None]:
        with _chosen(places.emulated_target, name), _scheduled(change):
            yield

    return Scope(f'hocket.emulator.target("{name}")', enter)


@contextlib.contextmanager
def _chosen(setting: LaunchSetting, value: Any) -> Iterator[None]:
    choice = setting.set(value)
    try:
        yield
    finally:
        setting.reset(choice)


def schedule(
    *,
    seed: int | None = None,
    threads: int | None = None,
    races: bool | None = None,
    completion: str | None = None,
    undefined: bool | None = None,
) -> contextlib.AbstractContextManager[None]:
    """Returns a context manager that changes the order, the checks and the host threads of launches. The changes also
    apply to launches of other threads. An argument of None leaves a setting unchanged.

    Args:
        seed: a number from 0 to 2**64 - 1 that selects the order in which blocks start, and the order in which the
            warps of a block run. 0 selects the natural order. With more than one thread, the order of blocks also
            depends on the host. Blocks are only reordered within groups of 32: blocks 0 to 31 start before block 32. Up
            to 32 blocks may wait for each other in polling loops.
        threads: number of host threads that run blocks, at most 1024; 0 for one per core.
        races: whether unordered accesses to the same memory raise RaceError. True by default, unless the environment
            variable HOCKET_EMULATOR_RACES is 0.
        completion: time at which the data of asynchronous copies arrives: "late" (the default), at the wait for the
            copy; "random", between the copy and the wait, depending on the seed; "now", immediately.
        undefined: whether the use of an undefined value, or a negative offset of a buffer access, raises an error.
            False by default, unless the environment variable HOCKET_EMULATOR_UNDEFINED is 1. `hocket.check` sets
            `undefined` to True. Values are undefined if a kernel reads them from unwritten shared memory, from
            unwritten elements of an array of `empty`, or by a masked-off load without `other`. A use is a store to
            global memory, a branch, or an access whose address depends on the value.

    Raises LaunchError for invalid values.
    """
    change = _schedule_change(seed, threads, races, completion, undefined)
    return Scope("hocket.emulator.schedule(...)", lambda: _scheduled(change))


def _schedule_change(
    seed: int | None, threads: int | None, races: bool | None, completion: str | None, undefined: bool | None
) -> dict:
    """Checks the arguments of `schedule`, and returns a dict of the arguments that are not None."""
    seed = _check_number("seed", seed, _LARGEST_SEED)
    threads = _check_number("threads", threads, _MOST_THREADS)
    if races is not None and not isinstance(races, bool):
        raise LaunchError(f"races must be True or False, not {races!r}")
    if undefined is not None and not isinstance(undefined, bool):
        raise LaunchError(f"undefined must be True or False, not {undefined!r}")
    if completion is not None and not (isinstance(completion, str) and completion in _COMPLETIONS):
        raise LaunchError(f"completion must be 'late', 'random' or 'now', not {completion!r}")
    chosen = {"seed": seed, "threads": threads, "races": races, "completion": completion, "undefined": undefined}
    return {name: value for name, value in chosen.items() if value is not None}


def _scheduled(change: dict) -> contextlib.AbstractContextManager[None]:
    return _chosen(emulated.schedule, emulated.schedule.get_if_agreed()._replace(**change))


def _check_number(name: str, value: Any, largest: int) -> int | None:
    """Returns `value` as a Python integer from 0 to `largest`, or None."""
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise LaunchError(f"{name} must be an integer, not {value!r}") from None
    if not 0 <= number <= largest:
        raise LaunchError(f"{name} must be 0 to {largest}, but is {number}")
    return number


@contextlib.contextmanager
def count_bank_conflicts() -> Iterator[BankCounts]:
    """Returns a context manager in which launches count the wavefronts that their accesses to shared memory take; see
    `BankCounts`.

    All accesses of lanes are counted, including those of `convert_layout`, reductions and atomics. Asynchronous copies
    write contiguous addresses and are not counted. Launches that fail are not counted either. Counting makes launches
    slower.

    Example:
        with hocket.emulator.count_bank_conflicts() as counts:
            gemm[grid](a, b, c)
        assert counts.total == 0, counts
    """
    counts = BankCounts()
    with _chosen(emulated.bank_counter, counts._add):
        yield counts


@contextlib.contextmanager
def _watch_launches(watcher: emulated.Watcher) -> Iterator[None]:
    """Returns a context manager in which `watcher(kernel, target, grid, num_warps)` is called before each launch."""
    with _chosen(emulated.watcher, watcher):
        yield


@contextlib.contextmanager
def _prints(shown: bool) -> Iterator[None]:
    """Returns a context manager in which output of `print` in kernels is shown if `shown` is True, and dropped
    otherwise."""
    with _chosen(emulated.printer, emulated.printer.get_if_agreed() if shown else None):
        yield


@contextlib.contextmanager
def record_timeline(*, blocks: int = 1) -> Iterator[Timeline]:
    """Returns a context manager in which launches record the activities of their warps on a virtual clock; see
    `Timeline`.

    The clock is a model: it shows which warps wait for each other, not how fast any hardware is. Warps run in the order
    of the clock, regardless of the seed of `schedule`, so a recording is reproducible. Kernels are compiled separately
    for recording, and recording makes launches slower. A launch that fails records nothing.

    Args:
        blocks: number of blocks of each launch that are recorded, from block 0 on. In the model, each recorded block
            runs alone on a compute unit.

    Raises LaunchError if `blocks` is not a positive integer.

    Example:
        with hocket.emulator.target("gfx950"), hocket.emulator.record_timeline() as recorded:
            gemm[grid](a, b, c)
        recorded.save("gemm.json")  # open with https://ui.perfetto.dev
    """
    if not isinstance(blocks, int) or isinstance(blocks, bool) or blocks < 1:
        raise LaunchError(f"blocks must be a positive integer, not {blocks!r}")
    timeline = Timeline()
    with _chosen(emulated.recorder, emulated.Recorder(timeline._add, blocks)):
        yield timeline


def current_target() -> str:
    """Returns the target of launches on NumPy arrays: the one that `target` has set, or "sm_90a"."""
    return places.chosen_target() or places.DEFAULT_EMULATED_TARGET
