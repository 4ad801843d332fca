"""Inverts a layout, a linear map over F2: finds the indices (registers, lanes, warps, or offsets) that hold an element.

A layout has a basis vector for each bit of an index (register, lane, warp; or an offset): the coordinate that the bit
contributes by XOR. For a given coordinate, Gaussian elimination finds the indices to which the layout assigns the
coordinate. Elimination takes a few steps per bit of an index, so drawing a part of a huge tile is as fast as drawing a
small tile.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BITS_PER_DIMENSION = 32


class Inverse:
    """The inverse of a linear map over F2, in which bit i of the index contributes the coordinate `rows[i]`.

    >>> Inverse([[1], [2], [0]]).indices((3,))  # bit 2 changes nothing: two indices lead to 3
    [3, 7]
    """

    def __init__(self, rows: Sequence[Sequence[int]]):
        # By highest bit: a reduced basis vector, and the index that the map sends to this vector.
        self._pivots: dict[int, tuple[int, int]] = {}
        # Indices that the map sends to the origin.
        self._free = [0]
        for bit, row in enumerate(rows):
            rest, index = self._reduce(_packed(row), 1 << bit)
            if rest:
                self._pivots[rest.bit_length()] = (rest, index)
            else:
                self._free += [other ^ index for other in self._free]

    def indices(self, coordinate: Sequence[int]) -> list[int]:
        """Returns all indices that the map sends to `coordinate`, in ascending order."""
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
