"""Kernels with wrong uses of named barriers: partitions race, or deadlock."""

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import named_barrier

N = gl.constexpr(128)


@hocket.jit
def fill(tile, full, ARRIVES_FIRST: gl.constexpr):
    if ARRIVES_FIRST:
        named_barrier.arrive(full)
    tile.store(gl.arange(0, N, layout=gl.row_layout()))
    if not ARRIVES_FIRST:
        named_barrier.arrive(full)


@hocket.jit
def drain(tile, full, out, WAITS: gl.constexpr):
    if WAITS:
        named_barrier.arrive_and_wait(full)
    gl.store(out + gl.arange(0, N, layout=gl.row_layout()), tile.load(gl.row_layout()))
    if not WAITS:
        named_barrier.arrive_and_wait(full)


@hocket.jit
def through_a_tile(out, ARRIVES_FIRST: gl.constexpr, WAITS: gl.constexpr):
    tile = gl.allocate_shared_memory(gl.int32, [N], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    full = named_barrier.allocate(num_warps=gl.num_warps() + 2)
    gl.warp_specialize([(drain, (tile, full, out, WAITS)), (fill, (tile, full, ARRIVES_FIRST))], [2])


@hocket.jit
def store_and_arrive(out, stored, ORDERED: gl.constexpr):
    if not ORDERED:
        named_barrier.arrive(stored)
    gl.store(out + gl.arange(0, N, layout=gl.row_layout()), 1)
    if ORDERED:
        named_barrier.arrive(stored)


@hocket.jit
def wait_and_add(out, stored):
    named_barrier.arrive_and_wait(stored)
    i = gl.arange(0, N, layout=gl.row_layout())
    gl.store(out + i, gl.load(out + i) + 1)


@hocket.jit
def through_an_array(out, ORDERED: gl.constexpr):
    stored = named_barrier.allocate(num_warps=gl.num_warps() + 2)
    gl.warp_specialize([(store_and_arrive, (out, stored, ORDERED)), (wait_and_add, (out, stored))], [2])


@hocket.jit
def take_turn(own, following, rounds):
    for _ in range(rounds):
        named_barrier.arrive_and_wait(own)
        named_barrier.arrive(following)


@hocket.jit
def without_a_first_turn(rounds):
    first, second = named_barrier.allocate(num_warps=6), named_barrier.allocate(num_warps=6)
    gl.warp_specialize([(take_turn, (first, second, rounds)), (take_turn, (second, first, rounds))], [2])


@hocket.jit
def meet(met, rounds):
    for _ in range(rounds):
        named_barrier.arrive_and_wait(met)


@hocket.jit
def one_round_more(rounds):
    met = named_barrier.allocate(num_warps=6)
    gl.warp_specialize([(meet, (met, rounds)), (meet, (met, rounds + 1))], [2])


@hocket.jit
def arrive_times(full, TIMES: gl.constexpr):
    for _ in gl.static_range(TIMES):
        named_barrier.arrive(full)


@hocket.jit
def wait_late(full, other):
    named_barrier.arrive_and_wait(full)


@hocket.jit
def twice_for_others(TIMES: gl.constexpr):
    full = named_barrier.allocate(num_warps=8)
    gl.warp_specialize([(wait_late, (full, 0)), (arrive_times, (full, TIMES))], [4])
