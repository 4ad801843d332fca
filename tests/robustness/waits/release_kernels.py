"""Text common to all kernels of released_waits.py, and the arguments of their runs."""

import functools

from compared_programs import load

#: The arguments of each run. Loops have `n` iterations, some only up to iteration `stop`.
RUNS = [
    {"n": n, "c0": c0, "stop": stop}
    for n, c0, stop in ((0, 0, 20), (1, 1, 0), (2, 0, 20), (2, 1, 1), (3, 1, 20), (5, 0, 2), (12, 1, 20), (7, 0, 20))
]

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import cluster, mbarrier, tma

ONE_WARP: gl.constexpr = gl.constexpr(gl.BlockedLayout([4], [32], [1], [0]))
FLAT: gl.constexpr = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@gl.constexpr_function
def split(num_ctas):
    return [[1, 0]] if num_ctas == 2 else None


@gl.constexpr_function
def accumulators(num_ctas):
    return gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16], split(num_ctas))


@gl.constexpr_function
def wide(num_ctas, is_split):
    cga_layout = None if num_ctas == 1 else [[1, 0]] if is_split else [[0, 0]]
    return gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], cga_layout)


@hocket.jit
def at(x, k):
    return x + k % 16 * 128 + gl.arange(0, 128, layout=ONE_WARP)


@hocket.jit
def zeros(IS_FLOAT: gl.constexpr):
    dtype: gl.constexpr = gl.float32 if IS_FLOAT else gl.int32
    return gl.zeros([64 * gl.num_ctas(), 64], dtype, accumulators(gl.num_ctas()))


@hocket.jit
def no_acc():
    return gl.zeros([64 * gl.num_ctas(), 64], gl.float32, accumulators(gl.num_ctas()))


@hocket.jit
def add(total, number):
    if total.dtype == gl.float32:
        return total * 0.5 + number.to(gl.float32)
    else:
        return total * 3 + number.to(gl.int32)


@hocket.jit
def add_acc(total, acc):
    return add(total, acc)


@hocket.jit
def add_tile(total, tile):
    if len(tile.shape) == 1:
        return add(total, gl.max(tile.load(gl.BlockedLayout([1], [32], [4], [0])), 0))
    else:
        return add(total, tile.load(total.type.layout))


@hocket.jit
def fill(tile, k):
    IS_SPLIT: gl.constexpr = tile.shape[0] == 64 * gl.num_ctas()
    LAYOUT: gl.constexpr = wide(gl.num_ctas(), IS_SPLIT)
    tile.store(gl.full(tile.shape, (k & 3) + 1, gl.float16, LAYOUT))


@hocket.jit
def fill_rows(tile, k):
    tile.store(gl.full([8, 64], k + 100, gl.int32, gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])))


@hocket.jit
def keep(out, total):
    LAYOUT: gl.constexpr = total.type.layout
    i = gl.arange(0, total.shape[0], layout=gl.SliceLayout(1, LAYOUT))
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, LAYOUT))
    gl.store(out + i.expand_dims(1) * 64 + j.expand_dims(0), total)
"""


@functools.cache
def header():
    return load("<header of released waits>", HEADER, {"__name__": "released_waits"})


class Partition:
    """A function: its parameters, body, warps, and the number of the output that it leaves its total in."""

    def __init__(self, name, parameters, body, warps, out=None):
        self.name, self.parameters, self.body, self.warps, self.out = name, parameters, body, warps, out


WAITS = {
    "copies": "async_copy.wait_group({})",
    "stores": "tma.store_wait({})",
    "products": "acc0, acc1 = hopper.warpgroup_mma_wait({}, deps=[acc0, acc1])",
}
SCALARS = ["n", "m", "c0", "stop"]
