"""Kernels that do, for some arguments, what a kernel must not."""

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier


@hocket.jit
def copy(x, out, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, gl.load(x + i))


@hocket.jit
def read_element(x, index):
    return gl.load(x + index)


@hocket.jit
def read_through_a_function(x, out, i):
    gl.store(out, read_element(x, i))


@hocket.jit
def shift(x, out, by, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, gl.load(x + gl.multiple_of(by, 4) + i))


@hocket.jit
def divide(out, n, d):
    gl.store(out, n // d)


@hocket.jit
def positive(x, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    gl.device_assert(gl.load(x + gl.arange(0, SIZE, layout=layout)) > 0, "x must be positive")


@hocket.jit
def square_and_shift(x, out, by):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 256, layout=layout)
    value = gl.load(i + x)
    square = value * value
    shifted = square - by
    shifted += value
    gl.store(out + i, gl.mul(shifted, shifted, sanitize_overflow=False))


@hocket.jit
def sum_all(x, out):
    layout: gl.constexpr = gl.row_layout()
    gl.store(out, gl.sum(gl.load(x + gl.arange(0, 256, layout=layout)), axis=0))


@hocket.jit
def barrier_for_some(flag):
    seen = gl.load(flag)
    gl.store(flag, 1)
    if seen == 0:
        gl.barrier()


@hocket.jit
def use_slot(out, slot, SLOTS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    ring = gl.allocate_shared_memory(gl.int32, [SLOTS, 128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    neighbor = gl.allocate_shared_memory(gl.int32, [128], ring.index(0).layout)
    i = gl.arange(0, 128, layout=layout)
    neighbor.store(i)
    ring.index(slot).store(-i)
    gl.store(out + i, neighbor.load(layout))


@hocket.jit
def use_slot_of_barriers(out, slot, is_used, SLOTS: gl.constexpr):
    bars = gl.allocate_shared_memory(gl.int64, [SLOTS, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(SLOTS):
        mbarrier.init(bars.index(i), count=1)
    ahead = bars.index(slot)
    mbarrier.arrive(ahead, pred=is_used != 0)
    if is_used:
        mbarrier.wait(ahead, 0)
    gl.store(out, 1)


@hocket.jit
def copy_elements(x, out, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    k = gl.arange(0, SIZE, layout=layout)
    gl.store(out + k, gl.load(x + k))


@hocket.jit
def wait_for_flag(flag, out):
    gl.store(out + gl.program_id(0), 1)
    while gl.atomic_add(flag + 2, 0) != gl.num_programs(0):
        pass


@hocket.jit
def wait_for_the_next(flags):
    block = gl.program_id(0)
    if block + 1 < gl.num_programs(0):
        while gl.atomic_add(flags + block + 1, 0) == 0:
            pass
    gl.atomic_xchg(flags + block, 1)


@hocket.jit
def lock_twice(lock, out):
    while gl.atomic_cas(lock, 0, 1) != 0:
        pass
    gl.store(out, gl.load(out) + 1)
    while gl.atomic_cas(lock, 0, 1) != 0:
        pass
