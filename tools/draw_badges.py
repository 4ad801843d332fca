"""Draws the README's badges, docs/pictures/badge_*.svg, from pyproject.toml.

    python tools/draw_badges.py

The badges are files of the repository, so the README loads no images from other sites.
"""

from __future__ import annotations

import html
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "pictures"
#: Average width of a character, margin on both sides of a text, and height of a badge, in pixels.
CHARACTER, MARGIN, HEIGHT = 6.6, 6, 20
GRAY, BLUE, ORANGE = "#555", "#0969da", "#bc4c00"


def badges() -> dict[str, tuple[str, str, str]]:
    """Returns the label, the text and the color of each badge by name."""
    project = (ROOT / "pyproject.toml").read_text()
    pythons = re.findall(r"Programming Language :: Python :: (3\.\d+)", project)
    license_name = re.search(r'^license = "(.*)"', project, re.MULTILINE)[1]
    status = re.search(r"Development Status :: \d - (\w+)", project)[1]
    return {
        "license": ("license", license_name, BLUE),
        "python": ("Python", f"{pythons[0]} to {pythons[-1]}", BLUE),
        "platform": ("runs on", "Linux x86-64", BLUE),
        "status": ("status", status.lower(), ORANGE),
    }


def draw(label: str, text: str, color: str) -> str:
    """Returns a badge as SVG."""
    left, right = (round(len(part) * CHARACTER + 2 * MARGIN) for part in (label, text))
    style = 'fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img">\n'
        f"<title>{html.escape(f'{label}: {text}')}</title>\n"
        f'<rect width="{left + right}" height="{HEIGHT}" rx="3" fill="{color}"/>\n'
        f'<path d="M3 0H{left}V{HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="{GRAY}"/>\n'
        f'<text x="{left / 2:g}" y="14" {style}>{html.escape(label)}</text>\n'
        f'<text x="{left + right / 2:g}" y="14" {style}>{html.escape(text)}</text>\n'
        "</svg>\n"
    )


def main() -> None:
    for name, badge in badges().items():
        (FOLDER / f"badge_{name}.svg").write_text(draw(*badge))
        print(f"wrote docs/pictures/badge_{name}.svg")


if __name__ == "__main__":
    main()
