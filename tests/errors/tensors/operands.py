"""Values that operators and elementwise functions cannot combine."""

from cases import mistake

import hocket.language as gl

TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1]))


@mistake("*f32")
def reduced_row_not_expanded(x):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, TILE))
    columns = gl.arange(0, 128, layout=gl.SliceLayout(0, TILE))
    v = gl.load(x + rows[:, None] * 128 + columns[None, :])
    gl.exp(v - gl.max(v, axis=1))


@mistake("*f32")
def reduced_column_on_the_left(x):
    v = gl.zeros([64, 128], gl.float32, TILE)
    v = gl.sum(v, axis=0) * v


@mistake("")
def ranks_differ():
    gl.zeros([64, 128], gl.float32, TILE) + gl.zeros([128], gl.float32, gl.BlockedLayout([1], [32], [4], [0]))


@mistake("")
def shapes_differ():
    a = gl.zeros([64, 128], gl.float32, TILE)
    b = gl.zeros([64, 64], gl.float32, TILE)
    a - b


@mistake("")
def layouts_differ():
    a = gl.zeros([64, 128], gl.float32, TILE)
    b = gl.zeros([64, 128], gl.float32, COLUMNS)
    a < b


@mistake("")
def layouts_differ_in_where():
    a = gl.zeros([64, 128], gl.float32, TILE)
    b = gl.zeros([64, 128], gl.float32, COLUMNS)
    gl.where(a > 0, a, b)


@mistake("i32, u32")
def signedness_in_division(a, b):
    a // b


@mistake("u32")
def negative_number_with_unsigned(a):
    a + -1


@mistake("*u8")
def number_out_of_range(x):
    gl.load(x) + 256


@mistake("f32, i32")
def remainder_of_floats(a, b):
    a % b


@mistake("f32")
def bits_of_a_float(a):
    a & 1


@mistake("*f8e5")
def arithmetic_on_float8(x):
    gl.load(x) * 2


@mistake("*f32")
def product_of_pointers(x):
    x * 4


@mistake("*f32, f32")
def pointer_advanced_by_a_float(x, f):
    x + f


@mistake("*f32")
def pointer_advanced_by_shared_memory(x):
    offsets = gl.allocate_shared_memory(gl.int32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    x + offsets


@mistake("*f32")
def shared_memory_taken_from_a_pointer(x):
    offsets = gl.allocate_shared_memory(gl.int32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    x - offsets


@mistake("*f32, None")
def none_in_arithmetic(x, bias):
    gl.load(x) + bias


@mistake("f32")
def string_in_arithmetic(x):
    x + "1"


@mistake("f32")
def power(x):
    x**2


@mistake("f32")
def matrix_product_operator(x):
    x @ x


@mistake("*f16")
def exponential_of_a_half(x):
    gl.exp(gl.load(x))


@mistake("*f32")
def exponential_of_a_pointer(x):
    gl.exp(x)


@mistake("i32")
def fma_of_integers(x):
    gl.fma(x, x, 1)


@mistake("f32")
def cast_to_no_dtype(x):
    x.to("float16")


@mistake("f32")
def bitcast_between_widths(x):
    x.to(gl.int16, bitcast=True)


@mistake("f32")
def rounding_mode(x):
    x.to(gl.float16, fp_downcast_rounding="rtz")


@mistake("f32")
def unknown_attribute(x):
    x.shpae


@mistake("f32")
def layout_of_a_scalar(x):
    x.layout


@mistake("i32")
def division_by_a_constant_zero(n):
    return n // 0


@mistake("i32")
def shift_beyond_the_width(n):
    return n << 40


@mistake("i64")
def shift_by_a_negative_number(n):
    return n >> -1


@mistake("*f32")
def long_string_in_a_message(x):
    x + "xyz" * 1000


@mistake("f32")
def long_list_in_a_message(x):
    [x + n for n in range(1000)] + x


SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@mistake("")
def shared_memory_negated():
    smem = gl.allocate_shared_memory(gl.float32, [64], SHARED)
    -smem


@mistake("")
def shared_memory_as_a_condition():
    smem = gl.allocate_shared_memory(gl.float32, [64], SHARED)
    smem and 1


@mistake("")
def shared_memory_inverted():
    not gl.allocate_shared_memory(gl.float32, [64], SHARED)


@mistake("*i32")
def power_of_too_many_digits(x):
    gl.store(x, 2**9223372036854775807)


@mistake("*i32")
def shift_of_too_many_bits(x):
    gl.store(x, 1 << 10**30)
