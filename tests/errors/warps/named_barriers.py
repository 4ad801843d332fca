"""Mistakes with named barriers."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language.nvidia.hopper import mbarrier, named_barrier


@jit
def arrives(bar):
    named_barrier.arrive(bar)


@jit
def waits(bar):
    named_barrier.arrive_and_wait(bar)


@jit
def nothing(*args):
    pass


@jit
def allocates():
    named_barrier.arrive(named_barrier.allocate(8))


# In the source -------------------------------------------------------------------------------------------------------


@mistake(target="gfx950")
def on_amd():
    named_barrier.allocate(8)


@mistake()
def for_no_warps():
    named_barrier.allocate(num_warps=0)


@mistake()
def for_more_warps_than_a_block_has():
    named_barrier.allocate(num_warps=33)


@mistake("i32")
def for_warps_known_at_run_time(n):
    named_barrier.allocate(n)


@mistake()
def without_a_number_of_warps():
    named_barrier.allocate()


@mistake("i32")
def allocated_in_a_loop(n):
    for _ in range(n):
        named_barrier.arrive_and_wait(named_barrier.allocate(4))


@mistake("i32")
def allocated_in_a_branch_in_a_loop(n):
    while n > 0:
        if n > 7:
            named_barrier.arrive_and_wait(named_barrier.allocate(4))
        n -= 1


@mistake()
def allocated_in_the_default_partition():
    gl.warp_specialize([(allocates, ()), (nothing, ())], [4])


@mistake()
def allocated_in_a_worker():
    gl.warp_specialize([(nothing, ()), (allocates, ())], [4])


@mistake()
def a_number():
    named_barrier.arrive(1)


@mistake()
def an_mbarrier():
    named_barrier.arrive(mbarrier.allocate_mbarrier())


@mistake()
def a_tuple_of_them():
    bars = (named_barrier.allocate(8), named_barrier.allocate(8))
    named_barrier.arrive_and_wait(bars)


@mistake("i32")
def one_of_them_chosen_at_run_time(n):
    bars = (named_barrier.allocate(8), named_barrier.allocate(8))
    named_barrier.arrive_and_wait(bars[n])


@mistake("i32")
def chosen_in_a_branch(n):
    bar = named_barrier.allocate(8)
    if n > 0:
        bar = named_barrier.allocate(8)
    named_barrier.arrive_and_wait(bar)


@mistake("i32")
def exchanged_in_a_loop(n):
    own, other = named_barrier.allocate(8), named_barrier.allocate(8)
    for _ in range(n):
        named_barrier.arrive_and_wait(own)
        own, other = other, own


@mistake("*i32")
def stored(x):
    gl.store(x, named_barrier.allocate(8))


@mistake()
def used_as_a_tensor():
    gl.sum(named_barrier.allocate(8))


@mistake()
def made_by_hand():
    named_barrier.arrive(named_barrier.NamedBarrier())


@mistake("f32")
def of_single_elements(x):
    bar = named_barrier.allocate(8)

    def add(a):
        named_barrier.arrive(bar)
        return a + 1.0

    gl.map_elementwise(add, gl.full([128], x, gl.float32, gl.BlockedLayout([1], [32], [4], [0])))


# In the kernel as a whole --------------------------------------------------------------------------------------------


@mistake(lowered=True, num_warps=8)
def more_warps_than_it_counts():
    bar = named_barrier.allocate(num_warps=6)
    gl.warp_specialize([(waits, (bar,)), (arrives, (bar,))], [2])


@mistake(lowered=True)
def more_warps_in_a_worker_than_it_counts():
    bar = named_barrier.allocate(num_warps=6)
    gl.warp_specialize([(arrives, (bar,)), (waits, (bar,))], [8])


@mistake(lowered=True)
def arrivals_of_all_that_it_counts():
    bar = named_barrier.allocate(num_warps=4)
    gl.warp_specialize([(arrives, (bar,)), (waits, (bar,))], [4])


@mistake(lowered=True)
def warps_that_no_partitions_have_together():
    bar = named_barrier.allocate(num_warps=12)
    gl.warp_specialize([(arrives, (bar,)), (waits, (bar,))], [4])


@mistake(lowered=True)
def a_partition_that_is_one_too_many():
    bar = named_barrier.allocate(num_warps=8)
    gl.warp_specialize([(arrives, (bar,)), (waits, (bar,)), (arrives, (bar,))], [4, 1])


@mistake(lowered=True)
def only_one_partition_uses_it():
    bar = named_barrier.allocate(num_warps=8)
    gl.warp_specialize([(waits, (bar,)), (nothing, (bar,))], [4])


@mistake(lowered=True)
def nobody_waits():
    bar = named_barrier.allocate(num_warps=8)
    gl.warp_specialize([(arrives, (bar,)), (arrives, (bar,))], [4])


@mistake(lowered=True)
def too_many():
    bars = [named_barrier.allocate(4) for _ in range(14)]
    for bar in gl.static_range(14):
        named_barrier.arrive_and_wait(bars[bar])
    gl.warp_specialize([(nothing, ()), (nothing, ())], [4])


@mistake("*f32", lowered=True)
def in_a_branch_of_single_warps(x):
    bar = named_barrier.allocate(4)
    values = gl.load(x + gl.arange(0, 128, gl.BlockedLayout([1], [32], [4], [0])))
    if gl.any_in_warp(values > 0):
        named_barrier.arrive_and_wait(bar)


@jit
def pipeline(x, n, bar):
    for k in range(n):
        with gl.warp_pipeline_stage("load"):
            value = gl.load(x + k)
        with gl.warp_pipeline_stage("store"):
            named_barrier.arrive_and_wait(bar)
            gl.store(x + n + k, value)


@mistake("*f32, i32", lowered=True, num_warps=8)
def waiting_in_a_stage(x, n):
    bar = named_barrier.allocate(9)
    gl.warp_specialize([(pipeline, (x, n, bar)), (arrives, (bar,))], [1])


@jit
def pipeline_beside(x, n):
    for k in range(n):
        with gl.warp_pipeline_stage("load"):
            value = gl.load(x + k)
        with gl.warp_pipeline_stage("store"):
            gl.store(x + n + k, value)


@mistake("*f32, i32", lowered=True, num_warps=8)
def none_left_for_a_pipeline(x, n):
    bars = [named_barrier.allocate(8) for _ in range(13)]
    for bar in gl.static_range(13):
        named_barrier.arrive_and_wait(bars[bar])
    gl.warp_specialize([(pipeline_beside, (x, n)), (nothing, ())], [1])


# Names of CUTLASS, and the other kind of barrier ---------------------------------------------------------------------


@mistake()
def barrier_by_its_name_in_cuda():
    named_barrier.sync(1)


@mistake()
def method_of_a_handle():
    named_barrier.allocate(4).wait()


@mistake()
def mbarrier_for_a_named_barrier():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    named_barrier.arrive_and_wait(bar)


@mistake()
def named_barrier_for_an_mbarrier():
    mbarrier.wait(named_barrier.allocate(4), 0)
