"""A GEMM for CDNA4 as a plain loop, whose warp pipeline the compiler forms.

The loop waits for a k-tile, reads it, starts the copies of a later one and executes the MMAs. `schedule` chooses:

    None        the loop as it is: both groups of warps execute the same code at the same time
    "auto"      stages that the compiler forms, with `gl.range(..., warp_pipeline="auto")`
    "written"   stages written by hand: reads and copies in one, MMAs in the other

    python plain_gemm_cdna.py

prints the clocks of an iteration by the schedule model of the machine code, and the stages that the compiler formed.
`largest_parts` is a similar loop, in which warps exchange values: the compiler divides an exchange over two stages.
The model ranks schedules; it is not the speed of any GPU.
"""

import dataclasses

import numpy as np

import hocket
from hocket import language as gl
from hocket.kernels._matmul.layouts_cdna import direct_copy_layout
from hocket.language import amd
from hocket.language.amd.cdna4 import async_copy, compute_efficient_padded_shared_layout, mfma


@dataclasses.dataclass(frozen=True)
class Config:
    """Tile of C, k-tile, number of k-tiles in the ring buffers, and the schedule. With `refills`, an iteration copies
    into the buffers that it has read, so that all buffers are in use; "written" has no such form."""

    block: int
    block_k: int
    slots: int
    schedule: str | None = "auto"
    refills: bool = False

    @property
    def ahead(self):
        """Number of iterations by which copies precede the use of a k-tile."""
        return self.slots if self.refills else self.slots - 1

    @property
    def acc(self):
        return amd.AMDMFMALayout(4, [32, 32, 16], transposed=True, warps_per_cta=[2, 4])

    @property
    def operand_a(self):
        return gl.DotOperandLayout(0, self.acc, 8)

    @property
    def operand_b(self):
        return gl.DotOperandLayout(1, self.acc, 8)

    @property
    def shared_a(self):
        return compute_efficient_padded_shared_layout(self.operand_a, [self.block, self.block_k], gl.float16, True)

    @property
    def shared_b(self):
        return compute_efficient_padded_shared_layout(self.operand_b, [self.block_k, self.block], gl.float16, False)

    @property
    def copy_a(self):
        return direct_copy_layout(self.shared_a, 16, 8)

    @property
    def copy_b(self):
        return direct_copy_layout(self.shared_b, 16, 8)


#: Configurations for which the printed table compares the three schedules.
CONFIGS = [Config(256, 32, 3), Config(256, 32, 4), Config(128, 64, 4)]
#: Configurations for which the compiler divides the MMA along M and N, or along K.
REFILLING = [Config(256, 32, 2, refills=True), Config(256, 64, 2, refills=True)]


@hocket.jit
def start_copies(a_ring, b_ring, a, b, step, N, K, cfg: gl.constexpr):
    """Starts copying k-tile `step` into its buffers, as one commit group. Elements beyond K are zeros."""
    rows = gl.arange(0, cfg.block, layout=gl.SliceLayout(1, cfg.copy_a))[:, None]
    k_of_a = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(0, cfg.copy_a))[None, :]
    k_of_b = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(1, cfg.copy_b))[:, None]
    columns = gl.arange(0, cfg.block, layout=gl.SliceLayout(0, cfg.copy_b))[None, :]
    first_k, slot = step * cfg.block_k, step % cfg.slots
    inside_a = (k_of_a < K - first_k) & (rows >= 0)
    inside_b = (k_of_b < K - first_k) & (columns >= 0)
    async_copy.buffer_load_to_shared(a_ring.index(slot), a + first_k, rows * K + k_of_a, mask=inside_a)
    async_copy.buffer_load_to_shared(b_ring.index(slot), b + first_k * N, k_of_b * N + columns, mask=inside_b)
    async_copy.commit_group()


@hocket.jit
def gemm(a, b, c, N, K, cfg: gl.constexpr):
    """C = A x B for float16 matrices whose sizes are multiples of the tile's."""
    row, column = gl.program_id(0) * cfg.block, gl.program_id(1) * cfg.block
    a += row * K
    b += column
    a_ring = gl.allocate_shared_memory(gl.float16, [cfg.slots, cfg.block, cfg.block_k], cfg.shared_a)
    b_ring = gl.allocate_shared_memory(gl.float16, [cfg.slots, cfg.block_k, cfg.block], cfg.shared_b)
    acc = gl.zeros([cfg.block, cfg.block], gl.float32, cfg.acc)
    ahead: gl.constexpr = cfg.ahead
    for step in gl.static_range(ahead):
        start_copies(a_ring, b_ring, a, b, step, N, K, cfg)
    steps = K // cfg.block_k
    if cfg.schedule == "written":
        async_copy.wait_group(ahead - 1)
        for step in range(steps):
            with gl.warp_pipeline_stage("load", priority=1):
                x = a_ring.index(step % cfg.slots).load(cfg.operand_a)
                y = b_ring.index(step % cfg.slots).load(cfg.operand_b)
                start_copies(a_ring, b_ring, a, b, step + ahead, N, K, cfg)
            async_copy.wait_group(ahead - 1)
            with gl.warp_pipeline_stage("compute", priority=0):
                acc = mfma(x, y, acc)
    else:
        for step in gl.range(steps, warp_pipeline=cfg.schedule):
            async_copy.wait_group(ahead - 1)
            x = a_ring.index(step % cfg.slots).load(cfg.operand_a)
            y = b_ring.index(step % cfg.slots).load(cfg.operand_b)
            start_copies(a_ring, b_ring, a, b, step + ahead, N, K, cfg)
            acc = mfma(x, y, acc)
    rows = gl.arange(0, cfg.block, layout=gl.SliceLayout(1, cfg.acc))[:, None]
    columns = gl.arange(0, cfg.block, layout=gl.SliceLayout(0, cfg.acc))[None, :]
    gl.store(c + (row + rows) * N + column + columns, acc.to(gl.float16))


@hocket.jit(do_not_specialize=["steps"])
def largest_parts(a, b, c, N, steps, cfg: gl.constexpr, AXIS: gl.constexpr, HOW: gl.constexpr):
    """For each element, the largest part of the sum over K that one k-tile adds. From each part, the maximum along AXIS
    of the previous part is subtracted. Along axis 1, four warps of a group share a row; along axis 0, the two groups
    share a column."""
    a_ring = gl.allocate_shared_memory(gl.float16, [cfg.slots, cfg.block, cfg.block_k], cfg.shared_a)
    b_ring = gl.allocate_shared_memory(gl.float16, [cfg.slots, cfg.block_k, cfg.block], cfg.shared_b)
    acc = gl.zeros([cfg.block, cfg.block], gl.float32, cfg.acc)
    largest = gl.full([cfg.block], 1.0, gl.float32, gl.SliceLayout(AXIS, cfg.acc))
    K = steps * cfg.block_k
    for step in gl.static_range(cfg.slots):
        start_copies(a_ring, b_ring, a, b, step, N, K, cfg)
    for step in gl.range(steps, warp_pipeline=HOW):
        async_copy.wait_group(cfg.slots - 1)
        x = a_ring.index(step % cfg.slots).load(cfg.operand_a)
        y = b_ring.index(step % cfg.slots).load(cfg.operand_b)
        start_copies(a_ring, b_ring, a, b, step + cfg.slots, N, K, cfg)
        part = mfma(x, y, gl.zeros([cfg.block, cfg.block], gl.float32, cfg.acc))
        acc = gl.maximum(acc, part - gl.expand_dims(largest, AXIS))
        largest = gl.max(part, AXIS)
    rows = gl.arange(0, cfg.block, layout=gl.SliceLayout(1, cfg.acc))[:, None]
    columns = gl.arange(0, cfg.block, layout=gl.SliceLayout(0, cfg.acc))[None, :]
    gl.store(c + rows * N + columns, acc)


def matmul(a, b, cfg):
    """Returns a @ b; the arrays may be NumPy arrays, for the emulator."""
    c = np.empty((a.shape[0], b.shape[1]), np.float16)
    grid = (a.shape[0] // cfg.block, b.shape[1] // cfg.block)
    gemm[grid](a, b, c, b.shape[1], a.shape[1], cfg=cfg, num_warps=8)
    return c


def compiled(cfg, target="gfx950", **options):
    """Compiles the kernel for `target`, without a GPU."""
    a, b = np.zeros((1, 4096), np.float16), np.zeros((1, 4096), np.float16)
    return gemm.warmup(a, b, a, 4096, 4096, cfg=cfg, num_warps=8, target=target, **options)


def compiled_parts(cfg, axis, how, **options):
    """Compiles `largest_parts` for gfx950, without a GPU."""
    arguments = gl.float16, gl.float16, gl.float32, 4096, 64
    options |= {"num_warps": 8, "target": "gfx950"}
    return largest_parts.warmup(*arguments, cfg=cfg, AXIS=axis, HOW=how, **options)


def clocks_of(cfg, **options):
    """Clocks of an iteration by the schedule model of the machine code."""
    schedule = compiled(cfg, **options).report().schedule
    assert schedule, "the report on an AMD kernel has a schedule"
    return schedule.clocks


def main():
    print("clocks of an iteration   plain  auto  written")
    for cfg in CONFIGS + REFILLING:
        schedules = (None, "auto") if cfg.refills else (None, "auto", "written")
        clocks = [clocks_of(dataclasses.replace(cfg, schedule=how)) for how in schedules]
        name = f"{cfg.block} x {cfg.block} x {cfg.block_k}, {cfg.slots} slots"
        print(f"{name:<24} {' '.join(f'{each:6.0f}' for each in clocks)}{', refilled' if cfg.refills else ''}")
    print(compiled(CONFIGS[0]).explain_schedule())


if __name__ == "__main__":
    main()
