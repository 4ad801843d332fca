"""Draws what warps do when."""

from __future__ import annotations

from ..errors import shown_path
from .canvas import INK, MUTED, Canvas, Picture, text_width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Slice(Protocol):
        """What is asked of `emulator.Slice`, where the attributes are explained."""

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
        """What is asked of `emulator.Timeline`."""

        about: str
        kernels: list[str]

        def of_block(self, launch: int, block: int) -> list[Slice]: ...

        def name_of(self, launch: int, warp: int) -> str: ...


_WIDTH = 960
_LEFT = 58  # room for the names of warps, unless these are longer
_STAGE_HEIGHT = 15
_ACTIVITY_HEIGHT = 7
_PRODUCT_HEIGHT = 4
_GAP = 6
_TEXT_SIZE = 9.5
_MAX_SLICES = 40_000
_IDLE = "#eef0f3"

# Stages, in the order in which they begin: clearly different in hue and in lightness.
_STAGES = ("#3268b0", "#f2c45a", "#2f8f7f", "#e79a7c", "#7b4fa3", "#a9cf8c", "#8a3b4f", "#9cc9e3")
# What a warp does: matrix cores dark, memories in blues and greens, waiting pale.
_ACTIVITIES = {
    "matrix": "#8c2d19",
    "arithmetic": "#e0a458",
    "shared load": "#2f93ba",
    "shared store": "#1f5f86",
    "shuffle": "#8fc4d8",
    "global load": "#43a58f",
    "global store": "#23705f",
    "copy": "#6cc070",
    "atomic": "#5a4fa0",
    "wait": "#cfd5dc",
    "barrier": "#9aa3ad",
    "product": "#b8482f",
}


# Scopes inside stages: the colours of activities, none of which waits.
_SCOPES = tuple(colour for kind, colour in _ACTIVITIES.items() if kind not in ("wait", "barrier", "product"))


def draw_timeline(recorded: Timeline, launch: int, block: int, begin: int | None, end: int | None) -> Picture:
    """See `hocket.emulator.timeline`."""
    slices = recorded.of_block(launch, block)
    first = min(s.begin for s in slices) if begin is None else begin
    last = max(s.end for s in slices) if end is None else end
    if last <= first:
        raise ValueError(f"there is no time to draw between {first} and {last}")
    shown = [s for s in slices if s.end > first and s.begin < last]
    if len(shown) > _MAX_SLICES:
        raise ValueError(f"{len(shown)} slices are too many for a picture; give `begin` and `end`")
    # Of the whole block, so that a stage has the same colour in every picture of it.
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
        self.left = max(_LEFT, *(int(text_width(name, _TEXT_SIZE)) + 12 for name in warps.values()))
        self.has_products = any(s.kind == "product" for s in slices)
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
        for line in wrapped(about, _WIDTH, _TEXT_SIZE):
            self.canvas.text(0, y, line, _TEXT_SIZE, MUTED)
            y += 13
        return self.canvas.finish(f"Timeline of {self.kernel}, block {self.block}: {len(self.warps)} warps")

    def _header(self) -> float:
        self.canvas.text(0, 10, self.kernel, 13, bold=True)
        facts = f"block {self.block}, clocks {self.first} to {self.last}"
        self.canvas.text(text_width(self.kernel, 13) + 16, 10, facts, _TEXT_SIZE, MUTED)
        return 24

    def _row_height(self) -> int:
        products = _PRODUCT_HEIGHT if self.has_products else 0
        return (_STAGE_HEIGHT if self.stages else 0) + self._activity_height() + products

    def _activity_height(self) -> int:
        return _ACTIVITY_HEIGHT if self.stages else _STAGE_HEIGHT

    def _x(self, clock: int) -> float:
        clipped = min(max(clock, self.first), self.last)
        return round(self.left + (clipped - self.first) / (self.last - self.first) * (_WIDTH - self.left), 2)

    def _row(self, warp: int, y: float) -> None:
        height = self._row_height()
        self.canvas.text(self.left - 8, y + height / 2 + 3.5, self.warps[warp], _TEXT_SIZE, INK, anchor="end")
        self.canvas.rect(self.left, y, _WIDTH - self.left, height, _IDLE)
        activities = y + (_STAGE_HEIGHT if self.stages else 0)
        for s in self.slices:
            if s.warp != warp:
                continue
            if s.kind == "stage":
                colour = _STAGES[self.stages.index(s.label) % len(_STAGES)]
                self._box(s, y, _STAGE_HEIGHT, colour, s.label)
            elif s.kind == "product":
                self._box(s, y + height - _PRODUCT_HEIGHT, _PRODUCT_HEIGHT, self._activity_colour(s), "")
            else:
                self._box(s, activities, self._activity_height(), self._activity_colour(s), "")

    def _activity_colour(self, s: Slice) -> str:
        """Of what warps do, by its kind; of scopes inside stages, which have names, by these."""
        return _SCOPES[self.scopes.index(s.label) % len(_SCOPES)] if s.kind == "scope" else _ACTIVITIES[s.kind]

    def _box(self, s: Slice, y: float, height: float, colour: str, text: str) -> None:
        x = self._x(s.begin)
        width = self._x(s.end) - x
        # Boxes side by side of one colour are told apart by the idle colour between them.
        drawn = max(width - (0.7 if text else 0), 0.3)
        fits = text and text_width(text, _TEXT_SIZE) < width - 4
        place = f", {shown_path(s.filename)}:{s.line}" if s.filename else ""
        title = f"{s.label}: {s.begin} to {s.end}, {s.clocks} clocks{place}"
        self.canvas.cell(x, y, drawn, height, colour, title, [(y + 11, text, False)] if fits else [])

    def _axis(self, y: float) -> float:
        for clock in _ticks(self.first, self.last):
            x = self._x(clock)
            self.canvas.lines([(x, y, x, y + 4)], MUTED, 1, 1)
            anchor = "end" if x > _WIDTH - 16 else "middle"
            self.canvas.text(x, y + 14, str(clock), _TEXT_SIZE, MUTED, anchor=anchor)
        return y + 32

    def _legend(self, y: float) -> float:
        """What the colours mean: of stages, and on another line of what warps do."""
        if self.stages:
            y = self._entries(y, [(label, _STAGES[i % len(_STAGES)]) for i, label in enumerate(self.stages)])
        if self.scopes:
            y = self._entries(y, [(label, _SCOPES[i % len(_SCOPES)]) for i, label in enumerate(self.scopes)])
        kinds = {s.kind for s in self.slices}
        return self._entries(y, [(kind, colour) for kind, colour in _ACTIVITIES.items() if kind in kinds]) + 3

    def _entries(self, y: float, entries: list[tuple[str, str]]) -> float:
        x = 0.0
        for text, colour in entries:
            width = 14 + text_width(text, _TEXT_SIZE) + 16
            if x + width > _WIDTH:
                x, y = 0.0, y + 15
            self.canvas.rect(x, y - 9, 10, 10, colour)
            self.canvas.text(x + 14, y, text, _TEXT_SIZE)
            x += width
        return y + 17


def _ticks(first: int, last: int) -> list[int]:
    """Round numbers of clocks, about ten of them."""
    step = 1
    while (last - first) / step > 10:
        step = step * 2 if str(step)[0] in "15" else step // 2 * 5
    return list(range(-(-first // step) * step, last + 1, step))
