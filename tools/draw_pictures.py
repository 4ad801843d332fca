"""Draws the pictures of the documentation into docs/pictures, from kernels that run on the emulator.

    python tools/draw_pictures.py

No test compares them: they change whenever the code that the compiler makes does.
"""

from pathlib import Path

import numpy as np

import hocket
from hocket.kernels import matmul
from hocket.kernels.matmul_plan import Plan, Tile
from hocket.kernels.matmul_way import choose_way

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"

TILE = Tile(256, 256, 2, 4)
LDS_BYTES = 160 * 1024


def draw_warp_pipeline(steps: int = 4) -> None:
    """A product of 256 x 256 on gfx950, some steps of its loop."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((256, 512), (512, 256)))
    plan = Plan(TILE, *choose_way(TILE, 512, 16, None, LDS_BYTES))
    with hocket.emulator.target("gfx950"), hocket.emulator.record_timeline() as recorded:
        matmul(a, b, plan=plan)
    loads = [piece for piece in recorded.slices if (piece.kind, piece.label, piece.warp) == ("stage", "load", 0)]
    picture = hocket.emulator.timeline(recorded, begin=loads[0].begin, end=loads[steps].begin)
    picture.save(FOLDER / "warp_pipeline.svg")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    draw_warp_pipeline()
