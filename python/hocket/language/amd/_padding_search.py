"""Search for a padded layout without bank conflicts.

The tile is stored in LDS in *rows*: lines along the dimension that is contiguous in memory. Lanes that LDS serves in
one phase read the same columns of many rows, so these rows must begin in different banks. The search chooses three
parameters:

    interval   The number of bytes between two paddings. On CDNA4, an interval is the 1 KiB that a warp copies at once
               from global memory (64 lanes x 16 bytes), because the hardware writes these bytes without gaps. On
               CDNA3, an interval is the 128 bytes that 8 lanes store at once. If a row is longer, the interval is a
               row.
    wrapping   The rows that share an interval, if an interval holds several rows. Neighboring rows share an
               interval if these rows have no conflicts. Otherwise, rows r, r + n, r + 2 n, ... share an interval, for
               the smallest power of two n that avoids conflicts. If there is no such n, other sets of rows are tried.
    padding    16 bytes, or the next sufficient power of two. A multiple of 16 bytes keeps accesses of 16 bytes aligned.
               A padding of 8 bytes is tried last, if lanes read at most 8 bytes at once.

The search tries the wrappings in the order of this list and, for each wrapping, the paddings in the order of this list.
The search chooses the first layout for which the static count of bank conflicts is 0. This count models the phases of
each GPU. The following table shows the resulting paddings for operands that are contiguous along K, read 16 bytes at a
time, and have 128 bytes along K:

                      CDNA3                       CDNA4
    16 rows           32 bytes after each row     32 bytes after 1 KiB, rows r, r + 4, ... r + 28 in an interval
    32 rows           16 bytes after each row     16 bytes after 1 KiB, rows r, r + 8, ... r + 56 in an interval

If registers store data that is not contiguous along K in global memory, neighboring lanes store to rows that are, for
example, 8 apart. With a single padding that avoids conflicts of reads, all stores of neighboring lanes would access the
same bank. Therefore a layout for such stores has two paddings, one after each row and one after each group of rows, and
the search also counts the conflicts of the stores. For a tile of V with 64 keys and 128 columns on CDNA3, the paddings
are 8 bytes after each row, and an additional 16 bytes after every 16 rows.

A tile with 16 rows needs a padding of 32 bytes, because one half of the lanes of a phase (16 lanes on CDNA4, 8 on
CDNA3) reads 16 bytes from one column, and the other half reads from the next column. With a padding of 32 bytes, the
first half accesses the even groups of four banks, and the second half the odd groups. With 32 rows, all lanes of a
phase read one column, so a padding of 16 bytes suffices.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from ... import _core
from .._layouts import DistributedLayout, DotOperandLayout, PaddedSharedLayout
from .._types import distributed_type, shared_memory_descriptor_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._dtype import dtype as DType

# For each version of AMDMFMALayout: the target, and the number of bytes that the hardware writes to LDS at once.
TARGETS = {3: ("gfx942", 128), 4: ("gfx950", 1024)}
_ACCESS_BYTES = 16
# Smallest k_width for which the search computes a padding.
_LEAST_K_WIDTH = 4
_PADDING_BYTES = (16, 32, 64, 128, 256)
_MAX_WRAPPINGS = 24
# Candidate paddings of tiles that are stored from registers: after each row, and after each group of rows.
_ROW_PADDING_BYTES = (8, 16, 32)
_GROUP_ROWS = (8, 16, 32, 64)
_GROUP_PADDING_BYTES = (8, 16, 32, 64)


@lru_cache(maxsize=256)
def search(
    operand: DotOperandLayout, shape: tuple[int, int], dtype: DType, is_k_contig: bool
) -> PaddedSharedLayout | None:
    if operand.k_width < _LEAST_K_WIDTH:
        return None
    k_dim = 1 - operand.operand_index
    column_dim = k_dim if is_k_contig else 1 - k_dim
    target, written_bytes = TARGETS[operand.parent.version]
    registers = distributed_type(dtype, list(shape), operand)
    rows = _Rows(shape, column_dim, dtype.itemsize, written_bytes)
    is_wide = is_k_contig and operand.k_width * dtype.itemsize % _ACCESS_BYTES == 0
    is_narrow = is_k_contig and not is_wide

    best, fewest = None, None
    for layout in rows.layouts((*_PADDING_BYTES, 8) if is_narrow else _PADDING_BYTES):
        shared = shared_memory_descriptor_type(dtype, list(shape), layout)
        actual, ideal = max(_core.bank_wavefronts(registers, shared, "load", target))
        if actual == ideal:
            return layout
        if actual <= 2 * ideal and not is_wide and (fewest is None or actual < fewest):
            best, fewest = layout, actual
    return best


@lru_cache(maxsize=256)
def search_stored(
    operand: DotOperandLayout, shape: tuple[int, int], dtype: DType, stores: DistributedLayout
) -> PaddedSharedLayout | None:
    """Returns the first layout with rows along K that has no conflicts for reads in layout `operand` and stores in
    layout `stores`."""
    k_dim = 1 - operand.operand_index
    target, _ = TARGETS[operand.parent.version]
    alignment = min(_ACCESS_BYTES, operand.k_width * dtype.itemsize)
    rows = _Rows(shape, k_dim, dtype.itemsize, 0)
    for layout in rows.layouts_in_groups(alignment):
        shared = shared_memory_descriptor_type(dtype, list(shape), layout)
        counts = (
            _core.bank_wavefronts(distributed_type(dtype, list(shape), registers), shared, access, target)
            for registers, access in ((operand, "load"), (stores, "store"))
        )
        if all(actual == ideal for count in counts for actual, ideal in count):
            return layout
    return None


class _Rows:
    """The rows of a tile in LDS. Several rows may share an interval."""

    def __init__(self, shape: tuple[int, int], column_dim: int, item_bytes: int, written_bytes: int):
        self.shape = list(shape)
        self.column_dim = column_dim
        self.item_bytes = item_bytes
        row_bytes = shape[column_dim] * item_bytes
        self.interval_bytes = max(written_bytes, row_bytes)
        self.column_bits = shape[column_dim].bit_length() - 1
        self.row_bits = shape[1 - column_dim].bit_length() - 1
        self.inside_bits = min(self.row_bits, (self.interval_bytes // row_bytes).bit_length() - 1)

    def wrappings(self) -> Iterator[tuple[int, ...]]:
        """Yields sets of bits of the row number. Rows whose numbers differ only in these bits share an interval. Sets
        of adjacent bits come first, from the lowest bits on."""
        seen = set()
        starts = [tuple(range(low, low + self.inside_bits)) for low in range(self.row_bits - self.inside_bits + 1)]
        for choice in (*starts, *combinations(range(self.row_bits), self.inside_bits)):
            for order in (choice, choice[::-1]):
                if order not in seen and len(seen) < _MAX_WRAPPINGS:
                    seen.add(order)
                    yield order

    def layouts(self, paddings_bytes: Sequence[int]) -> Iterator[PaddedSharedLayout]:
        for inside in self.wrappings():
            outside = [bit for bit in range(self.row_bits) if bit not in inside]
            bases = self._bases(self.column_dim, range(self.column_bits))
            bases += self._bases(1 - self.column_dim, (*inside, *outside))
            for padding_bytes in paddings_bytes:
                pair = [self.interval_bytes // self.item_bytes, padding_bytes // self.item_bytes]
                if pair[1]:
                    yield PaddedSharedLayout([pair], bases, [], self.shape)

    def layouts_in_groups(self, alignment: int) -> Iterator[PaddedSharedLayout]:
        """Yields layouts with padding after each row and after groups of rows; paddings are multiples of `alignment`
        bytes."""
        row = self.shape[self.column_dim]
        bases = self._bases(self.column_dim, range(self.column_bits))
        bases += self._bases(1 - self.column_dim, range(self.row_bits))
        groups = [(0, 0)]
        groups += [(rows, size) for rows in _GROUP_ROWS if rows < 1 << self.row_bits for size in _GROUP_PADDING_BYTES]
        for row_padding in _ROW_PADDING_BYTES:
            for rows, padding in groups:
                if row_padding % alignment == padding % alignment == 0:
                    pairs = [[row, row_padding // self.item_bytes]]
                    pairs += [[row * rows, padding // self.item_bytes]] if rows else []
                    yield PaddedSharedLayout(pairs, bases, [], self.shape)

    def _bases(self, dim: int, bits: Sequence[int]) -> list[list[int]]:
        return [[1 << bit if d == dim else 0 for d in range(2)] for bit in bits]
