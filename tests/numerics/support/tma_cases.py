"""Tensors and blocks that TMA moves: every swizzle, width of elements and rank, with edges inside of blocks."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma

DTYPES = {1: np.uint8, 2: np.float16, 4: np.float32, 8: np.float64}
_LEADING = {1: [], 2: [8], 3: [2, 8], 4: [2, 2, 4], 5: [2, 2, 1, 4]}
#: (swizzle, bytes of an element, rank). Swizzled tiles have two dimensions or more, of 8 rows or more.
CASES = [
    (swizzle, width, rank)
    for swizzle, width, rank in itertools.product((0, 32, 64, 128), DTYPES, (1, 2, 3, 4, 5))
    if not (swizzle and rank == 1)
]


def case_name(case: tuple[int, int, int]) -> str:
    return "swizzle{}-{}bytes-rank{}".format(*case)


@dataclass
class Case:
    """Blocks side by side over a tensor, the first of which may begin before it."""

    block: list[int]
    shape: list[int]
    layout: gl.NVMMASharedLayout
    dtype: type
    starts: tuple[int, ...]

    @property
    def counts(self) -> list[int]:
        sizes = zip(self.shape, self.starts, self.block, strict=True)
        return [math.ceil((size - start) / block) for size, start, block in sizes]

    @property
    def num_blocks(self) -> int:
        return math.prod(self.counts)

    @property
    def block_elements(self) -> int:
        return math.prod(self.block)

    def values(self, seed: int) -> np.ndarray:
        """Returns the values of each block."""
        random = np.random.default_rng(seed)
        return random.integers(1, 100, (self.num_blocks, *self.block)).astype(self.dtype)

    def padded(self, value: float) -> np.ndarray:
        """An array with rows of whole 16 bytes, of which the tensor is a view."""
        row = math.ceil(self.shape[-1] * np.dtype(self.dtype).itemsize / 16) * 16 // np.dtype(self.dtype).itemsize
        return np.full((*self.shape[:-1], row), value, self.dtype)

    def view(self, padded):
        return padded[..., : self.shape[-1]]

    def overlap(self, number: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Returns the intersection of block `number` and the tensor, as slices of each."""
        tensor_part, block_part = [], []
        places = zip(np.unravel_index(number, self.counts), self.block, self.shape, self.starts, strict=True)
        for index, block, size, start in places:
            first = int(index) * block + start
            begin, end = max(first, 0), min(first + block, size)
            tensor_part.append(slice(begin, max(end, begin)))
            block_part.append(slice(begin - first, max(end, begin) - first))
        return tuple(tensor_part), tuple(block_part)


def make_case(case: tuple[int, int, int], before: bool = False, whole: bool = False) -> Case:
    """`before`: blocks begin before the tensor, in the last dimension by 16 bytes, which is the least there is.

    `whole`: the tensor ends where 16 bytes do.
    """
    swizzle, width, rank = case
    starts = (*[-1] * (rank - 1), -16 // width) if before else (0,) * rank
    leading = _LEADING[rank]
    columns = 2 * (swizzle or 32) // width
    shape = [size + size // 2 for size in leading] + [columns + columns // 2 + (0 if whole else 1)]
    layout = gl.NVMMASharedLayout(swizzle, 8 * width, rank)
    return Case([*leading, columns], shape, layout, DTYPES[width], starts)


@hocket.jit
def block_coords(COUNTS: gl.constexpr, BLOCK: gl.constexpr, STARTS: gl.constexpr):
    """Returns the coordinates of this program's block, for adjacent blocks from STARTS on."""
    rest = gl.program_id(0)
    coords = []
    for i in gl.static_range(len(COUNTS)):
        dim: gl.constexpr = len(COUNTS) - 1 - i
        coords = [rest % COUNTS[dim] * BLOCK[dim] + STARTS[dim], *coords]
        rest = rest // COUNTS[dim]
    return coords


LANES = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


def tile_layout(rank):
    ones = [1] * (rank - 1)
    return gl.BlockedLayout([1] * rank, [*ones, 32], [*ones, 4], list(reversed(range(rank))))


@hocket.jit
def load_blocks(desc, out, COUNTS: gl.constexpr, STARTS: gl.constexpr, SIZE: gl.constexpr, READ: gl.constexpr):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, block_coords(COUNTS, desc.block_shape, STARTS), bar, tile)
    mbarrier.wait(bar, 0)
    value = gl.convert_layout(tile.load(READ).reshape([SIZE]), LANES)
    gl.store(out + gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=LANES), value)


@hocket.jit
def store_blocks(desc, values, COUNTS: gl.constexpr, STARTS: gl.constexpr, SIZE: gl.constexpr):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    i = gl.arange(0, SIZE, layout=LANES)
    tile.store(gl.load(values + gl.program_id(0) * SIZE + i).reshape(desc.block_shape))
    tma.async_store(desc, block_coords(COUNTS, desc.block_shape, STARTS), tile)
    tma.store_wait(0)
