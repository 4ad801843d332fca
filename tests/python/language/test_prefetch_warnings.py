"""Loops that are asked to prefetch and cannot: a warning at the loop's line says why."""

import pathlib
import warnings

import numpy as np
import pytest

import hocket
from hocket import language as gl


@hocket.jit
def copies_back(x, out, n, STAGES: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 128, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    for k in gl.range(n, num_stages=STAGES):
        tile.store(gl.load(x + k * 128 + i))
        gl.store(out + k * 128 + i, tile.load(layout))


@hocket.jit
def adds(x, out, n, STAGES: gl.constexpr):
    i = gl.arange(0, 128, layout=gl.row_layout())
    total = gl.zeros([128], gl.float32, i.type.layout)
    for k in gl.range(n, num_stages=STAGES):
        total += gl.load(x + k * 128 + i)
    gl.store(out + i, total)


@hocket.jit
def sums_tiles(
    x, out, n, STAGES: gl.constexpr, WAY: gl.constexpr, UNROLL: gl.constexpr = None, INNER: gl.constexpr = 1
):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 128, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    tile_layout: gl.constexpr = layout
    total = gl.zeros([128], gl.float32, layout)
    for k in gl.range(n, num_stages=STAGES, loop_unroll_factor=UNROLL):
        if WAY == "in a branch":
            if k >= 0:
                tile.store(gl.load(x + k * 128 + i))
            total += tile.load(layout)
        elif WAY == "under a computed condition":
            if gl.max(total, 0) >= 0:
                tile.store(gl.load(x + k * 128 + i))
            total += tile.load(tile_layout)
        elif WAY == "in a loop":
            for again in gl.range(k + 1, num_stages=INNER):
                tile.store(gl.load(x + again * 128 + i))
                total += tile.load(layout)
        elif WAY == "in a loop of equal length":
            for equal in gl.range(n, num_stages=INNER):
                tile.store(gl.load(x + equal * 128 + i))
                total += tile.load(layout)
        elif WAY == "in its own buffer":
            own = gl.allocate_shared_memory(gl.float32, [128], tile.layout, gl.load(x + k * 128 + i))
            total += own.load(layout)
        else:
            tile.store(gl.load(x + k * 128 + i))
            total += tile.load(layout)
    gl.store(out + i, total)


def launch(kernel, stages, **options):
    """Returns the warnings."""
    x, out = np.ones((3, 128), np.float32), np.zeros((3, 128), np.float32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel[(1,)](x, out, 3, STAGES=stages, num_warps=4, **options)
    assert out[0, 0] > 0
    return caught


def line_of(text):
    source = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(source, 1) if text in line)


REASON = f"""\
this loop is not prefetched: it writes global memory, from which later iterations may load
  in line {line_of("gl.store(out + k")}
  hint: store after the loop, or in a loop of its own"""


def test_the_text_and_place_of_a_warning():
    (warning,) = launch(copies_back, 2)
    assert warning.category is hocket.CompileWarning
    assert str(warning.message) == REASON
    assert warning.filename.endswith("test_prefetch_warnings.py")
    assert warning.lineno == line_of("for k in")


def test_a_loop_that_was_asked_for_copies_nothing():
    (warning,) = launch(adds, 3)
    assert str(warning.message) == "this loop is not prefetched: it copies nothing from global to shared memory"


@pytest.mark.parametrize(
    ("way", "reason", "line", "hint"),
    [
        (
            "in a loop",
            "only its inner loop copies to shared memory, and the two loops cannot become one: the bounds of the inner "
            "loop differ between iterations of the outer loop",
            "for again in",
            "give num_stages only to the inner loop",
        ),
        (
            "in its own buffer",
            "it allocates the buffer that it may copy to",
            "own = gl.alloc",
            "allocate it before the loop, and store to it",
        ),
    ],
)
def test_copies_that_are_not_looked_for(way, reason, line, hint):
    (warning,) = launch(sums_tiles, 2, WAY=way)
    assert str(warning.message) == (f"this loop is not prefetched: {reason}\n  in line {line_of(line)}\n  hint: {hint}")
    assert launch(sums_tiles, None, WAY=way, num_stages=2) == []


def test_copies_in_a_branch_are_prefetched():
    assert launch(sums_tiles, 2, WAY="in a branch") == []


def test_a_condition_that_the_loop_computes():
    (warning,) = launch(sums_tiles, 2, WAY="under a computed condition")
    line = line_of("total += tile.load(tile_layout)")
    reason = "the address of its load, or its condition, depends on a read of shared memory"
    assert str(warning.message) == f"this loop is not prefetched: {reason}\n  in line {line}"


def test_a_loop_inside_that_is_prefetched():
    (warning,) = launch(sums_tiles, 2, WAY="in a loop", INNER=2)
    assert "only its inner loop copies to shared memory" in str(warning.message)


def test_an_unrolled_loop_copies_several_times():
    (warning,) = launch(sums_tiles, 2, WAY="plain", UNROLL=2)
    assert str(warning.message).endswith(
        "hint: leave loop_unroll_factor out: it copies to the buffer several times in an iteration"
    )
    assert launch(sums_tiles, 2, WAY="plain") == []


def test_the_launch_option_means_loops_that_copy_tiles():
    (warning,) = launch(copies_back, None, num_stages=2)
    assert str(warning.message) == REASON
    assert launch(adds, None, num_stages=3) == []


def test_a_loop_has_the_last_word():
    assert launch(copies_back, 1, num_stages=3) == []


def test_a_warning_can_be_made_an_error():
    x, out = np.ones((2, 128), np.float32), np.zeros((2, 128), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error", hocket.CompileWarning)
        with pytest.raises(hocket.CompileWarning, match="this loop is not prefetched"):
            copies_back[(1,)](x, out, 2, STAGES=4, num_warps=4)


def test_stages_of_a_launch_are_at_least_one():
    with pytest.raises(hocket.LaunchError) as caught:
        launch(adds, None, num_stages=0)
    assert str(caught.value) == "num_stages must be at least 1, but is 0"


@pytest.mark.parametrize("inner", [None, 2])
def test_both_loops_become_one(inner):
    assert launch(sums_tiles, 2, WAY="in a loop of equal length", INNER=inner) == []
