"""Layouts as text, checked against tables drawn by hand."""

import pytest

from hocket import language as gl


def view(layout, shape):
    return layout.format_tensor_view(shape)


def test_blocked():
    layout = gl.BlockedLayout([1, 2], [2, 2], [2, 1], [1, 0])
    assert view(layout, [4, 8]) == (
        "      0     1     2     3     4     5     6     7\n"
        "0  T0:0  T0:1  T1:0  T1:1  T0:2  T0:3  T1:2  T1:3\n"
        "1  T2:0  T2:1  T3:0  T3:1  T2:2  T2:3  T3:2  T3:3\n"
        "2  T4:0  T4:1  T5:0  T5:1  T4:2  T4:3  T5:2  T5:3\n"
        "3  T6:0  T6:1  T7:0  T7:1  T6:2  T6:3  T7:2  T7:3"
    )


def test_order_of_columns_first():
    layout = gl.BlockedLayout([2, 1], [1, 2], [1, 1], [0, 1])
    assert view(layout, [2, 2]) == "      0     1\n0  T0:0  T1:0\n1  T0:1  T1:1"


def test_a_small_tile_is_held_several_times():
    assert view(gl.BlockedLayout([1], [4], [2], [0]), [2]) == "T0+2+4+6:0  T1+3+5+7:0"


def test_slice_holds_copies_along_the_removed_dimension():
    parent = gl.BlockedLayout([1, 1], [2, 2], [1, 1], [1, 0])
    assert view(gl.SliceLayout(1, parent), [2]) == "T0-1:0  T2-3:0"


def test_linear():
    layout = gl.DistributedLinearLayout([[1]], [[2], [0]], [], [], [4])
    assert view(layout, [4]) == "T0+2:0  T0+2:1  T1+3:0  T1+3:1"


def test_three_dimensions_are_several_tables():
    layout = gl.BlockedLayout([1, 1, 2], [2, 2, 1], [1, 1, 1], [2, 1, 0])
    assert view(layout, [2, 2, 2]) == (
        "0:\n      0     1\n0  T0:0  T0:1\n1  T1:0  T1:1\n\n1:\n      0     1\n0  T2:0  T2:1\n1  T3:0  T3:1"
    )


def test_hardware_view_lists_registers():
    layout = gl.BlockedLayout([1, 2], [2, 1], [1, 1], [1, 0])
    assert layout.format_hardware_view([2, 2]) == "warp 0\n  lane  0  (0,0) (0,1)\n  lane  1  (1,0) (1,1)"


def test_swizzled_shared():
    layout = gl.SwizzledSharedLayout(2, 1, 4, [1, 0])
    assert layout.format_tensor_view([4, 8]) == (
        "    0   1   2   3   4   5   6   7\n"
        "0   0   1   2   3   4   5   6   7\n"
        "1  10  11   8   9  14  15  12  13\n"
        "2  20  21  22  23  16  17  18  19\n"
        "3  30  31  28  29  26  27  24  25"
    )


def test_padded_shared():
    layout = gl.PaddedSharedLayout.with_identity_for([[4, 2]], [2, 4], [1, 0])
    assert layout.format_tensor_view([2, 4]) == "   0  1  2  3\n0  0  1  2  3\n1  6  7  8  9"
    assert layout.format_hardware_view([2, 4]) == (
        "0:(0,0)  1:(0,1)  2:(0,2)  3:(0,3)\n6:(1,0)  7:(1,1)  8:(1,2)  9:(1,3)"
    )


def test_views_check_the_shape():
    layout = gl.BlockedLayout([1], [32], [4], [0])
    with pytest.raises(ValueError, match="has rank 1, but the shape"):
        layout.format_tensor_view([4, 4])
    with pytest.raises(ValueError, match="too many to look at"):
        layout.format_tensor_view([1 << 20])
    with pytest.raises(ValueError, match="powers of two"):
        layout.format_tensor_view([100])
    with pytest.raises(ValueError, match="AutoLayout cannot be visualized: it does not determine the position"):
        gl.AutoLayout().format_tensor_view([4])


MFMA = gl.amd.AMDMFMALayout(3, [16, 16, 16], False, [1, 1])


def row_of(text, row):
    return text.splitlines()[row + 1].split()[1:]


def test_mfma_accumulators():
    """Lane l holds column l mod 16 and four rows from 4 (l div 16)."""
    table = view(MFMA, [16, 16])
    assert row_of(table, 0) == [f"T{lane}:0" for lane in range(16)]
    assert row_of(table, 3) == [f"T{lane}:3" for lane in range(16)]
    assert row_of(table, 4) == [f"T{lane}:0" for lane in range(16, 32)]
    assert row_of(table, 15) == [f"T{lane}:3" for lane in range(48, 64)]


def test_transposed_mfma_accumulators():
    """Rows and columns exchanged: four columns per lane."""
    table = view(gl.amd.AMDMFMALayout(3, [16, 16, 16], True, [1, 1]), [16, 16])
    assert row_of(table, 0) == [f"T{lane}:{register}" for lane in (0, 16, 32, 48) for register in range(4)]
    assert row_of(table, 1) == [f"T{lane}:{register}" for lane in (1, 17, 33, 49) for register in range(4)]


def test_large_mfma_accumulators():
    """32 x 32: rows 8 apart are in the next four registers."""
    column = [
        line.split()[1] for line in view(gl.amd.AMDMFMALayout(4, [32, 32, 16], False, [1, 1]), [32, 32]).splitlines()
    ]
    assert column[1:10] == ["T0:0", "T0:1", "T0:2", "T0:3", "T32:0", "T32:1", "T32:2", "T32:3", "T0:4"]


def test_mfma_warps_and_tiles():
    layout = gl.amd.AMDMFMALayout(3, [16, 16, 16], False, [2, 2], tiles_per_warp=[1, 2])
    first = row_of(view(layout, [32, 64]), 0)
    assert [first[i] for i in (0, 16, 32, 48)] == ["T0:0", "T0:4", "T64:0", "T64:4"]
    assert row_of(view(layout, [32, 64]), 16)[0] == "T128:0"


def test_mfma_operands():
    """Lane l holds row l mod 16 of a (column of b), and k_width elements along K from k_width (l div 16)."""
    a = view(gl.DotOperandLayout(0, MFMA, 4), [16, 32])
    assert row_of(a, 2)[:5] == ["T2:0", "T2:1", "T2:2", "T2:3", "T18:0"]
    assert row_of(a, 2)[16] == "T2:4"
    b = view(gl.DotOperandLayout(1, MFMA, 4), [32, 16])
    assert [row_of(b, k)[2] for k in (0, 3, 4, 16)] == ["T2:0", "T2:3", "T18:0", "T2:4"]


def test_mfma_hardware_view():
    lines = MFMA.format_hardware_view([16, 16]).splitlines()
    assert lines[0] == "warp 0" and len(lines) == 65
    assert lines[18] == "  lane 17  (4,1) (5,1) (6,1) (7,1)"


def test_scales_of_a_scaled_product():
    """Lane l holds the scale of row l mod 32 and 32 elements along K from 32 (l div 32)."""
    layout = gl.amd.AMDMFMALayout(4, [32, 32, 64], True, [1, 1])
    scales = gl.amd.cdna4.get_mfma_scale_layout(gl.DotOperandLayout(1, layout, 16), [32, 4])
    assert row_of(view(scales, [32, 4]), 3) == ["T3:0", "T35:0", "T3:1", "T35:1"]


@pytest.mark.parametrize(
    "layout",
    [gl.BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0], [[1, 0]]), gl.SwizzledSharedLayout(1, 1, 1, [1, 0], [[1, 0]])],
)
def test_parts_of_a_cluster_are_not_shown(layout):
    with pytest.raises(ValueError, match="leave out cga_layout and pass the shape of the part"):
        layout.format_tensor_view([16, 16])
    assert layout._repr_html_() is None
