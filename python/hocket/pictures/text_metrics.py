"""Computes the widths of text in pictures.

The tables contain the advance widths of DejaVu Sans and DejaVu Sans Bold, in thousandths of the font size. Verdana,
Helvetica and Arial, the alternative fonts of pictures, are as wide or narrower. Cells use a monospaced font.
"""

from __future__ import annotations

_FIRST = 32  # code of the space; the tables of widths begin with the space and end with the tilde
_REGULAR = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
)  # fmt: skip
_BOLD = (
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696, 696,
    696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995,
    837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716,
    678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712,
    365, 712, 838,
)  # fmt: skip
_OTHER = 1000  # width of all other characters, such as the ellipsis, arrows and ideographs
_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
#: Width of each character of monospaced fonts, relative to the font size.
MONO_ADVANCE = 0.605


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Returns the width of a line of text in the pictures' proportional font."""
    table = _BOLD if bold else _REGULAR
    total = 0
    for character in text.replace(_NO_BREAK_SPACE, " "):
        index = ord(character) - _FIRST
        total += table[index] if 0 <= index < len(table) else _OTHER
    return total * size / 1000


def mono_width(text: str, size: float) -> float:
    """Returns the width of a line of text in the font of cells."""
    return MONO_ADVANCE * size * len(text)


def wrapped(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    """Returns the text as lines no wider than `width`, broken at spaces. A word that is wider than a line is broken
    between characters."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if text_width(longer, size, bold) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        line = word
        while text_width(line, size, bold) > width:
            fits = next(n for n in range(len(line) - 1, 0, -1) if n == 1 or text_width(line[:n], size, bold) <= width)
            lines.append(line[:fits])
            line = line[fits:]
    return [*lines, line] if line else lines
