"""Draws the pictures of the documentation, from kernels that run on the emulator.

    python tools/draw_pictures.py [FOLDER] Writes the pictures to FOLDER, by default docs/pictures.

No test compares the pictures, because they change with the compiler's output.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import hocket
import hocket.profiler
from hocket import language as gl
from hocket.emulator import Timeline
from hocket.kernels import matmul
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile
from hocket.kernels._matmul.variant_cdna import choose_variant

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"

TILE = Tile(256, 256, 2, 4)
LDS_BYTES = 160 * 1024


def draw_warp_pipeline(folder: Path, iterations: int = 2) -> None:
    """Draws `iterations` iterations of the loop of a GEMM with one 256 x 256 tile on gfx950."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((256, 512), (512, 256)))
    plan = CdnaPlan(TILE, *choose_variant(TILE, 512, 16, None, LDS_BYTES))
    with hocket.emulator.target("gfx950"), hocket.emulator.record_timeline() as recorded:
        matmul(a, b, plan=plan)
    stages = [piece for piece in recorded.slices if piece.kind == "stage" and piece.warp == 0]
    # The first iteration is left out, because it waits for the copies of the first tiles.
    begins = [piece.begin for piece in stages if piece.label == stages[0].label][1:]
    picture = hocket.emulator.timeline(recorded, begin=begins[0], end=begins[iterations])
    picture.save(folder / "warp_pipeline.svg")


@hocket.jit
def leapfrogging(x, out, TURNS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 512, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + i))
    gl.barrier()
    acc = gl.load(x + i)
    for _ in range(TURNS):
        with gl.warp_pipeline_stage("load"):
            loaded = tile.load(layout)
            for _ in gl.static_range(20):
                loaded += tile.load(layout)
        with gl.warp_pipeline_stage("compute"):
            for _ in gl.static_range(20):
                acc = acc * 0.5 + loaded
    gl.store(out + i, acc)


def timeline_of_trace(path: Path) -> Timeline:
    """Returns the stages of the only block in a trace for Perfetto, from the tracks of warps."""
    events = json.loads(path.read_text())["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    warps = {track: int(name.split()[1]) for track, name in tracks.items() if ":" not in name}
    slices = [
        (0, warps[e["tid"]], "stage", e["name"], 1, "", 0, e["args"]["raw_begin"], e["args"]["raw_end"])
        for e in events
        if e["ph"] == "X" and e["tid"] in warps and e["cat"] == "stage"
    ]
    timeline = Timeline("From a trace of the profiler: cycles of the emulator's virtual clock, not of any hardware.")
    timeline._add("leapfrogging", slices, [])
    return timeline


def draw_leapfrogging(folder: Path, steps: int = 6) -> None:
    """Draws `steps` iterations of both warp groups of a warp pipeline, from a trace of the profiler."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "trace.json"
        with hocket.emulator.target("gfx950"), hocket.profiler.session("leapfrogging", out=trace):
            leapfrogging[(1,)](np.ones(512, np.float32), np.zeros(512, np.float32), TURNS=12, num_warps=8)
        recorded = timeline_of_trace(trace)
    loads = [piece for piece in recorded.slices if (piece.label, piece.warp) == ("load", 0)]
    hocket.emulator.timeline(recorded, begin=loads[0].begin, end=loads[steps].begin).save(folder / "leapfrogging.svg")


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    chosen.mkdir(exist_ok=True)
    draw_warp_pipeline(chosen)
    draw_leapfrogging(chosen)
