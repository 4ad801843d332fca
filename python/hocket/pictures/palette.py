"""Colors of all pictures, and the contrast between two colors.

As in WCAG 2.1 (criteria 1.4.3 and 1.4.11), text has a contrast of at least 4.5 to its background, and marks with a
meaning have a contrast of at least 3 to the card. `tests/python/pictures` measures both contrasts. Colors of ordered
quantities (lanes, banks) come from `gradient`. Adjacent colors of a gradient are similar, so each cell has its number
as text, and the grid has a frame.
"""

from __future__ import annotations

INK = "#1f2328"
MUTED = "#59636e"
CARD = "#ffffff"
CARD_EDGE = "#d1d9e0"
#: Background of the rows of timelines. It is visible at times for which a warp's activity is unknown.
IDLE = "#f1f3f5"
#: Color of memory cells without an element.
UNUSED = "#e4e7eb"
#: Bank conflicts.
ALERT = "#c2410c"
#: Color of the lines of hatched boxes, and fill color of boxes that are too narrow for lines.
HATCH = "#59636e"
HATCH_NARROW = "#808a95"

#: Colors of stages and partitions, in the order in which they begin: blues, violets and magentas, alternating dark and
#: light.
STAGES = ("#2563a8", "#b8439b", "#5b3f9e", "#6d85de", "#7c2a6b", "#14305c", "#a26bd0", "#dd4f86")

#: Colors of a warp's activities. The hues from red to teal are different from the hues of stages. Waits are hatched.
ACTIVITIES = {
    "matrix": "#8c1d18",
    "arithmetic": "#b3750a",
    "shared load": "#3f9142",
    "shared store": "#1c5e2a",
    "shuffle": "#7d8514",
    "global load": "#13908a",
    "global store": "#075e5c",
    "copy": "#6a9a12",
    "atomic": "#7a4a1f",
    "mma": "#d9482b",
}
#: For each kind of wait, the direction of its hatching.
WAITS = {"wait": "/", "barrier": "x"}
#: In profiles, waits are the only activities, so scopes inside stages can have the colors of the other activities.
SCOPES = tuple(color for kind, color in ACTIVITIES.items() if kind != "mma")

# Reports are HTML on the background of the page, light or dark, so colors of reports are translucent.
PAGE_EDGE = "rgba(128,128,128,.45)"
PAGE_ALERT = "rgba(207,34,46,.16)"
#: Colors of synchronization operations, by the first word of their names.
PAGE_TAGS = {"wait": "rgba(9,105,218,.22)", "proxy": "rgba(191,135,0,.25)", "barrier": "rgba(130,80,223,.22)"}
#: Style of the frame around a report.
PAGE_BOX = f"border:1px solid {PAGE_EDGE};border-radius:8px;padding:10px 14px;margin:4px 0;overflow:auto"

# Colors from dark blue to light yellow with steadily rising lightness, so that color-blind readers, and readers of
# prints in black and white, see the order of the colors.
_GRADIENT = ("#2f3a86", "#3268b0", "#2f93ba", "#43b9a4", "#95d186", "#f6e67a")


def luminance(color: str) -> float:
    """Returns the relative luminance of "#rrggbb", 0 to 1."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Returns the contrast ratio of two colors, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def ink_on(color: str) -> str:
    """Returns the color of text on `color`: black or white, whichever has the larger contrast. The larger contrast is
    at least 4.58."""
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, color))


def gradient(count: int) -> list[str]:
    """Returns `count` colors from dark to light."""
    stops = [[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in _GRADIENT]
    colors = []
    for index in range(count):
        position = index / max(count - 1, 1) * (len(stops) - 1)
        below = min(int(position), len(stops) - 2)
        mixed = [a + (b - a) * (position - below) for a, b in zip(stops[below], stops[below + 1], strict=True)]
        colors.append("#" + "".join(f"{round(channel):02x}" for channel in mixed))
    return colors


def faint(color: str, share: float = 0.22) -> str:
    """Returns `color` mixed with white; `share` is the fraction of `color`."""
    channels = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(channel + (255 - channel) * (1 - share)):02x}" for channel in channels)
