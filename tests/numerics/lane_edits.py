"""Edits the synchronisation of a kernel below the compiler, which would not emit what is planted here.

    def one_slot_late(lane):
        lane.move_fence("add", "write")

    with edited(one_slot_late):
        hocket.check(launch)        # kernels that are compiled inside run with the edit

What is edited is the lane form. The barrier of the slot between two stages of a warp pipeline is, there,

    rocdl.sched.barrier 0
    lane.async_wait_group {outstanding = 1 : i32}                            if the kernel waits there
    llvm.fence syncscope("workgroup") release {llvm.mmra = #mmra_tag}        "singlethread" if it is a raw barrier
    rocdl.s.barrier                                                          {lane.acquires} if it is a raw barrier
    llvm.fence syncscope("workgroup") acquire {llvm.mmra = #mmra_tag}
    rocdl.sched.barrier 0 {hk.stage = "add"}                                 the stage that follows

Slots go by the name of the stage that follows. Each edit asserts that it changes what it says, and changes it once.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator

from hocket import _core, emulator

#: A barrier is one of the second between two of the first; in the emulator and on the hardware each has its own effect.
_FENCE = re.compile(r"\s*llvm\.fence\b")
_BARRIER = re.compile(r"\s*rocdl\.s\.barrier\b")
_WAIT = re.compile(r"\s*lane\.async_wait_group\b")
_SLOT_BEGINS = re.compile(r"\s*rocdl\.sched\.barrier 0( loc\(.*\))?$")
_RELEASE = 'llvm.fence syncscope("workgroup") release {llvm.mmra = #mmra_tag}'
_RAW_RELEASE = 'llvm.fence syncscope("singlethread") release'


class LaneForm:
    """The lines of one kernel in lane form."""

    def __init__(self, text: str):
        self.lines = text.splitlines()

    def __str__(self) -> str:
        return "\n".join(self.lines)

    # What there is ---------------------------------------------------------------------------------------------------

    def synchronizations(self) -> list[int]:
        """The numbers of all lines that are a barrier, a fence or a wait for copies."""
        return [n for n, line in enumerate(self.lines) if any(p.match(line) for p in (_FENCE, _BARRIER, _WAIT))]

    def slot(self, stage: str) -> range:
        """The lines between the two scheduling barriers in front of `stage`."""
        slots = [slot for end in self._labels(stage) if (slot := self._slot_before(end))]
        assert len(slots) == 1, f"{len(slots)} slots in front of {stage}"
        return slots[0]

    def is_fence(self, stage: str) -> bool:
        """Whether a warp waits for its accesses of shared memory at the barrier in front of `stage`."""
        release, _, _ = self._barrier(stage)
        return '"workgroup"' in self.lines[release]

    # Edits -----------------------------------------------------------------------------------------------------------

    def delete(self, number: int) -> None:
        del self.lines[number]

    def make_raw(self, stage: str) -> None:
        """Lets warps arrive in front of `stage` without waiting. Reads are waited for behind the barrier."""
        assert self.is_fence(stage)
        release, barrier, _ = self._barrier(stage)
        self._replace(release, _RELEASE, _RAW_RELEASE)
        self._replace(barrier, "rocdl.s.barrier", "rocdl.s.barrier {lane.acquires}")

    def make_fence(self, stage: str) -> None:
        assert not self.is_fence(stage)
        release, barrier, acquire = self._barrier(stage)
        self._replace(release, _RAW_RELEASE, _RELEASE)
        self._replace(barrier, "rocdl.s.barrier {lane.acquires}", "rocdl.s.barrier")
        self.lines[acquire] = self.lines[release].replace("release", "acquire")

    def move_fence(self, stage: str, to: str) -> None:
        """Makes the barrier in front of `stage` raw, and the one in front of `to` the fence instead."""
        self.make_raw(stage)
        self.make_fence(to)

    def delete_barrier(self, stage: str) -> None:
        """Lets `stage` follow the one in front of it without a barrier. Their names remain."""
        for number in reversed(self._barrier(stage)):
            del self.lines[number]

    def change_wait(self, stage: str, outstanding: int, to: int) -> None:
        """Lets the wait in front of `stage` leave `to` groups in flight instead of `outstanding`."""
        (wait,) = [n for n in self.slot(stage) if _WAIT.match(self.lines[n])]
        self._replace(wait, f"outstanding = {outstanding} :", f"outstanding = {to} :")

    def merge(self, second: str) -> None:
        """Deletes all that keeps the pipeline that begins with `second` apart from the one in front of it: there the
        low group waits for the high one, all warps settle what they did, and the high group waits for the low one."""
        (begin,) = [n for n in self._labels(second) if not self._slot_before(n)]
        end_of_first = max(n for n in self._labels("") if n < begin)
        between = [n for n in self.synchronizations() if end_of_first < n < begin]
        barriers = [n for n in between if _BARRIER.match(self.lines[n])]
        assert (len(barriers), len(between)) == (3, 9), "two conditional barriers, and a fence between them"
        for number in reversed(between):
            del self.lines[number]

    # -----------------------------------------------------------------------------------------------------------------

    def _labels(self, stage: str) -> list[int]:
        return [n for n, line in enumerate(self.lines) if f'hk.stage = "{stage}"' in line]

    def _slot_before(self, end: int) -> range | None:
        """Of the label in line `end`; in front of a pipeline it has none."""
        begin = end - 1
        while not (_SLOT_BEGINS.match(self.lines[begin]) or self.lines[begin].lstrip().startswith("^bb")):
            begin -= 1
        return range(begin + 1, end) if _SLOT_BEGINS.match(self.lines[begin]) else None

    def _barrier(self, stage: str) -> tuple[int, int, int]:
        release, barrier, acquire = [n for n in self.slot(stage) if not _WAIT.match(self.lines[n])]
        assert "release" in self.lines[release]
        assert _BARRIER.match(self.lines[barrier])
        assert "acquire" in self.lines[acquire]
        return release, barrier, acquire

    def _replace(self, number: int, old: str, new: str) -> None:
        assert self.lines[number].count(old) == 1, self.lines[number]
        self.lines[number] = self.lines[number].replace(old, new)


@contextlib.contextmanager
def edited(edit: Callable[[LaneForm], None]) -> Iterator[None]:
    """Inside, kernels are compiled to lane form, which `edit` changes before the emulator gets it.

    A kernel that was compiled before runs as it was compiled: wrap its function anew, `hocket.jit(kernel.fn)`.
    """

    def compile_emulated(*request):
        facts, text, parameters = _core.lane_form(*request[:5])  # without how it is instrumented
        lane = LaneForm(text)
        edit(lane)
        return facts, _core.emulate_lane(str(lane), parameters), parameters

    class Core:
        def __getattr__(self, name):
            return compile_emulated if name == "compile_emulated" else getattr(_core, name)

    before = emulator._core
    emulator._core = Core()
    try:
        yield
    finally:
        emulator._core = before
