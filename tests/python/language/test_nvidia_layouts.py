"""The layouts of tensor cores as Python values: fields, equality, text, and what they refuse."""

import pytest

from hocket import language as gl
from hocket.language import NVMMADistributedLayout, NVMMASharedLayout

ACC = NVMMADistributedLayout([2, 0], [2, 2], [16, 8])


def test_text_builds_an_equal_layout():
    for text in (
        "NVMMADistributedLayout([2, 0], [2, 2], [16, 8])",
        "NVMMADistributedLayout([2, 0], [2, 1, 2], [1, 16, 8])",
        "NVMMADistributedLayout([2, 1], [2, 2], [16, 8])",
        "NVMMADistributedLayout([3, 0], [4, 2], [16, 128, 16])",
        "NVMMADistributedLayout([3, 0], [2, 4, 1], [16, 64, 16])",
    ):
        layout = eval(text)
        assert repr(layout) == text
        assert layout == eval(text) and hash(layout) == hash(eval(text))
        assert layout.mangle().isidentifier()
    assert NVMMADistributedLayout([2, 0], [4, 1], [16, 8]) != ACC


def test_fields_are_normalized():
    assert NVMMADistributedLayout((2, gl.constexpr(0)), (2, 2), gl.constexpr([16, 8]), cga_layout=[]) == ACC
    assert ACC.rank == 2
    assert ACC.natural_shape() == [32, 16]
    assert NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]).natural_shape() == [64, 64]
    assert NVMMADistributedLayout([3, 0], [2, 1, 4], [16, 64, 16]).natural_shape() == [2, 16, 256]


def test_it_is_a_parent():
    operand = gl.DotOperandLayout(1, ACC, 4)
    assert gl.SliceLayout(1, ACC).rank == 1
    assert gl.warps_per_cta(operand) == [2, 2]
    assert operand.natural_shape() == [32, 16]


def test_it_draws_itself():
    assert ACC.format_tensor_view([16, 8]).splitlines()[1].count("T") == 8
    assert "<svg" in ACC._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([1, 0], [2, 2], [16, 8]),
            r"version must be \[2, 0\], \[2, 1\] \(mma.sync\) or \[3, 0\] \(wgmma\), got \[1, 0\]",
        ),
        (([2, 0], [4], [16, 8]), r"warps_per_cta must have 2 or 3 entries, got \[4\]"),
        (([2, 0], [3, 1], [16, 8]), "warps_per_cta must hold powers of two, got 3"),
        (([2, 0], [2, 2], [16, 16]), r"instr_shape of version \[2, 0\] is \[16, 8\], got \[16, 16\]"),
        (([2, 0], [2, 1, 2], [16, 8]), r"instr_shape of version \[2, 0\] is \[1, 16, 8\], got \[16, 8\]"),
        (([3, 0], [4, 1], [16, 24, 16]), r"instr_shape of version \[3, 0\] is \[16, N, K\], .* got \[16, 24, 16\]"),
        (([2, 0], [2, 2], [16, 8], [[1]]), r"cga_layout has the row \[1\], but the layout has rank 2"),
    ],
)
def test_what_it_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        NVMMADistributedLayout(*arguments)


@pytest.mark.parametrize("k_width", [0, 3, 32])
def test_operands_it_refuses(k_width):
    with pytest.raises(ValueError, match="k_width, the consecutive elements along K in a lane, must be a power of two"):
        gl.DotOperandLayout(0, ACC, k_width)


# Shared memory -------------------------------------------------------------------------------------------------------


def test_text_of_shared_layouts():
    for text in (
        "NVMMASharedLayout(128, 16)",
        "NVMMASharedLayout(32, 8, 3)",
        "NVMMASharedLayout(64, 32, 2, True)",
    ):
        layout = eval(text)
        assert repr(layout) == text
        assert layout == eval(text) and hash(layout) == hash(eval(text))
    assert NVMMASharedLayout(128, 16, rank=2, transposed=False, cga_layout=[]) == NVMMASharedLayout(128, 16)


@pytest.mark.parametrize(
    ("shape", "dtype", "transposed", "expected"),
    [
        ([64, 64], gl.float16, False, NVMMASharedLayout(128, 16)),
        ([64, 32], gl.bfloat16, False, NVMMASharedLayout(64, 16)),
        ([64, 16], gl.float16, False, NVMMASharedLayout(32, 16)),
        ([64, 8], gl.float16, False, NVMMASharedLayout(0, 16)),
        ([4, 64], gl.float16, False, NVMMASharedLayout(0, 16)),
        ([64, 256], gl.float8e4nv, False, NVMMASharedLayout(128, 8)),
        ([32, 64], gl.float32, True, NVMMASharedLayout(128, 32, 2, True)),
        ([2, 16, 64], gl.float16, False, NVMMASharedLayout(128, 16, 3)),
        ([128], gl.float32, False, NVMMASharedLayout(0, 32, 1)),
    ],
)
def test_the_default_is_the_widest_swizzle(shape, dtype, transposed, expected):
    assert NVMMASharedLayout.get_default_for(shape, dtype, transposed=transposed) == expected


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((48, 16), ValueError, "swizzle_byte_width must be one of 0, 32, 64, 128, got 48"),
        ((128, 4), ValueError, "element_bitwidth must be one of 8, 16, 32, 64, got 4"),
        ((128, 16, 6), ValueError, "rank must be between 1 and 5, got 6"),
        ((128, 16, 3, True), ValueError, "a transposed layout has rank 2, got rank 3"),
        ((128, 16, 1), ValueError, "a swizzled layout has rank 2 or more, got rank 1"),
        ((128, 8, 2, False, True), NotImplementedError, "fp4_padded is not supported yet"),
        ((128, 16, 2, False, False, [[3, 0]]), ValueError, "rows of cga_layout are zeros"),
    ],
)
def test_shared_layouts_it_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        NVMMASharedLayout(*arguments)


def test_shared_layouts_draw_themselves():
    assert "<svg" in NVMMASharedLayout(128, 16)._repr_html_()
    assert "<svg" in NVMMASharedLayout(64, 32, 2, True)._repr_html_()
