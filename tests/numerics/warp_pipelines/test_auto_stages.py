"""gl.range(..., warp_pipeline="auto"): the stages that the compiler forms give what the plain loop gives."""

import dataclasses

import numpy as np
import pytest
from tiles import COLUMNS, ROWS, SHARED, TARGETS, offsets

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.kernels._matmul.layouts_cdna import direct_copy_layout
from hocket.language import amd
from hocket.language.nvidia.ampere import mma_v2
from hocket.language.nvidia.ampere.async_copy import async_copy_global_to_shared, commit_group, wait_group

ELEMENTS = gl.constexpr(128 * 32)


@dataclasses.dataclass(frozen=True)
class Gemm:
    """Tile and layouts of a GEMM whose tiles are copied straight into LDS."""

    tile: int = 128
    block_k: int = 64
    slots: int = 3
    how: str | None = "auto"
    #: False if the compiler places commits and waits.
    waits: bool = True

    @property
    def acc(self):
        return amd.AMDMFMALayout(4, [32, 32, 16], transposed=True, warps_per_cta=[2, 4])

    @property
    def operands(self):
        return gl.DotOperandLayout(0, self.acc, 8), gl.DotOperandLayout(1, self.acc, 8)

    @property
    def shared(self):
        a, b = self.operands
        rows, columns = [self.tile, self.block_k], [self.block_k, self.tile]
        return (
            amd.cdna4.compute_efficient_padded_shared_layout(a, rows, gl.float16, True),
            amd.cdna4.compute_efficient_padded_shared_layout(b, columns, gl.float16, False),
        )

    @property
    def copies(self):
        return tuple(direct_copy_layout(layout, 16, 8) for layout in self.shared)


@hocket.jit
def start_copies(a_ring, b_ring, a, b, step, K, cfg: gl.constexpr):
    copy_a: gl.constexpr = cfg.copies[0]
    copy_b: gl.constexpr = cfg.copies[1]
    rows = gl.arange(0, cfg.tile, layout=gl.SliceLayout(1, copy_a))
    k_a = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(0, copy_a))
    k_b = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(1, copy_b))
    columns = gl.arange(0, cfg.tile, layout=gl.SliceLayout(0, copy_b))
    offsets_a = rows[:, None] * K + k_a[None, :]
    offsets_b = k_b[:, None] * cfg.tile + columns[None, :]
    left = K - step * cfg.block_k
    slot = step % cfg.slots
    amd.cdna4.async_copy.buffer_load_to_shared(
        a_ring.index(slot), a + step * cfg.block_k, offsets_a, mask=k_a[None, :] + rows[:, None] * 0 < left
    )
    amd.cdna4.async_copy.buffer_load_to_shared(
        b_ring.index(slot),
        b + step * cfg.block_k * cfg.tile,
        offsets_b,
        mask=k_b[:, None] + columns[None, :] * 0 < left,
    )
    if cfg.waits:
        amd.cdna4.async_copy.commit_group()


@hocket.jit
def gemm_by_copies(a, b, c, K, cfg: gl.constexpr):
    a_ring = gl.allocate_shared_memory(gl.float16, [cfg.slots, cfg.tile, cfg.block_k], cfg.shared[0])
    b_ring = gl.allocate_shared_memory(gl.float16, [cfg.slots, cfg.block_k, cfg.tile], cfg.shared[1])
    acc = gl.zeros([cfg.tile, cfg.tile], gl.float32, cfg.acc)
    for step in gl.static_range(cfg.slots - 1):
        start_copies(a_ring, b_ring, a, b, step, K, cfg)
    for step in gl.range(K // cfg.block_k, warp_pipeline=cfg.how):
        if cfg.waits:
            amd.cdna4.async_copy.wait_group(cfg.slots - 2)
        x = a_ring.index(step % cfg.slots).load(cfg.operands[0])
        y = b_ring.index(step % cfg.slots).load(cfg.operands[1])
        start_copies(a_ring, b_ring, a, b, step + cfg.slots - 1, K, cfg)
        acc = amd.cdna4.mfma(x, y, acc)
    rows = gl.arange(0, cfg.tile, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.tile, layout=gl.SliceLayout(0, cfg.acc))
    gl.store(c + rows[:, None] * cfg.tile + columns[None, :], acc)


def gemm_arguments(steps, cfg, seed=0):
    random = np.random.default_rng(seed)
    K = cfg.block_k * max(steps, 1)
    a = random.standard_normal((cfg.tile, K)).astype(np.float16)
    b = random.standard_normal((K, cfg.tile)).astype(np.float16)
    return a, b, np.full((cfg.tile, cfg.tile), -1, np.float32), cfg.block_k * steps


def explained(cfg, target="gfx950"):
    kernel = gemm_by_copies.warmup(*gemm_arguments(4, cfg), cfg=cfg, num_warps=8, target=target)
    return kernel.explain_schedule()


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("slots", [2, 3, 4])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_gemm_with_copies_into_lds(steps, slots, waits):
    cfg = Gemm(slots=slots, waits=waits)
    for seed in range(3):
        *operands, plain, K = gemm_arguments(steps, cfg, seed)
        staged = plain.copy()
        with emulator.target("gfx950"), emulator.schedule(seed=seed):
            gemm_by_copies[(1,)](*operands, plain, K, cfg=dataclasses.replace(cfg, how=None), num_warps=8)
            gemm_by_copies[(1,)](*operands, staged, K, cfg=cfg, num_warps=8)
        np.testing.assert_array_equal(staged, plain)


def test_the_stages_of_a_gemm_are_those_of_the_written_kernel():
    for waits in (True, False):
        (loop,) = explained(Gemm(tile=256, block_k=32, waits=waits))
        check_stages_of_gemm(loop)


def check_stages_of_gemm(loop):
    assert loop.formed, loop
    assert [stage.label for stage in loop.best.stages] == ["memory", "matrix"], loop
    assert [stage.priority for stage in loop.best.stages] == [1, 0]
    assert loop.best.stages[1].wait == 1
    assert loop.limit == "matrix"
    assert loop.bound <= loop.best.clocks < loop.plain_clocks


@hocket.jit
def through_registers(x, y, n, SLOTS: gl.constexpr, HOW: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    place = offsets(ROWS)
    ring.index(0).store(gl.load(x + place))
    for k in gl.range(n, warp_pipeline=HOW):
        tile = gl.load(x + (k + 1) * ELEMENTS + place, mask=place < (n - 1 - k) * ELEMENTS, other=0)
        v = ring.index(k % SLOTS).load(COLUMNS)
        for _ in gl.static_range(8):
            acc = gl.exp2(acc * 0.5) + v
        ring.index((k + 1) % SLOTS).store(tile)
    gl.store(y + offsets(COLUMNS), acc)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("slots", [1, 2, 3])
def test_tiles_through_registers(target, slots):
    for n in (0, 1, 2, 5):
        x = np.random.default_rng(n).standard_normal((n + 1, 128, 32), dtype=np.float32)
        results = []
        for how in (None, "auto"):
            for seed in range(2):
                y = np.full((128, 32), -1, np.float32)
                with emulator.target(target), emulator.schedule(seed=seed):
                    through_registers[(1,)](x, y, n, SLOTS=slots, HOW=how, num_warps=8)
                results.append(y)
        for y in results[1:]:
            np.testing.assert_array_equal(y, results[0])


@hocket.jit
def load_tile(x, step, steps, rows: gl.constexpr, columns: gl.constexpr, stride, step_stride, layout: gl.constexpr):
    row = gl.arange(0, rows, layout=gl.SliceLayout(1, layout))[:, None]
    column = gl.arange(0, columns, layout=gl.SliceLayout(0, layout))[None, :]
    place = row * stride + column
    # Not masked: a stage would wait for loads that replace the elements that are masked off.
    return gl.load(x + min(step, steps - 1) * step_stride + place)


@hocket.jit
def gemm_through_registers(
    a, b, c, steps, SLOTS: gl.constexpr, VERSION: gl.constexpr, TILE: gl.constexpr, HOW: gl.constexpr
):
    """Tiles pass through registers: loaded two iterations ahead, stored to LDS one iteration ahead."""
    mfma: gl.constexpr = amd.AMDMFMALayout(
        VERSION, [32, 32, 8 if VERSION == 3 else 16], transposed=True, warps_per_cta=[2, 4]
    )
    operand_a: gl.constexpr = gl.DotOperandLayout(0, mfma, 8)
    operand_b: gl.constexpr = gl.DotOperandLayout(1, mfma, 8)
    of_a: gl.constexpr = gl.BlockedLayout([1, 8], [16, 4], [8, 1], [1, 0])
    of_b: gl.constexpr = gl.BlockedLayout([1, 8], [2, 32], [8, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    a_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, TILE, 32], shared)
    b_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, 32, TILE], shared)
    K = steps * 32
    acc = gl.zeros([TILE, TILE], gl.float32, mfma)
    a_ring.index(0).store(load_tile(a, 0, steps, TILE, 32, K, 32, of_a))
    b_ring.index(0).store(load_tile(b, 0, steps, 32, TILE, TILE, 32 * TILE, of_b))
    a_next = load_tile(a, 1, steps, TILE, 32, K, 32, of_a)
    b_next = load_tile(b, 1, steps, 32, TILE, TILE, 32 * TILE, of_b)
    for step in gl.range(steps, warp_pipeline=HOW):
        x = a_ring.index(step % SLOTS).load(operand_a)
        y = b_ring.index(step % SLOTS).load(operand_b)
        a_ring.index((step + 1) % SLOTS).store(a_next)
        b_ring.index((step + 1) % SLOTS).store(b_next)
        a_next = load_tile(a, step + 2, steps, TILE, 32, K, 32, of_a)
        b_next = load_tile(b, step + 2, steps, 32, TILE, TILE, 32 * TILE, of_b)
        acc = amd.cdna3.mfma(x, y, acc)
    rows = gl.arange(0, TILE, layout=gl.SliceLayout(1, mfma))
    columns = gl.arange(0, TILE, layout=gl.SliceLayout(0, mfma))
    gl.store(c + rows[:, None] * TILE + columns[None, :], acc)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("slots", [2, 3])
def test_gemm_through_registers(target, slots):
    tile, version = (128, 3) if target == "gfx942" else (256, 4)
    random = np.random.default_rng(slots)
    for steps in (1, 4):
        a = random.standard_normal((tile, 32 * steps)).astype(np.float16)
        b = random.standard_normal((32 * steps, tile)).astype(np.float16)
        results = []
        for how, seed in ((None, 0), ("auto", 0), ("auto", 1)):
            c = np.full((tile, tile), -1, np.float32)
            options = {"SLOTS": slots, "VERSION": version, "TILE": tile, "HOW": how, "num_warps": 8}
            with emulator.target(target), emulator.schedule(seed=seed):
                gemm_through_registers[(1,)](a, b, c, steps, **options)
            results.append(c)
        np.testing.assert_array_equal(results[1], results[0])
        np.testing.assert_array_equal(results[2], results[0])
    # By the estimate, stages are faster; by the schedule model of the machine code, they are not, because loads wait
    # for addresses and for each other.
    (loop,) = gemm_through_registers.warmup(a, b, c, 4, target=target, **options).explain_schedule()
    assert not loop.formed, loop
    assert loop.reason == "by the schedule model of the machine code, the gain of stages is too small"


@hocket.jit
def gemm_with_num_stages(a, b, c, K, cfg: gl.constexpr, STAGES: gl.constexpr):
    """Each iteration copies, waits and reads: the compiler makes the ring buffers and the stages."""
    a_ring = gl.allocate_shared_memory(gl.float16, [1, cfg.tile, cfg.block_k], cfg.shared[0])
    b_ring = gl.allocate_shared_memory(gl.float16, [1, cfg.block_k, cfg.tile], cfg.shared[1])
    acc = gl.zeros([cfg.tile, cfg.tile], gl.float32, cfg.acc)
    for step in gl.range(K // cfg.block_k, num_stages=STAGES, warp_pipeline=cfg.how):
        start_copies(a_ring, b_ring, a, b, step, K, cfg)
        amd.cdna4.async_copy.wait_group(0)
        x = a_ring.index(0).load(cfg.operands[0])
        y = b_ring.index(0).load(cfg.operands[1])
        acc = amd.cdna4.mfma(x, y, acc)
    rows = gl.arange(0, cfg.tile, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.tile, layout=gl.SliceLayout(0, cfg.acc))
    gl.store(c + rows[:, None] * cfg.tile + columns[None, :], acc)


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_gemm_with_num_stages(stages):
    cfg = Gemm(slots=1, block_k=32)
    for steps in (0, 1, 2, 6):
        *operands, plain, K = gemm_arguments(steps, cfg, steps)
        staged = plain.copy()
        for seed in range(2):
            with emulator.target("gfx950"), emulator.schedule(seed=seed):
                unstaged = dataclasses.replace(cfg, how=None)
                gemm_with_num_stages[(1,)](*operands, plain, K, cfg=unstaged, STAGES=1, num_warps=8)
                gemm_with_num_stages[(1,)](*operands, staged, K, cfg=cfg, STAGES=stages, num_warps=8)
            np.testing.assert_array_equal(staged, plain)
    large = Gemm(tile=256, block_k=32, slots=1)
    kernel = gemm_with_num_stages.warmup(*gemm_arguments(8, large), cfg=large, STAGES=3, num_warps=8, target="gfx950")
    (loop,) = kernel.explain_schedule()
    assert loop.formed and loop.limit == "matrix", loop
    assert loop.bound <= loop.best.clocks < loop.plain_clocks
    # One of the two loops is for few iterations, without prefetching. The choice makes the other one faster.
    report = kernel.report()
    without = gemm_with_num_stages.warmup(
        *gemm_arguments(8, large), cfg=large, STAGES=3, num_warps=8, target="gfx950", stage_choice=1
    ).report()
    fastest = [min(each.schedule_of(loop).clocks for loop in each.loops) for each in (report, without)]
    assert fastest[0] < fastest[1]


MMA_SYNC = gl.constexpr(gl.NVMMADistributedLayout([2, 0], [2, 4], [16, 8]))
ROWS_OF_A = gl.constexpr(gl.BlockedLayout([1, 8], [8, 4], [8, 1], [1, 0]))
ROWS_OF_B = gl.constexpr(gl.BlockedLayout([1, 8], [2, 16], [8, 1], [1, 0]))


@hocket.jit
def start_cp_async(a_ring, b_ring, a, b, step, steps, SLOTS: gl.constexpr):
    row_a = gl.arange(0, 128, layout=gl.SliceLayout(1, ROWS_OF_A))[:, None]
    k_a = gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS_OF_A))[None, :]
    k_b = gl.arange(0, 32, layout=gl.SliceLayout(1, ROWS_OF_B))[:, None]
    column_b = gl.arange(0, 128, layout=gl.SliceLayout(0, ROWS_OF_B))[None, :]
    from_a = a + step * 32 + row_a * (steps * 32) + k_a
    from_b = b + step * 32 * 128 + k_b * 128 + column_b
    async_copy_global_to_shared(a_ring.index(step % SLOTS), from_a, mask=row_a * 0 + k_a * 0 + step < steps)
    async_copy_global_to_shared(b_ring.index(step % SLOTS), from_b, mask=k_b * 0 + column_b * 0 + step < steps)
    commit_group()


@hocket.jit
def gemm_by_mma_sync(a, b, c, steps, SLOTS: gl.constexpr, HOW: gl.constexpr):
    operand_a: gl.constexpr = gl.DotOperandLayout(0, MMA_SYNC, 2)
    operand_b: gl.constexpr = gl.DotOperandLayout(1, MMA_SYNC, 2)
    a_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, 128, 32], gl.SwizzledSharedLayout(8, 2, 4, [1, 0]))
    b_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, 32, 128], gl.SwizzledSharedLayout(8, 1, 8, [1, 0]))
    acc = gl.zeros([128, 128], gl.float32, MMA_SYNC)
    for step in gl.static_range(SLOTS - 1):
        start_cp_async(a_ring, b_ring, a, b, step, steps, SLOTS)
    for step in gl.range(steps, warp_pipeline=HOW):
        wait_group(SLOTS - 2)
        x = a_ring.index(step % SLOTS).load(operand_a)
        y = b_ring.index(step % SLOTS).load(operand_b)
        start_cp_async(a_ring, b_ring, a, b, step + SLOTS - 1, steps, SLOTS)
        acc = mma_v2(x, y, acc)
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, MMA_SYNC))[:, None]
    columns = gl.arange(0, 128, layout=gl.SliceLayout(0, MMA_SYNC))[None, :]
    gl.store(c + rows * 128 + columns, acc)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_gemm_with_mma_sync_and_cp_async(target):
    random = np.random.default_rng(7)
    for steps in (1, 5):
        a = random.standard_normal((128, 32 * steps)).astype(np.float16)
        b = random.standard_normal((32 * steps, 128)).astype(np.float16)
        results = []
        for how, seed in ((None, 0), ("auto", 0), ("auto", 3)):
            c = np.full((128, 128), -1, np.float32)
            with emulator.target(target), emulator.schedule(seed=seed):
                gemm_by_mma_sync[(1,)](a, b, c, steps, SLOTS=4, HOW=how, num_warps=8)
            results.append(c)
        np.testing.assert_array_equal(results[1], results[0])
        np.testing.assert_array_equal(results[2], results[0])
    (loop,) = gemm_by_mma_sync.warmup(a, b, c, 5, SLOTS=4, HOW="auto", num_warps=8, target=target).explain_schedule()
    assert loop.formed, loop
    assert loop.best.stages[0].priority is None
