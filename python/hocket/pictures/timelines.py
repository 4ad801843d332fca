"""Draws timelines: the stage, activity or wait of each warp over time."""

from __future__ import annotations

from ..errors import shown_path
from .canvas import CELL_TEXT_SIZE, Canvas, Picture
from .palette import ACTIVITIES, IDLE, INK, MUTED, SCOPES, STAGES, WAITS
from .text_metrics import mono_width, text_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Slice(Protocol):
        """Protocol with the attributes of `emulator.Slice` that this module uses. The docstring of `emulator.Slice`
        explains the attributes."""

        launch: int
        warp: int
        kind: str
        label: str
        filename: str
        line: int
        begin: int
        end: int
        clocks: int

    class Timeline(Protocol):
        """Protocol with the attributes of `emulator.Timeline` that this module uses."""

        about: str
        kernels: list[str]

        def of_block(self, launch: int, block: int) -> list[Slice]: ...

        def name_of(self, launch: int, warp: int) -> str: ...


_WIDTH = 960
_LEFT = 58  # width of the column with the names of warps, unless a name is wider
_STAGE_HEIGHT = 15
_ACTIVITY_HEIGHT = 7
_MMA_HEIGHT = 4
_GAP = 6
_TEXT_SIZE = 9.5
_TITLE_SIZE = 13
_SWATCH = 10
_MAX_SLICES = 40_000


def draw_timeline(recorded: Timeline, launch: int, block: int, begin: int | None, end: int | None) -> Picture:
    """See `hocket.emulator.timeline`."""
    slices = recorded.of_block(launch, block)
    first = min(s.begin for s in slices) if begin is None else begin
    last = max(s.end for s in slices) if end is None else end
    if last <= first:
        raise ValueError(f"there is nothing to draw between clocks {first} and {last}")
    shown = [s for s in slices if s.end > first and s.begin < last]
    if len(shown) > _MAX_SLICES:
        raise ValueError(f"{len(shown)} slices are too many for a picture; give `begin` and `end`")
    # The list contains all stages of the block, even if the picture shows a part of the time, so that a stage has equal
    # colors in all pictures of the block.
    stages = list(dict.fromkeys(s.label for s in sorted(slices, key=lambda s: s.begin) if s.kind == "stage"))
    scopes = list(dict.fromkeys(s.label for s in sorted(slices, key=lambda s: s.begin) if s.kind == "scope"))
    number = slices[0].launch
    warps = {warp: recorded.name_of(number, warp) for warp in sorted({s.warp for s in slices})}
    return _Drawing(recorded.kernels[number], block, shown, warps, stages, scopes, first, last).draw(recorded.about)


class _Drawing:
    def __init__(
        self,
        kernel: str,
        block: int,
        slices: list[Slice],
        warps: dict[int, str],
        stages: list[str],
        scopes: list[str],
        first: int,
        last: int,
    ):
        self.kernel, self.block, self.slices, self.warps = kernel, block, slices, warps
        self.stages, self.scopes = stages, scopes
        self.left = max(_LEFT, *(int(mono_width(name, CELL_TEXT_SIZE)) + 12 for name in warps.values()))
        self.has_mmas = any(s.kind == "mma" for s in slices)
        activities = {s.kind for s in slices} - {"stage", "mma"}
        #: In profiles, whose only activities are waits, a wait interrupts the stage that contains it.
        self.waits_interrupt = bool(self.stages) and activities <= {"wait", "scope"}
        self.has_activities = bool(activities - {"wait"} if self.waits_interrupt else activities)
        self.first, self.last = first, last
        self.canvas = Canvas()

    def draw(self, about: str) -> Picture:
        y = self._header()
        height = self._row_height()
        self.canvas.begin_cells()
        for index, warp in enumerate(self.warps):
            self._row(warp, y + index * (height + _GAP))
        self.canvas.end_cells()
        y += len(self.warps) * (height + _GAP)
        y = self._legend(self._axis(y))
        self.canvas.paragraph(y, about, _WIDTH, _TEXT_SIZE)
        return self.canvas.finish(f"Timeline of {self.kernel}, block {self.block}: {len(self.warps)} warps")

    def _header(self) -> float:
        y = self.canvas.paragraph(_TITLE_SIZE, self.kernel, _WIDTH, _TITLE_SIZE, INK, bold=True)
        facts = f"block {self.block}, clocks {self.first} to {self.last}"
        return self.canvas.paragraph(y - 2, facts, _WIDTH, _TEXT_SIZE)

    def _row_height(self) -> int:
        mmas = _MMA_HEIGHT if self.has_mmas else 0
        return (_STAGE_HEIGHT if self.stages else 0) + self._activity_height() + mmas

    def _activity_height(self) -> int:
        if not self.has_activities:
            return 0
        return _ACTIVITY_HEIGHT if self.stages else _STAGE_HEIGHT

    def _x(self, clock: int) -> float:
        clipped = min(max(clock, self.first), self.last)
        return round(self.left + (clipped - self.first) / (self.last - self.first) * (_WIDTH - self.left), 2)

    def _row(self, warp: int, y: float) -> None:
        height = self._row_height()
        baseline = y + height / 2 + 3.5
        self.canvas.mono_text(self.left - 8, baseline, self.warps[warp], INK, anchor="end")
        self.canvas.rect(self.left, y, _WIDTH - self.left, height, IDLE)
        activities = y + (_STAGE_HEIGHT if self.stages else 0)
        of_warp = [s for s in self.slices if s.warp == warp]
        waits = [s for s in of_warp if s.kind == "wait"] if self.waits_interrupt else []
        for s in of_warp:
            if s.kind == "stage":
                color = STAGES[self.stages.index(s.label) % len(STAGES)]
                for begin, end in _without(s.begin, s.end, waits):
                    self._box(s, y, _STAGE_HEIGHT, color, s.label, begin, end)
            elif s.kind == "mma":
                self._box(s, y + height - _MMA_HEIGHT, _MMA_HEIGHT, self._activity_color(s), "")
            elif s.kind == "wait" and self.waits_interrupt:
                self._box(s, y, _STAGE_HEIGHT, "", "")
            else:
                self._box(s, activities, self._activity_height(), self._activity_color(s), "")

    def _activity_color(self, s: Slice) -> str:
        """Returns the color of an activity, by its kind, or of a scope inside a stage, by its name."""
        return SCOPES[self.scopes.index(s.label) % len(SCOPES)] if s.kind == "scope" else ACTIVITIES.get(s.kind, "")

    def _box(
        self,
        s: Slice,
        y: float,
        height: float,
        color: str,
        text: str,
        begin: int | None = None,
        end: int | None = None,
    ) -> None:
        """Draws a box for an interval, or for a part of an interval."""
        x = self._x(s.begin if begin is None else begin)
        width = self._x(s.end if end is None else end) - x
        # The box is a little narrower than its interval: the background color separates adjacent boxes of equal color.
        drawn = max(width - (0.7 if text else 0), 0.3)
        place = f", {shown_path(s.filename)}:{s.line}" if s.filename else ""
        title = f"{s.label}: {s.begin} to {s.end}, {s.clocks} clocks{place}"
        if s.kind in WAITS:
            self.canvas.hatched_cell(x, y, drawn, height, WAITS[s.kind], title)
            return
        fits = text and mono_width(text, CELL_TEXT_SIZE) < width - 4
        self.canvas.cell(x, y, drawn, height, color, title, [(y + 11, text, False)] if fits else [])

    def _axis(self, y: float) -> float:
        for clock in _ticks(self.first, self.last):
            x = self._x(clock)
            self.canvas.lines([(x, y, x, y + 4)], MUTED, 1, 1)
            anchor = "end" if x > _WIDTH - 16 else "middle"
            self.canvas.text(x, y + 14, str(clock), _TEXT_SIZE, MUTED, anchor=anchor)
        return y + 32

    def _legend(self, y: float) -> float:
        """Returns the legend of colors, with one line for stages, one for scopes, and one for activities."""
        if self.stages:
            y = self._entries(y, [(label, STAGES[i % len(STAGES)]) for i, label in enumerate(self.stages)])
        if self.scopes:
            y = self._entries(y, [(label, SCOPES[i % len(SCOPES)]) for i, label in enumerate(self.scopes)])
        kinds = {s.kind for s in self.slices}
        entries = [(kind, color) for kind, color in (ACTIVITIES | WAITS).items() if kind in kinds]
        return self._entries(y, entries) if entries else y

    def _entries(self, y: float, entries: list[tuple[str, str]]) -> float:
        x = 0.0
        for text, color in entries:
            width = _SWATCH + 5 + text_width(text, _TEXT_SIZE) + 16
            if x + width > _WIDTH:
                x, y = 0.0, y + 15
            if text in WAITS:
                self.canvas.hatched_cell(x, y - 9, _SWATCH, _SWATCH, color, "")
            else:
                self.canvas.rect(x, y - 9, _SWATCH, _SWATCH, color)
            self.canvas.text(x + _SWATCH + 5, y, text, _TEXT_SIZE)
            x += width
        return y + 17


def _without(begin: int, end: int, waits: list[Slice]) -> list[tuple[int, int]]:
    """Returns the parts of the interval [begin, end) that are outside `waits`. The waits are sorted and do not
    overlap."""
    pieces = []
    for wait in waits:
        if wait.end <= begin or wait.begin >= end:
            continue
        if wait.begin > begin:
            pieces.append((begin, wait.begin))
        begin = wait.end
    return [*pieces, (begin, end)] if begin < end else pieces


def _ticks(first: int, last: int) -> list[int]:
    """Returns about ten round numbers of clocks, at which the time axis has labels."""
    step = 1
    while (last - first) / step > 10:
        step = step * 2 if str(step)[0] in "15" else step // 2 * 5
    return list(range(-(-first // step) * step, last + 1, step))
