"""Right kernels of what tests/errors has few of: mutants of them come further than mutants of mistakes.

    @given("*i32, i32", uses=[Pair], SIZE=128)
    def kernel(out, n, SIZE: gl.constexpr): ...

The definitions in `uses` are part of the mutant.
"""

from typing import Any, NamedTuple

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import cluster
from hocket.profiler.facts import ProfileConfig


class Given(NamedTuple):
    signature: list[str]
    constexprs: dict[str, Any]
    target: str
    options: dict[str, Any]
    uses: list[str]


def given(signature, *, target="sm_90a", options=None, uses=(), **constexprs):
    entries = [entry.strip() for entry in signature.split(",") if entry.strip()]

    def declare(kernel):
        kernel.given = Given(entries, constexprs, target, options or {}, [used.__name__ for used in uses])
        return kernel

    return declare


LINE = gl.constexpr(gl.BlockedLayout([2], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0]))


@hocket.aggregate
class Pair:
    first: gl.tensor
    second: gl.tensor
    scale: gl.constexpr = 2

    @hocket.jit
    def combined(self, other):
        return Pair(self.first + other.first, gl.maximum(self.second, other.second), self.scale)


@hocket.aggregate
class Ring:
    buffer: gl.shared_memory_descriptor
    index: gl.tensor
    size: gl.constexpr

    @hocket.jit
    def next(self):
        wraps = self.index + 1 == self.size
        return Ring(self.buffer, gl.where(wraps, 0, self.index + 1), self.size)


@given("*i32, i32", uses=[Pair])
@hocket.jit
def aggregates(out, n):
    i = gl.arange(0, 256, layout=LINE)
    pair = Pair(i, i * n)
    for step in range(n):
        if step > 3:
            pair = pair.combined(Pair(i + step, i, 2))
        else:
            pair = hocket.aggregate_replace(pair, first=pair.second)
    gl.store(out + i, pair.first * pair.scale)


@given("*f32, *f32, i32", uses=[Ring])
@hocket.jit
def ring_of_buffers(x, out, n):
    i = gl.arange(0, 256, layout=LINE)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    ring = Ring(gl.allocate_shared_memory(gl.float32, [3, 256], shared), gl.to_tensor(0), 3)
    for step in range(n):
        ring.buffer.index(ring.index).store(gl.load(x + step * 256 + i))
        ring = ring.next()
    gl.store(out + i, ring.buffer.index(ring.index).load(LINE))


@given("*i32, *f32, i32")
@hocket.jit
def scans_and_gathers(index, x, n):
    i = gl.arange(0, 256, layout=LINE)
    value = gl.load(x + i, mask=i < n, other=0.0)
    total, last = gl.associative_scan((value, i), 0, lambda a, b, c, d: (a + c, gl.maximum(b, d)))
    taken = gl.gather(gl.cumsum(value, 0, reverse=True), gl.load(index + i), 0)
    counts = gl.histogram(gl.load(index + i), 256, mask=i < n, layout=LINE)
    gl.store(x + i, total + taken + last + counts)


@given("*f32, *f32")
@hocket.jit
def pairs_of_elements(x, out):
    i = gl.arange(0, 256, layout=LINE)
    both = gl.join(gl.load(x + i), gl.load(x + 256 + i))
    low, high = gl.split(both.reshape([128, 2, 2]).permute([0, 2, 1]))
    gl.store(out + i, gl.convert_layout(low.reshape([256]) - high.reshape([256]), LINE))


@hocket.jit
def halved_until(n, limit):
    steps = 0
    while n > limit:
        if n % 2 == 0:
            n = n // 2
        else:
            n = n - 1
        steps += 1
    return steps


@given("*i32, *i32", uses=[halved_until])
@hocket.jit
def functions_of_elements(x, out):
    i = gl.arange(0, 256, layout=LINE)
    gl.store(out + i, gl.map_elementwise(halved_until, gl.load(x + i), i))


@given("*i32, i32, i32")
@hocket.jit
def jumps(out, n, stop):
    total = 0
    for step in range(n):
        if step == stop:
            break
        for k in gl.static_range(3):
            if total > 100 * k:
                continue
            total += k
        while total > stop:
            total -= step + 1
            if total < 0:
                return
    gl.store(out, total)


@given("*i32, i32", SCALE=3)
@hocket.jit
def inner_functions(out, n, SCALE: gl.constexpr):
    i = gl.arange(0, 256, layout=LINE)

    def shifted(x, by=1, *, twice=False):
        y = x * 2 if twice else x
        return y + by + n

    apply = lambda f, x: f(x, SCALE)  # noqa: E731
    for step in range(n):
        i = apply(shifted, i) % 256 + step
    gl.store(out + i % 256, gl.reduce(i, 0, lambda a, b: gl.minimum(a, b) + SCALE))


@given("*f32, *f32, i32", ROWS=16, COLUMNS=64)
@hocket.jit
def found_layouts(x, out, n, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    rows, columns = gl.arange(0, ROWS)[:, None], gl.arange(0, COLUMNS)[None, :]
    value = gl.load(x + rows * n + columns, mask=columns < n, other=0.0)
    value = value - gl.max(value, axis=1)[:, None]
    pinned = gl.set_auto_layout(gl.exp(value), TILE)
    gl.store(out + columns * ROWS + rows, pinned / gl.sum(pinned, axis=1)[:, None], mask=columns < n)


@given("*i32, *f32, i32")
@hocket.jit
def shared_gathers(index, x, n):
    i = gl.arange(0, 256, layout=LINE)
    smem = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + i))
    where = gl.load(index + i, mask=i < n, other=0)
    value = smem.gather(where, 0)
    smem.atomic_scatter_add(value, where, 0)
    gl.store(x + i, smem.load(LINE) + value)


@given("*f32, i32", options={"num_ctas": 2})
@hocket.jit
def clusters(x, n):
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0], [[1]])
    i = gl.arange(0, 512, layout=layout)
    value = gl.load(x + i, mask=i < n, other=0.0)
    cluster.arrive()
    value = value - gl.sum(value, axis=0) * cluster.cta_rank()
    cluster.wait()
    gl.store(x + i, gl.convert_layout(value, layout), mask=i < n)


@given("*f32, i32", options={"profile": ProfileConfig().text()})
@hocket.jit
def recorded(x, n):
    i = gl.arange(0, 256, layout=LINE)
    value = gl.load(x + i)
    token = gl.profiler.begin("outer")
    for step in range(n):
        with gl.profiler.scope("loop", step, when=step > 1):
            value = value * 2.0
        gl.profiler.mark("end", n)
        gl.profiler.end(token)
        token = gl.profiler.begin("outer", step)
    gl.profiler.end(token)
    gl.store(x + i, value)
