"""Aggregates: structs of values that go through calls, branches, loops and partitions."""

from typing import Union

import numpy as np
import pytest

import hocket
from hocket import language as gl

BLOCK = 128


def run(device, kernel, *arguments, size=BLOCK, dtype=np.int32, **constexprs):
    out = device.to_device(np.zeros(size, dtype))
    kernel[(1,)](*arguments, out, **constexprs)
    return device.to_host(out)


@hocket.jit
def iota():
    return gl.arange(0, 128, gl.row_layout())


@hocket.aggregate
class Counter:
    index: gl.tensor
    phase: gl.tensor
    size: gl.constexpr

    @hocket.jit
    def create(phase, size: gl.constexpr):
        return Counter(gl.to_tensor(0), gl.to_tensor(phase), size)

    @hocket.must_use_result
    @hocket.jit
    def next(self):
        index = self.index + 1
        wraps = index == self.size
        return Counter(gl.where(wraps, 0, index), gl.where(wraps, self.phase ^ 1, self.phase), self.size)


@hocket.jit
def count_kernel(n, out):
    counter = Counter.create(1, 3)
    for _ in range(n):
        counter = counter.next()
    gl.store(out, counter.index)
    gl.store(out + 1, counter.phase)
    gl.store(out + 2, counter.size)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_an_aggregate_is_carried_through_a_loop(every_device, n):
    out = run(every_device, count_kernel, n, size=3)
    assert out.tolist() == [n % 3, 1 ^ (n // 3 % 2), 3]


@hocket.jit
def while_and_branch_kernel(n, out):
    counter = Counter.create(0, 4)
    i = 0
    while i < n:
        if i % 2 == 0:
            counter = counter.next()
        else:
            counter = hocket.aggregate_replace(counter, phase=counter.phase + 10)
        i += 1
    gl.store(out, counter.index)
    gl.store(out + 1, counter.phase)


def test_an_aggregate_goes_through_while_and_branches(every_device):
    out = run(every_device, while_and_branch_kernel, 5, size=2)
    assert out.tolist() == [3, 20]


@hocket.aggregate
class Tile:
    """Nested: a tile, its counter, and what is chosen while compiling."""

    rows: gl.tensor
    counter: Counter
    scale: Union[gl.tensor, gl.constexpr]  # noqa: UP007
    names: tuple
    OFFSET = 7

    def __init__(self, rows, counter, scale=2):
        self.rows = rows
        self.counter = counter
        step = 3  # stays a constant: names in `__init__` are Python's
        self.scale = scale
        self.names = (step, "tile")

    @property
    @hocket.jit
    def scaled(self):
        return self.rows * self.scale + self.OFFSET

    @property
    def step(self):
        return self.names[0]

    @hocket.constexpr_function
    def size(self):
        return self.rows.shape[0] * self.step

    @staticmethod
    @hocket.jit
    def twice(x):
        return x + x

    @hocket.jit
    def advanced(self, by=1):
        return Tile(self.rows + by, self.counter.next(), self.scale)


@hocket.jit
def total(tile):
    return tile.scaled + tile.counter.index


@hocket.jit
def nested_kernel(n, out):
    tile = Tile(iota(), Counter.create(0, 5), scale=n)
    for _ in range(3):
        tile = tile.advanced(by=2)
    gl.static_assert(tile.size() == 128 * 3)
    gl.static_assert(tile.counter.size == 5)
    gl.static_assert(Tile.OFFSET == 7)
    gl.static_assert(isinstance(tile, Tile) and isinstance(tile.counter, Counter))
    gl.static_assert(hasattr(tile, "rows") and not hasattr(tile, "columns"))
    gl.store(out + iota(), Tile.twice(total(tile)) + tile.twice(1))


def test_nested_aggregates_with_methods_and_properties(every_device):
    out = run(every_device, nested_kernel, 3)
    np.testing.assert_array_equal(out, 2 * ((np.arange(BLOCK) + 6) * 3 + 7 + 3) + 2)


@hocket.aggregate
class Config:
    rows: gl.constexpr
    columns: gl.constexpr
    layout: gl.constexpr

    @hocket.constexpr_function
    def __init__(self, rows, columns, warps, lanes=32):
        sizes = [1, 1]
        sizes[1] = 4
        self.rows = gl.constexpr(rows)
        self.columns = gl.constexpr(columns)
        self.layout = gl.BlockedLayout(sizes, [lanes // 4, 4], [warps, 1], [1, 0])

    @hocket.constexpr_function
    def numel(self):
        return self.rows * self.columns

    @hocket.jit
    def offsets(self):
        rows = gl.arange(0, self.rows, gl.SliceLayout(1, self.layout))
        columns = gl.arange(0, self.columns, gl.SliceLayout(0, self.layout))
        return rows[:, None] * self.columns + columns[None, :]


@hocket.jit
def config_kernel(out, config: gl.constexpr):
    gl.static_assert(config.numel() == config.rows * config.columns)
    gl.store(out + config.offsets(), config.offsets() + config.numel())


def test_a_configuration_made_on_the_host(every_device):
    lanes = 64 if "gfx" in every_device.name else 32
    for rows, columns in [(16, 32), (32, 16)]:
        config = Config(rows, columns, 4, lanes)
        assert (config.numel(), config.rows) == (512, rows)
        out = run(every_device, config_kernel, size=512, config=config)
        np.testing.assert_array_equal(out, np.arange(512) + 512)


def scheduler_of(group):
    group = gl.constexpr(group)

    @hocket.aggregate
    class Scheduler:
        first: gl.tensor
        tiles: gl.tensor

        @hocket.jit
        def initialize(tiles):
            return Scheduler(gl.program_id(0), tiles)

        @hocket.jit
        def tile(self, index):
            return (self.first + index) // group, (self.first + index) % group

    return Scheduler


@hocket.jit
def scheduler_kernel(tiles, out, Scheduler: gl.constexpr):
    scheduler = Scheduler.initialize(tiles)
    for i in range(scheduler.tiles):
        row, column = scheduler.tile(i)
        gl.store(out + i, row * 100 + column)


def test_classes_made_in_functions_are_templates(every_device):
    for group in (3, 4):
        out = run(every_device, scheduler_kernel, 10, size=10, Scheduler=scheduler_of(group))
        assert out.tolist() == [i // group * 100 + i % group for i in range(10)]


@hocket.aggregate
class Ring:
    smem: gl.shared_memory_descriptor
    counter: Counter

    @hocket.jit
    def put(self, value):
        self.smem.index(self.counter.index).store(value)
        return Ring(self.smem, self.counter.next())


@hocket.jit
def ring_kernel(out):
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    i = iota()
    ring = Ring(gl.allocate_shared_memory(gl.int32, [3, 128], layout), Counter.create(0, 3))
    for k in range(5):
        ring = ring.put(i + k * 1000)
    for slot in gl.static_range(3):
        gl.store(out + i + slot * 128, ring.smem.index(slot).load(i.layout))


def test_shared_memory_in_an_aggregate(every_device):
    expected = [np.arange(BLOCK) + k * 1000 for k in (3, 4, 2)]
    np.testing.assert_array_equal(run(every_device, ring_kernel, size=3 * BLOCK), np.concatenate(expected))


@hocket.aggregate
class Work:
    n: gl.tensor
    out: gl.tensor
    step: gl.constexpr


@hocket.jit
def first_half(work):
    i = gl.arange(0, 128, gl.row_layout())
    gl.store(work.out + i, i + work.n)


@hocket.jit
def second_half(work):
    i = gl.arange(0, 128, gl.row_layout(4))
    gl.store(work.out + 128 + i, i * work.step + work.n)


@hocket.jit
def partitions_kernel(n, out):
    work = Work(n, out, 5)
    gl.warp_specialize([(first_half, (work,)), (second_half, (work,))], [1])


def test_partitions_take_aggregates(nvidia_device):
    out = run(nvidia_device, partitions_kernel, 11, size=256)
    np.testing.assert_array_equal(out, np.concatenate([np.arange(128) + 11, np.arange(128) * 5 + 11]))


@hocket.aggregate
class Statistics:
    count: gl.tensor
    mean: gl.tensor


@hocket.jit
def tuple_kernel(n, out):
    """Aggregates in tuples, and in results of branches."""
    states = (Statistics(0, 1.5), Statistics(n, 2.5))
    chosen = states[0] if n > 3 else states[1]
    states = (chosen, states[0])
    for _ in range(n):
        states = (Statistics(states[0].count + 1, states[0].mean * 2.0), states[1])
    gl.store(out, states[0].mean + states[0].count + states[1].mean)


@pytest.mark.parametrize("n", [2, 5])
def test_aggregates_in_tuples(every_device, n):
    count, mean = (0, 1.5) if n > 3 else (n, 2.5)
    assert run(every_device, tuple_kernel, n, size=1, dtype=np.float32)[0] == mean * 2**n + count + n + 1.5
