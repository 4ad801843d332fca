"""Assignment in all its forms; what stays known at compile time."""

import pytest

import hocket.language as gl

pytestmark = pytest.mark.quick


def forms(out, n):
    a = b = n + 1
    c, (d, [e, f]) = a, (b, (n, 2))
    c += d
    c *= 2
    if (g := c + e) > 3:
        f -= 1
    h: gl.constexpr = 4
    i: gl.tensor = g
    gl.store(out, a + c + f + h + i)


def test_forms(emit, check):
    check(emit(forms, "*i32, i32"), "addi %arg1\naddi\nmuli\naddi\ncmpi sgt\nscf.if\nsubi\n")


def odd_annotations(out, n):
    a: n = n + 1
    b: gl.program_id(0) = a * 2
    c: (gl.constexpr, n)  # noqa: F842
    gl.store(out, b)


def test_annotations_other_than_constexpr_say_nothing(emit, check):
    check(emit(odd_annotations, "*i32, i32"), "addi %arg1\nmuli\nhk.store")


def numbers(out):
    small = 1
    unsigned = 3000000000
    large = -3000000000
    huge = 10000000000000000000
    flag = True
    real = 0.5
    gl.store(out, small)
    gl.store(out, unsigned)
    gl.store(out, large)
    gl.store(out, huge)
    gl.store(out, flag)
    gl.store(out, real)


def test_numbers_become_run_time_values_by_their_range(emit, check):
    check(
        emit(numbers, "*f32"),
        """
        constant 1 : i32
        constant -1294967296 : i32
        constant -3000000000 : i64
        constant -8446744073709551616 : i64
        constant true
        constant 5.000000e-01 : f32
        """,
    )


def layouts_stay_known(out):
    layout = gl.BlockedLayout([1], [32], [4], [0])
    dtype = gl.float16
    nothing = None
    text = "name"
    i = gl.arange(0, 128, layout)
    gl.static_assert(nothing is None and text == "name")
    gl.store(out + i, gl.zeros([128], dtype, layout))


def test_objects_that_are_not_numbers_stay_known(emit, check):
    check(emit(layouts_stay_known, "*f16"), "tensor<128xf16")


def constexpr_arithmetic(out, N: gl.constexpr):
    negative: gl.constexpr = -7 // 2
    gl.static_assert(negative == -4)
    shape: gl.constexpr = (N, N * 2)
    gl.static_assert(shape[1] == 2 * N and shape[-1] == shape[1] and shape[:1] == (N,) and len(shape + (1,)) == 3)  # noqa: RUF005
    gl.static_assert([2] + shape == shape[:0] + [2, N, 2 * N])  # noqa: RUF005
    gl.static_assert(N in (8, 16) and N not in [1, 2] and N is not None and (N << 1 | 1) ^ 1 == 32)
    gl.static_assert(~N == -N - 1 and +N == N and not N == 0 and N % 3 == 1 and N**2 == 256 and N / 32 == 0.5)
    gl.store(out, gl.zeros(shape, gl.float32, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])).sum(1).sum(0))


def test_compile_time_arithmetic_is_pythons(emit, check):
    check(emit(constexpr_arithmetic, "*f32", N=16), "tensor<16x32xf32")


def starred_elements(out, n):
    pair = (n, 2)
    triple = (*pair, 3)
    gl.static_assert(len(triple) == 3 and len(triple[1:]) == 2)
    gl.store(out, triple[-1])


def test_starred_elements_and_slices_of_tuples(emit):
    emit(starred_elements, "*i32, i32")


def unrolled_constexpr(out):
    for i in gl.static_range(3):
        offset: gl.constexpr = i * 32
        gl.store(out + offset, 1.0)


def test_a_constexpr_may_be_declared_in_an_unrolled_loop(emit, check):
    check(emit(unrolled_constexpr, "*f32"), "constant 32\nconstant 64")
