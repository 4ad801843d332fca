"""Slots of ring buffers that kernels select by counters, and handles that alternate."""

import drawn_programs
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import CompileError

#: Slots, what comes before the loop, and how an iteration counts `w`.
COUNTERS = {
    "modulo": (3, "w = 0", "w = (w + 1) % 3"),
    "where": (3, "w = 0", "w = gl.where(w + 1 < 3, w + 1, 0)"),
    "where_greater": (3, "w = 0", "w = gl.where(w > 1, 0, w + 1)"),
    "if_else": (3, "w = 0", "w = w + 1 if w + 1 < 3 else 0"),
    "if_at_last": (3, "w = 0", "w = 0 if w == 2 else w + 1"),
    "if_past_last": (3, "w = 0", "w = 0 if w >= 2 else w + 1"),
    "if_statement": (3, "w = 0", "w += 1\nif w >= 3:\n    w = 0"),
    "if_equal": (3, "w = 0", "w += 1\nif w == 3:\n    w = 0"),
    "less": (3, "w = 0", "w += 1\nw = w - 3 if w >= 3 else w"),
    "down": (3, "w = 2", "w = w - 1 if w > 0 else 2"),
    "exclusive_or": (2, "w = 0", "w ^= 1"),
    "one_minus": (2, "w = 0", "w = 1 - w"),
    "divided": (3, "w = 0", "w = (k + 1) * 64 // 64 % 3"),
    "two_numbers": (2, "w, v = 0, 1", "w, v = v, w"),
    "three_numbers": (3, "w, v, u = 0, 1, 2", "w, v, u = v, u, w"),
    "three_numbers_down": (3, "w, v, u = 2, 1, 0", "w, v, u = v, u, w"),
}

HEADER = """import hocket
from hocket import language as gl
from hocket.language import amd

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [4, 16], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * 32 + columns[None, :]
"""

KERNEL = """

@hocket.jit
def {name}(y, n):
    {before}
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    tile = gl.full([128, 32], 1, gl.float32, ROWS)
    for k in range(n):
        with amd.warp_pipeline_stage("store"):
            {slot}.store(tile)
            tile += 1
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("load"):
            acc = acc * 0.5 + {slot}.load(COLUMNS)
        {count}
    gl.store(y + places(COLUMNS), acc)
"""
RING = "ring = gl.allocate_shared_memory(gl.float32, [{slots}, 128, 32], SHARED)\n    "
BUFFER = "gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)"


def counting(name, slots, before, count, slot="ring.index(w)"):
    before, count = RING.format(slots=slots) + before, count.replace("\n", "\n        ")
    return KERNEL.format(name=name, before=before, slot=slot, count=count)


SOURCE = HEADER + "".join(counting(name, *what) for name, what in COUNTERS.items())
SOURCE += counting("slots", 3, "a, b, c = ring.index(0), ring.index(1), ring.index(2)", "a, b, c = b, c, a", "a")
SOURCE += KERNEL.format(name="buffers", slot="a", before=f"a = {BUFFER}\n    b = {BUFFER}", count="a, b = b, a")
#: 3 comes once, and never again: the slots are not those of a counter modulo 3.
SOURCE += counting("from_outside", 4, "w = 3", "w = w + 1 if w + 1 < 3 else 0")
SOURCE += counting("table", 4, "w = 0", "w = (w * w + 1) % 4")
SOURCE += counting("one_handle", 2, "a = ring.index(0)", "a = ring.index(1) if n > 9 else ring.index(0)", "a")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return drawn_programs.load(tmp_path_factory.mktemp("counters") / "counters.py", SOURCE)


@pytest.mark.parametrize("name", [*COUNTERS, "slots", "buffers"])
def test_accepted(kernels, name):
    for seed in range(2):
        y = np.zeros((128, 32), np.float32)
        with emulator.target("gfx950", seed=seed):
            getattr(kernels, name)[(1,)](y, 7, num_warps=8)
        assert (y == sum((k + 1) * 0.5 ** (6 - k) for k in range(7))).all()


@pytest.mark.parametrize(
    "name, said",
    [
        ("from_outside", ", which selects a buffer of `ring` in each iteration,"),
        ("table", ", which selects a buffer of `ring` in each iteration,"),
        ("one_handle", "the buffer that the handle in line"),
    ],
)
def test_not_understood(kernels, name, said):
    with emulator.target("gfx950"), pytest.raises(CompileError) as caught:
        getattr(kernels, name)[(1,)](np.zeros((128, 32), np.float32), 7, num_warps=8)
    assert said in caught.value.hint
    assert "stage" not in caught.value.hint
