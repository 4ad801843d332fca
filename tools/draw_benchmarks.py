"""Draws the README's picture of benchmarks and writes the README's table, from the results in benchmarks/results.

    python tools/draw_benchmarks.py [--results FOLDER] [--root FOLDER]

Reads matmul.json, attention.json and norms.json (format: benchmarks/README.md), which must come from one GPU. Writes
docs/pictures/benchmarks_light.svg and benchmarks_dark.svg. In the README, replaces the <picture> and the table below
the first bullet. The output depends only on the results, so a test can compare the committed files with it.
"""

from __future__ import annotations

import argparse
import html
import json
import pathlib
import re
import sys
import textwrap
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Row(NamedTuple):
    """A row of the picture: its label, and the result that the row shows: a case of a table in a results file."""

    label: str
    file: str
    table: str
    case: dict[str, Any]


def _gemm(label: str, table: str, dtype: str, m: int, n: int, k: int) -> Row:
    return Row(label, "matmul", table, {"dtype": dtype, "m": m, "n": n, "k": k})


def _attention(label: str, heads: int, head_size: int, causal: bool, logits_std: float) -> Row:
    case = {"dtype": "float16", "batch": 4, "heads": heads, "sequence": 8192, "head_size": head_size}
    return Row(label, "attention", "forward", case | {"causal": causal, "logits_std": logits_std})


def _norm(label: str, table: str, rows: int, columns: int) -> Row:
    return Row(label, "norms", table, {"dtype": "bfloat16", "rows": rows, "columns": columns})


GEMM = (
    _gemm("bf16 8192³", "square", "bfloat16", 8192, 8192, 8192),
    _gemm("f16 4096³", "square", "float16", 4096, 4096, 4096),
    _gemm("f16 8192² x K 1024", "depth", "float16", 8192, 8192, 1024),
    _gemm("f16 1024² x K 4096", "small", "float16", 1024, 1024, 4096),
)
ATTENTION = (
    _attention("D 128", 16, 128, False, 1),
    _attention("D 128 causal", 16, 128, True, 1),
    _attention("D 128, logits std 4", 16, 128, False, 4),
    _attention("D 64", 32, 64, False, 1),
    _attention("D 64 causal", 32, 64, True, 1),
    _attention("D 64 causal, logits std 4", 32, 64, True, 4),
)
NORMS = (
    _norm("forward 16384 x 4096", "rms_norm", 16384, 4096),
    _norm("forward 8192 x 16384", "rms_norm", 8192, 16384),
    _norm("backward 16384 x 4096", "rms_norm_backward", 16384, 4096),
    _norm("backward 8192 x 16384", "rms_norm_backward", 8192, 16384),
)


class Panel(NamedTuple):
    title: str
    rows: tuple[Row, ...]
    column: int


PANELS = (
    Panel("GEMM, TFLOP/s", GEMM, 0),
    Panel("Attention forward, f16, 8192 keys, TFLOP/s", ATTENTION, 1),
    Panel("RMSNorm, bf16, TB/s", NORMS, 0),
)
#: For each entry of the legend: the names of the implementations with its color. Other implementations are not drawn.
FAMILIES = {
    "Hocket": ("Hocket",),
    "cuBLAS, cuDNN, PyTorch": ("cuBLAS", "cuDNN", "PyTorch"),
    "CuTe DSL (quack, flash-attn-4)": ("quack", "flash-attn-4"),
    "Triton": ("Triton",),
}
#: Rows of the README's table: label, and row of the picture.
TABLE = (
    ("GEMM bf16 8192 x 8192 x 8192", GEMM[0]),
    ("GEMM f16 8192 x 8192 x 1024", GEMM[2]),
    ("attention f16 D 128 causal", ATTENTION[1]),
    ("attention f16 D 64 causal, logits std 4", ATTENTION[5]),
    ("RMSNorm bf16 backward 16384 x 4096", NORMS[2]),
)

THEMES = {
    "light": {"text": "#1f2328", "quiet": "#59636e", "bars": ("#d9480f", "#8c959f", "#3b82c4", "#9a6fc4")},
    "dark": {"text": "#e6edf3", "quiet": "#9198a1", "bars": ("#ff8a4c", "#6e7681", "#58a6ff", "#b392f0")},
}
WIDTH, COLUMN, LABEL = 880, 444, 160
BAR, PITCH, ROW_GAP, TITLE = 8, 10, 9, 30
#: Largest number of characters of a line of the caption.
CAPTION = 66
FONT = "-apple-system,'Segoe UI','Noto Sans',Helvetica,Arial,sans-serif"


def read_results(folder: pathlib.Path) -> dict[str, dict]:
    """Returns the contents of the three results files that the picture needs, by name of the file without its
    suffix."""
    results = {}
    for stem in ("matmul", "attention", "norms"):
        path = folder / f"{stem}.json"
        if not path.exists():
            sys.exit(f"{path} is missing: benchmarks/README.md has the command that makes it")
        results[stem] = json.loads(path.read_text())
        if results[stem]["format"] != 1:
            sys.exit(f"{path} has format {results[stem]['format']}, not 1")
    cards = {(result["device"] or {}).get("name") for result in results.values()}
    if len(cards) > 1:
        sys.exit(f"the results come from several devices: {', '.join(sorted(map(str, cards)))}")
    return results


def values_of(results: dict[str, dict], row: Row) -> dict[str, float]:
    """Returns the rate of each drawn implementation by name, in the order of `FAMILIES`."""
    tables = [table for table in results[row.file]["tables"] if table["name"] == row.table]
    for entry in (entry for table in tables for entry in table["rows"]):
        if all(entry["case"].get(key) == value for key, value in row.case.items()):
            shown = [name for names in FAMILIES.values() for name in names]
            return {name: entry["values"][name] for name in shown if name in entry["values"]}
    sys.exit(f"{row.file}.json has no row of table {row.table} with {row.case}")


def best_peer(values: dict[str, float]) -> str:
    return max((name for name in values if name != "Hocket"), key=lambda name: values[name])


def ratio(values: dict[str, float]) -> float:
    """Returns Hocket's rate divided by the rate of the fastest other implementation."""
    return values["Hocket"] / values[best_peer(values)]


def caption(results: dict[str, dict]) -> list[str]:
    """Returns the lines of the caption: GPU, date, versions, inputs and measurement method."""
    dates = sorted({result["date"][:10] for result in results.values()})
    versions = {key: value for result in results.values() for key, value in result["versions"].items() if value}
    packages = {"torch": "PyTorch", "triton": "Triton", "flash-attn-4": "flash-attn-4", "quack-kernels": "quack"}
    named = [f"{label} {versions[key].partition('+')[0]}" for key, label in packages.items() if key in versions]
    inputs = sorted({result["inputs"] for result in results.values()})
    device = results["matmul"]["device"]
    paragraphs = (
        f"{device['name']}, driver {device['driver']}, {' and '.join(dates)}; {', '.join(named)}.",
        f"Inputs: {', '.join(inputs)}, which gives scaled logits a standard deviation of 1; in rows with std 4 the "
        "queries are four times as large.",
        "Medians of interleaved runs, L2 flushed before each.",
    )
    return [line for paragraph in paragraphs for line in textwrap.wrap(paragraph, CAPTION)]


class Drawing:
    """Collects the elements of an SVG picture, in the colors of a theme: "light" or "dark"."""

    def __init__(self, theme: str):
        self.theme = THEMES[theme]
        self.elements: list[str] = []

    def text(self, x: float, y: float, text: str, size: int = 12, **style: str) -> None:
        attributes = {"fill": self.theme["text"]} | {key.replace("_", "-"): value for key, value in style.items()}
        written = " ".join(f'{key}="{value}"' for key, value in attributes.items())
        self.elements.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" {written}>{html.escape(text)}</text>')

    def bar(self, x: float, y: float, width: float, height: float, color: str) -> None:
        size = f'width="{width:.1f}" height="{height:g}"'
        self.elements.append(f'<rect x="{x:g}" y="{y:g}" {size} rx="1" fill="{color}"/>')

    def svg(self, height: float, title: str) -> str:
        size = f'viewBox="0 0 {WIDTH} {height:g}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">'
        return "\n".join([head, f"<title>{html.escape(title)}</title>", *self.elements, "</svg>\n"])


def draw(results: dict[str, dict], theme: str) -> str:
    """Returns the picture of benchmarks as SVG."""
    drawing = Drawing(theme)
    colors = {
        name: color for names, color in zip(FAMILIES.values(), drawing.theme["bars"], strict=True) for name in names
    }
    x = 0.0
    for (family, names), color in zip(FAMILIES.items(), drawing.theme["bars"], strict=True):
        drawing.bar(x, 6, 12, 12, color)
        drawing.text(x + 18, 16, family, font_weight="600" if names == ("Hocket",) else "400")
        x += 42 + 6.6 * len(family)
    bottoms = [34.0, 34.0]
    for panel in PANELS:
        bottoms[panel.column] = _draw_panel(drawing, results, panel, colors, bottoms[panel.column])
    bottoms[1] += 10
    for line in caption(results):
        bottoms[1] += 16
        drawing.text(COLUMN, bottoms[1], line, 11, fill=drawing.theme["quiet"])
    return drawing.svg(max(bottoms) + 8, "Hocket beside cuBLAS, cuDNN, PyTorch, quack, flash-attn-4 and Triton")


def _draw_panel(drawing: Drawing, results: dict[str, dict], panel: Panel, colors: dict[str, str], top: float) -> float:
    """Draws a panel whose top edge is at the y coordinate `top`. Returns the y coordinate of its bottom edge."""
    x = panel.column * COLUMN
    drawing.text(x, top + 16, panel.title, 13, font_weight="600")
    rows = [(row, values_of(results, row)) for row in panel.rows]
    longest = max(value for _, values in rows for value in values.values())
    scale = (COLUMN - LABEL - 56) / longest
    y = top + TITLE - 4
    for row, values in rows:
        drawing.text(x, y + 10, row.label)
        drawing.text(x, y + 25, f"{ratio(values):.2f} x best peer", 11, fill=drawing.theme["quiet"])
        for place, (name, value) in enumerate(values.items()):
            at = y + place * PITCH
            drawing.bar(x + LABEL, at, value * scale, BAR, colors[name])
            figure = f"{value:.0f}" if longest >= 100 else f"{value:.2f}"
            style = {"font_weight": "600"} if name == "Hocket" else {"fill": drawing.theme["quiet"]}
            drawing.text(x + LABEL + value * scale + 4, at + 8, figure, 10, **style)
        y += len(values) * PITCH + ROW_GAP
    return y + 4


def table_text(results: dict[str, dict]) -> str:
    """Returns the lines of the README's table: Hocket's rate, and its ratio to the rate of the fastest other
    implementation."""
    width = max(len(label) for label, _ in TABLE) + 2
    lines = []
    for label, row in TABLE:
        values = values_of(results, row)
        rate = f"{values['Hocket']:.2f} TB/s" if row.file == "norms" else f"{values['Hocket']:.0f} TFLOP/s"
        lines.append(f"{label:<{width}}{rate:>11}   {ratio(values):.2f} x {best_peer(values)}")
    return "\n".join(lines)


def picture_lines() -> str:
    """Returns the <picture> of the README, which shows the light or the dark file, as the browser prefers."""
    alt = "GEMM, attention and RMSNorm on a Hopper GPU, beside cuBLAS, cuDNN, PyTorch, quack, flash-attn-4 and Triton"
    return (
        '<picture><source media="(prefers-color-scheme: dark)" srcset="docs/pictures/benchmarks_dark.svg">'
        f'<img src="docs/pictures/benchmarks_light.svg" width="100%" alt="{alt}"></picture>'
    )


#: The generated parts of the README: the picture, and the table below the first bullet.
_PICTURE = re.compile(r"^<!-- picture of benchmarks -->$|^<picture>.*?</picture>$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?<=^  ```text\n).*?(?=^  ```$)", re.MULTILINE | re.DOTALL)


def fill(readme: str, picture: str, table: str) -> str:
    """Returns the text of the README with a new picture and a new table."""
    for pattern, text in ((_PICTURE, picture), (_TABLE, textwrap.indent(table, "  ") + "\n")):
        if len(pattern.findall(readme)) != 1:
            sys.exit(f"README.md should hold exactly one {pattern.pattern}")
        readme = pattern.sub(lambda _, text=text: text, readme)
    return readme


def outputs(results: dict[str, dict], readme: str) -> dict[str, str]:
    """Returns the text of each generated file, by its path in the repository."""
    pictures = {f"docs/pictures/benchmarks_{theme}.svg": draw(results, theme) for theme in THEMES}
    return pictures | {"README.md": fill(readme, picture_lines(), table_text(results))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "benchmarks" / "results", metavar="FOLDER")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, metavar="FOLDER", help="of README.md and docs")
    options = parser.parse_args()
    readme = (options.root / "README.md").read_text()
    for path, text in outputs(read_results(options.results), readme).items():
        (options.root / path).write_text(text)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
