"""The part of a tile that is drawn, and where each of its elements is in the grid."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A grid of this size is about as wide as a notebook.
MAX_COLUMNS = 32
MAX_ROWS = 16


@dataclass(frozen=True)
class Window:
    """`rows` x `columns` of the last two dimensions of `shape`, from the origin.

    A tile with one dimension is wrapped: row r continues where row r - 1 ended.
    """

    shape: tuple[int, ...]
    rows: int
    columns: int

    @staticmethod
    def of(shape: Sequence[int]) -> Window:
        if len(shape) == 1:
            columns = min(shape[0], MAX_COLUMNS)
            return Window(tuple(shape), min(shape[0] // columns, MAX_ROWS), columns)
        return Window(tuple(shape), min(shape[-2], MAX_ROWS), min(shape[-1], MAX_COLUMNS))

    def element(self, row: int, column: int) -> tuple[int, ...]:
        if len(self.shape) == 1:
            return (row * self.columns + column,)
        return (0,) * (len(self.shape) - 2) + (row, column)

    def row_label(self, row: int) -> str:
        return str(row * self.columns if len(self.shape) == 1 else row)

    def places(self) -> Iterator[tuple[int, int]]:
        return ((row, column) for row in range(self.rows) for column in range(self.columns))

    def describe(self) -> str:
        """ "8 x 32 elements", or which part of them is drawn."""
        whole = f"{' x '.join(map(str, self.shape))} elements"
        if len(self.shape) == 1:
            drawn = self.rows * self.columns
            return whole if drawn == self.shape[0] else f"the first {drawn} of {whole}"
        corner = [1] * (len(self.shape) - 2) + [self.rows, self.columns]
        if tuple(corner) == self.shape:
            return whole
        return f"the first {' x '.join(map(str, corner))} of {whole}"
