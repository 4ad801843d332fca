"""Programs that follow the hint of a message about a warp pipeline compile, and compute the right result.

Rings of all shapes pass through the compiler. Each that is refused is changed as the hint says, in each of the ways
that it offers.
"""

import itertools
import re
from dataclasses import dataclass, replace

import numpy as np
import pytest
from copies_before_pipelines import LOOPS, launch

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import CompileError
from hocket.language import amd

pytestmark = pytest.mark.slow

STORE = gl.constexpr(gl.BlockedLayout([1, 1], [2, 32], [8, 1], [1, 0]))
LOAD = gl.constexpr(gl.BlockedLayout([1, 1], [32, 2], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
TILE = gl.constexpr(32 * 32)


@dataclass(frozen=True)
class Shape:
    #: Operations of the stages. Two letters: in one stage.
    stages: tuple[str, ...]
    slots: int
    #: The tile that is stored in iteration k is read in iteration k + ahead.
    ahead: int
    lag: int


@hocket.jit
def offsets(layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def slot_of(buffer, k, cfg: gl.constexpr):
    if cfg.slots == 1:
        return buffer
    else:
        return buffer.index(k % cfg.slots)


@hocket.jit
def store_tile(buffer, x, k, n, cfg: gl.constexpr):
    place = offsets(STORE)
    slot_of(buffer, k, cfg).store(gl.load(x + k * TILE + place, mask=place < (n - k) * TILE, other=0))


@hocket.jit
def ring_kernel(x, y, n, cfg: gl.constexpr):
    if cfg.slots == 1:
        ring = gl.allocate_shared_memory(gl.float32, [32, 32], SHARED)
    else:
        ring = gl.allocate_shared_memory(gl.float32, [cfg.slots, 32, 32], SHARED)
    acc = gl.full([32, 32], 0, gl.float32, LOAD)
    for k in gl.static_range(cfg.ahead):
        store_tile(ring, x, k, n, cfg)
    for k in range(n):
        for i in gl.static_range(len(cfg.stages)):
            if i == 0:
                with amd.warp_pipeline_stage(cfg.stages[i], phase_gap=cfg.lag):
                    if cfg.stages[i] == "load":
                        acc = acc * 0.5 + slot_of(ring, k, cfg).load(LOAD)
                    if cfg.stages[i] == "store":
                        store_tile(ring, x, k + cfg.ahead, n, cfg)
            else:
                with amd.warp_pipeline_stage(cfg.stages[i]):
                    if cfg.stages[i] == "load":
                        acc = acc * 0.5 + slot_of(ring, k, cfg).load(LOAD)
                    if cfg.stages[i] == "store":
                        store_tile(ring, x, k + cfg.ahead, n, cfg)
    gl.store(y + offsets(LOAD), acc)


def result_of(shape):
    x = np.random.default_rng(1).standard_normal((4, 32, 32), dtype=np.float32)
    y = np.full((32, 32), -1, dtype=np.float32)
    ring_kernel[(1,)](x, y, 4, cfg=shape, num_warps=8)
    expected = np.zeros_like(y)
    for tile in x:
        expected = expected * np.float32(0.5) + tile
    assert np.array_equal(y, expected), shape
    return y


def refusal_of(shape, seed=0):
    try:
        with emulator.target("gfx942", seed=seed):
            result_of(shape)
    except CompileError as error:
        return str(error)
    return None


def is_meaningful(shape):
    """Each tile is stored before it is read, and read before it is overwritten."""
    stores_first = shape.stages.index("store") < shape.stages.index("load")
    return (0 if stores_first else 1) <= shape.ahead <= shape.slots - (1 if stores_first and shape.ahead else 0)


STAGES = [
    stages
    for count in (2, 3, 4)
    for stages in sorted(set(itertools.permutations(["store", "load", "pause", "rest"][:count])))
]
SHAPES = [
    shape
    for shape in map(Shape, *zip(*itertools.product(STAGES, (1, 2, 3), (0, 1, 2), (1, 2)), strict=True))
    if shape.lag < len(shape.stages) and is_meaningful(shape)
]

#: The ways to mend a ring.
SLOTS = re.compile(
    r"(?:make `ring` a ring of \d buffers|in `ring`), "
    r"read (?:and write buffer k % (\d)|buffer k % (\d) and write buffer \(k \+ (\d)\) % \d)"
)
MORE_STAGES = re.compile(r"put (one|2|3) more stages? between the two")
DISTANCE = re.compile(r'stages? from "(\w+)" to "(\w+)"')


def ways_out(shape, message):
    if slots := SLOTS.search(message):
        yield replace(shape, slots=int(slots[1] or slots[2]), ahead=int(slots[3] or 0))
    if more := MORE_STAGES.search(message):
        behind = shape.stages.index(DISTANCE.search(message)[1]) + 1
        pauses = ("pause",) * {"one": 1, "2": 2, "3": 3}[more[1]]
        yield replace(shape, stages=shape.stages[:behind] + pauses + shape.stages[behind:])


def test_rings():
    followed = 0
    for shape in SHAPES[::3]:
        message = refusal_of(shape)
        if not message:
            continue
        ways = list(ways_out(shape, message))
        assert ways, (shape, message)
        for way in ways:
            assert is_meaningful(way), (shape, message)
            assert refusal_of(way, seed=followed) is None, (shape, way, message)
            followed += 1
    assert followed > 20


@pytest.mark.parametrize(
    ("shape", "hint"),
    [
        # Store and load in a row: two stages need a slot for each tile that is stored, waits and is read.
        (
            Shape(("store", "load"), 1, 0, 1),
            "make `ring` a ring of 3 buffers, read buffer k % 3 and write buffer (k + 1) % 3 with the data that "
            "iteration k + 1 reads",
        ),
        # The last stored value is loaded first. Another slot would not help; an earlier store does.
        (
            Shape(("load", "rest", "store"), 2, 1, 1),
            "in `ring`, read buffer k % 2 and write buffer (k + 2) % 2 with the data that iteration k + 2 reads; fill "
            "buffers 0 and 1",
        ),
        # Overwritten too early.
        (
            Shape(("store", "load"), 3, 2, 1),
            "make `ring` a ring of 4 buffers, read buffer k % 4 and write buffer (k + 2) % 4",
        ),
        (
            Shape(("store", "load", "rest"), 2, 1, 2),
            "make `ring` a ring of 3 buffers, read buffer k % 3 and write buffer (k + 1) % 3",
        ),
    ],
)
def test_what_is_suggested_passes_many_schedules(shape, hint):
    message = refusal_of(shape)
    assert hint in message
    for way in ways_out(shape, message):
        report = hocket.check(lambda way=way: result_of(way), target="gfx942", schedules=20)
        assert report.ok, report


WAIT = re.compile(r'wait before stage "(\w+)", with wait_group\((\d)\)')


def test_waits_for_copies():
    """Follows the hints for loops with copies that are rejected because of their own operations."""
    followed = 0
    for kernel, shape in LOOPS[::3]:
        try:
            launch(kernel, replace(shape, front=0))
        except CompileError as error:
            wait = WAIT.search(str(error))
            if not wait:
                continue
            gap = ("first", "second", "third").index(wait[1])
            way = replace(shape, front=0, gap=gap, leave=int(wait[2]))
            try:
                assert launch(kernel, way), (shape, way)
            except CompileError as second:
                # The ring may be too small for reasons of its own, but this copy is waited for.
                assert "may not have waited" not in str(second) and "before the wait" not in str(second), (shape, way)
            followed += 1
    assert followed > 5
