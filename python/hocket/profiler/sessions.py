"""Profiling sessions: kernels that are launched in a session record the activities of their warps."""

from __future__ import annotations

import os
import pathlib
import sys
import threading
import time
import types
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import LaunchError, shown_path
from .facts import CLOCKS, UNITS, ProfileConfig
from .launches import ProfiledLaunch
from .profile import Profile
from .sink import LaunchSink, Recorded

if TYPE_CHECKING:
    from .facts import ProfileFacts

_POLICIES = ("circular", "keep_first")
_SPACES = {"auto": "auto", "smem": "shared", "device": "device", "static": "static"}
_LARGEST_BYTES = 1 << 24
#: Bytes of the smallest buffer in device memory with overflow="flush": two segments of 64 records.
_FEWEST_FLUSHED_BYTES = 1024
_MOST_WARPS = 64
#: Number of blocks for whose records a static variable has memory, if `max_blocks` is 0.
_STATIC_BLOCKS = 256


class ProfileWarning(UserWarning):
    """Warning about an incomplete profile, e.g. after records were dropped."""

    __module__ = "hocket.profiler"


class Session(Profile):
    """The result of `hocket.profiler.session`: a profile of the launches in the session. A session is entered once, by
    `with`."""

    def __init__(self, name: str, config: ProfileConfig, out: pathlib.Path | None, on_overflow: str, correct: bool):
        super().__init__(name)
        self.config = config
        self._out, self._on_overflow, self._correct = out, on_overflow, correct
        self._sink = LaunchSink(config)
        self._facts: dict[str, ProfileFacts | None] = {}
        self._state = "new"
        self._choice: Any = None
        self._entered_ns = self._left_ns = 0

    def __repr__(self) -> str:
        return f"<Session {self.name!r}, {self._state}: {len(self._launches)} launches>"

    def _repr_html_(self) -> str | None:
        return None if self._state == "new" else super()._repr_html_()

    def __enter__(self) -> Session:
        from ..runtime import profiling

        if self._state != "new":
            raise LaunchError(f'the session "{self.name}" was entered before\n  hint: make another one')
        _open(self, _caller())
        self._state = "open"
        self._entered_ns = time.time_ns()
        self._choice = profiling.current.set(self._sink)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        from ..runtime import profiling

        profiling.current.reset(self._choice)
        try:
            if error is None:
                self._finish()
        finally:
            self._state = "closed"
            self._left_ns = time.time_ns()
            self._sink.close()
            _close()

    @property
    def launches(self) -> list[ProfiledLaunch]:
        """The launches that the session has recorded so far. Inside the session, reading `launches` waits for queued
        launches.

        Errors: LaunchError if the session was never entered.
        """
        if self._state == "new":
            raise LaunchError(
                f'the session "{self.name}" was not entered, so nothing is recorded\n'
                "  hint: launch kernels inside `with session:`"
            )
        for recorded in self._sink.launches(len(self._launches)):
            self._launches.append(self._launch_of(recorded))
        return self._launches

    def _window(self) -> tuple[int, int] | None:
        return self._entered_ns, self._left_ns or time.time_ns()

    def _finish(self) -> None:
        if not self.launches:
            raise LaunchError(
                f'nothing was recorded in the session "{self.name}": no kernel with records was launched\n'
                '  hint: put `with profiler.scope(...)` into the kernel, or leave stages="auto"'
            )
        if self._correct:
            self._calibrate()
        self._complain_of_drops()
        if self._out:
            self.save(self._out)

    def _complain_of_drops(self) -> None:
        if not (dropped := self.dropped):
            return
        if self.config.policy == "flush":
            raise LaunchError(self._too_small(dropped))
        kept = sum(len(launch.decoded.records) for launch in self.launches)
        which = "first" if self.config.policy == "circular" else "last"
        text = (
            f'the session "{self.name}" has dropped {dropped} of {kept + dropped} records, the {which} ones of their '
            f"warps: {self.launches[0].facts.bytes_per_unit // 8} fit for each warp\n"
            "  hint: a larger `bytes_per_warp`, fewer warps (`select`, `units`), or a shorter loop"
        )
        if self._on_overflow == "raise":
            raise LaunchError(text)
        warnings.warn(text, ProfileWarning, stacklevel=4)

    def _too_small(self, dropped: int) -> str:
        """Returns the error for flushed records that did not fit into device memory."""
        launch = max(self.launches, key=lambda launch: launch.written)
        units = launch.decoded.units
        fullest = units[units["written"].argmax()]
        kept = int(fullest["written"] - fullest["dropped"])
        needed = 8 * (launch.written + 1)  # one more record, because a warp's first record may have the index 0 or 1
        if needed <= _LARGEST_BYTES:
            hint = f"bytes_per_warp={1 << (needed - 1).bit_length()}"
        else:
            hint = "records of fewer iterations (`when=`), or several launches"
        return (
            f'device memory is too small for the records that the session "{self.name}" has flushed: {kept} fit for '
            f"each warp, and a warp of {launch.kernel} wrote {launch.written}; {dropped} records are lost\n"
            f"  hint: {hint}"
        )

    def _calibrate(self) -> None:
        from .calibration import cycles_of_record

        for launch in self._launches:
            if isinstance(launch.place, str):
                continue  # on the emulator, recording takes no virtual time, so nothing is subtracted
            launch.correct(cycles_of_record(launch.place, launch.facts.collects_in, self.config))

    def _launch_of(self, recorded: Recorded) -> ProfiledLaunch:
        on_emulator = isinstance(recorded.place, str)
        # Launches with equal record sites share one ProfileFacts, even if their kernels differ otherwise.
        facts = self._facts.setdefault(recorded.kernel.metadata.profile, recorded.kernel.profile)
        assert facts is not None
        return ProfiledLaunch(
            len(self._launches),
            recorded.kernel.name,
            recorded.kernel.target,
            recorded.grid,
            facts,
            recorded.memory,
            place=recorded.place,
            cycles_per_ns=1.0 if on_emulator else 0.0,
            is_model=on_emulator,
        )


_active: tuple[Session, tuple[str, int]] | None = None
_active_lock = threading.Lock()


def _open(session: Session, place: tuple[str, int]) -> None:
    global _active
    with _active_lock:
        if _active is not None:
            other, (filename, line) = _active
            raise LaunchError(
                f'the profiling session "{other.name}" is open, since {shown_path(filename)}:{line}; there can be one '
                "at a time\n  hint: launch inside that one, or leave it first"
            )
        _active = session, place


def _close() -> None:
    global _active
    with _active_lock:
        _active = None


def _caller() -> tuple[str, int]:
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def session(
    name: str = "profile",
    *,
    out: str | os.PathLike | None = None,
    buffer: str = "auto",
    policy: str = "circular",
    overflow: str = "drop",
    units: str = "warp",
    select: Sequence[int] | None = None,
    stages: str | None = "auto",
    clock: int = 32,
    bytes_per_warp: int = 0,
    max_blocks: int = 0,
    on_overflow: str = "warn",
    correct: bool = True,
    waits: bool | None = None,
) -> Session:
    """Returns a context manager. Launches in the session run variants of their kernels that record; see
    `hocket.profiler`.

        with profiler.session("gemm", out="gemm.json") as profile:
            gemm[grid](a, b, c)
        print(profile.summary())
        print(profile.explain())

    Variants are compiled and cached separately. The host does not wait for the GPU until results are requested or the
    session ends. Blocks write records to memory of the session. Recording does not change the results of kernels.

    Args:
        name: name of the trace, also used in messages.
        out: path of the trace that is written when the session ends: a .json file for https://ui.perfetto.dev.
        buffer: memory in which a warp collects its records: "smem" (shared memory), "device", or "auto": shared memory
            if that does not reduce the number of blocks per SM. The notes of `summary()` report the choice. "static" is
            also device memory, but a variable of the kernel's module instead of an argument. All launches of the kernel
            share the variable, so they run one after another.
        policy: the records to keep if the buffer is full: "circular" keeps the last, and "keep_first" the first
            records.
        overflow: what happens if the buffer is full: "drop" drops records, as `policy` says. "flush" collects records
            in shared memory, and moves the records to device memory while the kernel runs, so that no record is lost.
            Each warp keeps up to `bytes_per_warp` bytes in device memory, by default 256 KB. The site "flush" records
            the moves to device memory.
        units: the warps that record: every "warp", the first of each "group" of four, or the first of each "cta"
            (block).
        select: numbers of the warps to record, among those of `units`; None for all.
        stages: "auto" records stages of warp pipelines, partitions of `gl.warp_specialize` and lifetimes of warps
            automatically; None records only explicit scopes, marks and tokens.
        clock: bits of a record's clock. 32 allows payloads up to 2**20 - 1. 44 allows up to 2**32 cycles without a
            record, and payloads up to 255.
        bytes_per_warp: size of the buffer, 8 bytes per record: a power of two; 0 for the largest size that does not
            reduce occupancy.
        max_blocks: with buffer="static", the first `max_blocks` blocks of the grid record; the size of the variable is
            a compile-time constant. 0 means 256.
        on_overflow: "warn" or "raise" if records were dropped.
        correct: subtract the cost of recording from all times. The cost is measured on the machine when the session
            ends, by a kernel that only records.
        waits: record each wait for an mbarrier or a named barrier outside of stages, as the scope "wait". With None,
            waits are recorded in kernels without explicit scopes and tokens. On the emulator, where recording takes no
            time, None records the waits of all kernels. On a GPU, each wait costs two records.

    Raises LaunchError for invalid arguments, for an `out` that cannot be written, and if another session is open. The
    end of a session raises LaunchError if nothing was recorded, or if flushed records did not fit.
    """
    _check_choice("buffer", buffer, tuple(_SPACES))
    _check_choice("policy", policy, _POLICIES)
    _check_choice("overflow", overflow, ("drop", "flush"))
    _check_choice("units", units, UNITS)
    _check_choice("stages", stages, ("auto", None))
    _check_choice("clock", clock, CLOCKS)
    _check_choice("on_overflow", on_overflow, ("warn", "raise"))
    _check_choice("correct", correct, (True, False))
    _check_choice("waits", waits, (None, True, False))
    if not isinstance(name, str) or not name:
        raise LaunchError(f"name must be a text, not {name!r}")
    _check_out(out)
    if not isinstance(bytes_per_warp, int) or (
        bytes_per_warp and not (16 <= bytes_per_warp <= _LARGEST_BYTES and bytes_per_warp.bit_count() == 1)
    ):
        raise LaunchError(
            f"bytes_per_warp must be a power of two from 16 to {_LARGEST_BYTES}, or 0, not {bytes_per_warp!r}"
        )
    if overflow == "flush":
        _check_flush(buffer, policy, bytes_per_warp)
    is_static = buffer == "static"
    if type(max_blocks) is not int or max_blocks < 0 or (max_blocks and not is_static):
        raise LaunchError(
            f"max_blocks must be a number of blocks, or 0, not {max_blocks!r}"
            if is_static
            else f'max_blocks={max_blocks!r} needs buffer="static": other buffers hold the records of all blocks'
        )
    config = ProfileConfig(
        space=_SPACES[buffer],
        policy=policy if overflow == "drop" else "flush",
        clock=clock,
        units=units,
        warps=_checked_warps(select),
        bytes=bytes_per_warp,
        stages=stages is not None,
        max_ctas=(max_blocks or _STATIC_BLOCKS) if is_static else 0,
        waits={True: "always", False: "never", None: "always" if _is_emulated() else "auto"}[waits],
    )
    return Session(name, config, pathlib.Path(out) if out is not None else None, on_overflow, correct)


def _is_emulated() -> bool:
    """Returns True if launches run on the emulator, because an emulated target was chosen or the machine has no GPU."""
    from .. import _core
    from ..runtime import places

    return places.emulated_target.get_if_agreed() is not None or _core.device_count() == 0


def _check_choice(name: str, value: Any, choices: tuple) -> None:
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        *others, last = map(repr, choices)
        raise LaunchError(f"{name} must be {', '.join(others)} or {last}, not {value!r}")


def _check_flush(buffer: str, policy: str, bytes_per_warp: int) -> None:
    if buffer not in ("auto", "smem"):
        raise LaunchError(
            f"overflow=\"flush\" moves records from shared memory to device memory, so buffer must be 'auto' or "
            f"'smem', not {buffer!r}"
        )
    if policy != "circular":
        raise LaunchError(
            f'overflow="flush" keeps all records, so policy={policy!r} has no effect\n  hint: leave it out'
        )
    if bytes_per_warp and bytes_per_warp < _FEWEST_FLUSHED_BYTES:
        raise LaunchError(
            f'with overflow="flush", bytes_per_warp must be at least {_FEWEST_FLUSHED_BYTES}, or 0, not '
            f"{bytes_per_warp!r}"
        )


def _check_out(out: Any) -> None:
    """Checks the path `out` at the beginning of the session, before kernels run."""
    if out is None:
        return
    try:
        path = pathlib.Path(out)
    except TypeError:
        raise LaunchError(f"out must be a path, not {out!r}") from None
    if not path.parent.is_dir():
        raise LaunchError(f"out={str(out)!r}: there is no folder {path.parent}")
    if path.is_dir():
        raise LaunchError(f"out={str(out)!r} is a folder\n  hint: name a file in it, such as {path / 'trace.json'}")


def _checked_warps(select: Sequence[int] | None) -> tuple[int, ...]:
    if select is None:
        return ()
    is_list = isinstance(select, Sequence) and not isinstance(select, str)
    if not is_list or not all(type(warp) is int and 0 <= warp < _MOST_WARPS for warp in select):
        raise LaunchError(f"select must be numbers of warps, 0 to {_MOST_WARPS - 1}, not {select!r}")
    if not select:
        raise LaunchError("select names no warp\n  hint: None for all of them")
    return tuple(sorted(set(select)))


__all__ = ["ProfileWarning", "Session", "session"]
