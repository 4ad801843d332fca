"""Mistakes with gl.warp_specialize."""

from cases import jit, mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@jit
def nothing():
    pass


@jit
def store(x, value):
    gl.store(x, value)


@jit
def returns_a_value(x):
    return gl.load(x)


@jit
def starts_others(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], [4])


@jit
def has_a_layout_for_four_warps(x):
    gl.store(x + gl.arange(0, 128, LINE), 1.0)


@jit
def stores_a_tile(x, tile):
    gl.store(x + gl.arange(0, 128, LINE), tile)


# In the source ------------------------------------------------------------------------------------------------------


@mistake("*f32")
def one_function(x):
    gl.warp_specialize([(store, (x, 1.0))], [])


@mistake("*f32")
def no_list(x):
    gl.warp_specialize(store, [4])


@mistake("*f32")
def function_without_arguments(x):
    gl.warp_specialize([nothing, (store, (x, 1.0))], [4])


@mistake("*f32")
def argument_that_is_no_tuple(x):
    gl.warp_specialize([(nothing, ()), (returns_a_value, (x))], [4])


@mistake("*f32")
def layout_in_place_of_a_function(x):
    gl.warp_specialize([(nothing, ()), (LINE, (x,))], [4])


@mistake("*f32")
def builtin_in_place_of_a_function(x):
    gl.warp_specialize([(nothing, ()), (gl.store, (x, 1.0))], [4])


@mistake("*f32")
def older_order_of_arguments(x):
    gl.warp_specialize((x,), nothing, (x, 1.0), [store], [4])


@mistake("*f32")
def number_of_warps_for_the_default_partition(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], [4, 4])


@mistake("*f32")
def three_warps(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], [3])


@mistake("*f32, i32")
def warps_known_at_run_time(x, n):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], [n])


@mistake("*f32")
def registers_that_are_no_multiple_of_8(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], [4], [100])


@mistake("*f32")
def too_few_registers(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], [4], [16])


@mistake("*f32")
def registers_of_one_of_two_workers(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0)), (store, (x + 1, 1.0))], [4, 4], [24])


@mistake("*f32")
def worker_that_returns_a_value(x):
    gl.warp_specialize([(nothing, ()), (returns_a_value, (x,))], [4])


@mistake("*f32")
def captured_tensor(x):
    tile = gl.full([128], 1.0, gl.float32, LINE)
    gl.warp_specialize([(nothing, ()), (stores_a_tile, (x, tile))], [4])


@mistake("*f32")
def captured_tensor_in_a_tuple(x):
    tile = gl.full([128], 1.0, gl.float32, LINE)
    gl.warp_specialize([(nothing, ()), (store, (x, (1, tile)))], [4])


@mistake("*f32")
def layout_for_other_warps(x):
    gl.warp_specialize([(nothing, ()), (has_a_layout_for_four_warps, (x,))], [2])


@mistake("*f32")
def nested_in_the_default_partition(x):
    gl.warp_specialize([(starts_others, (x,)), (nothing, ())], [4])


@mistake("*f32")
def nested_in_a_worker(x):
    gl.warp_specialize([(nothing, ()), (starts_others, (x,))], [4])


@mistake("*f32")
def missing_argument(x):
    gl.warp_specialize([(nothing, ()), (store, (x,))], [4])


@mistake("*f32", target="gfx950")
def on_amd(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], [4])


# All partitions of a kernel together ----------------------------------------------------------------------------------


@mistake("*f32", num_warps=8, lowered=True)
def too_many_warps(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0)), (nothing, ()), (nothing, ()), (nothing, ())], [8, 8, 8, 1])


@mistake("*f32", lowered=True)
def too_many_workers(x):
    entries: gl.constexpr = ((nothing, ()),) * 16
    gl.warp_specialize(entries, (1,) * 15)


@mistake("*f32", lowered=True)
def too_many_registers(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0)), (nothing, ())], [4, 4], [240, 248])


@mistake("*f32", num_warps=2, lowered=True)
def budgets_without_a_warpgroup(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], [4], [24])


def not_decorated(x):
    gl.store(x, 1.0)


@mistake("*f32")
def worker_without_the_decorator(x):
    gl.warp_specialize([(nothing, ()), (not_decorated, (x,))], [4])


@mistake("*f32")
def warps_by_the_name_of_the_option(x):
    gl.warp_specialize([(nothing, ()), (store, (x, 1.0))], num_warps=[4])
