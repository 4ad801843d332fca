"""Draws the histogram of random GEMMs (`benchmarks/matmul.py --random`) from benchmarks/results/matmul_random.json.

    python tools/draw_random_gemms.py [--results FOLDER] [--root FOLDER]

Writes docs/pictures/random_gemms_light.svg and random_gemms_dark.svg. The output depends only on the results.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import pathlib
import sys
import textwrap
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from draw_benchmarks import THEMES, WIDTH, Drawing  # noqa: E402

FILE = "matmul_random.json"
PEERS = ("cuBLAS", "cuBLASLt, best of 8")
#: Bounds of the bins of speed relative to a peer. The first and the last bin are open.
BOUNDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0, 3.0, 5.0)
#: GEMMs with fewer operations are drawn in another color: launches take most of their time.
SHORT_OPERATIONS = 1e9
HEIGHT, GAP, LEFT = 120, 3, 30


def read_rows(folder: pathlib.Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns the results of the benchmark and the rows of its table."""
    path = folder / FILE
    if not path.exists():
        sys.exit(f"{path} is missing: run benchmarks/matmul.py --random 300 --json {path.name}")
    results = json.loads(path.read_text())
    return results, [row for table in results["tables"] if table["name"] == "random" for row in table["rows"]]


def operations(row: dict[str, Any]) -> float:
    case = row["case"]
    return 2 * case["batch"] * case["m"] * case["n"] * case["k"]


def ratios_to(rows: list[dict[str, Any]], peer: str) -> list[tuple[float, bool]]:
    """Returns Hocket's speed relative to a peer, and whether the GEMM is short, for each row that the peer computed."""
    return [
        (row["seconds"][peer] / row["seconds"]["Hocket"], operations(row) < SHORT_OPERATIONS)
        for row in rows
        if peer in row["seconds"]
    ]


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def bin_of(ratio: float) -> int:
    return sum(ratio >= bound for bound in BOUNDS)


def labels() -> list[str]:
    return [f"< {BOUNDS[0]:g}", *(f"{low:g}" for low, _ in itertools.pairwise(BOUNDS)), f">= {BOUNDS[-1]:g}"]


def draw_panel(drawing: Drawing, title: str, ratios: list[tuple[float, bool]], top: float) -> float:
    """Draws the histogram of a peer below the y coordinate `top`. Returns the y coordinate of its bottom edge."""
    drawing.text(0, top + 16, title, 13, font_weight="600")
    counts = [[0, 0] for _ in labels()]
    for ratio, is_short in ratios:
        counts[bin_of(ratio)][is_short] += 1
    scale = HEIGHT / max(max(map(sum, counts)), 1)
    bottom = top + 44 + HEIGHT
    width = (WIDTH - LEFT) / len(counts)
    long_color, short_color = drawing.theme["bars"][0], drawing.theme["bars"][1]
    for number, (label, (of_long, of_short)) in enumerate(zip(labels(), counts, strict=True)):
        x = LEFT + number * width
        y = bottom
        for count, color in ((of_long, long_color), (of_short, short_color)):
            y -= count * scale
            if count:
                drawing.bar(x, y, width - GAP, round(count * scale, 2), color)
        if total := of_long + of_short:
            drawing.text(x + width / 2 - 4, y - 4, str(total), 11, fill=drawing.theme["quiet"])
        # A label belongs to the left edge of its bin; those of the open bins are below their bars.
        drawing.text(x, bottom + 14, label, 11)
    return bottom + 22


def caption(results: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    device, torch = results["device"] or {}, (results["versions"].get("torch") or "").partition("+")[0]
    text = (
        f"{len(rows)} GEMMs with M, N and K drawn log-uniformly from 1 to 32768, in bfloat16, float16 and float8, with "
        "drawn orders of operands, one of five a batch. Numbers below the bars are the lower bounds of the bins of the "
        f"speed relative to the peer. {device.get('name')}, driver {device.get('driver')}, {results['date'][:10]}, "
        f"PyTorch {torch}; inputs {results['inputs']}; {results['method']}."
    )
    return textwrap.wrap(text, 140)


def draw(results: dict[str, Any], rows: list[dict[str, Any]], theme: str) -> str:
    """Returns the picture as SVG."""
    drawing = Drawing(theme)
    drawing.bar(0, 6, 12, 12, drawing.theme["bars"][0])
    drawing.text(18, 16, "GEMMs of 1 GFLOP and more")
    drawing.bar(230, 6, 12, 12, drawing.theme["bars"][1])
    drawing.text(248, 16, "smaller GEMMs")
    bottom = 24.0
    for peer in PEERS:
        ratios = ratios_to(rows, peer)
        means = [geometric_mean([ratio for ratio, is_short in ratios if not is_short or with_short]) for with_short in
                 (True, False)]  # fmt: skip
        title = f"speed relative to {peer}: geometric mean {means[0]:.2f}, of GEMMs from 1 GFLOP {means[1]:.2f}"
        bottom = draw_panel(drawing, title, ratios, bottom)
    for line in caption(results, rows):
        bottom += 15
        drawing.text(0, bottom, line, 11, fill=drawing.theme["quiet"])
    return drawing.svg(bottom + 8, "Speed of random GEMMs by Hocket, relative to cuBLAS")


def outputs(results: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, str]:
    """Returns the text of each picture, by its path in the repository."""
    return {f"docs/pictures/random_gemms_{theme}.svg": draw(results, rows, theme) for theme in THEMES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "benchmarks" / "results", metavar="FOLDER")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, metavar="FOLDER", help="of docs")
    options = parser.parse_args()
    for path, text in outputs(*read_rows(options.results)).items():
        (options.root / path).write_text(text)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
