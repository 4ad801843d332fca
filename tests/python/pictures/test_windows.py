"""draw_layout of any part of a tile, of one warp, and of elements that the layout is for."""

import xml.etree.ElementTree as ElementTree

import pytest

from hocket import language as gl
from hocket.pictures import draw_layout

SVG = "{http://www.w3.org/2000/svg}"
MFMA = gl.amd.AMDMFMALayout(4, [16, 16, 32], False, [2, 2])
HALVES = gl.NVMMASharedLayout(128, 16)


def cells(picture):
    """(lines, title) of each cell, row by row."""
    root = ElementTree.fromstring(picture.svg)
    groups = [group for group in root.iter(f"{SVG}g") if group.get("class") == "hk-cell"]
    return [([t.text for t in group.findall(f"{SVG}text")], group.find(f"{SVG}title").text) for group in groups]


def words(picture):
    return " ".join(text.text for text in ElementTree.fromstring(picture.svg).iter(f"{SVG}text"))


def test_a_window_shows_what_the_whole_tile_has_there():
    whole = dict(cell[::-1] for cell in cells(draw_layout(MFMA, [64, 64], size=(64, 64))))
    part = draw_layout(MFMA, [64, 64], origin=[35, 17], size=(4, 6))
    assert len(cells(part)) == 24
    assert cells(part)[0][1].startswith("element (35, 17): ")
    assert cells(part)[-1][1].startswith("element (38, 22): ")
    for lines, title in cells(part):
        assert whole[title] == lines
    assert "elements [35 to 38, 17 to 22] of 64 x 64 elements" in words(part)


def test_rows_and_columns_have_the_numbers_of_elements():
    text = words(draw_layout(HALVES, [64, 1024], origin=[8, 1000], size=(2, 3)))
    assert "1000 1001 1002 8 9 " in text


def test_the_edge_of_a_tile_ends_the_window():
    assert len(cells(draw_layout(MFMA, [64, 64], origin=[60, 62]))) == 4 * 2


def test_a_wrapped_tile_ends_inside_of_a_row():
    picture = draw_layout(gl.BlockedLayout([1], [32], [4], [0]), [128], origin=[70])
    assert [cell[1].split(":")[0] for cell in cells(picture)] == [f"element {i}" for i in range(70, 128)]
    assert "elements 70 to 127 of 128 elements" in words(picture)


def test_a_tile_with_three_dimensions_is_drawn_at_the_origin():
    layout = gl.BlockedLayout([1, 1, 1], [2, 2, 8], [1, 1, 1], [2, 1, 0])
    first = cells(draw_layout(layout, [2, 2, 8], origin=[1, 0, 0]))[0]
    assert first == (["w0", "l16", "r0"], "element (1, 0, 0): warp 0, lane 16, register 0")


@pytest.mark.parametrize("warp", range(4))
def test_of_a_warp_its_own_elements_have_text(warp):
    drawn = cells(draw_layout(MFMA, [32, 32], warp=warp))
    for lines, title in drawn:
        assert bool(lines) == (f"warp {warp}," in title)
    assert sum(bool(lines) for lines, _ in drawn) == 256


def test_the_window_begins_where_the_warp_does():
    drawn = cells(draw_layout(MFMA, [32, 32], warp=3))
    assert drawn[0] == (["w3", "l0", "r0"], "element (16, 16): warp 3, lane 0, register 0")
    assert "Only elements of warp 3 have text." in words(draw_layout(MFMA, [32, 32], warp=3))


def test_elements_have_the_width_of_the_shared_layout():
    picture = draw_layout(HALVES, [64, 64])
    assert "8192 bytes of float16" in words(picture)
    assert [lines[1] for lines, _ in cells(picture)[:4]] == ["b0", "b0", "b1", "b1"]
    assert "of int8" in words(draw_layout(gl.NVMMASharedLayout(64, 8)))
    assert "of bfloat16" in words(draw_layout(HALVES, dtype=gl.bfloat16))


@pytest.mark.parametrize(
    ("layout", "given", "message"),
    [
        (HALVES, {"dtype": gl.float32}, "NVMMASharedLayout(128, 16) is for elements of 16 bits; float32 has 32"),
        (
            HALVES,
            {"warp": 0},
            "warp is for distributed layouts, and NVMMASharedLayout(128, 16) is a layout of shared memory",
        ),
        (MFMA, {"warp": 4}, "the layout has 4 warps, from 0 on; there is no warp 4"),
        (MFMA, {"origin": [0]}, "origin has 1 coordinates, but the tile has 2 dimensions"),
        (MFMA, {"origin": [0, 64]}, "origin [0, 64] is outside of a tile of 64 x 64"),
        (MFMA, {"size": (0, 4)}, "size is (rows, columns) of 1 to 16384 elements in all, not (0, 4)"),
    ],
)
def test_what_there_is_not(layout, given, message):
    with pytest.raises(ValueError) as caught:
        draw_layout(layout, [64, 64], **given)
    assert str(caught.value) == message
