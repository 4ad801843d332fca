"""Draws the timeline of the waves of a SIMD unit during some iterations of a loop, from the model of its schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .timelines import draw_timeline

if TYPE_CHECKING:
    from ..isa.schedule import Interval, ModeledSchedule
    from .canvas import Picture


class _Slice(NamedTuple):
    """An interval with the attributes of `emulator.Slice` except the source line."""

    warp: int
    kind: str
    label: str
    begin: int
    end: int
    launch: int = 0
    filename: str = ""
    line: int = 0

    @property
    def clocks(self) -> int:
        return self.end - self.begin


class _Timeline:
    about = (
        "Computed by a model, not measured on hardware: one SIMD unit of a compute unit; the others behave alike. "
        "Upper row: the stage of a wave. Lower row: the unit of the instructions that it issues, or the reason why it "
        "waits; and the times at which the matrix core executes its MFMAs."
    )

    def __init__(self, schedule: ModeledSchedule, kernel: str, target: str):
        self.kernels = [f"{kernel}, {target}"]
        waves = enumerate(schedule.timeline)
        self._slices = [one for wave, intervals in waves for one in _slices(wave, intervals, schedule)]

    def of_block(self, launch: int, block: int) -> list[_Slice]:
        return self._slices

    def name_of(self, launch: int, warp: int) -> str:
        return f"wave {warp}"


def _slices(wave: int, intervals: list[Interval], schedule: ModeledSchedule) -> list[_Slice]:
    """Returns the intervals of the stages and the activities of one wave. Adjacent intervals of one kind are merged."""
    start = min((one.begin for of_wave in schedule.timeline for one in of_wave), default=0)
    stages: list[_Slice] = []
    pieces: list[_Slice] = []
    for one in intervals:
        begin, end = one.begin - start, one.end - start
        if len(schedule.stages) > 1:
            _extend(stages, _Slice(wave, "stage", schedule.stages[one.stage].name, begin, end))
        _extend(pieces, _Slice(wave, one.activity, one.cause, begin, end))
    mmas: list[_Slice] = []
    for begin, end, whose in schedule.mmas:
        if whose == wave:
            _extend(mmas, _Slice(wave, "mma", "matrix core", begin - start, end - start))
    return stages + pieces + mmas


def _extend(slices: list[_Slice], following: _Slice) -> None:
    """Appends `following`. If the last interval has an equal kind and label, and ends at the begin of `following`, the
    last interval is extended instead."""
    if slices and slices[-1][1:3] == following[1:3] and slices[-1].end == following.begin:
        slices[-1] = slices[-1]._replace(end=following.end)
    else:
        slices.append(following)


def draw_schedule(schedule: ModeledSchedule, kernel: str, target: str) -> Picture:
    """See `CodeReport.draw_schedule`."""
    return draw_timeline(_Timeline(schedule, kernel, target), 0, 0, None, None)
