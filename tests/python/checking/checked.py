"""Functions to check, right and wrong, for gfx950 unless a function selects another target."""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language import amd

SIZE = 256


@hocket.jit
def reverse(x, out, RELAXED: gl.constexpr):
    """Each warp stores a row and reads them all."""
    tile = gl.allocate_shared_memory(gl.float32, [4, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, 64], [gl.num_warps(), 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 1], [1, 64], [1, gl.num_warps()], [1, 0])
    row, column = gl.arange(0, 4, gl.SliceLayout(1, rows)), gl.arange(0, 64, gl.SliceLayout(0, rows))
    tile.store(gl.load(x + row[:, None] * 64 + column[None, :]))
    if RELAXED:
        values = amd.cdna4.async_copy.load_shared_relaxed(tile, columns)
    else:
        values = tile.load(columns)
    row, column = gl.arange(0, 4, gl.SliceLayout(1, columns)), gl.arange(0, 64, gl.SliceLayout(0, columns))
    gl.store(out + (3 - row[:, None]) * 64 + column[None, :], values)


def reversed_rows(relaxed):
    x = np.arange(SIZE, dtype=np.float32)
    out = np.zeros_like(x)
    reverse[(1,)](x, out, RELAXED=relaxed)
    return out


def with_a_barrier():
    return reversed_rows(False)


def without_a_barrier():
    return reversed_rows(True)


@hocket.jit
def copy_without_waiting(x, out, waits):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [gl.num_warps(), 1], [1, 0])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    i = rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.allocate_shared_memory(gl.float32, [32, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    amd.cdna4.async_copy.buffer_load_to_shared(tile, x, i)
    amd.cdna4.async_copy.commit_group()
    if waits:
        amd.cdna4.async_copy.wait_group(0)
    gl.store(out + i, tile.load(layout))


def without_a_wait():
    x = np.arange(2048, dtype=np.float32)
    out = np.zeros_like(x)
    copy_without_waiting[(1,)](x, out, 0)
    return out


@hocket.jit
def wait_out_of_turn(counter, flag):
    if gl.atomic_add(counter, 1) != gl.program_id(0):
        while gl.atomic_add(flag, 0) == 0:
            pass


def flag_that_nobody_sets():
    """The order of blocks determines whether a block reads the flag."""
    counter, flag = np.zeros((2, 1), np.int32)
    wait_out_of_turn[(2,)](counter, flag, num_warps=1)
    return counter


@hocket.jit
def mirror(out, result, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, i)
    gl.store(result + i, gl.load(out + SIZE - 1 - i))


def through_global_memory():
    out, result = np.zeros((2, 1024), np.int32)
    mirror[(1,)](out, result, SIZE=1024)
    return result


@hocket.jit
def add_up(x, total, counter, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.atomic_add(total + i * 0, gl.load(x + i))
    gl.atomic_add(counter + i * 0, i)


def sum_by_atomics():
    x = np.random.default_rng(0).standard_normal(SIZE, dtype=np.float32)
    total, counter = np.zeros(1, np.float32), np.zeros(1, np.int32)
    add_up[(1,)](x, total, counter, SIZE=SIZE)
    return {"total": total, "counter": counter}


@hocket.jit
def first_come(ticket, out):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 256, layout=layout)
    gl.store(out + i, gl.atomic_add(ticket + i * 0, 1))


def tickets():
    ticket, out = np.zeros(1, np.int32), np.zeros(SIZE, np.int32)
    first_come[(1,)](ticket, out)
    return ticket, out


def tickets_of_blocks():
    ticket, out = np.zeros(1, np.int32), np.zeros(10, np.int32)
    ticket_of_block[(10,)](ticket, out, num_warps=1)
    return ticket, out


@hocket.jit
def ticket_of_block(ticket, out):
    gl.store(out + gl.program_id(0), gl.atomic_add(ticket, 1))


@hocket.jit
def meet(arrived, x, out):
    """All blocks have stored before any block loads the values of the next block."""
    block = gl.program_id(0)
    gl.store(x + block, block * block)
    gl.atomic_add(arrived, 1, sem="release")
    while gl.atomic_add(arrived, 0, sem="acquire") < gl.num_programs(0):
        pass
    gl.store(out + block, gl.load(x + (block + 1) % gl.num_programs(0)))


def blocks_that_meet():
    arrived, x, out = (np.zeros(size, np.int32) for size in (1, 6, 6))
    meet[(6,)](arrived, x, out, num_warps=1)
    np.testing.assert_array_equal(out, np.roll(np.arange(6) ** 2, -1))
    return out


def first_thread_comes_first():
    _, out = tickets()
    assert out[0] == 0, "thread 0 came late"
    return out[0]


@hocket.jit
def read_unwritten(out):
    layout: gl.constexpr = gl.row_layout()
    tile = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    gl.store(out + gl.arange(0, 256, layout=layout), tile.load(layout))


def never_written():
    out = np.zeros(SIZE, np.float32)
    read_unwritten[(1,)](out)
    return out


@hocket.jit
def divide(out, d, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, d / d)


def not_a_number():
    out = np.zeros(SIZE, np.float32)
    divide[(1,)](out, 0.0, SIZE)
    return out


# Functions that cannot be checked -----------------------------------------------------------------------------------


def needs_arguments(size, slots, depth=1):
    return None


def returns_nothing():
    with_a_barrier()


def returns_text():
    with_a_barrier()
    return [1, "done"]


def launches_nothing():
    return np.zeros(3)


def fails():
    return np.zeros(3)[4]


def draws_numbers():
    with_a_barrier()
    return np.random.default_rng().standard_normal(4)


def launches_too_much():
    reverse[(0, 1, 2, 3)](np.zeros(SIZE, np.float32), np.zeros(SIZE, np.float32), RELAXED=False)


@hocket.jit
def misspelt(out):
    gl.store(out, undefined)  # noqa: F821


def does_not_compile():
    misspelt[(1,)](np.zeros(1, np.float32))


def interrupted():
    """Raises KeyboardInterrupt, as Ctrl-C does."""
    tickets_of_blocks()
    raise KeyboardInterrupt
