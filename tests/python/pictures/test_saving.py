"""Picture.save writes the format that the suffix names, or says what there is and what to install."""

from __future__ import annotations

import importlib
import zlib

import gallery
import pytest

from hocket.pictures import saving

NEEDS = {".png": ("resvg_py", "cairosvg"), ".pdf": ("cairosvg",)}


def has(module):
    return saving._imported(module) is not None


@pytest.fixture
def picture():
    return gallery.drawing("layout of registers")


@pytest.fixture
def without(monkeypatch):
    """Makes modules fail to import, as they do where they, or what they load, are not installed."""

    def hide(*names, error=ImportError):
        real = importlib.import_module

        def fail(name, *rest):
            if name in names:
                raise error(name)
            return real(name, *rest)

        monkeypatch.setattr(importlib, "import_module", fail)

    return hide


def pixels_of(png):
    """Width, height, and how many different rows of bytes a PNG has; its header and checksums are checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, size = 8, b"", (0, 0)
    while at < len(png):
        length, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == int.from_bytes(png[at + 8 + length : at + 12 + length], "big")
        if kind == b"IHDR":
            size = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    raw = zlib.decompress(data)
    stride = len(raw) // size[1]
    return *size, len({raw[row * stride + 1 : (row + 1) * stride] for row in range(size[1])})


@pytest.mark.parametrize("library", NEEDS[".png"])
def test_png(picture, tmp_path, library, without):
    if not has(library):
        pytest.skip(f"{library} is not installed")
    without(*(name for name in NEEDS[".png"] if name != library))
    picture.save(tmp_path / "layout.PNG")
    width, height, rows = pixels_of((tmp_path / "layout.PNG").read_bytes())
    drawn = [float(picture.svg.split(f' {name}="')[1].split('"')[0]) for name in ("width", "height")]
    assert [width, height] == pytest.approx([2 * size for size in drawn], abs=2)
    assert rows > 20, "the card is not empty"


def test_pdf(picture, tmp_path):
    if not has("cairosvg"):
        pytest.skip("cairosvg is not installed")
    picture.save(str(tmp_path / "layout.pdf"))
    assert (tmp_path / "layout.pdf").read_bytes()[:5] == b"%PDF-"


def test_html_is_a_page_of_its_own(picture, tmp_path):
    picture.save(tmp_path / "layout.html")
    page = (tmp_path / "layout.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and picture.svg in page
    assert "<title>BlockedLayout([2], [4], [2], [0]) on 32 elements</title>" in page


@pytest.mark.parametrize("error", [ImportError, OSError])
def test_what_to_install_is_named(picture, tmp_path, without, error):
    without("resvg_py", "cairosvg", error=error)
    with pytest.raises(ImportError) as caught:
        picture.save(tmp_path / "layout.png")
    assert str(caught.value) == (
        "a .png file needs the package resvg-py or cairosvg: install one of them, such as by "
        '`pip install "hocket[pictures]"`, or save an .svg or .html file'
    )
    with pytest.raises(ImportError) as caught:
        picture.save(tmp_path / "layout.pdf")
    assert str(caught.value) == (
        "a .pdf file needs the package cairosvg: install it, such as by `pip install cairosvg`, or save an .svg or "
        ".html file"
    )
    assert not list(tmp_path.iterdir()), "no file is left behind"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("layout.jpg", "'layout.jpg' has the suffix '.jpg'; pictures are saved as .svg, .html, .png, .pdf"),
        ("layout", "'layout' has no suffix; pictures are saved as .svg, .html, .png, .pdf"),
    ],
)
def test_other_suffixes(picture, tmp_path, name, message):
    with pytest.raises(ValueError) as caught:
        picture.save(tmp_path / name)
    assert str(caught.value) == message
