"""Text common to all kernels of random_waits.py: functions, buffers, and the end."""

import functools

import numpy as np

SLOTS, ROWS_SENT = 3, 256  # of a ring; of what bulk stores write, in tiles

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import tma
from hocket.language.{copies} import async_copy

T: gl.constexpr = gl.constexpr({elements})
L: gl.constexpr = gl.constexpr(gl.BlockedLayout([{vector}], [{lanes}], [1], [0]))
FLAT: gl.constexpr = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
ROWS: gl.constexpr = gl.constexpr(gl.BlockedLayout([1, 4], [2, 16], [1, 1], [1, 0]))
ACC: gl.constexpr = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
SQUARE: gl.constexpr = gl.constexpr(gl.NVMMASharedLayout(128, 16, 2))
WIDE: gl.constexpr = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))


@hocket.jit
def at(x, k):
    return x + k % 8 * T + gl.arange(0, T, layout=L)


@hocket.jit
def add(total, tile):
    return (total * 3 + tile.load(L)) & 1023


@hocket.jit
def fill(tile, k):
    tile.store(gl.full([T], k + 100, gl.int32, L))


@hocket.jit
def zeros():
    return gl.zeros([T], gl.int32, L)


@hocket.jit
def keep(out, total):
    gl.store(out + gl.arange(0, T, layout=L), total)


@hocket.jit
def ends():
    pass


@hocket.jit
def fill_rows(tile, k):
    tile.store(gl.full([8, 64], k + 100, gl.int32, ROWS))


@hocket.jit
def fill_square(tile, k):
    tile.store(gl.full([64, 64], (k & 3) + 1, gl.float16, WIDE))


@hocket.jit
def add_acc(total, acc):
    return (total * 3 + (acc.to(gl.int32) & 1023)) & 1023
"""


def header(target):
    copies = "nvidia.ampere" if target.startswith("sm_") else "amd.cdna4"
    lanes, vector = (32, 4) if target.startswith("sm_") else (64, 1 if target == "gfx942" else 4)
    return HEADER.format(copies=copies, lanes=lanes, vector=vector, elements=lanes * vector)


def elements(target):
    return {"gfx942": 64, "gfx950": 256}.get(target, 128)


@functools.cache
def inputs(target):
    return (np.arange(8 * elements(target), dtype=np.int32) * 7 + 3) & 1023


#: The parameters of each kind of program.
PARAMETERS = {
    "copies": ["x", "a", "b", "ring", "total", "cnt", "f0", "c0", "c1", "n"],
    "stores": ["x", "a", "desc", "s", "srow", "total", "cnt", "f0", "c0", "c1", "n"],
    "products": ["pa", "pb", "acc0", "acc1", "total", "cnt", "f0", "c0", "c1", "n"],
}
#: The variables that a function of each kind returns.
RESULTS = {"copies": ["total", "cnt", "f0"], "stores": ["total", "cnt", "f0", "srow"],
           "products": ["acc0", "acc1", "total", "cnt", "f0"]}  # fmt: skip

PROLOGUES = {
    "copies": """\
    a = gl.allocate_shared_memory(gl.int32, [T], FLAT)
    b = gl.allocate_shared_memory(gl.int32, [T], FLAT)
    ring = gl.allocate_shared_memory(gl.int32, [3, T], FLAT)
    fill(a, one * 0)
    fill(b, one * 0)
    for slot in gl.static_range(3):
        fill(ring.index(slot), one * 0)
    total = zeros()
""",
    "stores": """\
    a = gl.allocate_shared_memory(gl.int32, [T], FLAT)
    s = gl.allocate_shared_memory(gl.int32, [2, 8, 64], desc.layout)
    fill(a, one * 0)
    fill_rows(s.index(0), one * 0)
    fill_rows(s.index(1), one * 0)
    total = zeros()
    srow = n * 0
""",
    "products": """\
    pa = gl.allocate_shared_memory(gl.float16, [3, 64, 64], SQUARE)
    pb = gl.allocate_shared_memory(gl.float16, [64, 64], SQUARE)
    for slot in gl.static_range(3):
        fill_square(pa.index(slot), slot * one)
    fill_square(pb, one)
    acc0 = gl.zeros([64, 64], gl.float32, ACC)
    acc1 = gl.zeros([64, 64], gl.float32, ACC)
    total = gl.zeros([64, 64], gl.int32, ACC)
""",
}
EPILOGUES = {
    "copies": "    gl.store(out + gl.arange(0, T, layout=L), total)\n",
    "stores": "    gl.store(out + gl.arange(0, T, layout=L), total)\n",
    "products": """\
    i = gl.arange(0, 64, layout=gl.SliceLayout(1, ACC))
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, ACC))
    gl.store(out + i.expand_dims(1) * 64 + j.expand_dims(0), total)
""",
}
