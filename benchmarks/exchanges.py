"""Measures softmax with exchanges between stages of a warp pipeline (examples/pipelined_softmax.py) on an NVIDIA GPU.

    python benchmarks/exchanges.py [--json FILE]

If four warps share a row, they exchange the maximum and the sum. With stages, the barriers between the stages order
these exchanges. "plain loop" is the same loop without stages: each exchange has barriers of its own, at which all warps
of the block wait. A warp with whole rows exchanges nothing. "auto" is the plain loop with stages that the compiler
forms. TB/s count each matrix once; inputs are normal-distributed; times are medians of interleaved runs with the L2
flushed.
"""

import argparse
import pathlib
import sys

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results

import hocket
from hocket import language as gl

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples"))

from pipelined_softmax import ROWS, softmax_kernel

#: Number of buffers of the ring, and number of tiles that a block processes.
SLOTS, TILES = 3, 32
#: Numbers of blocks on an SM, of columns, and of warps that share a row.
CASES = ((1, 256, 4), (2, 256, 4), (4, 256, 4), (1, 1024, 4), (2, 1024, 4), (1, 256, 1), (2, 256, 1), (4, 256, 1))


@hocket.jit
def plain_kernel(
    x, y, tiles, ROWS: gl.constexpr, COLUMNS: gl.constexpr, SLOTS: gl.constexpr, LAYOUT: gl.constexpr, HOW: gl.constexpr
):
    """`softmax_kernel` without stages, or with stages that the compiler forms."""
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, ROWS, COLUMNS], shared)
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, LAYOUT))[:, None]
    places = rows * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, LAYOUT))[None, :]
    tile_size: gl.constexpr = ROWS * COLUMNS
    x += gl.program_id(0) * tiles * tile_size
    y += gl.program_id(0) * tiles * tile_size
    for k in gl.static_range(2):
        ring.index(k).store(gl.load(x + k * tile_size + places, mask=places < (tiles - k) * tile_size, other=0))
    for k in gl.range(tiles, warp_pipeline=HOW):
        tile = ring.index(k % SLOTS).load(LAYOUT)
        largest = gl.max(tile, 1)
        fetched = gl.load(x + (k + 2) * tile_size + places, mask=places < (tiles - 2 - k) * tile_size, other=0)
        tile = gl.exp(tile - largest[:, None])
        total = gl.sum(tile, 1)
        ring.index((k + 2) % SLOTS).store(fetched)
        gl.store(y + k * tile_size + places, tile / total[:, None])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    results = Results("exchanges", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    forms = "stages", "plain loop", "auto"
    table = results.table("softmax", "softmax, float32", "TB/s", ours=forms)
    for blocks, columns, warps in CASES:
        blocks *= torch.cuda.get_device_properties(0).multi_processor_count
        x = torch.randn(blocks * TILES * ROWS, columns, device="cuda")
        outputs = {form: torch.empty_like(x) for form in forms}
        layout = gl.BlockedLayout([1, 1], [2, 16], [8 // warps, warps], [1, 0])

        def run(form, x=x, outputs=outputs, blocks=blocks, columns=columns, layout=layout):
            arguments = {"ROWS": ROWS, "COLUMNS": columns, "SLOTS": SLOTS, "LAYOUT": layout, "num_warps": 8}
            if form == "stages":
                return softmax_kernel[(blocks,)](x, outputs[form], TILES, **arguments)
            how = "auto" if form == "auto" else None
            return plain_kernel[(blocks,)](x, outputs[form], TILES, **arguments, HOW=how)

        for decision in run("auto").explain_schedule():
            print(
                f"{columns} columns, {warps} warps of a row: {decision.reason or f'{len(decision.best.stages)} stages'}"
            )
        seconds = gpu_times({form: lambda form=form, run=run: run(form) for form in forms}, rounds=50)
        for form in forms:
            assert torch.allclose(outputs[form], torch.softmax(x, 1), rtol=1e-5, atol=1e-7)
        moved = 2 * x.numel() * x.element_size()
        rates = {name: moved / value / 1e12 for name, value in seconds.items()}
        name = f"{blocks} blocks, {columns} columns, {warps} warps of a row"
        table.add(name, rates, seconds=seconds, blocks=blocks, columns=columns, warps=warps)
    table.show(digits=2)
    results.save(options)


if __name__ == "__main__":
    main()
