"""Layouts as text: the holders of each element, and the elements of each lane.

    >>> print(gl.BlockedLayout([1, 2], [2, 2], [1, 1], [1, 0]).format_tensor_view([2, 4]))
          0     1     2     3
    0  T0:0  T0:1  T1:0  T1:1
    1  T2:0  T2:1  T3:0  T3:1

A cell is `T<thread>:<register>`; `T0+8:0` means that threads 0 and 8 hold the same element. Threads are numbered across
warps: thread = warp * lanes + lane.
"""

from __future__ import annotations

from itertools import product
from math import prod

from .maps import linear_map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .maps import Mapped

    Element = tuple[int, ...]

# Largest number of elements of a view: a larger view would be unreadable and slow.
_MAX_ELEMENTS = 1 << 14


def format_tensor_view(layout: Mapped, shape: Sequence[int]) -> str:
    """Returns text with one cell per element: the threads and registers that hold the element."""
    holders = _holders(layout, shape)
    return _table(shape, {element: " ".join(_cells(threads)) for element, threads in holders.items()})


def format_hardware_view(layout: Mapped, shape: Sequence[int]) -> str:
    """Returns text with one line per lane of each warp: the elements in its registers."""
    lines = []
    bases = _bases(layout, shape)
    for warp in range(1 << len(bases["warp"])):
        lines.append(f"warp {warp}")
        for lane in range(1 << len(bases["lane"])):
            elements = [
                _element(bases, register, lane, warp, len(shape)) for register in range(1 << len(bases["register"]))
            ]
            lines.append(f"  lane {lane:2}  " + " ".join(_coordinates(element) for element in elements))
    return "\n".join(lines)


def format_shared_tensor_view(layout: Mapped, shape: Sequence[int]) -> str:
    """Returns text with one cell per element: the offset of the element, in elements."""
    return _table(shape, {element: str(offset) for offset, element in _offsets(layout, shape)})


def format_shared_hardware_view(layout: Mapped, shape: Sequence[int]) -> str:
    """Returns the elements in the order of their offsets. The number of elements per line is the size of the last
    dimension."""
    cells = [f"{offset}:{_coordinates(element)}" for offset, element in _offsets(layout, shape)]
    width = shape[-1]
    return "\n".join("  ".join(cells[begin : begin + width]) for begin in range(0, len(cells), width))


def _bases(layout: Mapped, shape: Sequence[int]) -> dict:
    if getattr(layout, "_is_undecided", False):
        name = type(layout).__name__
        raise ValueError(f"{name} cannot be visualized: it does not determine the position of elements")
    bases = linear_map(layout, shape)
    elements = prod(shape)
    if elements > _MAX_ELEMENTS:
        raise ValueError(f"{elements} elements are too many to look at; view a shape of at most {_MAX_ELEMENTS}")
    return bases


def _combine(rows: list[list[int]], index: int, start: Element) -> Element:
    for bit, row in enumerate(rows):
        if index >> bit & 1:
            start = tuple(a ^ b for a, b in zip(start, row, strict=True))
    return start


def _element(bases: dict, register: int, lane: int, warp: int, rank: int) -> Element:
    element = _combine(bases["register"], register, (0,) * rank)
    return _combine(bases["warp"], warp, _combine(bases["lane"], lane, element))


def _holders(layout: Mapped, shape: Sequence[int]) -> dict[Element, list[tuple[int, int]]]:
    """Returns the (thread, register) pairs that hold each element."""
    bases = _bases(layout, shape)
    lanes = 1 << len(bases["lane"])
    holders: dict[Element, list[tuple[int, int]]] = {}
    for warp in range(1 << len(bases["warp"])):
        for lane in range(lanes):
            for register in range(1 << len(bases["register"])):
                element = _element(bases, register, lane, warp, len(shape))
                holders.setdefault(element, []).append((warp * lanes + lane, register))
    return holders


def _offsets(layout: Mapped, shape: Sequence[int]) -> Iterator[tuple[int, Element]]:
    """Yields a pair (offset, element) for each element, in the order of offsets. Offsets include padding."""
    bases = _bases(layout, shape)
    for offset in range(1 << len(bases["offset"])):
        padded = offset + sum(offset // interval * padding for interval, padding in bases["paddings"])
        yield padded, _combine(bases["offset"], offset, (0,) * len(shape))


# Text -----------------------------------------------------------------------------------------------------------------


def _cells(holders: list[tuple[int, int]]) -> list[str]:
    """Returns the texts for one element of a tensor view: `T0+8:0` if threads 0 and 8 both hold the element in their
    register 0."""
    threads_of: dict[int, list[int]] = {}
    for thread, register in holders:
        threads_of.setdefault(register, []).append(thread)
    return [f"T{_ranges(threads)}:{register}" for register, threads in threads_of.items()]


def _ranges(numbers: list[int]) -> str:
    """Returns sorted numbers as text with ranges: "0-3+8" for [0, 1, 2, 3, 8]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return "+".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def _coordinates(element: Element) -> str:
    return str(element[0]) if len(element) == 1 else f"({','.join(map(str, element))})"


def _table(shape: Sequence[int], cells: dict[Element, str]) -> str:
    """Returns a table for each index of the leading dimensions; rows and columns are the last two dimensions."""
    width = max(map(len, cells.values()))
    if len(shape) == 1:
        return "  ".join(cells[(i,)].rjust(width) for i in range(shape[0]))
    *outer, rows, columns = shape
    margin = len(str(rows - 1))
    blocks = []
    for prefix in product(*map(range, outer)):
        lines = [f"{_coordinates(prefix)}:"] if prefix else []
        lines.append(" " * margin + "".join(f"  {column:>{width}}" for column in range(columns)))
        for row in range(rows):
            line = "".join(f"  {cells[(*prefix, row, column)]:>{width}}" for column in range(columns))
            lines.append(f"{row:>{margin}}{line}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
