"""kernel.sync_report(): which operations each wait, fence and barrier keeps in order, at which lines, and why."""

import inspect
import pathlib
import re

import fused_matmuls
import numpy as np

import hocket
from hocket import _core
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import warpgroup_mma, warpgroup_mma_wait

SHARED = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16))
WGMMA = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([8, 1], [8, 4], [1, 4], [0, 1]))


@hocket.jit
def one_product(x, out):
    offsets = gl.arange(0, 64, gl.SliceLayout(1, ROWS))[:, None] * 64
    values = gl.load(x + offsets + gl.arange(0, 64, gl.SliceLayout(0, ROWS))[None, :])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    tile.store(values)  # store
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA))  # product
    gl.store(out, gl.max(gl.max(acc, 1), 0))  # use


@hocket.jit
def redundant_wait(out):
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.full([64, 64], 1, gl.float16, ROWS))
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, WGMMA), is_async=True)
    acc = warpgroup_mma_wait(0, deps=[acc])  # needed
    acc = warpgroup_mma_wait(0, deps=[acc])  # redundant
    gl.store(out, gl.max(gl.max(acc, 1), 0))


@hocket.jit
def copied(x, out):
    offsets = gl.arange(0, 64, gl.SliceLayout(1, ROWS))[:, None] * 64
    offsets = offsets + gl.arange(0, 64, gl.SliceLayout(0, ROWS))[None, :]
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    async_copy.async_load(tile, x + offsets)  # copy
    columns = gl.arange(0, 64, gl.SliceLayout(1, COLUMNS))[:, None] * 64
    columns = columns + gl.arange(0, 64, gl.SliceLayout(0, COLUMNS))[None, :]
    gl.store(out + columns, tile.load(COLUMNS))  # read


@hocket.jit
def in_a_ring_buffer(x, out):
    offsets = gl.arange(0, 64, gl.SliceLayout(1, ROWS))[:, None] * 64
    offsets = offsets + gl.arange(0, 64, gl.SliceLayout(0, ROWS))[None, :]
    tiles = gl.allocate_shared_memory(gl.float32, [2, 64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    ring = gl.RingBuffer(tiles, fill="cp.async", producers=4, consumers=0)  # ring
    for tile in gl.static_range(2):
        slot = ring.producer().acquire(tile)
        async_copy.async_load(slot.buffer, x + tile * 64 * 64 + offsets)
        ring.producer().commit(tile)  # commit
    for tile in range(2):
        values = ring.consumer().wait(tile).buffer.load(ROWS)  # wait
        gl.store(out + tile * 64 * 64 + offsets, values)
    ring.invalidate()  # invalidate


@hocket.jit
def nothing_shared(x):
    gl.store(x, 1.0)


def line_of(kernel, mark, nth=0):
    """The line of `kernel` with the comment `mark`."""
    lines, first = inspect.getsourcelines(kernel.fn)
    return [first + number for number, line in enumerate(lines) if f"# {mark}" in line][nth]


def report(kernel, *args, **options):
    return kernel.warmup(*args, target="sm_90a", **options).sync_report()


def points(report, kind):
    return [point for point in report if point.kind == kind]


def fused_report(waits="placed", stages=3):
    arrays = [np.zeros(shape, np.float16) for shape in ((128, 512), (512, 128), (512, 128), *[(128, 128)] * 4)]
    blocks = [[128, 64], [64, 128], [64, 128], *[[128, 128]] * 4]
    descriptors = [fused_matmuls.descriptor(array, block) for array, block in zip(arrays, blocks, strict=True)]
    options = {"STAGES": stages, "GROUP": 8, "WAITS": waits, "keep_waits": waits != "placed", "num_warps": 8}
    return report(fused_matmuls.fused_kernel, *descriptors, 128, 128, 512, **options)


def test_a_wait_for_a_product():
    (wait,) = points(report(one_product, gl.float16, gl.float32), "wait")
    assert wait.what == "wait for all wgmmas"
    assert not wait.is_written
    assert wait.earlier == ("asynchronous MMA", __file__, line_of(one_product, "product"))
    assert wait.later == ("use of the result", __file__, line_of(one_product, "use"))
    assert wait.line == line_of(one_product, "use")
    name = wait.earlier[0]
    early = f"the use of the result could be executed before the {name} is complete"
    assert wait.why == f"if it left one more group in flight, {early}"


def test_a_fence_for_what_a_product_reads():
    (fence,) = points(report(one_product, gl.float16, gl.float32), "fence")
    assert fence.what == "proxy fence"
    assert fence.earlier == ("store to shared memory", __file__, line_of(one_product, "store"))
    assert fence.later == ("asynchronous MMA", __file__, line_of(one_product, "product"))
    assert "goes through the async proxy" in fence.why


def test_a_barrier_between_store_and_product():
    barrier = points(report(one_product, gl.float16, gl.float32), "barrier")[0]
    assert barrier.earlier == ("store to shared memory", __file__, line_of(one_product, "store"))
    assert barrier.later == ("asynchronous MMA", __file__, line_of(one_product, "product"))
    assert not barrier.is_written


def test_copies():
    made = report(copied, gl.float32, gl.float32)
    (wait,) = points(made, "wait")
    assert wait.what == "wait for all copies"
    assert wait.earlier == ("copy into shared memory", __file__, line_of(copied, "copy"))
    assert wait.later == ("load from shared memory", __file__, line_of(copied, "read"))
    (barrier,) = points(made, "barrier")
    assert (barrier.earlier, barrier.later) == (wait.earlier, wait.later)


def test_two_products_share_two_waits():
    made = [point for point in points(fused_report(), "wait") if "wgmmas" in point.what]
    assert [point.what for point in made] == ["wait for all wgmmas", "wait for wgmmas that leaves 1 group"]
    after_it, in_loop = made
    assert in_loop.later.what == "copy into shared memory"
    assert after_it.later.what == "use of the result"


def test_the_report_in_the_documentation():
    """docs/asynchronous_waits.md shows a part of the report on a layer, with shortened lines."""
    page = (pathlib.Path(__file__).parents[2] / "docs" / "asynchronous_waits.md").read_text()
    shown = re.search(r"```\n(layer_kernel for .*?)```", page, re.DOTALL).group(1).splitlines()
    lines = str(fused_matmuls.report()[0]).splitlines()
    assert len(shown) > 10
    for line in shown:
        assert any(real.startswith(line.removesuffix("...")) for real in lines), line


def test_written_waits_are_told_apart():
    made = [point for point in points(fused_report(waits="at each use"), "wait") if "wgmmas" in point.what]
    assert len(made) == 5
    assert all(point.is_written for point in made)
    assert sum("no operation needs it" in point.why for point in made) == 3
    assert sum("it could leave one more group" in point.why for point in made) == 1


def test_a_wait_that_is_kept():
    kept = points(report(redundant_wait, gl.float32, keep_waits=True), "wait")
    assert [point.line for point in kept] == [line_of(redundant_wait, "needed"), line_of(redundant_wait, "redundant")]
    assert len(points(report(redundant_wait, gl.float32), "wait")) == 1


def test_functions_of_the_library_have_the_lines_of_their_calls():
    """Those of a ring buffer are written in the language."""
    made = report(in_a_ring_buffer, gl.float32, gl.float32)
    ring, commit, wait, end = (line_of(in_a_ring_buffer, mark) for mark in ("ring", "commit", "wait", "invalidate"))
    assert [(point.earlier.line, point.later.line) for point in made] == [(ring, commit), (wait, end)]
    assert {operation.file for point in made for operation in (point.earlier, point.later)} == {__file__}


def test_a_kernel_without_any():
    made = report(nothing_shared, gl.float32)
    assert len(made) == 0
    assert str(made) == "nothing_shared for sm_90a: 0 waits, 0 fences, 0 barriers"


def test_the_text():
    text = str(report(copied, gl.float32, gl.float32))
    copy, read = line_of(copied, "copy"), line_of(copied, "read")
    assert text.splitlines()[:5] == [
        "copied for sm_90a: 1 wait, 0 fences, 1 barrier",
        "",
        "test_sync_report.py",
        f"{read:>5}  wait for all copies",
        f"         after   the copy into shared memory of line {copy}: "
        "async_copy.async_load(tile, x + offsets)  # copy",
    ]


def test_jupyter_gets_the_source_beside_it():
    html = report(copied, gl.float32, gl.float32)._repr_html_()
    assert f">{line_of(copied, 'read')}</td>" in html
    assert "gl.store(out + columns, tile.load(COLUMNS))" in html
    assert f"{line_of(copied, 'copy')} &#8594; {line_of(copied, 'read')}" in html
    assert html.count("<details ") == 2


def test_badges_stand_before_the_line_that_they_are_of():
    """In the column of the source, so that long lines do not push them out of sight."""
    html = report(copied, gl.float32, gl.float32)._repr_html_()
    rows = re.findall(r"<tr.*?</tr>", html)
    assert {row.count("<td") for row in rows} == {2}
    (barrier,) = [index for index, row in enumerate(rows) if ">barrier</span>" in row]
    assert f">{line_of(copied, 'read')}</td>" in rows[barrier + 1]


def test_facts_survive_the_disk_cache():
    facts = copied.warmup(gl.float32, gl.float32, target="sm_90a").metadata
    assert _core.KernelFacts.from_bytes(facts.to_bytes()).synchronization == facts.synchronization
    assert len(facts.synchronization) == 2


@hocket.jit
def turned_in_lds(x, out):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 1], [16, 4], [1, 4], [0, 1])
    tile = gl.allocate_shared_memory(gl.float32, [64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    tile.store(gl.full([64, 64], 1.0, gl.float32, rows))  # store
    gl.store(out, gl.sum(gl.sum(tile.load(columns), 1), 0))  # read


def test_amd():
    made = turned_in_lds.warmup(gl.float32, gl.float32, target="gfx942").sync_report()
    barrier = points(made, "barrier")[0]
    assert barrier.earlier == ("store to shared memory", __file__, line_of(turned_in_lds, "store"))
    assert barrier.later == ("load from shared memory", __file__, line_of(turned_in_lds, "read"))
