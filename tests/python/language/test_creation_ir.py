"""IR of functions that create tensors: arange, full and its variants, grid queries, layouts."""

import pytest

from hocket import language as gl

L1 = gl.BlockedLayout([2], [32], [4], [0])
L2 = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])


def test_grid(emit):
    def kernel():
        gl.static_assert(gl.program_id(0).dtype == gl.int32)
        gl.static_assert(gl.num_programs(2).dtype == gl.int32)
        gl.static_assert(gl.num_warps() == 4)
        gl.static_assert(gl.num_lanes() == 32)
        gl.static_assert(gl.num_ctas() == 1)

    ir = emit(kernel)
    assert "hk.program_id 0" in ir
    assert "hk.num_programs 2" in ir


def test_lanes_and_warps_are_those_of_the_compilation(emit):
    def kernel(lanes: gl.constexpr, warps: gl.constexpr):
        gl.static_assert(gl.num_lanes() == lanes)
        gl.static_assert(gl.num_warps() == warps)

    emit(kernel, lanes=64, warps=8, _target="gfx942", _num_warps=8)


def test_arange(emit):
    def kernel(layout: gl.constexpr):
        x = gl.arange(8, 136, layout=layout)
        gl.static_assert(x.dtype == gl.int32)
        gl.static_assert(x.shape == (128,))
        gl.static_assert(x.numel == 128)
        gl.static_assert(x.rank == 1)
        gl.static_assert(x.layout == layout)
        gl.static_assert(x.type.layout == layout)
        gl.static_assert(x.type.element_ty == gl.int32)

    assert "hk.arange 8 to 136 : tensor<128xi32, #blocked>" in emit(kernel, layout=L1)


@pytest.mark.parametrize("dtype", ["int1", "int8", "uint16", "int64", "float16", "bfloat16", "float64", "float8e5"])
def test_zeros(emit, dtype):
    def kernel(dtype: gl.constexpr, layout: gl.constexpr):
        x = gl.zeros([4, 16], dtype, layout)
        gl.static_assert(x.dtype == dtype)
        gl.static_assert(x.shape == (4, 16))

    assert "arith.constant dense<" in emit(kernel, dtype=getattr(gl, dtype), layout=L2)


def test_full(emit):
    def kernel(v, layout: gl.constexpr):
        a = gl.full([64], 1.5, gl.float16, layout)
        gl.static_assert(a.dtype == gl.float16)
        b = gl.full([64], v, gl.float32, layout)
        gl.static_assert(b.dtype == gl.float32)
        c = gl.full([64], 2.7, gl.int32, layout)
        gl.static_assert(c.dtype == gl.int32)
        d = gl.full([], 3, gl.int64)
        gl.static_assert(d.shape == ())
        gl.static_assert(d.dtype == gl.int64)

    ir = emit(kernel, "i32", layout=L1)
    assert "arith.constant 1.500000e+00 : f16" in ir
    assert "arith.sitofp %arg0 : i32 to f32" in ir
    assert "arith.constant 2 : i32" in ir
    assert "arith.constant 3 : i64" in ir


def test_zeros_like_and_full_like(emit):
    def kernel(layout: gl.constexpr, other: gl.constexpr):
        x = gl.full([4, 16], 1, gl.int16, layout)
        zeros = gl.zeros_like(x)
        gl.static_assert(zeros.dtype == gl.int16)
        gl.static_assert(zeros.layout == layout)
        ones = gl.full_like(x, 1, dtype=gl.float32)
        gl.static_assert(ones.dtype == gl.float32)
        gl.static_assert(ones.shape == (4, 16))
        line = gl.zeros_like(x, shape=[64], layout=other)
        gl.static_assert(line.shape == (64,))
        gl.static_assert(line.layout == other)

    emit(kernel, layout=L2, other=L1)


LAYOUTS = [
    (L2, [16, 16], "#hk.blocked<"),
    (gl.SliceLayout(0, L2), [64], "#hk.slice<dim = 0"),
    (gl.SliceLayout(1, gl.BlockedLayout([1, 1, 2], [8, 1, 4], [1, 2, 2], [2, 1, 0])), [16, 8], "#hk.slice<dim = 1"),
    (gl.DotOperandLayout(1, L2), [8, 16], "#hk.dot_operand<op_idx = 1"),
    (
        gl.DistributedLinearLayout([[1], [2]], [[4], [8], [16], [32], [64]], [[128], [0]], [], [256]),
        [256],
        "#hk.linear<reg = [[1], [2]]",
    ),
]


@pytest.mark.parametrize(("layout", "shape", "text"), LAYOUTS)
def test_layouts_go_into_the_ir_and_back(emit, layout, shape, text):
    def kernel(shape: gl.constexpr, layout: gl.constexpr):
        x = gl.zeros(shape, gl.float32, layout)
        gl.static_assert(x.layout == layout)
        gl.static_assert(gl.zeros_like(x).type == x.type)

    assert text in emit(kernel, shape=shape, layout=layout)


def test_convert_layout(emit):
    def kernel(a: gl.constexpr, b: gl.constexpr):
        x = gl.full([16, 16], 1.0, gl.float32, a)
        same = gl.convert_layout(x, a, assert_trivial=True)
        gl.static_assert(same.layout == a)
        y = gl.convert_layout(x, b)
        gl.static_assert(y.layout == b)
        gl.set_auto_layout(y, b)

    ir = emit(kernel, a=L2, b=gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1]))
    assert ir.count("hk.convert_layout") == 1


def test_convert_layout_between_two_texts_of_one_layout_is_trivial(emit):
    def kernel(a: gl.constexpr, b: gl.constexpr):
        x = gl.full([256], 1.0, gl.float32, a)
        gl.convert_layout(x, b, assert_trivial=True)

    linear = gl.DistributedLinearLayout([[1]], [[2], [4], [8], [16], [32]], [[64], [128]], [], [256])
    emit(kernel, a=L1, b=linear)
