"""Operations that a function for single elements must not contain: memory, waits, operations of warps or blocks."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language.nvidia import ampere, hopper
from hocket.language.nvidia.hopper import mbarrier

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
EIGHT_WARPS = gl.constexpr(gl.BlockedLayout([1], [32], [8], [0]))


@jit
def grow_in_memory(p):
    gl.atomic_add(p, 1.0)
    return 0


@mistake("*f32")
def map_that_adds_in_memory(x):
    gl.map_elementwise(grow_in_memory, x + gl.arange(0, 128, layout=LINE))


@jit
def stored_in_shared_memory(a):
    gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    return a


@mistake("")
def map_with_shared_memory():
    gl.map_elementwise(stored_in_shared_memory, gl.arange(0, 128, layout=LINE))


@jit
def with_a_mbarrier(a):
    mbarrier.allocate_mbarrier()
    return a


@mistake("")
def map_with_a_mbarrier():
    gl.map_elementwise(with_a_mbarrier, gl.arange(0, 128, layout=LINE))


@jit
def after_copies(a):
    if a > 3:
        ampere.async_copy.wait_group(0)
    return a


@mistake("")
def map_that_waits_for_copies():
    gl.map_elementwise(after_copies, gl.arange(0, 128, layout=LINE))


@jit
def after_bulk_stores(a, b):
    hopper.tma.store_wait(0)
    return a + b


@mistake("")
def scan_that_waits_for_bulk_stores():
    gl.associative_scan(gl.arange(0, 128, layout=LINE), 0, after_bulk_stores)


@jit
def with_a_fence(a):
    hopper.fence_async_shared()
    return a


@mistake("")
def map_with_a_fence():
    gl.map_elementwise(with_a_fence, gl.arange(0, 128, layout=LINE))


@jit
def among_blocks(a, b):
    hopper.cluster.arrive()
    hopper.cluster.wait()
    return a + b


@mistake("")
def reduction_that_waits_for_blocks():
    gl.reduce(gl.arange(0, 128, layout=LINE), 0, among_blocks)


@jit
def after_other_grids(a):
    gl.extra.cuda.gdc_wait()
    return a


@mistake("")
def map_that_waits_for_grids():
    gl.map_elementwise(after_other_grids, gl.arange(0, 128, layout=LINE))


@jit
def kept_in_order(a):
    gl.sched_barrier()
    return a


@mistake("")
def map_that_orders_instructions():
    gl.map_elementwise(kept_in_order, gl.arange(0, 128, layout=LINE))


@jit
def in_a_stage(a):
    with gl.warp_pipeline_stage("double"):
        a = 2 * a
    return a


@mistake("", num_warps=8)
def map_with_a_stage():
    gl.map_elementwise(in_a_stage, gl.arange(0, 256, layout=EIGHT_WARPS))


@jit
def idle():
    pass


@jit
def among_warps(a):
    gl.warp_specialize([(idle, ()), (idle, ())], [4], [24])
    return a


@mistake("")
def map_with_partitions():
    gl.map_elementwise(among_warps, gl.arange(0, 128, layout=LINE))


@jit
def recorded(a):
    with gl.profiler.scope("double"):
        a = 2 * a
    return a


@mistake("")
def map_that_is_recorded():
    gl.map_elementwise(recorded, gl.arange(0, 128, layout=LINE))
