"""Describes the part of a tile that a picture shows, and the position of each of its elements in the grid of cells."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Number of columns for which a picture is about as wide as a notebook.
COLUMNS = 32
ROWS = 16
# Largest number of cells of a picture. Viewers would be slow with more cells.
MAX_CELLS = 1 << 14


@dataclass(frozen=True)
class Window:
    """A window of `rows` x `columns` elements of a tile of `shape`, over its last two dimensions, that starts at
    `origin`.

    A tile with one dimension is wrapped: row r continues where row r - 1 ended.
    """

    shape: tuple[int, ...]
    origin: tuple[int, ...]
    rows: int
    columns: int

    @staticmethod
    def of(shape: Sequence[int], origin: Sequence[int] | None = None, size: tuple[int, int] | None = None) -> Window:
        """Returns the window that starts at `origin`, by default at the first element. The window has at most `size`
        rows and columns, by default 16 x 32.

        Raises: ValueError if `origin` is outside the tile, or `size` has too many elements.
        """
        rows, columns = (ROWS, COLUMNS) if size is None else _checked_size(size)
        origin = (0,) * len(shape) if origin is None else _checked_origin(origin, shape)
        if len(shape) == 1:
            left = shape[0] - origin[0]
            columns = min(columns, left)
            return Window(tuple(shape), origin, min(-(-left // columns), rows), columns)
        return Window(tuple(shape), origin, min(shape[-2] - origin[-2], rows), min(shape[-1] - origin[-1], columns))

    def element(self, row: int, column: int) -> tuple[int, ...]:
        if len(self.shape) == 1:
            return (self.origin[0] + row * self.columns + column,)
        return (*self.origin[:-2], self.origin[-2] + row, self.origin[-1] + column)

    def row_label(self, row: int) -> str:
        return str(self.element(row, 0)[0] if len(self.shape) == 1 else self.element(row, 0)[-2])

    def column_label(self, column: int) -> str:
        return str(column if len(self.shape) == 1 else self.element(0, column)[-1])

    def places(self) -> Iterator[tuple[int, int]]:
        """Yields the row and the column of each cell of the window. The last row of a wrapped tile may be shorter."""
        for row in range(self.rows):
            for column in range(self.columns):
                if len(self.shape) > 1 or self.element(row, column)[0] < self.shape[0]:
                    yield row, column

    def describe(self) -> str:
        """Returns a description of the window, such as "8 x 32 elements", or of the part of the tile that is drawn."""
        whole = f"{' x '.join(map(str, self.shape))} elements"
        if len(self.shape) == 1:
            begin, end = self.origin[0], min(self.origin[0] + self.rows * self.columns, self.shape[0])
            if end - begin == self.shape[0]:
                return whole
            return f"the first {end} of {whole}" if begin == 0 else f"elements {begin} to {end - 1} of {whole}"
        corner = [1] * (len(self.shape) - 2) + [self.rows, self.columns]
        if tuple(corner) == self.shape:
            return whole
        if not any(self.origin):
            return f"the first {' x '.join(map(str, corner))} of {whole}"
        last = self.element(self.rows - 1, self.columns - 1)
        ranges = (str(a) if a == b else f"{a} to {b}" for a, b in zip(self.origin, last, strict=True))
        return f"elements [{', '.join(ranges)}] of {whole}"


def _checked_origin(origin: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    origin = tuple(origin)
    if len(origin) != len(shape):
        raise ValueError(f"origin has {len(origin)} coordinates, but the tile has {len(shape)} dimensions")
    if any(not 0 <= coordinate < extent for coordinate, extent in zip(origin, shape, strict=True)):
        raise ValueError(f"origin {list(origin)} is outside of a tile of {' x '.join(map(str, shape))}")
    return origin


def _checked_size(size: tuple[int, int]) -> tuple[int, int]:
    rows, columns = size
    if rows < 1 or columns < 1 or rows * columns > MAX_CELLS:
        raise ValueError(f"size is (rows, columns) of 1 to {MAX_CELLS} elements in all, not {tuple(size)}")
    return rows, columns
