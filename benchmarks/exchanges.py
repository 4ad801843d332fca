"""Measures softmax with exchanges between stages of a warp pipeline (examples/pipelined_softmax.py) on an NVIDIA GPU.

    python benchmarks/exchanges.py [--json FILE]

In each row, four warps exchange the maximum and the sum. With stages, the barriers between the stages order these
exchanges. "plain loop" is the same loop without stages: each exchange has barriers of its own, at which all warps of
the block wait. TB/s count each matrix once; inputs are normal-distributed; times are medians of interleaved runs with
the L2 flushed. The results of both forms must be bitwise equal.
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
#: Numbers of blocks on an SM, and of columns.
CASES = ((1, 256), (2, 256), (4, 256), (1, 1024), (2, 1024))


@hocket.jit
def plain_kernel(x, y, tiles, ROWS: gl.constexpr, COLUMNS: gl.constexpr, SLOTS: gl.constexpr, LAYOUT: gl.constexpr):
    """`softmax_kernel` without stages."""
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, ROWS, COLUMNS], shared)
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, LAYOUT))[:, None]
    places = rows * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, LAYOUT))[None, :]
    tile_size: gl.constexpr = ROWS * COLUMNS
    x += gl.program_id(0) * tiles * tile_size
    y += gl.program_id(0) * tiles * tile_size
    for k in gl.static_range(2):
        ring.index(k).store(gl.load(x + k * tile_size + places, mask=places < (tiles - k) * tile_size, other=0))
    for k in range(tiles):
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
    table = results.table("softmax", "softmax, float32", "TB/s", ours=("stages", "plain loop"))
    layout = gl.BlockedLayout([1, 1], [2, 16], [2, 4], [1, 0])
    for blocks, columns in CASES:
        blocks *= torch.cuda.get_device_properties(0).multi_processor_count
        x = torch.randn(blocks * TILES * ROWS, columns, device="cuda")
        outputs = {"stages": torch.empty_like(x), "plain loop": torch.empty_like(x)}
        kernels = {"stages": softmax_kernel, "plain loop": plain_kernel}

        def run(name, x=x, outputs=outputs, kernels=kernels, blocks=blocks, columns=columns):
            kernels[name][(blocks,)](
                x, outputs[name], TILES, ROWS=ROWS, COLUMNS=columns, SLOTS=SLOTS, LAYOUT=layout, num_warps=8
            )

        rivals = {name: lambda name=name, run=run: run(name) for name in kernels}
        seconds = gpu_times(rivals, rounds=50)
        assert torch.equal(outputs["stages"], outputs["plain loop"])
        assert torch.allclose(outputs["stages"], torch.softmax(x, 1), rtol=1e-5, atol=1e-7)
        moved = 2 * x.numel() * x.element_size()
        rates = {name: moved / value / 1e12 for name, value in seconds.items()}
        table.add(f"{blocks} blocks, {columns} columns", rates, seconds=seconds, blocks=blocks, columns=columns)
    table.show(digits=2)
    results.save(options)


if __name__ == "__main__":
    main()
