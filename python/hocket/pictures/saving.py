"""Writes a picture to a file, in the format that the file's suffix names."""

from __future__ import annotations

import importlib
import pathlib
from collections.abc import Callable
from xml.sax.saxutils import escape

#: Attribute of an <svg> that limits the width of the picture to the width of the page in browsers.
SHRINKS_TO_PAGE = ' style="max-width:100%;height:auto"'
#: Number of pixels of a PNG per unit of length in the picture. With two pixels, the PNG is sharp on high-resolution
#: displays.
_PIXELS_PER_UNIT = 2.0
_INSTALL = 'install one of them, such as by `pip install "hocket[pictures]"`, or save an .svg or .html file'


class MissingConverter(ImportError):
    """Error: none of the libraries that can write the format is installed."""


def write_picture(svg: str, label: str, path: pathlib.Path) -> None:
    """See `Picture.save`."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        suffix = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise ValueError(f"{path.name!r} has {suffix}; pictures are saved as {', '.join(_WRITERS)}")
    path.write_bytes(writer(svg, label))


def _svg(svg: str, label: str) -> bytes:
    return svg.encode()


def _html(svg: str, label: str) -> bytes:
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{}</title></head><body>{}</body></html>\n'
    )
    return page.format(escape(label), svg).encode()


def _png(svg: str, label: str) -> bytes:
    resvg = _imported("resvg_py")
    if resvg is not None:
        return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=_PIXELS_PER_UNIT, font_family="DejaVu Sans"))
    cairo = _imported("cairosvg")
    if cairo is not None:
        return cairo.svg2png(bytestring=_fixed_size(svg), scale=_PIXELS_PER_UNIT)
    raise MissingConverter(f"a .png file needs the package resvg-py or cairosvg: {_INSTALL}")


def _pdf(svg: str, label: str) -> bytes:
    cairo = _imported("cairosvg")
    if cairo is not None:
        return cairo.svg2pdf(bytestring=_fixed_size(svg))
    raise MissingConverter(
        "a .pdf file needs the package cairosvg: install it, such as by `pip install cairosvg`, or save an .svg or "
        ".html file"
    )


def _fixed_size(svg: str) -> bytes:
    """Removes the style that limits a picture's width to the page, since cairosvg draws nothing with `height:auto`."""
    return svg.replace(SHRINKS_TO_PAGE, "", 1).encode()


def _imported(name: str):
    """Returns the module, or None if the module or a library that the module loads is missing. cairosvg loads the
    system's cairo."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError):
        return None


_WRITERS: dict[str, Callable[[str, str], bytes]] = {".svg": _svg, ".html": _html, ".png": _png, ".pdf": _pdf}
