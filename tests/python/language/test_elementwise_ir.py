"""IR and result types of operators and elementwise builtins."""

import pytest

import hocket
from hocket import CompileError
from hocket import language as gl

pytestmark = pytest.mark.quick

L = gl.BlockedLayout([2], [32], [4], [0])


@hocket.jit
def kernel(x, y, layout: gl.constexpr, body: gl.constexpr):
    i = gl.arange(0, 256, layout=layout)
    body(gl.load(x + i), gl.load(y + i))


@pytest.fixture(name="emit_body")
def emit_body_fixture(emit):
    """The IR of `body(a, b)` on two tensors loaded through pointers of the given types."""

    def emit_body(body, signature="*f32, *f32"):
        return emit(kernel, signature, layout=L, body=body)

    return emit_body


# Operators ------------------------------------------------------------------------------------------------------------


@hocket.jit
def add(a, b):
    return a + b


@hocket.jit
def sub(a, b):
    return a - b


@hocket.jit
def mul(a, b):
    return a * b


@hocket.jit
def less(a, b):
    return a < b


@hocket.jit
def equal(a, b):
    return a == b


@hocket.jit
def not_equal(a, b):
    return a != b


@hocket.jit
def remainder(a, b):
    return a % b


@hocket.jit
def negate(a, b):
    return -a


@pytest.mark.parametrize(
    ("body", "type", "operation"),
    [
        (add, "f32", "arith.addf"),
        (add, "u8", "arith.addi"),
        (sub, "bf16", "arith.subf"),
        (sub, "i64", "arith.subi"),
        (mul, "f16", "arith.mulf"),
        (mul, "i32", "arith.muli"),
        (less, "f32", "arith.cmpf olt"),
        (less, "i32", "arith.cmpi slt"),
        (less, "u32", "arith.cmpi ult"),
        (equal, "f32", "arith.cmpf oeq"),
        (equal, "i1", "arith.cmpi eq"),
        (not_equal, "f32", "arith.cmpf une"),
        (not_equal, "f8e5", "arith.cmpf une"),
        (remainder, "i32", "arith.remsi"),
        (remainder, "u64", "arith.remui"),
        (negate, "f64", "arith.negf"),
        (negate, "i16", "arith.subi"),
    ],
)
def test_operation_follows_the_type(emit_body, body, type, operation):
    assert operation in emit_body(body, f"*{type}, *{type}")


# Bits and truth -------------------------------------------------------------------------------------------------------


@hocket.jit
def bits(a, b):
    gl.static_assert((a & b).dtype == gl.int32)
    gl.static_assert((a | 1).dtype == gl.int32)
    gl.static_assert((a ^ b).dtype == gl.int32)
    gl.static_assert((~a).dtype == gl.int32)
    gl.static_assert((a << 2).dtype == gl.int32)


def test_bits(emit_body):
    ir = emit_body(bits, "*i32, *i32")
    for operation in ("arith.andi", "arith.ori", "arith.xori", "arith.shli"):
        assert operation in ir


@hocket.jit
def truth(a, b):
    gl.static_assert((a and b).dtype == gl.int1)
    gl.static_assert((a or b).dtype == gl.int1)
    gl.static_assert((not a).dtype == gl.int1)
    gl.static_assert(gl.logical_and(a, b).dtype == gl.int1)
    gl.static_assert(gl.logical_or(a, b > 0).dtype == gl.int1)


def test_truth_is_elementwise_on_tensors(emit_body):
    ir = emit_body(truth, "*f32, *i32")
    assert "arith.andi" in ir
    assert "arith.ori" in ir
    assert "arith.cmpf une" in ir


def test_comparison_with_none_is_known(emit):
    def kernel(x):
        value = gl.load(x)
        gl.static_assert(value != None)  # noqa: E711
        gl.static_assert(not (value == None))  # noqa: E711

    emit(kernel, "*f32")


# Selection and extrema ------------------------------------------------------------------------------------------------


@hocket.jit
def selection(a, b):
    gl.static_assert(gl.where(a > b, a, b).dtype == gl.float32)
    gl.static_assert(gl.where(a > b, a, 0.0).dtype == gl.float32)
    gl.static_assert(gl.where(a > b, 1.0, 0.0).shape == (256,))
    gl.static_assert(gl.where(True, a, b).dtype == gl.float32)


def test_where(emit_body):
    assert emit_body(selection).count("arith.select") == 4


def test_where_chooses_between_pointers(emit):
    def kernel(x, y, c):
        gl.load(gl.where(c, x, y))

    assert "arith.select %arg2, %arg0, %arg1 : !hk.ptr<f32>" in emit(kernel, "*f32, *f32, i1")


@hocket.jit
def extrema(a, b):
    gl.maximum(a, b)
    gl.minimum(a, b)
    gl.maximum(a, 0, propagate_nan=gl.PropagateNan.ALL)
    gl.minimum(a, b, gl.PropagateNan.NONE)


@pytest.mark.parametrize(
    ("type", "operations"),
    [
        ("f32", ["arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minnumf"]),
        ("i32", ["arith.maxsi", "arith.minsi", "arith.maxsi", "arith.minsi"]),
        ("u16", ["arith.maxui", "arith.minui", "arith.maxui", "arith.minui"]),
    ],
)
def test_extrema(emit_body, type, operations):
    ir = emit_body(extrema, f"*{type}, *{type}")
    found = [word for word in ir.split() if word.startswith(("arith.max", "arith.min"))]
    assert found == operations


@hocket.jit
def clamped(a, b):
    gl.static_assert(gl.clamp(a, -1.0, 1.0).dtype == gl.float32)
    gl.clamp(a, b, 2.0, propagate_nan=gl.PropagateNan.ALL)


def test_clamp(emit_body):
    ir = emit_body(clamped)
    assert ir.index("arith.maxnumf") < ir.index("arith.minnumf") < ir.index("arith.maximumf")
    assert "arith.minimumf" in ir


@hocket.jit
def by_name(a, b):
    gl.add(a, b)
    gl.sub(a, 1)
    gl.mul(2, b, sanitize_overflow=False)


def test_arithmetic_by_name(emit_body):
    ir = emit_body(by_name, "*i32, *i32")
    assert ir.index("arith.addi %") < ir.index("arith.subi %") < ir.index("arith.muli %")


def test_cdiv(emit):
    def kernel(n, N: gl.constexpr):
        gl.static_assert(gl.cdiv(N, 4) == 3)
        gl.static_assert(gl.cdiv(n, 4).dtype == gl.int32)

    ir = emit(kernel, "i32", N=10)
    assert "arith.addi %arg0, %c3_i32" in ir
    assert "arith.divsi" in ir


# Mathematics ----------------------------------------------------------------------------------------------------------

UNARY = {
    "exp": "math.exp ", "exp2": "math.exp2", "log": "math.log ", "log2": "math.log2", "sin": "math.sin",
    "cos": "math.cos", "tanh": "math.tanh", "sqrt": "math.sqrt", "rsqrt": "math.rsqrt", "erf": "math.erf",
    "floor": "math.floor", "ceil": "math.ceil", "abs": "math.absf",
}  # fmt: skip


@hocket.jit
def apply_unary(x, layout: gl.constexpr, function: gl.constexpr):
    a = gl.load(x + gl.arange(0, 256, layout=layout))
    b = function(a)
    gl.static_assert(b.type == a.type)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("type", ["f32", "f64"])
def test_unary_mathematics(emit, name, type):
    assert UNARY[name] in emit(apply_unary, f"*{type}", layout=L, function=getattr(gl, name))


@pytest.mark.parametrize("name", [name for name in UNARY if name != "abs"])
def test_mathematics_asks_for_a_wide_float(emit, name):
    with pytest.raises(CompileError, match=f"{name} needs float32 or float64, but this is float16"):
        emit(apply_unary, "*f16", layout=L, function=getattr(gl, name))


def test_square_root_rounded(emit):
    assert "math.sqrt" in emit(apply_unary, "*f32", layout=L, function=gl.sqrt_rn)
    with pytest.raises(CompileError, match="sqrt_rn needs float32"):
        emit(apply_unary, "*f64", layout=L, function=gl.sqrt_rn)


@hocket.jit
def several_operands(a, b):
    gl.static_assert(gl.fma(a, b, 1.0).dtype == gl.float32)
    gl.static_assert(gl.fdiv(a, b).dtype == gl.float32)
    gl.static_assert(gl.div_rn(a, b).dtype == gl.float32)
    gl.static_assert(a.exp().dtype == gl.float32)


def test_several_operands(emit_body):
    ir = emit_body(several_operands)
    assert "math.fma" in ir
    assert ir.count("arith.divf") == 2


@hocket.jit
def integers(a, b):
    gl.static_assert(gl.umulhi(a, b).dtype == gl.uint32)
    gl.static_assert(gl.abs(b).dtype == gl.int32)
    gl.abs(a)


def test_integers(emit_body):
    ir = emit_body(integers, "*u32, *i32")
    assert "hk.mulhi" in ir
    assert ir.count("math.absi") == 1  # an unsigned value is its own absolute value


# Conversions ----------------------------------------------------------------------------------------------------------


def convert(x, to: gl.constexpr, bitcast: gl.constexpr):
    gl.static_assert(gl.load(x).to(to, bitcast=bitcast).dtype == to)


@pytest.mark.parametrize(
    ("source", "to", "operations"),
    [
        ("f32", gl.float16, ["arith.truncf %0 : f32 to f16"]),
        ("f16", gl.float32, ["arith.extf %0 : f16 to f32"]),
        ("f16", gl.bfloat16, ["arith.extf %0 : f16 to f32", "arith.truncf %1 : f32 to bf16"]),
        ("f8e5", gl.float16, ["arith.extf %0 : f8E5M2 to f16"]),
        ("f8e4nv", gl.bfloat16, ["arith.extf %0 : f8E4M3FN to f32", "arith.truncf %1 : f32 to bf16"]),
        ("f64", gl.float8e5, ["arith.truncf %0 : f64 to f32", "arith.truncf %1 : f32 to f8E5M2"]),
        ("f8e5", gl.float64, ["arith.extf %0 : f8E5M2 to f32", "arith.extf %1 : f32 to f64"]),
        ("f8e5", gl.float8e4nv, ["arith.extf %0 : f8E5M2 to f32", "arith.truncf %1 : f32 to f8E4M3FN"]),
        ("f8e4nv", gl.int32, ["arith.extf %0 : f8E4M3FN to f32", "arith.fptosi %1 : f32 to i32"]),
        ("f32", gl.int8, ["arith.fptosi %0 : f32 to i8"]),
        ("f32", gl.uint8, ["arith.fptoui %0 : f32 to i8"]),
        ("i32", gl.float32, ["arith.sitofp %0 : i32 to f32"]),
        ("u32", gl.float32, ["arith.uitofp %0 : i32 to f32"]),
        ("i8", gl.int32, ["arith.extsi %0 : i8 to i32"]),
        ("u8", gl.int32, ["arith.extui %0 : i8 to i32"]),
        ("i64", gl.uint16, ["arith.trunci %0 : i64 to i16"]),
        ("f32", gl.int1, ["arith.cmpf une"]),
        ("i32", gl.int1, ["arith.cmpi ne"]),
        ("i32", gl.uint32, []),
    ],
)
def test_conversion(emit, source, to, operations):
    ir = emit(convert, f"*{source}", to=to, bitcast=False)
    for operation in operations:
        assert operation in ir


@pytest.mark.parametrize(
    ("source", "to", "operation"),
    [
        ("f32", gl.int32, "arith.bitcast %0 : f32 to i32"),
        ("u16", gl.bfloat16, "arith.bitcast %0 : i16 to bf16"),
        ("f16", gl.bfloat16, "arith.bitcast %0 : f16 to bf16"),
    ],
)
def test_bitcast(emit, source, to, operation):
    assert operation in emit(convert, f"*{source}", to=to, bitcast=True)


def test_pointers_convert(emit):
    def kernel(x):
        address = x.to(gl.int64)
        gl.static_assert(address.dtype == gl.int64)
        words = x.to(gl.pointer_type(gl.int32), bitcast=True)
        gl.static_assert(words.dtype.element_ty == gl.int32)
        gl.static_assert(address.to(gl.pointer_type(gl.float32)).dtype == x.dtype)

    ir = emit(kernel, "*f32")
    assert "hk.ptr_to_int" in ir
    assert "hk.ptr_cast" in ir
    assert "hk.int_to_ptr" in ir
