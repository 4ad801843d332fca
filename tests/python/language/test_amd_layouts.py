"""AMDMFMALayout as a Python value: fields, equality, text, and what it refuses."""

import pytest

from hocket import language as gl
from hocket.language.amd import AMDMFMALayout

ACC = AMDMFMALayout(4, [32, 32, 16], True, [2, 2])


def test_text_builds_an_equal_layout():
    for text in (
        "AMDMFMALayout(4, [32, 32, 16], True, [2, 2])",
        "AMDMFMALayout(3, [16, 16, 4], False, [4, 1], 64)",
        "AMDMFMALayout(3, [16, 16, 16], True, [2, 2], 32, [1, 2])",
    ):
        layout = eval(text)
        assert repr(layout) == text
        assert layout == eval(text) and hash(layout) == hash(eval(text))
        assert layout.mangle().isidentifier()
    assert AMDMFMALayout(4, [32, 32, 8], True, [2, 2]) != ACC


def test_fields_are_normalized():
    spelt = AMDMFMALayout(gl.constexpr(4), (32, 32, 16), 1, (2, gl.constexpr(2)), tiles_per_warp=[1, 1], cga_layout=[])
    assert spelt == ACC
    assert ACC.rank == 2 and ACC.transposed is True and ACC.tiles_per_warp is None
    assert AMDMFMALayout(4, [16, 16, 32], True, [1, 2, 2]).rank == 3


def test_it_is_a_parent():
    assert gl.SliceLayout(1, ACC).rank == 1
    assert gl.DotOperandLayout(1, ACC, 8).k_width == 8
    assert gl.warps_per_cta(gl.DotOperandLayout(0, ACC, 8)) == [2, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, [32, 32, 16], True, [2, 2]), "version must be between 1 and 4, got 5"),
        ((4, [32, 32], True, [2, 2]), r"instr_shape must be \[M, N, K\], got \[32, 32\]"),
        ((3, [32, 32, 64], True, [2, 2]), r"no instruction of shape \[32, 32, 64\]: K of 32x32 is one of 2, 4, 8, 16"),
        ((4, [32, 32, 16], "yes", [2, 2]), "transposed must be True or False, got 'yes'"),
        ((4, [32, 32, 16], True, [4]), r"warps_per_cta must have 2 or 3 entries, got \[4\]"),
        ((4, [32, 32, 16], True, [3, 1]), "warps_per_cta must hold powers of two, got 3"),
        ((4, [32, 32, 16], True, [2, 2], 16), "element_bitwidth must be 32 or 64, got 16"),
        ((4, [32, 32, 16], True, [2, 2], 64), r"need instr_shape=\[16, 16, 4\], got \[32, 32, 16\]"),
        ((4, [32, 32, 16], True, [2, 2], 32, [2]), "tiles_per_warp has 1 entries where warps_per_cta has 2"),
        ((4, [32, 32, 16], True, [2, 2], 32, None, [[1, 0]]), "cga_layout must be empty"),
    ],
)
def test_what_it_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        AMDMFMALayout(*arguments)
