"""Draws the measurements of `norms.py` as TB/s over columns, and prints tables of the plans that `choose` returns.

    python benchmarks/norms.py --plot benchmarks/norms_h200.json

The pictures are written to docs/pictures/norms_<operation>.svg. The median is used for repeated measurements.
"""

from __future__ import annotations

import json
import math
import pathlib
import statistics

from interleave import print_table

IMAGES = pathlib.Path(__file__).resolve().parent.parent / "docs" / "pictures"
COLORS = {
    "hocket": "#c2410c", "multi-wave": "#d97706", "warp-specialized": "#b45309", "cluster": "#7c2d12",
    "staged": "#7c6f00", "streaming": "#b07d4f", "quack": "#15803d", "triton": "#1d4ed8", "liger": "#7e22ce",
    "torch": "#6b7280", "compile": "#0f766e",
}  # fmt: skip
SCHEDULES = ("multi-wave", "warp-specialized", "cluster", "staged", "streaming")
#: Choices are compared with measurements; shapes with an odd number of columns are not drawn.
LEAST_ELEMENTS = 64 << 20


def read(paths):
    """Returns {(op, rows, columns): {name: TB/s}}. The names are peers, variants (for the fastest plan of each), "auto"
    (the chosen plan) and "best" (the fastest of all plans)."""
    seconds = {}
    for path in paths:
        with open(path) as file:
            for record in json.load(file)["records"]:
                if record["dtype"] == "bfloat16":
                    case = record["op"], record["rows"], record["columns"]
                    seconds.setdefault(case, {}).setdefault(_name(record), []).append(record["seconds"])
    chosen = {case: _chosen(case) for case in seconds if case[0] in _OPERATIONS}
    return {case: _figures(case, runs, chosen.get(case)) for case, runs in seconds.items()}


def _name(record):
    """Returns the name of a peer, or the fields that identify a plan."""
    if "plan" not in record:
        return record["rival"]
    from norms_fit import EARLIER, KEYS

    fields = EARLIER | record["plan"]
    return tuple(fields[key] for key in KEYS)


def _chosen(case):
    """Returns the fields that identify the plan that `choose` returns in this version of Hocket."""
    from norms_fit import KEYS

    from hocket.kernels import norms

    op, rows, columns = case
    facts = {"is_aligned": columns % 8 == 0, "has_bias": op.startswith("layer")}
    plan = norms.choose(rows, columns, "bfloat16", op, **facts)
    return tuple(getattr(plan, key) for key in KEYS)


_OPERATIONS = {"rms_norm": 2, "layer_norm": 2, "rms_norm_backward": 3, "layer_norm_backward": 3}


def _figures(case, runs, chosen):
    moved = _OPERATIONS.get(case[0], 2) * case[1] * case[2] * 2
    figures = {}
    for name, seconds in runs.items():
        speed = moved / statistics.median(seconds) / 1e12
        if isinstance(name, str):
            figures[name] = speed
            continue
        figures[name[0]] = max(figures.get(name[0], 0.0), speed)
        figures["best"] = max(figures.get("best", 0.0), speed)
        if name == chosen:
            figures["auto"] = speed
    return figures


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_choices(cases):
    """Prints for each shape the TB/s of the chosen plan, of the fastest measured plan, of each variant and of each
    peer."""
    for op in _OPERATIONS:
        mine = {case[1:]: figures for case, figures in sorted(cases.items()) if case[0] == op and "best" in figures}
        if not mine:
            continue
        names = ["auto", "best", *SCHEDULES, "quack", "triton", "liger", "torch", "compile"]
        names = [name for name in names if any(name in figures for figures in mine.values())]
        table = [
            [f"{rows} x {columns}", *(f"{figures[name]:.2f}" if name in figures else "" for name in names)]
            for (rows, columns), figures in mine.items()
        ]
        print_table(f"{op}, TB/s", ["shape", *names], table)
        print_summary(mine)


def print_summary(mine):
    shares = [figures["auto"] / figures["best"] for figures in mine.values() if "auto" in figures]
    if shares:
        print(f"the choice / the best: geometric mean {geometric_mean(shares):.3f}, least {min(shares):.3f}")
    large = [figures for (rows, columns), figures in mine.items() if rows * columns >= LEAST_ELEMENTS]
    large = [figures for figures in large if "auto" in figures]
    if large:
        mean = geometric_mean([figures["auto"] for figures in large])
        print(f"at least 64 Mi elements: {mean:.2f} TB/s on geometric mean of {len(large)} shapes", end="")
        for peer in ("quack", "triton", "liger", "torch", "compile"):
            both = [figures["auto"] / figures[peer] for figures in large if peer in figures]
            if both:
                print(f"; {geometric_mean(both):.2f} of {peer} ({len(both)} shapes)", end="")
        print()


def draw(cases, op, folder=IMAGES):
    """Draws TB/s over columns, a panel for each number of rows."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "hocket"  # the file depends only on the measurements
    from matplotlib import pyplot

    mine = {case[1:]: figures for case, figures in cases.items() if case[0] == op and case[2] % 8 == 0}
    counts = sorted({rows for rows, _ in mine})
    counts = [rows for rows in counts if sum(case[0] == rows for case in mine) >= 4]
    if not counts:
        return
    figure, panels = pyplot.subplots(1, len(counts), figsize=(4.2 * len(counts), 3.6), sharey=True, squeeze=False)
    for panel, rows in zip(panels[0], counts, strict=True):
        names = list(dict.fromkeys(name for case, figures in mine.items() if case[0] == rows for name in figures))
        for name in (name for name in ("auto", *COLORS) if name in names):
            points = [(case[1], figures[name]) for case, figures in mine.items() if case[0] == rows and name in figures]
            of_hocket = name in SCHEDULES or name == "auto"
            panel.plot(
                *zip(*sorted(points), strict=True), label="hocket, the choice" if name == "auto" else name,
                color=COLORS.get(name, COLORS["hocket"]), marker="o", markersize=3,
                linewidth=2.2 if name == "auto" else 1.2, linestyle="--" if of_hocket and name != "auto" else "-",
            )  # fmt: skip
        panel.set_xscale("log", base=2)
        panel.set_title(f"{rows} rows")
        panel.set_xlabel("columns")
        panel.grid(alpha=0.3)
    panels[0][0].set_ylabel("TB/s")
    panels[0][0].set_ylim(bottom=0)
    handles, labels = panels[0][-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=8)
    figure.suptitle(f"{op}, bfloat16, each matrix counted once")
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / f"norms_{op}.svg", metadata={"Date": None})
    pyplot.close(figure)
    print(f"wrote {folder / f'norms_{op}.svg'}")


def plot(paths):
    cases = read(paths)
    print_choices(cases)
    for op in _OPERATIONS:
        draw(cases, op)
