"""The common type of two operands: every pair of dtypes under every operator, and numbers known at compile time.

The expectation is Gluon's rule, written again here in another form: as an order of float types, and C's rule for
integers.
"""

import pytest

from hocket import CompileError
from hocket import language as gl

CODES = {
    "i1": gl.int1, "i8": gl.int8, "i16": gl.int16, "i32": gl.int32, "i64": gl.int64, "u8": gl.uint8, "u16": gl.uint16,
    "u32": gl.uint32, "u64": gl.uint64, "f16": gl.float16, "bf16": gl.bfloat16, "f32": gl.float32, "f64": gl.float64,
}  # fmt: skip
PAIRS = [(a, b) for a in CODES for b in CODES]


def promote(a, b, division=False):
    """The common type of two run-time values, or None where there is none."""
    kinds = {a, b}
    if gl.float64 in kinds:
        return gl.float64
    if gl.float32 in kinds:
        return gl.float32
    if gl.float16 in kinds:
        return gl.float32 if division else gl.float16
    if gl.bfloat16 in kinds:
        return gl.bfloat16 if kinds == {gl.bfloat16} and not division else gl.float32
    if division and a.is_int_unsigned() != b.is_int_unsigned():
        return None
    return max(a, b, key=lambda t: (t.primitive_bitwidth, t.is_int_unsigned()))


def add(x, y, expected: gl.constexpr):
    result = gl.load(x) + gl.load(y)
    gl.static_assert(result.dtype == expected)


def divide(x, y, expected: gl.constexpr):
    result = gl.load(x) / gl.load(y)
    gl.static_assert(result.dtype == expected)


def floor_divide(x, y, expected: gl.constexpr):
    result = gl.load(x) // gl.load(y)
    gl.static_assert(result.dtype == expected)


def shift(x, y, expected: gl.constexpr):
    result = gl.load(x) >> gl.load(y)
    gl.static_assert(result.dtype == expected)


def compare(x, y, expected: gl.constexpr):
    result = gl.load(x) < gl.load(y)
    gl.static_assert(result.dtype == expected)


def choose(x, y, c, expected: gl.constexpr):
    result = gl.where(c, gl.load(x), gl.load(y))
    gl.static_assert(result.dtype == expected)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_addition(emit, a, b):
    emit(add, f"*{a}, *{b}", expected=promote(CODES[a], CODES[b]))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_selection(emit, a, b):
    emit(choose, f"*{a}, *{b}, i1", expected=promote(CODES[a], CODES[b]))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_comparison_gives_int1(emit, a, b):
    emit(compare, f"*{a}, *{b}", expected=gl.int1)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_true_division_gives_a_float(emit, a, b):
    expected = promote(CODES[a], CODES[b], division=True)
    if expected is None:
        with pytest.raises(CompileError, match="cannot divide integers of different signedness"):
            emit(divide, f"*{a}, *{b}", expected=gl.float32)
    else:
        emit(divide, f"*{a}, *{b}", expected=gl.float32 if expected.is_int() else expected)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_floor_division_is_for_integers_of_one_signedness(emit, a, b):
    left, right = CODES[a], CODES[b]
    if left.is_floating() or right.is_floating():
        with pytest.raises(CompileError, match="`//` needs integers"):
            emit(floor_divide, f"*{a}, *{b}", expected=gl.int32)
    elif promote(left, right, division=True) is None:
        with pytest.raises(CompileError, match="cannot divide integers of different signedness"):
            emit(floor_divide, f"*{a}, *{b}", expected=gl.int32)
    else:
        ir = emit(floor_divide, f"*{a}, *{b}", expected=promote(left, right))
        assert ("arith.divsi" if left.is_int_signed() else "arith.divui") in ir


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_shift_right_follows_the_sign_of_the_common_type(emit, a, b):
    left, right = CODES[a], CODES[b]
    if left.is_floating() or right.is_floating():
        with pytest.raises(CompileError, match="cannot shift floats"):
            emit(shift, f"*{a}, *{b}", expected=gl.int32)
        return
    expected = promote(left, right)
    ir = emit(shift, f"*{a}, *{b}", expected=expected)
    assert ("arith.shrsi" if expected.is_int_signed() else "arith.shrui") in ir


# Numbers known at compile time ----------------------------------------------------------------------------------------


def add_number(x, number: gl.constexpr, expected: gl.constexpr):
    left = gl.load(x) + number
    right = number + gl.load(x)
    gl.static_assert(left.dtype == expected)
    gl.static_assert(right.dtype == expected)


@pytest.mark.parametrize("a", [code for code in CODES if code != "i1"])
def test_an_integer_takes_the_type_of_the_value(emit, a):
    emit(add_number, f"*{a}", number=3, expected=CODES[a])


@pytest.mark.parametrize("a", CODES)
def test_a_bool_takes_the_type_of_the_value(emit, a):
    emit(add_number, f"*{a}", number=True, expected=CODES[a])


@pytest.mark.parametrize("a", CODES)
def test_a_float_makes_integers_float32(emit, a):
    emit(add_number, f"*{a}", number=1.5, expected=CODES[a] if CODES[a].is_floating() else gl.float32)


def test_an_integer_makes_a_bool_int32(emit):
    emit(add_number, "*i1", number=3, expected=gl.int32)


@pytest.mark.parametrize("a", ["u8", "u16", "u32", "u64"])
def test_a_negative_number_and_an_unsigned_value_have_no_common_type(emit, a):
    with pytest.raises(CompileError, match="cannot add an unsigned value and a negative number"):
        emit(add_number, f"*{a}", number=-1, expected=CODES[a])


@pytest.mark.parametrize(("a", "number"), [("i8", 128), ("u8", 256), ("i16", -32769), ("i32", 2**31), ("u32", 2**32)])
def test_a_number_must_fit(emit, a, number):
    with pytest.raises(CompileError, match=f"{number} does not fit into {CODES[a]}"):
        emit(add_number, f"*{a}", number=number, expected=CODES[a])


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, gl.int32), (2**31 - 1, gl.int32), (-(2**31), gl.int32), (2**31, gl.uint32), (2**32 - 1, gl.uint32),
        (2**32, gl.int64), (-(2**31) - 1, gl.int64), (2**63, gl.uint64), (1.5, gl.float32), (True, gl.int1),
    ],
)  # fmt: skip
def test_a_number_alone_takes_the_first_type_that_holds_it(emit, number, expected):
    def kernel(number: gl.constexpr, expected: gl.constexpr):
        gl.static_assert(gl.to_tensor(number).dtype == expected)

    emit(kernel, number=number, expected=expected)


@pytest.mark.parametrize("a", ["f16", "bf16"])
def test_dividing_a_half_by_a_number_gives_float32(emit, a):
    def kernel(x):
        gl.static_assert((gl.load(x) / 2).dtype == gl.float32)

    emit(kernel, f"*{a}")


# float8 ---------------------------------------------------------------------------------------------------------------


def test_float8_has_no_arithmetic(emit):
    with pytest.raises(CompileError, match="cannot add float8e5 values"):
        emit(add, "*f8e5, *f8e5", expected=gl.float8e5)


def test_two_different_float8_become_float16(emit):
    emit(add, "*f8e5, *f8e4nv", expected=gl.float16)


def test_float8_and_a_wider_float_become_the_float(emit):
    emit(add, "*f8e5, *f32", expected=gl.float32)
    emit(add, "*f8e4nv, *f16", expected=gl.float16)


# Pointers -------------------------------------------------------------------------------------------------------------


def test_pointers_advance_by_integers(emit):
    def kernel(x, i, j, k):
        gl.static_assert((x + i).dtype == x.dtype)
        gl.static_assert((i + x).dtype == x.dtype)
        gl.static_assert((x - j).dtype == x.dtype)
        gl.static_assert((x + k).dtype == x.dtype)
        gl.static_assert((x + 3 == x).dtype == gl.int1)

    ir = emit(kernel, "*f32, i32, i64, u32")
    assert ir.count("hk.addptr") == 5
    assert "arith.extui %arg3 : i32 to i64" in ir  # an unsigned offset never turns negative


def test_pointers_do_not_advance_by_floats(emit):
    def kernel(x, f):
        x + f

    with pytest.raises(CompileError, match="cannot add these values"):
        emit(kernel, "*f32, f32")


def test_pointers_are_not_multiplied(emit):
    def kernel(x):
        x * 2

    with pytest.raises(CompileError, match="cannot multiply pointers"):
        emit(kernel, "*f32")
