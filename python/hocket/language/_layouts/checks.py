"""Checks of arguments of layout constructors: each function returns the normalized value or raises ValueError."""

from __future__ import annotations

import math
import re

from .._constexpr import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST = 1 << 20  # Largest number of elements of a tensor.
_MOST_BLOCK_BITS = 4  # Largest number of bits of a block's rank in its cluster.


def frozen(value: Any) -> Any:
    """Returns a hashable form of a field's value: lists become tuples."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def integer(owner: Any, name: str, value: Any, low: int, high: int) -> int:
    value = unwrap(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{_title(owner)}: {name} must be an int, got {_text(value)}")
    if not low <= value <= high:
        raise ValueError(f"{_title(owner)}: {name} must be between {low} and {high}, got {value}")
    return value


def integers(owner: Any, name: str, values: Any) -> list[int]:
    values = unwrap(values)
    if not isinstance(values, (list, tuple)):
        raise ValueError(f"{_title(owner)}: {name} must be a list of ints, got {_text(values)}")
    values = [unwrap(value) for value in values]
    if any(isinstance(value, bool) or not isinstance(value, int) for value in values):
        raise ValueError(f"{_title(owner)}: {name} must be a list of ints, got {_text(values)}")
    for value in values:
        if abs(value) > _MOST:
            raise ValueError(f"{_title(owner)}: {name} has {value}, but tensors have at most {_MOST} elements")
    return values


def flag(owner: Any, name: str, value: Any) -> bool:
    """Returns a bool, from a bool, 0 or 1."""
    value = unwrap(value)
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise ValueError(f"{_title(owner)}: {name} must be True or False, got {_text(value)}")


def integer_rows(owner: Any, name: str, rows: Any) -> list[list[int]]:
    """Returns a list of lists of ints; for None, an empty list."""
    values = [] if rows is None else unwrap(rows)
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__") or isinstance(values, type):
        raise ValueError(f"{_title(owner)}: {name} must be a list of lists of ints, got {_text(values)}")
    return [integers(owner, name, row) for row in values]


def powers_of_two(owner: Any, name: str, values: Any) -> list[int]:
    values = integers(owner, name, values)
    for value in values:
        if value <= 0 or value & (value - 1):
            raise ValueError(f"{_title(owner)}: {name} must hold powers of two, got {value} in {values}")
    return values


def tensor_shape(owner: Any, values: Any) -> list[int]:
    values = powers_of_two(owner, "shape", values)
    if math.prod(values) > _MOST:
        raise ValueError(
            f"{_title(owner)}: shape {values} has {math.prod(values)} elements, but tensors have at most {_MOST}"
        )
    return values


def same_length(owner: Any, name: str, values: list[int], rank: int | None) -> int:
    if not values:
        raise ValueError(f"{_title(owner)}: {name} is empty; layouts have at least one dimension")
    if rank is not None and len(values) != rank:
        raise ValueError(f"{_title(owner)}: {name} has {len(values)} entries where the others have {rank}: {values}")
    return len(values)


def permutation(owner: Any, name: str, values: Any, rank: int | None) -> list[int]:
    values = integers(owner, name, values)
    rank = same_length(owner, name, values, rank)
    if sorted(values) != list(range(rank)):
        raise ValueError(f"{_title(owner)}: {name} must be a permutation of 0..{rank - 1}, got {values}")
    return values


def cluster_rows(owner: Any, rows: Any, rank: int) -> list[list[int]]:
    """Checks a cga_layout. Row i is the offset that bit i of a block's rank contributes, in units of one block's part
    of the tile."""
    rows = integer_rows(owner, "cga_layout", rows)
    if len(rows) > _MOST_BLOCK_BITS:
        raise ValueError(
            f"{_title(owner)}: cga_layout has {len(rows)} rows, for clusters of {1 << len(rows)} blocks; they have at "
            f"most {1 << _MOST_BLOCK_BITS}"
        )
    following = [1] * rank
    for row in rows:
        if len(row) != rank:
            raise ValueError(f"{_title(owner)}: cga_layout has the row {row}, but the layout has rank {rank}")
        moved = [dim for dim, entry in enumerate(row) if entry]
        if not moved:
            continue
        if len(moved) > 1 or row[moved[0]] != following[moved[0]]:
            raise ValueError(
                f"{_title(owner)}: rows of cga_layout are zeros (copies), or the next of 1, 2, 4, ... along one "
                f"dimension, got {row} in {rows}"
            )
        following[moved[0]] *= 2
    return rows


def part_of_block(shape: list[int], rows: list[list[int]] | None) -> list[int]:
    """Returns the shape of the part of a tile that one block of a cluster holds, according to the `rows` of a
    cga_layout."""
    part = list(shape)
    for row in rows or []:
        part = [max(1, size // 2) if moved else size for size, moved in zip(part, row, strict=True)]
    return part


def single_block(owner: Any, rows: Any, name: str = "cga_layout") -> list[list[int]]:
    """Checks that a layout without support for clusters has an empty cga_layout."""
    rows = integer_rows(owner, name, rows)
    if rows:
        raise ValueError(f"{_title(owner)}: {name} must be empty; tiles over several blocks are not supported yet")
    return rows


def distributed(owner: Any, name: str, value: Any, base: type) -> Any:
    value = unwrap(value)
    if not isinstance(value, base):
        raise ValueError(f"{_title(owner)}: {name} must be a distributed layout, got {_text(value)}")
    return value


def bases(owner: Any, name: str, rows: Any, shape: list[int]) -> list[list[int]]:
    rows = integer_rows(owner, name, rows)
    for row in rows:
        if len(row) != len(shape):
            raise ValueError(f"{_title(owner)}: {name} has the row {row}, but the shape {shape} has rank {len(shape)}")
        for coordinate, size in zip(row, shape, strict=True):
            if not 0 <= coordinate < size:
                raise ValueError(f"{_title(owner)}: {name} has the row {row}, outside the shape {shape}")
    return rows


def coordinate_rows(owner: Any, name: str, rows: Any) -> list[list[int]]:
    """Checks basis vectors whose coordinates determine the shape of the tile."""
    rows = integer_rows(owner, name, rows)
    for row in rows:
        if any(coordinate < 0 for coordinate in row):
            raise ValueError(f"{_title(owner)}: {name} has the row {row}, but coordinates are not negative")
    return rows


def same_rank(owner: Any, rows: list[list[int]]) -> None:
    for row in rows:
        same_length(owner, "a row", row, len(rows[0]))


def reaches_every_element(rows: list[list[int]], shape: list[int]) -> bool:
    return _rank_over_f2(rows, shape) == _bits(shape)


def reach_every_element(owner: Any, rows: list[list[int]], shape: list[int]) -> None:
    if not reaches_every_element(rows, shape):
        raise ValueError(f"{_title(owner)}: the bases do not reach every element of the shape {shape}")


def bijective(owner: Any, name: str, rows: list[list[int]], shape: list[int]) -> None:
    if len(rows) != _bits(shape) or _rank_over_f2(rows, shape) != len(rows):
        raise ValueError(
            f"{_title(owner)}: {name} must reach every element of the shape {shape} exactly once "
            f"({_bits(shape)} independent rows), got {rows}"
        )


def interval_padding_pairs(owner: Any, pairs: Any) -> list[list[int]]:
    pairs = integer_rows(owner, "interval_padding_pairs", pairs)
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{_title(owner)}: interval_padding_pairs must be a list of [interval, padding], got {pairs}")
    for pair in pairs:
        powers_of_two(owner, "interval_padding_pairs", pair)
    if len({interval for interval, _ in pairs}) != len(pairs):
        raise ValueError(f"{_title(owner)}: interval_padding_pairs has an interval twice: {pairs}")
    return pairs


def _text(value: Any) -> str:
    """Returns the repr of a value; for a function, without the address."""
    return re.sub(r" at 0x\w+", "", repr(value))


def _title(owner: Any) -> str:
    return owner if isinstance(owner, str) else type(owner).__name__


def _bits(shape: list[int]) -> int:
    return sum(size.bit_length() - 1 for size in shape)


def _rank_over_f2(rows: list[list[int]], shape: list[int]) -> int:
    """Returns the rank of a matrix over F2, computed by Gaussian elimination. Each row is flattened to one integer."""
    pivots: dict[int, int] = {}
    for row in rows:
        vector = 0
        for coordinate, size in zip(row, shape, strict=True):
            vector = vector << (size.bit_length() - 1) | coordinate
        while vector:
            top = vector.bit_length()
            if top not in pivots:
                pivots[top] = vector
                break
            vector ^= pivots[top]
    return len(pivots)
