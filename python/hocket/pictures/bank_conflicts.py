"""Draws bank conflicts of shared memory."""

from __future__ import annotations

from .. import _core
from ..language._dtype import dtype as DType
from ..language._layouts.checks import integers
from ..language._layouts.maps import linear_map
from ..language._types import distributed_type, shared_memory_descriptor_type
from .canvas import Canvas, Picture
from .cells import count, label, ranges
from .memory_lines import MemoryLines, element_of, phases_per_access, worst
from .palette import ALERT, CARD, INK, MUTED, UNUSED, faint, gradient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..language._layouts import DistributedLayout, SharedLayout

_CELL_HEIGHT = 26
_LEFT = 64  # width of the column that shows the addresses of memory lines
_HEADER_SIZE = 9
_MAX_LINES = 32
_MIN_WIDTH = 520


def draw_bank_conflicts(
    register_layout: DistributedLayout,
    shared_layout: SharedLayout,
    shape: Sequence[int],
    dtype: DType,
    target: str,
    access: str = "load",
) -> Picture:
    """Draws how one warp loads or stores a tile in shared memory: the wavefronts that `gl.bank_conflicts` counts.

    Each line of the picture is a line of memory that covers all banks once. Cells are colored by bank. The lanes of one
    phase, which the hardware serves together, are drawn in the cells that they access. Lanes in different lines of one
    column access different words of the same banks. A column takes one wavefront for each line in which a lane accesses
    it. The picture shows the phase of warp 0 that takes the most wavefronts, and at most 32 of the lines of memory that
    the phase accesses. Hatched cells are padding.

    Args:
        register_layout, shape, dtype: layout, shape and dtype of the tensor.
        shared_layout: layout of the tile in shared memory.
        target: "sm_80", "sm_90a", "gfx942" or "gfx950".
        access: "load" or "store".

    Errors: ValueError: for arguments for which `gl.bank_conflicts` raises ValueError.

    Example:
        >>> from hocket import language as gl, pictures
        >>> rows = gl.BlockedLayout([1, 8], [64, 1], [4, 1], [1, 0])
        >>> padded = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [256, 64], [1, 0])
        >>> picture = pictures.draw_bank_conflicts(rows, padded, [256, 64], gl.float16, "gfx950")
        >>> picture.save("banks.svg")
    """
    known = [info.name for info in _core.targets()]
    if not isinstance(target, str) or target not in known:
        raise ValueError(f"target is one of {', '.join(known)}, not {target!r}")
    if not isinstance(access, str) or access not in ("load", "store"):
        raise ValueError(f'access must be "load" or "store", not {access!r}')
    if not isinstance(dtype, DType):
        raise TypeError(f"dtype must be one of hocket.language, such as gl.float32, not {dtype!r}")
    shape = integers("draw_bank_conflicts", "shape", shape)
    types = (
        distributed_type(dtype, list(shape), register_layout),
        shared_memory_descriptor_type(dtype, list(shape), shared_layout),
    )
    phases = _core.bank_phases(*types, access, target)
    number = worst(phases)
    lines = MemoryLines(phases[number], linear_map(shared_layout, shape), dtype.itemsize)
    registers = linear_map(register_layout, shape)

    canvas = Canvas()
    cell_width = 46 if lines.columns <= 16 else 34 if lines.columns <= 32 else 26
    width = max(_LEFT + lines.columns * cell_width, _MIN_WIDTH)
    y = _draw_heading(canvas, width, shared_layout, _facts(phases, number, access, dtype, target))
    y = _draw_lines(canvas, y + 14, cell_width, lines, registers)
    _draw_key(canvas, y + 20, width, lines)
    return canvas.finish(f"Bank conflicts of {register_layout!r} and {shared_layout!r}, {target}")


def _facts(phases: list[dict], number: int, access: str, dtype: DType, target: str) -> str:
    actual, ideal = (sum(phase[key] for phase in phases) for key in ("actual", "ideal"))
    phase = phases[number]
    in_access = phases_per_access(phases)
    times = count(len(phases) // in_access, "time")
    return (
        f"{target}: warp 0 {access}s {dtype.name}, {times} {count(phase['bytes'], 'byte')} per lane, "
        f"in {_wavefronts(actual, ideal)}. Drawn: phase {number % in_access} of {in_access} of access "
        f"{number // in_access}, lanes {ranges(sorted(phase['lanes']))}, "
        f"in {_wavefronts(phase['actual'], phase['ideal'])}."
    )


def _wavefronts(actual: int, ideal: int) -> str:
    return count(actual, "wavefront") + ("" if actual == ideal else f" instead of {ideal}")


def _draw_heading(canvas: Canvas, width: float, shared_layout: SharedLayout, facts: str) -> float:
    y = canvas.paragraph(12, _shortened(repr(shared_layout)), width, 12, INK, bold=True)
    return canvas.paragraph(y, facts, width, 11) - 11


def _shortened(text: str, limit: int = 150) -> str:
    return text if len(text) <= limit else f"{text[:limit]} …)"


def _draw_lines(canvas: Canvas, top: float, cell_width: float, lines: MemoryLines, registers: dict) -> float:
    """Draws a header of banks, then a row of cells per line of memory. Returns the y coordinate of the bottom edge of
    the last row."""
    palette = gradient(lines.columns)
    for column in range(lines.columns):
        banks = lines.banks_of(column)
        numbers = str(banks[0]) if len(banks) == 1 else f"{banks[0]}-{banks[-1]}"
        x = _LEFT + (column + 0.5) * cell_width
        wanted = lines.wanted(column)
        if wanted > 1:
            canvas.text(x, top - 2, f"{wanted} times", _HEADER_SIZE, ALERT, "middle", bold=True)
        canvas.text(x, top + _HEADER_SIZE + 1, numbers, _HEADER_SIZE, MUTED, "middle")
    canvas.text(_LEFT - 6, top + _HEADER_SIZE + 1, "bank", _HEADER_SIZE, MUTED, "end")

    top += _HEADER_SIZE + 6
    lanes = lines.lanes()
    frames = []
    shown = lines.lines()[:_MAX_LINES]
    canvas.begin_cells()
    for row, line in enumerate(shown):
        for column in range(lines.columns):
            x, y = _LEFT + column * cell_width, top + row * _CELL_HEIGHT
            here = lanes.get((line, column))
            fill, title, texts = _cell(lines, line, column, here, palette, registers)
            texts = [(y + 10.5 * (number + 1), text, number == 0) for number, text in enumerate(texts)]
            if fill == UNUSED:
                canvas.hatched_cell(x, y, cell_width - 1, _CELL_HEIGHT - 1, "/", title, UNUSED)
            else:
                canvas.cell(x, y, cell_width - 1, _CELL_HEIGHT - 1, fill, title, texts)
            if here and lines.wanted(column) > 1:
                frames.append((x, y, x + cell_width - 1, y + _CELL_HEIGHT - 1))
    canvas.end_cells()
    for row, line in enumerate(shown):
        middle = top + (row + 0.5) * _CELL_HEIGHT + 3
        canvas.text(_LEFT - 6, middle, f"+{line * lines.line_bytes}", _HEADER_SIZE, MUTED, "end")
    canvas.frame(_LEFT, top, lines.columns * cell_width, len(shown) * _CELL_HEIGHT)
    for x1, y1, x2, y2 in frames:
        canvas.frame(x1, y1, x2 - x1, y2 - y1, ALERT, 2)
    return top + len(shown) * _CELL_HEIGHT


def _cell(
    lines: MemoryLines, line: int, column: int, lanes: list[int] | None, palette: list[str], registers: dict
) -> tuple[str, str, list[str]]:
    """Returns the fill color, the tooltip and the lines of text of a cell."""
    address = line * lines.line_bytes + column * lines.cell_bytes
    if lanes:
        element = ",".join(map(str, element_of(registers, lines.phase["register"], lanes[0])))
        return (
            palette[column],
            f"byte {address}: lanes {ranges(lanes)}, element ({element})",
            [label("l", lanes), element],
        )
    if lines.is_behind(line, column):
        return CARD, f"byte {address}: after the tile", []
    if not lines.holds(line, column):
        return UNUSED, f"byte {address}: padding", []
    return faint(palette[column]), f"byte {address}: not accessed in this phase", []


def _draw_key(canvas: Canvas, y: float, width: float, lines: MemoryLines) -> None:
    accessed = len(lines.lines())
    key = (
        f"l: lane; below it, the first element that it accesses. A line is {lines.line_bytes} bytes of memory, all "
        f"{lines.phase['banks']} banks; colors are banks, faint where this phase accesses nothing, hatched is padding."
    )
    if any(lines.wanted(column) > 1 for column in range(lines.columns)):
        key += (
            " Framed: lanes that access different words of one bank, and the number of wavefronts that the bank takes."
        )
    if accessed > _MAX_LINES:
        key += f" The first {_MAX_LINES} of {accessed} lines that are accessed."
    canvas.paragraph(y, key, width, 10)
