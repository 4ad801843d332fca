"""Edits the synchronization in a kernel's lane IR, to test code that the compiler would not generate.

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
    rocdl.sched.barrier 0 {lane.stage = "add"}                           the stage that follows

A barrier is named after the stage that follows it. Each edit asserts that it changes exactly one operation.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from unittest import mock

import hocket
from hocket import _core
from hocket.kernels._attention import host as attention_host
from hocket.kernels._attention import host_cdna as attention_cdna
from hocket.kernels._matmul import host as matmul_host
from hocket.kernels._matmul import host_cdna as matmul_cdna
from hocket.kernels._matmul import host_scaled as matmul_scaled
from hocket.launch_cache import LaunchCache
from hocket.runtime import emulated

#: A barrier is between two fences; in the emulator and on the hardware each of the three has its own effect.
_BARRIER = re.compile(r"\s*rocdl\.s\.barrier\b")
_WAIT = re.compile(r"\s*lane\.async_wait_group\b")
_SYNCHRONIZATION = re.compile(r"\s*(?:llvm\.fence|rocdl\.s\.barrier|lane\.async_wait_group)\b")
_SLOT_BEGINS = re.compile(r"\s*rocdl\.sched\.barrier 0( loc\(.*\))?$")
_LABEL = re.compile(r'lane\.stage = "([^"]*)"')
_RELEASE = 'llvm.fence syncscope("workgroup") release {llvm.mmra = #mmra_tag}'
_RAW_RELEASE = 'llvm.fence syncscope("singlethread") release'


#: Modules of `hocket.kernels` that launch the kernels of their table KERNELS.
LAUNCHERS = (matmul_cdna, matmul_scaled, attention_cdna)


class LaneForm:
    """The lines of one kernel in lane form."""

    def __init__(self, text: str):
        self.lines = text.splitlines()

    def __str__(self) -> str:
        return "\n".join(self.lines)

    # Queries ---------------------------------------------------------------------------------------------------------

    def synchronizations(self) -> list[int]:
        """The numbers of all lines that are a barrier, a fence or a wait for copies."""
        return [n for n, line in enumerate(self.lines) if _SYNCHRONIZATION.match(line)]

    def slot(self, stage: str, nth: int = 0, of: int = 1) -> range:
        """The lines between the two scheduling barriers before `stage`. A loop that another pipeline is joined to
        has two before its first stage: one at the boundary to the previous pipeline, and one at the end of its body."""
        slots = [slot for end in self._labels(stage) if (slot := self._slot_before(end))]
        assert len(slots) == of, f"{len(slots)} slots in front of {stage}"
        return slots[nth]

    def slots(self) -> list[tuple[str, range]]:
        """All of them, each with the stage after it. Loops after one another may have stages of the same names."""
        labels = [(n, found[1]) for n, line in enumerate(self.lines) if (found := _LABEL.search(line))]
        assert labels, "the lane form labels no stage"
        return [(label, slot) for n, label in labels if label and (slot := self._slot_before(n))]

    def is_conditional(self, number: int) -> bool:
        """Returns True if line `number` is a barrier that only one group of warps executes, or a fence at such a
        barrier."""
        begin = number
        while not self.lines[begin].lstrip().startswith("^bb"):
            begin -= 1
            if begin < 0:
                return False
        block = [n for n in self.synchronizations() if n > begin][:3]
        return number in block and "llvm.br" in self.lines[block[-1] + 1]

    def reunion(self) -> range:
        """The lines of the last conditional barrier, where the low group waits for the high one."""
        conditional = [n for n in self.synchronizations() if self.is_conditional(n)]
        return range(conditional[-3], conditional[-1] + 1)

    def is_fence(self, stage: str, nth: int = 0, of: int = 1) -> bool:
        """Returns True if a warp waits for its accesses to shared memory at the barrier before `stage`."""
        release, _, _ = self._barrier(stage, nth, of)
        return '"workgroup"' in self.lines[release]

    # Edits -----------------------------------------------------------------------------------------------------------

    def delete(self, number: int) -> str:
        """Returns the line."""
        return self.lines.pop(number)

    def make_raw(self, stage: str, nth: int = 0, of: int = 1) -> None:
        """Lets warps arrive before `stage` without waiting. Reads are waited for after the barrier."""
        assert self.is_fence(stage, nth, of)
        release, barrier, _ = self._barrier(stage, nth, of)
        self._replace(release, _RELEASE, _RAW_RELEASE)
        self._replace(barrier, "rocdl.s.barrier", "rocdl.s.barrier {lane.acquires}")

    def make_fence(self, stage: str) -> None:
        assert not self.is_fence(stage)
        release, barrier, acquire = self._barrier(stage)
        self._replace(release, _RAW_RELEASE, _RELEASE)
        self._replace(barrier, "rocdl.s.barrier {lane.acquires}", "rocdl.s.barrier")
        self.lines[acquire] = self.lines[release].replace("release", "acquire")

    def move_fence(self, stage: str, to: str) -> None:
        """Makes the barrier before `stage` raw, and the one before `to` the fence instead."""
        self.make_raw(stage)
        self.make_fence(to)

    def delete_barrier(self, stage: str) -> None:
        """Lets `stage` follow the one before it without a barrier. Their names remain."""
        for number in reversed(self._barrier(stage)):
            del self.lines[number]

    def change_wait(self, stage: str, outstanding: int, to: int) -> None:
        """Lets the wait before `stage` leave `to` groups in flight instead of `outstanding`."""
        (wait,) = [n for n in self.slot(stage) if _WAIT.match(self.lines[n])]
        self._replace(wait, f"outstanding = {outstanding} :", f"outstanding = {to} :")

    def delete_cluster_barriers(self, begin: int = 0, end: int | None = None) -> None:
        """Deletes barriers of the cluster from number `begin` to `end`, in the order of the text."""
        for operation in ("arrive", "wait"):
            lines = [n for n, line in enumerate(self.lines) if f"nvvm.cluster.{operation}" in line]
            assert lines[begin:end], "there is such a barrier"
            for number in reversed(lines[begin:end]):
                del self.lines[number]

    def merge(self, second: str) -> None:
        """Deletes all that keeps the pipeline that begins with `second` apart from the one before it: there the
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
        return [n for n, line in enumerate(self.lines) if f'lane.stage = "{stage}"' in line]

    def _slot_before(self, end: int) -> range | None:
        """Returns the lines of the slot before the label in line `end`, or None at the beginning of a pipeline."""
        begin = end - 1
        while not (_SLOT_BEGINS.match(self.lines[begin]) or self.lines[begin].lstrip().startswith("^bb")):
            begin -= 1
        return range(begin + 1, end) if _SLOT_BEGINS.match(self.lines[begin]) else None

    def _barrier(self, stage: str, nth: int = 0, of: int = 1) -> tuple[int, int, int]:
        release, barrier, acquire = [n for n in self.slot(stage, nth, of) if not _WAIT.match(self.lines[n])]
        assert "release" in self.lines[release]
        assert _BARRIER.match(self.lines[barrier])
        assert "acquire" in self.lines[acquire]
        return release, barrier, acquire

    def _replace(self, number: int, old: str, new: str) -> None:
        assert self.lines[number].count(old) == 1, self.lines[number]
        self.lines[number] = self.lines[number].replace(old, new)


def place_of(lane: LaneForm, line: str) -> str:
    """Function and line of the source that a line of the lane form comes from."""
    names = dict(found.groups() for text in lane.lines if (found := re.match(r"(#loc\d*) = (loc\(.*)", text)))
    while found := re.search(r"#loc\d*", line):
        line = line.replace(found[0], names.get(found[0], "?"), 1)
    return re.sub(r'.*?loc\("(\w+)"\(loc\("[^"]*?(\w+\.py)":(\d+).*', r"\1, \2:\3", line.strip())


def _as_parsed(text: str) -> str:
    """Returns nvvm.barrier in its generic form, because MLIR's parser reads text after the custom form as an
    operand."""
    return re.sub(
        r"nvvm\.barrier id = (\S+) number_of_threads = (\S+)( \{.*\})?( loc\(.*\))?$",
        r'"nvvm.barrier"(\1, \2) <{operandSegmentSizes = array<i32: 1, 1, 0>}>\3 : (i32, i32) -> ()\4',
        text,
        flags=re.MULTILINE,
    )


class EditableKernel:
    """A kernel whose code is that of the lane form that it was given last."""

    def __init__(self, function, types, values, target, options, timing=False, *how_instrumented):
        self.facts, self._text = _core.lane_form(function, types, values, target, options)
        self._timing = timing
        self.code: _core.EmulatedKernel | None = None

    def lane(self) -> LaneForm:
        """A copy of what the compiler has made."""
        return LaneForm(self._text)

    def use(self, lane: LaneForm) -> None:
        code = _core.emulate_lane(_as_parsed(str(lane)), self.facts.parameters, self._timing)
        if self.code is None:
            self.code = code
        else:
            _core.testing.replace_code(self.code, code)


@contextlib.contextmanager
def _compiled_as(prepare: Callable[[EditableKernel], None]) -> Iterator[None]:
    """Inside, each kernel that is compiled for the emulator is an EditableKernel, which `prepare` gives its lane form.

    Edits do not affect compiled kernels, so kernels of `hocket.kernels` are compiled again. For other kernels, make a
    new one: `hocket.jit(kernel.fn)`.
    """

    def compile_emulated(*request):
        kernel = EditableKernel(*request)
        prepare(kernel)
        return kernel.facts, kernel.code

    class Core:
        def __getattr__(self, name):
            return compile_emulated if name == "compile_emulated" else getattr(_core, name)

    tables = [module.KERNELS for module in LAUNCHERS]
    with contextlib.ExitStack() as stack:
        for table in tables:
            fresh = {way: hocket.jit(kernel.fn) for way, kernel in table.items()}
            stack.enter_context(mock.patch.dict(table, fresh))
        second = matmul_cdna, "add_splits"
        stack.enter_context(mock.patch.object(*second, hocket.jit(getattr(*second).fn)))
        for module in (matmul_host, matmul_scaled, attention_host):  # prepared launches keep the kernels
            empty = LaunchCache(module._launches.prepare, module._launches.alignment)
            stack.enter_context(mock.patch.object(module, "_launches", empty))
        stack.enter_context(mock.patch.object(emulated, "_core", Core()))
        yield


@contextlib.contextmanager
def edited(edit: Callable[[LaneForm], None]) -> Iterator[None]:
    """Inside, kernels are compiled to lane form, which `edit` changes before the emulator gets it."""

    def prepare(kernel: EditableKernel) -> None:
        lane = kernel.lane()
        edit(lane)
        kernel.use(lane)

    with _compiled_as(prepare):
        yield


@contextlib.contextmanager
def editable() -> Iterator[list[EditableKernel]]:
    """Inside, kernels run as they are compiled until they are given another lane form; the list has them all."""
    kernels: list[EditableKernel] = []

    def prepare(kernel: EditableKernel) -> None:
        kernels.append(kernel)
        kernel.use(kernel.lane())

    with _compiled_as(prepare):
        yield kernels
