"""One picture of every kind, by name: what the tests of pictures look at.

python tests/python/pictures/gallery.py FOLDER      writes FOLDER/light.html and FOLDER/dark.html
"""

from __future__ import annotations

import functools
import pathlib
import sys
from collections.abc import Callable

import numpy as np

import hocket
import hocket.profiler
from hocket import language as gl
from hocket.kernels import matmul
from hocket.language.nvidia.hopper import mbarrier, warpgroup_mma
from hocket.pictures import Picture, draw_bank_conflicts, draw_layout

ROWS = gl.BlockedLayout([1, 8], [64, 1], [4, 1], [1, 0])
LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@hocket.jit
def leapfrogging(x, out, TRIPS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 512, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + i))
    gl.barrier()
    acc = gl.load(x + i)
    for _ in range(TRIPS):
        with gl.warp_pipeline_stage("load"):
            loaded = tile.load(layout)
        with gl.warp_pipeline_stage("compute"):
            for _ in gl.static_range(20):
                acc = acc * 0.5 + loaded
    gl.store(out + i, acc)


@hocket.jit
def produce(x, buffers, full, empty, COUNT: gl.constexpr, BUFFERS: gl.constexpr):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([4], [32], [1], [0]))
    for k in range(COUNT):
        index = k % BUFFERS
        mbarrier.wait(empty.index(index), (k // BUFFERS & 1) ^ 1)
        buffers.index(index).store(gl.load(x + k * 128 + i))
        mbarrier.arrive(full.index(index))


@hocket.jit
def consume(out, buffers, full, empty, COUNT: gl.constexpr, BUFFERS: gl.constexpr):
    i = gl.arange(0, 128, layout=LINE)
    total = gl.zeros([128], gl.float32, LINE)
    for k in range(COUNT):
        index = k % BUFFERS
        mbarrier.wait(full.index(index), k // BUFFERS & 1)
        total += buffers.index(index).load(LINE)
        mbarrier.arrive(empty.index(index))
    gl.store(out + i, total)


@hocket.jit
def specialized(x, out, COUNT: gl.constexpr, BUFFERS: gl.constexpr):
    buffers = gl.allocate_shared_memory(gl.float32, [BUFFERS, 128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    full, empty = mbarrier.allocate_mbarrier(batch=BUFFERS), mbarrier.allocate_mbarrier(batch=BUFFERS)
    for k in gl.static_range(BUFFERS):
        mbarrier.init(full.index(k), count=1)
        mbarrier.init(empty.index(k), count=1)
    gl.warp_specialize(
        [
            (consume, (out, buffers, full, empty, COUNT, BUFFERS)),
            (produce, (x, buffers, full, empty, COUNT, BUFFERS)),
        ],
        [1],
        [24],
    )


def profile_of_specialized(count: int = 6):
    x, out = np.ones(count * 128, np.float32), np.zeros(128, np.float32)
    with hocket.emulator.target("sm_90a"), hocket.profiler.session("specialized") as profile:
        specialized[(1,)](x, out, count, 2)
    assert (out == count).all()
    return profile


def profile_of_leapfrogging():
    with hocket.emulator.target("gfx950"), hocket.profiler.session("leapfrogging") as profile:
        leapfrogging[(1,)](np.ones(512, np.float32), np.zeros(512, np.float32), TRIPS=4, num_warps=8)
    return profile


def timeline_of_matmul():
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((64, 64)).astype(np.float16) for _ in range(2))
    with hocket.emulator.target("gfx950"), hocket.emulator.record_timeline() as recorded:
        matmul(a, b)
    return recorded


TILE = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16))
WGMMA = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
LOADED = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))


@hocket.jit
def one_mma(x, out):
    offsets = gl.arange(0, 64, gl.SliceLayout(1, LOADED))[:, None] * 64
    values = gl.load(x + offsets + gl.arange(0, 64, gl.SliceLayout(0, LOADED))[None, :])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], TILE)
    tile.store(values)
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA))
    gl.store(out, gl.max(gl.max(acc, 1), 0))


def report_of_leapfrogging():
    return leapfrogging.warmup(gl.float32, gl.float32, TRIPS=100, num_warps=8, target="gfx950").report()


def kernel_with_mma():
    return one_mma.warmup(gl.float16, gl.float32, target="sm_90a")


HALVES = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
PADDED = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [256, 64], [1, 0])
PLAIN = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
MFMA = gl.amd.AMDMFMALayout(4, [16, 16, 32], False, [2, 2])
COPIES = gl.SliceLayout(1, gl.BlockedLayout([1, 2], [2, 2], [1, 1], [1, 0]))

#: Pictures that are SVG.
DRAWINGS: dict[str, Callable[[], Picture]] = {
    "layout of registers": lambda: draw_layout(gl.BlockedLayout([2], [4], [2], [0]), [32]),
    "layout of an MFMA": lambda: draw_layout(MFMA),
    "layout of one warp": lambda: draw_layout(MFMA, [1024, 1024], warp=3, size=(8, 40)),
    "layout of an operand": lambda: draw_layout(gl.DotOperandLayout(0, MFMA, 8)),
    "layout with copies": lambda: draw_layout(COPIES),
    "layout of shared memory": lambda: draw_layout(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]), [8, 32]),
    "layout with padding": lambda: draw_layout(
        gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 32], [1, 0]), [8, 32]
    ),
    "layout for wgmma": lambda: draw_layout(HALVES, [1024, 1024], origin=[1000, 992]),
    "bank conflicts": lambda: draw_bank_conflicts(ROWS, PLAIN, [256, 64], gl.float16, "gfx950"),
    "no bank conflicts": lambda: draw_bank_conflicts(ROWS, PADDED, [256, 64], gl.float16, "gfx950"),
    "timeline": lambda: hocket.emulator.timeline(timeline_of_matmul()),
    "profile of stages": lambda: profile_of_leapfrogging().picture(),
    "profile of partitions": lambda: profile_of_specialized().picture(),
    "modeled schedule": lambda: report_of_leapfrogging().draw_schedule(),
}

#: Pictures that are HTML, which take the colors of the page around them.
PAGES: dict[str, Callable[[], str]] = {
    "kernel": lambda: kernel_with_mma()._repr_html_(),
    "sync report": lambda: kernel_with_mma().sync_report()._repr_html_(),
    "code report": lambda: report_of_leapfrogging()._repr_html_(),
}


@functools.cache
def drawing(name: str) -> Picture:
    return DRAWINGS[name]()


@functools.cache
def page(name: str) -> str:
    return PAGES[name]()


_PAGE = """<!doctype html><meta charset="utf-8"><title>{scheme}</title>
<body style="font-family:sans-serif;margin:16px;background:{background};color:{ink}">{body}</body>"""
_SCHEMES = {"light": ("#ffffff", "#1f2328"), "dark": ("#0d1117", "#e6edf3")}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    shown = {name: drawing(name).svg for name in DRAWINGS} | {name: page(name) for name in PAGES}
    body = "".join(f"<h3>{name}</h3>{content}" for name, content in shown.items())
    for scheme, (background, ink) in _SCHEMES.items():
        text = _PAGE.format(scheme=scheme, background=background, ink=ink, body=body)
        (folder / f"{scheme}.html").write_text(text)


if __name__ == "__main__":
    main()
