"""Mistakes with libdevice, amd.slice, and structs that are passed to them."""

from cases import mistake

import hocket
import hocket.language as gl
from hocket.language import amd
from hocket.language.extra import libdevice

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
WAVES = gl.constexpr(gl.BlockedLayout([1, 1], [8, 8], [4, 1], [1, 0]))


@mistake("*f16")
def logarithm_of_gamma_of_halves(x):
    gl.store(x, libdevice.lgamma(gl.load(x)))


@mistake("*f32")
def gamma_of_float64(x):
    libdevice.tgamma(gl.load(x).to(gl.float64))


@mistake("*i32")
def an_angle_of_integers(x):
    libdevice.atan2(gl.load(x), gl.load(x + 1))


@mistake()
def the_angle_of_a_whole_constant():
    libdevice.atan(1)


@mistake("*f32, i32")
def an_order_of_run_time(x, n):
    libdevice.jn(n, gl.load(x))


@mistake("*f32")
def an_order_that_is_too_high(x):
    libdevice.yn(33, gl.load(x))


@mistake("*f32")
def an_order_that_stands_last(x):
    libdevice.jn(gl.load(x), 2)


@mistake("*f32")
def one_of_two_numbers(x):
    libdevice.fmod(gl.load(x))


@mistake("*f32")
def directed_sums_of_a_tensor_and_a_whole_constant(x):
    libdevice.add_rd(gl.load(x), 1)


@mistake("*f16")
def directed_products_of_halves(x):
    libdevice.mul_rz(gl.load(x), gl.load(x + 1))


@mistake("*f32")
def a_number_scaled_by_a_float(x):
    libdevice.ldexp(gl.load(x), gl.load(x + 1))


@mistake("*f32")
def bits_of_floats_reversed(x):
    libdevice.brev(gl.load(x))


@mistake("*f32")
def layouts_that_differ(x):
    a = gl.load(x + gl.arange(0, 128, LINE))
    b = gl.load(x + gl.arange(0, 128, gl.BlockedLayout([2], [32], [4], [0])))
    libdevice.hypot(a, b)


@mistake("*f32")
def pointers_given_to_libdevice(x):
    libdevice.erfinv(x)


@mistake("*f32")
def the_module_is_called(x):
    libdevice(gl.load(x))


@hocket.aggregate
class Pair:
    low: gl.tensor
    high: gl.tensor


@mistake("*f32")
def a_struct_given_to_libdevice(x):
    libdevice.erfc(Pair(gl.load(x), gl.load(x)))


@mistake("*f32")
def a_result_of_libdevice_as_a_struct(x):
    libdevice.erfc(gl.load(x)).low


@mistake(target="gfx950")
def a_slice_that_is_no_tile():
    gl.slice(gl.zeros([64, 64], gl.float32, WAVES), [16, 64], [0, 0])


@mistake(target="gfx950")
def a_slice_between_tiles():
    amd.slice(gl.zeros([64, 64], gl.float32, WAVES), [32, 32], [0, 8])


@mistake(target="gfx950")
def a_slice_in_one_dimension():
    amd.slice(gl.zeros([64, 64], gl.float32, WAVES), [32], [0])


@mistake("i32", target="gfx950")
def a_slice_at_run_time(n):
    amd.slice(gl.zeros([64, 64], gl.float32, WAVES), [32, 64], [n, 0])


@mistake(target="gfx950")
def a_slice_of_a_tile_without_a_layout():
    amd.slice(gl.zeros([64, 64], gl.float32), [32, 64], [0, 0])


@mistake(target="gfx950")
def a_slice_of_one_number():
    amd.slice(gl.zeros([64, 64], gl.float32, WAVES), 32, 0)


@mistake(target="gfx950")
def a_slice_of_fractions():
    amd.slice(gl.zeros([64, 64], gl.float32, WAVES), [32.0, 64], [0, 0])


@mistake(target="gfx950")
def a_slice_larger_than_its_tensor():
    amd.slice(gl.zeros([64, 64], gl.float32, WAVES), [128, 64], [0, 0])


@mistake(target="gfx950")
def a_slice_of_a_number():
    amd.slice(3.0, [32, 64], [0, 0])


@mistake("*f32")
def bits_of_floats_counted(x):
    libdevice.popc(gl.load(x))


@mistake("*f32")
def first_bit_of_a_float(x):
    libdevice.ffs(gl.load(x))


@mistake("*f32")
def remainders_of_two_layouts(x):
    a = gl.load(x + gl.arange(0, 128, LINE))
    b = gl.load(x + gl.arange(0, 128, gl.BlockedLayout([2], [32], [4], [0])))
    libdevice.fmod(a, b)


@mistake()
def fractions_of_integers():
    libdevice.float2int_rz(gl.arange(0, 128, LINE))


@mistake(target="gfx950")
def argmax_of_an_axis_that_is_not_there():
    gl.argmax(gl.zeros([64, 64], gl.float32, WAVES), 2)


@mistake(target="gfx950")
def softmax_without_an_axis():
    gl.softmax(gl.zeros([64, 64], gl.float32, WAVES))


@mistake(target="gfx950")
def sigmoid_of_integers():
    gl.sigmoid(gl.zeros([64, 64], gl.int32, WAVES))


@mistake(target="gfx950")
def topk_of_a_count_that_is_no_power_of_two():
    gl.topk(gl.zeros([64, 64], gl.float32, WAVES), 3)


@mistake("i64")
def random_numbers_of_a_64_bit_offset(n):
    gl.rand(7, n)


@mistake(target="gfx950")
def interleave_of_two_shapes():
    gl.interleave(gl.zeros([64, 64], gl.float32, WAVES), gl.zeros([32, 64], gl.float32, WAVES))
