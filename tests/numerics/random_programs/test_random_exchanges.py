"""Random warp pipelines with exchanges between warps: accepted ones are right, rejected ones use a result too early.

A program has 2 to 4 stages and a lag of 1 or 2. Each of its exchanges (a reduction, a layout conversion or a gather) is
in one stage, and its result is used in a stage of the same or the next iteration. The test computes the results with
NumPy. It decides which programs are legal from the warps that hold each element, without the compiler's analysis. A
failure contains the source of the program. HOCKET_RANDOM_EXCHANGES multiplies the numbers of programs.
"""

import dataclasses
import os
import random

import drawn_programs
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import CompileError

pytestmark = pytest.mark.slow

TARGETS = ["gfx942", "gfx950", "sm_90a"]
TIMES = int(os.environ.get("HOCKET_RANDOM_EXCHANGES", "1"))
PROGRAMS = 20
TRIPS = [0, 1, 2, 5]
#: In the emulator: the natural order, and adversarial ones.
SEEDS = (0, 3, 7, 1)
#: Warps along both axes, and the axis along which consecutive warps lie.
WARPS = {"A": ([2, 4], 1), "B": ([4, 2], 0), "C": ([8, 1], 0), "D": ([1, 8], 1), "E": ([4, 2], 1)}
SHAPE = (32, 64)

x = np.random.default_rng(0).integers(-1000, 1000, (8, *SHAPE)).astype(np.int32)
index = np.random.default_rng(1).integers(0, 32, SHAPE).astype(np.int32)


def lanes_of(name, target):
    """Lanes along both axes: a tile of 32 x 64 has an element for each lane."""
    rows = {"A": 4, "B": 4, "C": 1, "D": 8, "E": 4}[name]
    return [rows, (32 if target == "sm_90a" else 64) // rows]


def layout_text(name, target):
    warps, fastest = WARPS[name]
    return f"gl.BlockedLayout([1, 1], {lanes_of(name, target)}, {warps}, {[fastest, 1 - fastest]})"


def warps_of(name, target):
    """The warp that holds each element of a tile."""
    (down, across), fastest = WARPS[name]
    lanes = lanes_of(name, target)
    row = np.arange(SHAPE[0])[:, None] // lanes[0] % down
    column = np.arange(SHAPE[1])[None, :] // lanes[1] % across
    return row * across + column if fastest == 1 else column * down + row


@dataclasses.dataclass
class Exchange:
    kind: str
    layout: str
    to: str
    axis: int
    written: int
    used: int
    is_carried: bool

    def warps(self, target):
        """Returns "warp", "group" or "block": the smallest set within which values pass."""
        holders = warps_of(self.layout, target)
        readers = warps_of(self.to if self.kind == "convert" else self.layout, target)
        pairs = set()
        if self.kind == "convert":
            pairs = set(zip(holders.ravel(), readers.ravel(), strict=True))
        else:
            for line in range(SHAPE[1 - self.axis]):
                warps = np.unique(np.take(holders, line, 1 - self.axis))
                pairs |= {(v, w) for v in warps for w in warps}
        if all(v == w for v, w in pairs):
            return "warp"
        return "group" if all(v // 4 == w // 4 for v, w in pairs) else "block"

    def is_legal(self, target, stages, lag):
        distance = self.used - self.written + (stages if self.is_carried else 0)
        return distance >= (lag + 1 if self.warps(target) == "block" else 1)

    def text(self, number):
        tile = f"gl.load(x + (k * 3 + {number}) % 8 * 2048 + places({self.layout}))"
        if self.kind == "convert":
            return f"gl.convert_layout({tile}, {self.to})"
        if self.kind == "gather":
            return f"gl.gather({tile}, gl.load(index + places({self.layout})), {self.axis})"
        return f"gl.{self.kind}({tile}, {self.axis})"

    def result_layout(self):
        if self.kind in ("sum", "max"):
            return f"gl.SliceLayout({self.axis}, {self.layout})"
        return self.to if self.kind == "convert" else self.layout

    def shape(self):
        return [SHAPE[1 - self.axis]] if self.kind in ("sum", "max") else list(SHAPE)

    def expected(self, number, n):
        """The accumulator and the last value."""
        acc, last = np.zeros(self.shape(), np.int32), np.full(self.shape(), 7, np.int32)
        for k in range(n):
            tile = x[(k * 3 + number) % 8]
            value = {
                "convert": lambda tile=tile: tile,
                "gather": lambda tile=tile: np.take_along_axis(tile, index, self.axis),
                "sum": lambda tile=tile: tile.sum(self.axis, dtype=np.int32),
                "max": lambda tile=tile: tile.max(self.axis),
            }[self.kind]()
            acc = acc * np.int32(3) + (last if self.is_carried else value)
            last = value
        return acc + last


def draw(target, seed):
    rng = random.Random(seed)
    stages = rng.choice([2, 3, 3, 4])
    lag = rng.choice([1, 1, 2]) if stages > 2 else 1
    exchanges = []
    while len(exchanges) < rng.choice([1, 1, 2, 3]):
        is_carried = rng.random() < 0.4
        first, second = sorted(rng.choices(range(stages), k=2))
        one = Exchange(
            kind=rng.choice(["sum", "max", "convert", "gather"]),
            layout=rng.choice(list(WARPS)),
            to=rng.choice(list(WARPS)),
            axis=rng.choice([0, 1]),
            written=second if is_carried else first,
            used=first if is_carried else second,
            is_carried=is_carried,
        )
        # Most uses are late enough; within a warp, no barrier may be needed.
        if one.warps(target) != "warp" and (one.is_legal(target, stages, lag) or rng.random() < 0.2):
            exchanges.append(one)
    return stages, lag, exchanges


def source_of(target, stages, lag, exchanges):
    lines = ["import hocket", "from hocket import language as gl", ""]
    lines += [f"{name} = gl.constexpr({layout_text(name, target)})" for name in WARPS]
    lines += ["", "", "@hocket.jit", "def places(layout: gl.constexpr):"]
    lines += ["    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]"]
    lines += ["    return rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]", "", ""]
    outs = ", ".join(f"out{j}" for j in range(len(exchanges)))
    lines += ["@hocket.jit", f"def drawn(x, index, {outs}, n):"]
    for j, one in enumerate(exchanges):
        lines += [f"    acc{j} = gl.full({one.shape()}, 0, gl.int32, {one.result_layout()})"]
        lines += [f"    value{j} = gl.full({one.shape()}, 7, gl.int32, {one.result_layout()})"]
    lines += ["    for k in range(n):"]
    for stage in range(stages):
        gap = f", phase_gap={lag}" if stage == 0 else ""
        lines += [f'        with gl.warp_pipeline_stage("s{stage}"{gap}):', "            pass"]
        for j, one in enumerate(exchanges):
            write = [f"            value{j} = {one.text(j)}"] if one.written == stage else []
            use = [f"            acc{j} = acc{j} * 3 + value{j}"] if one.used == stage else []
            lines += use + write if one.is_carried else write + use
    for j, one in enumerate(exchanges):
        where = f"places({one.result_layout()})"
        if len(one.shape()) == 1:
            where = f"gl.arange(0, {one.shape()[0]}, layout={one.result_layout()})"
        lines += [f"    gl.store(out{j} + {where}, acc{j} + value{j})"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("batch", range(5 * TIMES))
@pytest.mark.parametrize("target", TARGETS)
def test_programs(target, batch, tmp_path):
    accepted = 0
    for seed in range(batch * PROGRAMS, (batch + 1) * PROGRAMS):
        stages, lag, exchanges = draw(target, seed)
        source = source_of(target, stages, lag, exchanges)
        kernel = drawn_programs.load(tmp_path / f"drawn_{seed}.py", source).drawn
        # A value that is used after the loop, too, is read in an iteration or after the loop.
        is_legal = all(one.is_legal(target, stages, lag) for one in exchanges)
        try:
            for n in TRIPS:
                for order in SEEDS:
                    outs = [np.zeros(one.shape(), np.int32) for one in exchanges]
                    with emulator.target(target, seed=order):
                        kernel[(1,)](x, index, *outs, n, num_warps=8)
                    for j, (one, out) in enumerate(zip(exchanges, outs, strict=True)):
                        assert (out == one.expected(j, n)).all(), (seed, n, order, j, source)
            assert is_legal, (seed, source)
            accepted += 1
        except CompileError as error:
            assert "too early: warps exchange its values" in error.message, (error, source)
            assert not is_legal, (seed, error, source)
    assert PROGRAMS // 3 < accepted < PROGRAMS
