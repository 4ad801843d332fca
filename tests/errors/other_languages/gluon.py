"""Mistakes of users of Triton and Gluon: names and arguments that are different in Hocket."""

from cases import mistake

import hocket.language as gl
from hocket.language.extra import libdevice

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@mistake()
def range_that_is_flattened():
    for k in gl.range(0, 4, flatten=True):
        pass


@mistake()
def range_about_accumulators():
    for k in gl.range(0, 4, disallow_acc_multi_buffer=True):
        pass


@mistake()
def range_about_invariants():
    for k in gl.range(0, 4, disable_licm=True):
        pass


@mistake()
def range_of_specialized_warps():
    for k in gl.range(0, 4, warp_specialize=True):
        pass


@mistake()
def range_with_a_misspelt_request():
    for k in gl.range(0, 4, num_stage=2):
        pass


@mistake("*f32")
def assembly_for_whole_registers(x):
    gl.inline_asm("nop;", "", [], gl.int32, False)


@mistake()
def a_tile_of_shared_memory_without_a_layout():
    tile = gl.allocate_shared_memory(gl.float32, [128], SHARED)
    tile.load()


@mistake("*f32")
def zeros_expected_of_pointers(x):
    gl.expect_zero(x + gl.arange(0, 128, LINE), True)


@mistake()
def zeros_expected_of_shared_memory():
    gl.expect_zero(gl.allocate_shared_memory(gl.float32, [128], SHARED), True)


@mistake()
def zeros_expected_without_a_condition():
    gl.expect_zero(gl.zeros([128], gl.float32, LINE))


@mistake("*f32")
def values_in_another_layout(x):
    i, j = gl.arange(0, 128, LINE), gl.arange(0, 128, gl.BlockedLayout([2], [32], [4], [0]))
    gl.store(x + i, j)


@mistake("*f32")
def a_function_of_libdevice_that_is_not_there(x):
    libdevice.fast_rsqrtf(gl.load(x))


@mistake("*f32")
def a_misspelt_function_of_libdevice(x):
    libdevice.copysgn(gl.load(x), 1.0)


@mistake("*f32")
def arguments_from_a_number(x):
    gl.load(*5)


@mistake("*f32")
def a_message_with_a_value_of_run_time(x):
    value = gl.load(x)
    gl.static_assert(False, f"found {value}")


@mistake()
def barrier_of_a_cluster_by_position():
    gl.barrier(True)


@mistake()
def a_shape_that_is_compared_with_a_number():
    x = gl.zeros([128], gl.float32, LINE)
    gl.static_assert(x.shape == 128, "one dimension of 128 elements")


@mistake("*f32")
def clusters_of_older_layouts(x):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], ctas_per_cga=[1], cta_split_num=[1], cta_order=[0])
    gl.arange(0, 128, layout=layout)
