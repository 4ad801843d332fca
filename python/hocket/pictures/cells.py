"""Computes the contents of the cells in the picture of a layout."""

from __future__ import annotations

from dataclasses import dataclass

from .. import _core
from .inverse import Inverse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..language._dtype import dtype as DType
    from .window import Window

_BANK_BYTES = 4
_MAX_LABEL = 7  # largest number of characters of a text that fits into a cell
_HOLDER = ("warp", "lane", "register")


@dataclass(frozen=True)
class Cell:
    """A cell of the grid in a picture. Cells with equal `group` are drawn as one area; areas with equal `block` are
    drawn closer together. Faint cells have no text."""

    lines: tuple[str, ...]
    bold_line: int
    color: int
    title: str
    group: object
    block: object = None
    before_gap: bool = False
    is_faint: bool = False

    def edge_to(self, other: Cell) -> str:
        if self.block != other.block:
            return "thick"
        return "white" if self.group != other.group else "hair"


@dataclass(frozen=True)
class Drawing:
    """The cells of a picture by row and column, the meaning of their colors, and the texts around them.

    `colors` are the lanes or banks in ascending order, and `Cell.color` is one of these lanes or banks.
    """

    cells: dict[tuple[int, int], Cell]
    colors: Sequence[int]
    color_name: str
    facts: str
    key: str


def distributed_cells(bases: dict, window: Window, warp: int | None) -> Drawing:
    """Returns cells with the warp, lane and register of each element. Cells of elements that `warp` does not hold are
    faint."""
    registers, lanes, warps = (1 << len(bases[name]) for name in ("register", "lane", "warp"))
    inverse = Inverse(bases["register"] + bases["lane"] + bases["warp"])
    cells = {}
    copies = ""
    for place in window.places():
        element = window.element(*place)
        holders = [
            (index // registers // lanes, index // registers % lanes, index % registers)
            for index in inverse.indices(element)
        ]
        numbers = [sorted(set(column)) for column in zip(*holders, strict=True)]
        # Each combination of these warps, lanes and registers holds the element, because the basis vectors are linearly
        # independent.
        lines = tuple(label(letter, which) for letter, which in zip("wlr", numbers, strict=True))
        title = ", ".join(f"{word} {ranges(which)}" for word, which in zip(_HOLDER, numbers, strict=True))
        if len(holders) > 1:
            copies = copies or next(lines[i] for i in (1, 0, 2) if len(numbers[i]) > 1)
        block, in_lanes, _ = numbers
        group = (block, in_lanes)
        title = f"element {_coordinate(element)}: {title}"
        is_faint = warp is not None and warp not in block
        cells[place] = Cell(() if is_faint else lines, 1, in_lanes[0], title, group, block, is_faint=is_faint)
    facts = f"{count(warps, 'warp')} of {count(lanes, 'lane')}, {count(registers, 'register')} per lane"
    key = "w: warp, l: lane, r: register."
    if copies:
        key += f" Several, such as {copies}: each of them holds a copy; the color is that of the first lane."
    if len({str(cell.block) for cell in cells.values()}) > 1:
        key += " Black lines run between warps."
    if warp is not None:
        key += f" Only elements of warp {warp} have text."
    return Drawing(cells, sorted({cell.color for cell in cells.values()}), "lane", facts, key)


def shared_cells(bases: dict, window: Window, dtype: DType, target: str) -> Drawing:
    """Returns cells with the offset in elements, and the memory bank, of each element."""
    banks = _banks(target)
    paddings = bases["paddings"]

    def padded(offset: int) -> int:
        return offset + sum(offset // interval * padding for interval, padding in paddings)

    size = 1 << len(bases["offset"])
    inverse = Inverse(bases["offset"])
    cells = {}
    for place in window.places():
        element = window.element(*place)
        (linear,) = inverse.indices(element)
        offset = padded(linear)
        bank = offset * dtype.itemsize // _BANK_BYTES % banks
        unused = padded(linear + 1) - offset - 1 if linear + 1 < size else 0
        title = f"element {_coordinate(element)}: offset {offset}, bank {bank}"
        if unused:
            title += f"; {count(unused, 'unused element')} after it"
        cells[place] = Cell((str(offset), f"b{bank}"), 0, bank, title, bank, before_gap=unused > 0)
    used = (padded(size - 1) + 1) * dtype.itemsize
    facts = f"{used} bytes of {dtype.name}; {banks} banks of {_BANK_BYTES} bytes ({target})"
    key = "Bold: offset in elements, b: bank."
    if paddings:
        key += " An orange bar precedes unused elements, the padding."
    return Drawing(cells, range(banks), "bank", facts, key)


def first_element_of(bases: dict, warp: int) -> tuple[int, ...]:
    """Returns the element in the first register of lane 0 of `warp`. Raises: ValueError if there is no such warp."""
    warps = 1 << len(bases["warp"])
    if not 0 <= warp < warps:
        raise ValueError(f"the layout has {count(warps, 'warp')}, from 0 on; there is no warp {warp}")
    rows = bases["register"] + bases["lane"] + bases["warp"]
    element = [0] * len(rows[0]) if rows else []
    for bit, row in enumerate(bases["warp"]):
        if warp >> bit & 1:
            element = [a ^ b for a, b in zip(element, row, strict=True)]
    return tuple(element)


def _banks(target: str) -> int:
    for known in _core.targets():
        if known.name == target:
            return known.shared_banks
    raise ValueError(f"unknown target {target!r}; hocket knows {', '.join(known.name for known in _core.targets())}")


def label(letter: str, numbers: Sequence[int]) -> str:
    """Returns the text of `ranges(numbers)` for a cell. If the text does not fit, an ellipsis replaces its last
    ranges."""
    text = ranges(numbers)
    while len(letter + text) > _MAX_LABEL and "," in text:
        text = text.removesuffix("…").rpartition(",")[0] + "…"
    return letter + text


def ranges(numbers: Sequence[int]) -> str:
    """Returns ascending numbers as text with ranges: "0-3,8" for [0, 1, 2, 3, 8]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def _coordinate(element: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, element))})" if len(element) > 1 else str(element[0])


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
