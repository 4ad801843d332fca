"""Mistakes with mbarriers that the compiler finds."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language.nvidia import ampere, hopper
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import mbarrier

FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
ROW = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@mistake(target="gfx950")
def mbarrier_on_another_vendor():
    ampere.mbarrier.allocate_mbarrier()


@mistake("*f32")
def barrier_that_is_a_pointer(x):
    mbarrier.init(x, count=1)


@mistake()
def barrier_of_int32():
    bar = gl.allocate_shared_memory(gl.int32, [1], FLAT)
    mbarrier.init(bar, count=1)


@mistake()
def whole_ring_of_barriers():
    bars = mbarrier.allocate_mbarrier(batch=4)
    mbarrier.wait(bars, 0)


@mistake()
def barrier_of_two_words():
    bar = gl.allocate_shared_memory(gl.int64, [2], mbarrier.MBarrierLayout())
    mbarrier.arrive(bar)


@mistake()
def ring_without_barriers():
    mbarrier.allocate_mbarrier(batch=0)


@mistake("i32")
def ring_of_unknown_size(n):
    mbarrier.allocate_mbarrier(batch=n)


@mistake()
def count_of_zero():
    mbarrier.init(mbarrier.allocate_mbarrier(), count=0)


@mistake()
def count_that_is_no_integer():
    mbarrier.init(mbarrier.allocate_mbarrier(), count=1.5)


@mistake("i32")
def count_that_is_not_known(n):
    mbarrier.init(mbarrier.allocate_mbarrier(), count=n)


@mistake()
def count_that_is_missing():
    mbarrier.init(mbarrier.allocate_mbarrier())


@mistake("f32")
def phase_that_is_a_float(x):
    mbarrier.wait(mbarrier.allocate_mbarrier(), x)


@mistake()
def phase_that_is_a_tensor():
    mbarrier.wait(mbarrier.allocate_mbarrier(), gl.arange(0, 128, layout=ROW))


@mistake()
def phase_that_is_negative():
    mbarrier.wait(mbarrier.allocate_mbarrier(), -1)


@mistake()
def phase_that_is_none():
    mbarrier.wait(mbarrier.allocate_mbarrier(), None)


@mistake()
def predicate_that_is_a_tensor():
    mbarrier.arrive(mbarrier.allocate_mbarrier(), pred=gl.arange(0, 128, layout=ROW) < 5)


@mistake()
def dependence_that_is_no_memory():
    mbarrier.wait(mbarrier.allocate_mbarrier(), 0, deps=[gl.arange(0, 128, layout=ROW)])


@mistake()
def dependences_that_are_no_list():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.wait(bar, 0, deps=bar)


@mistake()
def bytes_that_are_missing():
    mbarrier.expect(mbarrier.allocate_mbarrier())


@mistake()
def too_many_bytes():
    mbarrier.expect(mbarrier.allocate_mbarrier(), 1 << 20)


@mistake(target="sm_80")
def bytes_before_hopper():
    mbarrier.expect(mbarrier.allocate_mbarrier(), 4096)


@mistake(target="sm_80")
def several_arrivals_before_hopper():
    mbarrier.arrive(mbarrier.allocate_mbarrier(), count=2)


@mistake(target="sm_80")
def fence_for_clusters_before_hopper():
    mbarrier.fence_init_release_cluster()


@mistake()
def count_of_amperes_arrival():
    ampere.mbarrier.arrive(mbarrier.allocate_mbarrier(), count=2)


@mistake("i32")
def increment_that_is_not_known(n):
    async_copy.mbarrier_arrive(mbarrier.allocate_mbarrier(), increment_count=n > 0)


@mistake()
def layout_of_a_cluster():
    gl.allocate_shared_memory(gl.int64, [2], hopper.mbarrier.MBarrierLayout.multicta(2))


@jit
def helper(bar):
    mbarrier.invalidate(bar)


@mistake("i32")
def barrier_in_a_function(n):
    helper(n)
