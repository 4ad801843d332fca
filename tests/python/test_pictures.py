"""Pictures of layouts and kernels: their structure, and the labels of elements worked out by hand."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest

import hocket
from hocket import language as gl
from hocket.pictures import draw_bank_conflicts, draw_layout
from hocket.pictures.inverse import Inverse
from hocket.pictures.palette import gradient

SVG = "{http://www.w3.org/2000/svg}"
ACC = gl.BlockedLayout([4, 4], [4, 8], [4, 1], [1, 0])


def cells(picture):
    """Returns (lines, color, title) of each cell, row by row."""
    root = ElementTree.fromstring(picture.svg)
    return [
        (
            [text.text for text in group.findall(f"{SVG}text")],
            group.find(f"{SVG}rect").get("fill"),
            group.find(f"{SVG}title").text,
        )
        for group in root.iter(f"{SVG}g")
        if group.get("class") == "hk-cell"
    ]


def texts(picture):
    return " ".join(text.text for text in ElementTree.fromstring(picture.svg).iter(f"{SVG}text"))


# Distributed layouts --------------------------------------------------------------------------------------------------


def test_each_element_shows_warp_lane_and_register():
    drawn = cells(draw_layout(gl.BlockedLayout([2], [4], [2], [0]), [32]))
    assert len(drawn) == 32
    assert drawn[0][0] == ["w0", "l0", "r0"]
    assert drawn[11][0] == ["w1", "l1", "r1"]
    assert drawn[31][0] == ["w1", "l3", "r3"]
    assert drawn[11][2] == "element 11: warp 1, lane 1, register 1"


def test_colors_are_lanes():
    drawn = cells(draw_layout(gl.BlockedLayout([2], [4], [2], [0]), [32]))
    colors = [color for _, color, _ in drawn]
    assert colors[:8] == [color for color in gradient(4) for _ in range(2)]
    assert colors[8:16] == colors[:8]  # lane 0 of warp 1 looks like lane 0 of warp 0


def test_mfma_layouts_have_a_shape_of_their_own():
    layout = gl.amd.AMDMFMALayout(4, [16, 16, 32], False, [2, 2])
    drawn = draw_layout(layout)
    assert "32 x 32" in texts(drawn)
    # Row 4, column 1: four rows further down are the next 16 lanes.
    assert cells(drawn)[4 * 32 + 1][0] == ["w0", "l17", "r0"]
    assert "32 x 32" in texts(draw_layout(gl.DotOperandLayout(0, layout, 8)))


def test_an_element_held_by_several_lanes_names_them():
    drawn = cells(draw_layout(gl.DotOperandLayout(0, ACC), [64, 4]))
    assert drawn[0][0] == ["w0", "l0-7", "r0"]
    assert drawn[4 * 4][0] == ["w0", "l8-15", "r0"]


def test_lanes_that_do_not_fit_are_abbreviated_and_spelt_out_in_the_title():
    lines, _, title = cells(draw_layout(gl.DotOperandLayout(1, ACC), [4, 32]))[4]
    assert lines == ["w0-3", "l1,9…", "r0"]
    assert title == "element (0, 4): warp 0-3, lane 1,9,17,25, register 0"


def test_rows_of_zeros_are_copies():
    layout = gl.DistributedLinearLayout([[1]], [[0], [2]], [[0]], [], [4])
    lines, _, title = cells(draw_layout(layout, [4]))[1]
    assert lines == ["w0-1", "l0-1", "r1"]
    assert title == "element 1: warp 0-1, lane 0-1, register 1"


def test_of_a_large_tile_a_corner_is_drawn_and_said_to_be_one():
    picture = draw_layout(ACC, [1 << 13, 1 << 13])
    assert len(cells(picture)) == 16 * 32
    assert "the first 16 x 32 of 8192 x 8192 elements" in texts(picture)


def test_a_tile_with_one_dimension_is_wrapped():
    picture = draw_layout(gl.BlockedLayout([4], [32], [4], [0]), [1024])
    assert len(cells(picture)) == 512
    assert "the first 512 of 1024 elements" in texts(picture)
    assert cells(picture)[32][0] == ["w0", "l8", "r0"]


def test_a_tile_with_three_dimensions_is_drawn_at_the_first_index_of_the_outer_one():
    picture = draw_layout(gl.BlockedLayout([1, 1, 1], [2, 2, 8], [1, 1, 1], [2, 1, 0]), [2, 2, 8])
    assert "the first 1 x 2 x 8 of 2 x 2 x 8 elements" in texts(picture)
    assert [lines[1] for lines, _, _ in cells(picture)] == [f"l{lane}" for lane in range(16)]


# Shared layouts -------------------------------------------------------------------------------------------------------


def column(drawn, index, columns):
    return drawn[index::columns]


def test_a_column_of_the_plain_layout_lies_in_one_bank():
    drawn = cells(draw_layout(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), [8, 32]))
    assert drawn[32 + 5][0] == ["37", "b5"]
    assert len({color for _, color, _ in column(drawn, 5, 32)}) == 1


@pytest.mark.parametrize(
    "layout",
    [
        gl.SwizzledSharedLayout(4, 1, 8, [1, 0]),
        gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 32], [1, 0]),
    ],
    ids=["swizzled", "padded"],
)
def test_no_two_elements_of_a_column_share_a_bank(layout):
    drawn = cells(draw_layout(layout, [8, 32]))
    for index in range(32):
        assert len({lines[1] for lines, _, _ in column(drawn, index, 32)}) == 8
        assert len({color for _, color, _ in column(drawn, index, 32)}) == 8


def test_swizzled_offsets():
    drawn = cells(draw_layout(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]), [8, 32]))
    assert drawn[3 * 32 + 9][0] == ["101", "b5"]  # row 3, vector 2 -> vector 2 ^ 3 = 1: 96 + 4 + 1


def test_padding_moves_offsets_and_is_named():
    layout = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 32], [1, 0])
    picture = draw_layout(layout, [8, 32])
    drawn = cells(picture)
    assert drawn[31][2] == "element (0, 31): offset 31, bank 31; 4 unused elements after it"
    assert drawn[32][0] == ["36", "b4"]
    assert drawn[255][2] == "element (7, 31): offset 283, bank 27"  # the last one has nothing after it
    assert "1136 bytes of float32" in texts(picture)


def test_element_size_and_target_decide_the_bank():
    layout = gl.SwizzledSharedLayout(1, 1, 1, [0])
    halves = cells(draw_layout(layout, [256], dtype=gl.float16))
    assert [halves[i][0][1] for i in (0, 1, 2, 64)] == ["b0", "b0", "b1", "b0"]
    many_banks = draw_layout(layout, [256], target="gfx950")
    assert cells(many_banks)[33][0] == ["33", "b33"]
    assert "64 banks of 4 bytes (gfx950)" in texts(many_banks)


# Bank conflicts -------------------------------------------------------------------------------------------------------

ROWS_OF_16_BYTES = gl.BlockedLayout([1, 8], [64, 1], [4, 1], [1, 0])


def test_lanes_are_drawn_where_they_access_memory():
    # A line is 32 banks; 8 lanes of 16 bytes fill it. Rows of 64 bytes: lanes l and l + 2 meet.
    rows = gl.BlockedLayout([1, 4], [32, 1], [1, 1], [1, 0])
    picture = draw_bank_conflicts(rows, gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), [32, 16], gl.float32, "sm_90a")
    drawn = cells(picture)
    assert len(drawn) == 4 * 8  # lanes 0 to 7 are served together, in rows 0 to 7, in 4 lines
    assert drawn[0][0] == ["l0", "0,0"]
    assert drawn[0][2] == "byte 0: lanes 0, element (0,0)"
    assert drawn[4][0] == ["l1", "1,0"]
    assert drawn[8][0] == ["l2", "2,0"]
    assert drawn[1] == ([], drawn[9][1], "byte 16: not accessed in this phase")
    assert [lines for lines, _, _ in drawn if lines] == [[f"l{lane}", f"{lane},0"] for lane in range(8)]
    assert texts(picture).count("4 times") == 3  # two columns, and "4 times 16 bytes" in the heading
    assert "in 64 wavefronts instead of 16" in texts(picture)
    assert "Framed" in texts(picture)


def test_padding_is_gray_and_mends_conflicts():
    rows = gl.BlockedLayout([1, 4], [32, 1], [1, 1], [1, 0])
    padded = gl.PaddedSharedLayout.with_identity_for([[16, 4]], [32, 16], [1, 0])
    picture = draw_bank_conflicts(rows, padded, [32, 16], gl.float32, "sm_90a")
    drawn = cells(picture)
    assert drawn[4] == ([], "#e4e7eb", "byte 64: padding")
    assert drawn[5][0] == ["l1", "1,0"]
    assert "in 16 wavefronts." in texts(picture)
    assert "Framed" not in texts(picture)


def test_the_phase_of_the_target_and_the_access_is_drawn():
    plain = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    load = draw_bank_conflicts(ROWS_OF_16_BYTES, plain, [256, 64], gl.float16, "gfx950")
    assert "lanes 0-3,12-15,20-27, in 8 wavefronts instead of 1" in " ".join(texts(load).split())
    store = draw_bank_conflicts(ROWS_OF_16_BYTES, plain, [256, 64], gl.float16, "gfx950", access="store")
    assert "lanes 0-7, in 8 wavefronts instead of 1" in " ".join(texts(store).split())


def test_lanes_that_share_a_word_share_a_cell():
    lanes = gl.BlockedLayout([1], [32], [1], [0])
    drawn = cells(draw_bank_conflicts(lanes, gl.SwizzledSharedLayout(1, 1, 1, [0]), [32], gl.int8, "sm_90a"))
    assert drawn[0][0] == ["l0-3", "0"]
    assert drawn[8][2] == "byte 32: after the tile"


def test_many_lines_are_cut_short():
    columns = gl.BlockedLayout([1, 1], [64, 1], [1, 4], [0, 1])
    plain = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    picture = draw_bank_conflicts(columns, plain, [64, 64], gl.float32, "gfx950")
    assert len(cells(picture)) == 32 * 64
    assert "The first 32 of 64 lines" in texts(picture)


def test_what_has_no_bank_conflicts_cannot_be_drawn():
    with pytest.raises(ValueError, match="distr_ty: the layout has 64 lanes"):
        plain = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        draw_bank_conflicts(ROWS_OF_16_BYTES, plain, [256, 64], gl.float16, "sm_90a")


# Errors and hooks -----------------------------------------------------------------------------------------------------


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="has rank 2, but the shape"):
        draw_layout(ACC, [64])
    with pytest.raises(ValueError, match="unknown target 'sm_1'; hocket knows sm_80"):
        draw_layout(gl.SwizzledSharedLayout(1, 1, 1, [0]), [32], target="sm_1")
    with pytest.raises(TypeError, match="draw_layout takes a layout, got 3"):
        draw_layout(3, [32])


@pytest.mark.parametrize(
    "layout, count",
    [
        (gl.BlockedLayout([1, 2], [2, 2], [1, 1], [1, 0]), 2 * 4),
        (gl.SliceLayout(1, gl.BlockedLayout([1, 2], [2, 2], [1, 1], [1, 0])), 2),
        (gl.DotOperandLayout(1, gl.BlockedLayout([1, 2], [2, 2], [1, 1], [1, 0])), 4 * 4),
        (gl.SwizzledSharedLayout(8, 2, 4, [1, 0]), 8 * 32),
        (gl.PaddedSharedLayout.with_identity_for([[4, 1]], [4, 4], [1, 0]), 16),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, int) else str(value),
)
def test_jupyter_shows_a_tile_of_the_layout(layout, count):
    svg = layout._repr_html_()
    assert len(cells(hocket.pictures.Picture(svg))) == count


def test_a_layout_without_a_map_is_shown_as_text():
    assert gl.AutoLayout()._repr_html_() is None


def test_save(tmp_path):
    picture = draw_layout(gl.BlockedLayout([2], [4], [2], [0]), [32])
    picture.save(tmp_path / "layout.svg")
    assert (tmp_path / "layout.svg").read_text(encoding="utf-8") == picture.svg == picture._repr_html_()


def test_pictures_are_loaded_when_first_drawn():
    code = "import sys, hocket; hocket.language.BlockedLayout; print('hocket.pictures' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# The inverse of a layout ----------------------------------------------------------------------------------------------


def test_inverse_of_a_map_with_copies():
    inverse = Inverse([[1], [2], [0]])
    assert inverse.indices((3,)) == [3, 7]
    assert inverse.indices((4,)) == []


def test_inverse_of_a_swizzle_in_two_dimensions():
    # index bits: column 1, column 2, row 1 together with column 1
    inverse = Inverse([[0, 1], [0, 2], [1, 1]])
    assert inverse.indices((1, 0)) == [5]


# Kernels --------------------------------------------------------------------------------------------------------------


@hocket.jit
def copy(x, out):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 128, layout=layout)
    gl.store(out + i, gl.load(x + i))


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.open, self.summaries = [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] == "summary":
            self.summaries.append(data.split(":")[0])


@pytest.mark.parametrize("target, text", [("sm_90a", "ptx"), ("gfx950", "amdgcn")])
def test_a_kernel_shows_its_facts_and_texts(target, text):
    kernel = copy.warmup(gl.float32, gl.float32, target=target, num_warps=2)
    html = kernel._repr_html_()
    tags = Tags(html)
    assert tags.open == []
    assert tags.summaries == ["hk", text]
    lanes = kernel.metadata.warp_size
    assert f"{2 * lanes} threads: 2 warps of {lanes} lanes" in html
    assert "0 bytes per block" in html
    assert "(x *f32:16, out *f32:16)" in html
    # From AMD's assembly; on NVIDIA known on a GPU only.
    assert ("registers" in html.split("<details>")[0]) == (text == "amdgcn")


@hocket.jit
def offset(x, sizes, scale, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.store(x + i, scale * sizes[0] + sizes[1])


def test_a_kernel_knows_its_arguments():
    kernel = offset.warmup(gl.float16, (7, 1), 0.5, BLOCK=256, target="gfx950")
    assert kernel.arguments == {"x": "*f16:16", "sizes": "(i32, = 1)", "scale": "f32", "BLOCK": "= 256"}
    assert "(x *f16:16, sizes (i32, = 1), scale f32, BLOCK = 256)" in kernel._repr_html_()
