"""Every kind of picture can be read: no text lies on other text or leaves the card, and contrast suffices."""

from __future__ import annotations

import colorsys
import itertools
import pathlib
import re

import gallery
import pytest
from picture_contents import Box, Contents, overlapping

from hocket import language as gl
from hocket.pictures import draw_layout, palette
from hocket.pictures.text_metrics import mono_width, text_width, wrapped

TEXT_CONTRAST, MARK_CONTRAST = 4.5, 3.0
NAMES = list(gallery.DRAWINGS)


@pytest.fixture(scope="module", params=NAMES)
def contents(request):
    return Contents.of(gallery.drawing(request.param).svg)


def test_texts_do_not_overlap(contents):
    assert contents.texts
    assert overlapping(contents.texts) == []


def test_texts_lie_inside_the_card(contents):
    x, y, width, height = contents.view
    card = Box(x, y, x + width, y + height, "card")
    outside = [
        text.what
        for text in contents.texts
        if not (card.holds(text.left, text.top) and card.holds(text.right, text.bottom))
    ]
    assert outside == []


def under(text: Box, marks: list[Box]) -> str:
    """The fill of the topmost mark below the middle of a text."""
    x, y = (text.left + text.right) / 2, (text.top + text.bottom) / 2
    return next(mark.fill for mark in reversed(marks) if mark.fill and mark.holds(x, y))


def test_texts_have_enough_contrast(contents):
    low = {}
    for text in contents.texts:
        fill = under(text, contents.marks)
        if palette.contrast(text.fill, fill) < TEXT_CONTRAST:
            low[text.fill, fill] = text.what
    assert low == {}


def test_overlaps_are_found():
    """The sweep sees what lies on other text, and lets neighbors be."""
    title, facts, below = Box(0, 0, 50, 10, "title"), Box(49, 2, 80, 9, "facts"), Box(0, 10, 50, 20, "below")
    assert overlapping([title, facts, below]) == [("title", "facts")]


# Colors --------------------------------------------------------------------------------------------------------------

MARKS = [*palette.STAGES, *palette.ACTIVITIES.values(), palette.HATCH, palette.HATCH_NARROW, palette.ALERT]


@pytest.mark.parametrize("color", dict.fromkeys(MARKS))
def test_marks_have_enough_contrast(color):
    for background in (palette.CARD, palette.IDLE):
        assert palette.contrast(color, background) >= MARK_CONTRAST


def test_frames_of_grids_have_enough_contrast():
    assert palette.contrast(palette.MUTED, palette.CARD) >= MARK_CONTRAST
    boxes = Contents.of(draw_layout(gl.BlockedLayout([1, 2], [4, 8], [1, 1], [1, 0])).svg).marks
    assert [box for box in boxes if not box.fill and box.stroke == palette.MUTED]


def hue(color: str) -> float:
    return 360 * colorsys.rgb_to_hls(*(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)))[0]


def test_stages_and_units_share_no_hue():
    """A hue within 15 degrees of both a stage and a unit would look like either."""
    for stage, unit in itertools.product(palette.STAGES, palette.ACTIVITIES.values()):
        apart = abs(hue(stage) - hue(unit))
        assert min(apart, 360 - apart) >= 15, (stage, unit)


def lab(color: str) -> tuple[float, float, float]:
    """CIE L*a*b* of an sRGB color under D65."""
    linear = [(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in
              (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))]  # fmt: skip
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    scaled = [sum(a * b for a, b in zip(row, linear, strict=True)) / white
              for row, white in zip(rows, (0.9505, 1, 1.089), strict=True)]  # fmt: skip
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in scaled)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str) -> float:
    return sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5


@pytest.mark.parametrize("colors", [palette.STAGES, tuple(palette.ACTIVITIES.values())], ids=["stages", "units"])
def test_colors_of_one_kind_differ(colors):
    for one, other in itertools.combinations(colors, 2):
        assert distance(one, other) >= 17, (one, other)


def test_stages_that_follow_each_other_differ_clearly():
    for one, other in itertools.pairwise(palette.STAGES):
        assert distance(one, other) >= 29, (one, other)


def test_text_on_any_color_has_enough_contrast():
    for channels in itertools.product(range(0, 256, 15), repeat=3):
        color = "#" + "".join(f"{channel:02x}" for channel in channels)
        assert palette.contrast(palette.ink_on(color), color) >= TEXT_CONTRAST


def test_contrast_is_that_of_wcag():
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert palette.contrast("#ffffff", "#ffffff") == 1


# Text ----------------------------------------------------------------------------------------------------------------


def test_widths_are_those_of_the_font():
    """DejaVu Sans, which matplotlib brings."""
    matplotlib = pytest.importorskip("matplotlib")
    fonts = pytest.importorskip("fontTools.ttLib")
    import pathlib

    folder = pathlib.Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    for name, bold in (("DejaVuSans.ttf", False), ("DejaVuSans-Bold.ttf", True)):
        font = fonts.TTFont(folder / name)
        advances, names, units = font["hmtx"], font.getBestCmap(), font["head"].unitsPerEm
        for code in range(32, 127):
            width = advances[names[code]][0] / units
            assert text_width(chr(code), 1, bold) == pytest.approx(width, abs=6e-4), chr(code)
    mono = fonts.TTFont(folder / "DejaVuSansMono.ttf")
    assert {advance for advance, _ in mono["hmtx"].metrics.values() if advance} == {
        mono["hmtx"][mono.getBestCmap()[ord("m")]][0]
    }
    assert mono_width("m", 1) >= mono["hmtx"]["m"][0] / mono["head"].unitsPerEm


@pytest.mark.parametrize("width", [20, 60, 200])
def test_wrapped_lines_fit(width):
    text = "SwizzledSharedLayout(1, 1, 1, [1, 0]) " * 3 + "x" * 100
    lines = wrapped(text, width, 12, bold=True)
    assert all(text_width(line, 12, bold=True) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


# Pages, whose colors are those of the page around them ----------------------------------------------------------------

SCHEMES = {"light": ("#ffffff", "#1f2328"), "dark": ("#0d1117", "#e6edf3"), "material": ("#ffffff", "#212121"),
           "slate": ("#1e2129", "#c2c5ce")}  # fmt: skip


def mixed(color: str, over: str, share: float) -> str:
    pairs = ((int(color[i : i + 2], 16), int(over[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", list(gallery.PAGES))
def test_pages_can_be_read_on_light_and_dark(name, scheme):
    html = gallery.page(name)
    background, ink = SCHEMES[scheme]
    opacities = {float(value) for value in re.findall(r"opacity:([.\d]+)", html)}
    for opacity in opacities | {1.0}:
        assert palette.contrast(mixed(ink, background, opacity), background) >= TEXT_CONTRAST, opacity
    fills = set(re.findall(r"background:rgba\((\d+),(\d+),(\d+),([.\d]+)\)", html))
    for red, green, blue, alpha in fills:
        color = "#" + "".join(f"{int(channel):02x}" for channel in (red, green, blue))
        assert palette.contrast(ink, mixed(color, background, float(alpha))) >= TEXT_CONTRAST
    assert not re.findall(r"[^-]color:", re.sub(r"<svg.*?</svg>", "", html)), "text takes the page's own color"


def test_all_colors_are_in_the_palette():
    written = {
        f"{path.name}: {color}"
        for path in pathlib.Path(palette.__file__).parent.glob("*.py")
        for color in re.findall(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|rgba?\(", path.read_text())
        if path.name != "palette.py"
    }
    assert written == set()
