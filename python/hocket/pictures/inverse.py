"""The holders of an element: a linear map over F2, inverted.

A layout has a basis vector for each bit of an index (register, lane, warp; or an offset): the coordinate that the bit
contributes by XOR. Elimination finds, for a coordinate, the indices that lead to it. Elimination takes a few steps per
bit, so that drawing a part of a huge tile is as fast as drawing a small tile.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BITS_PER_DIMENSION = 32


class Inverse:
    """The inverse of the map whose bit i contributes the coordinate `rows[i]`.

    >>> Inverse([[1], [2], [0]]).indices((3,))  # bit 2 changes nothing: two indices lead to 3
    [3, 7]
    """

    def __init__(self, rows: Sequence[Sequence[int]]):
        # Highest bit of a vector -> the vector and the index that leads to it.
        self._pivots: dict[int, tuple[int, int]] = {}
        # Indices that lead to the origin.
        self._free = [0]
        for bit, row in enumerate(rows):
            rest, index = self._reduce(_packed(row), 1 << bit)
            if rest:
                self._pivots[rest.bit_length()] = (rest, index)
            else:
                self._free += [other ^ index for other in self._free]

    def indices(self, coordinate: Sequence[int]) -> list[int]:
        """Every index that leads to `coordinate`, in ascending order."""
        rest, index = self._reduce(_packed(coordinate), 0)
        return [] if rest else sorted(index ^ free for free in self._free)

    def _reduce(self, vector: int, index: int) -> tuple[int, int]:
        while vector and (pivot := self._pivots.get(vector.bit_length())):
            vector ^= pivot[0]
            index ^= pivot[1]
        return vector, index


def _packed(coordinate: Sequence[int]) -> int:
    vector = 0
    for value in coordinate:
        vector = vector << _BITS_PER_DIMENSION | value
    return vector
