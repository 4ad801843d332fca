"""gl.range(..., warp_pipeline="auto") on Hopper: loops with wgmma, TMA and mbarriers."""

import hopper_pipelined as example
import hopper_pipelines as kernels
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.nvidia.hopper import tma, warpgroup_mma, warpgroup_mma_wait

ACC = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 64, 16]))
LANES = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [8, 1], [1, 0]))
P = gl.constexpr(gl.DotOperandLayout(0, ACC.value, 2))


@hocket.jit
def places(rows: gl.constexpr, layout: gl.constexpr):
    row = gl.arange(0, rows, layout=gl.SliceLayout(1, layout))
    return row[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def load(producer, desc, k, n):
    slot = producer.acquire(k, k < n)
    tma.async_load(desc, [k * 64, 0], slot.full, slot.buffer, k < n)


@hocket.jit(do_not_specialize=["n"])
def multiply_and_compute(
    desc, out, n, HOW: gl.constexpr, WAITS: gl.constexpr, BRANCH: gl.constexpr, STAGES: gl.constexpr = 1
):
    """A wgmma, and as much arithmetic on its result; the tile of the next iteration is loaded in between."""
    left = gl.allocate_shared_memory(gl.float16, [128, 64], desc.layout, gl.full([128, 64], 0.125, gl.float16, LANES))
    ring = gl.RingBuffer(gl.allocate_shared_memory(gl.float16, [3, 64, 64], desc.layout), consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    total = gl.zeros([128, 64], gl.float32, ACC)
    for k in gl.static_range(2):
        load(producer, desc, k, n)
    for k in gl.range(n, num_stages=STAGES, warp_pipeline=HOW):
        slot = consumer.wait(k)
        scores = gl.zeros([128, 64], gl.float32, ACC)
        scores = warpgroup_mma(left, slot.buffer, scores, is_async=True)
        if WAITS:
            scores = warpgroup_mma_wait(0, deps=[scores])
        if BRANCH:
            if k + 2 < n:
                load(producer, desc, k + 2, n)
        else:
            load(producer, desc, k + 2, n)
        total = gl.exp2(total * 0.25 - scores) + scores
    gl.store(out + places(128, ACC), total)


def multiplied(n, how, seed=0, **options):
    x = np.random.default_rng(n).standard_normal((64 * max(n, 1), 64)).astype(np.float16)
    out = np.zeros((128, 64), np.float32)
    with emulator.target("sm_90a", seed=seed):
        kernel = multiply_and_compute[(1,)](example.descriptor(x, [64, 64]), out, n, HOW=how, num_warps=8, **options)
    return out, kernel.explain_schedule()


@pytest.mark.parametrize("branch", [False, True])
@pytest.mark.parametrize("waits", [False, True])
def test_loops_with_wgmma_and_tma(waits, branch):
    options = {"WAITS": waits, "BRANCH": branch}
    for n in (0, 1, 2, 6):
        expected, _ = multiplied(n, None, **options)
        for seed in range(3):
            out, (loop,) = multiplied(n, "auto", seed, **options)
            assert loop.formed, loop
            np.testing.assert_array_equal(out, expected)
    assert any(stage.exclusive for stage in loop.best.stages)
    assert "exclusive=True" in loop.best.source


def test_written_waits_that_must_be_kept():
    _, (loop,) = multiplied(2, "auto", WAITS=True, BRANCH=False, keep_waits=True)
    assert loop.reason == "keep_waits keeps waits for asynchronous MMAs, but stages need other waits"
    _, (loop,) = multiplied(2, "auto", WAITS=False, BRANCH=False, keep_waits=True)
    assert loop.formed


def test_num_stages_has_no_effect_on_tma_loads():
    """The compiler forms the stages of the loop as it is, and warns that it prefetches no TMA loads."""
    options = {"WAITS": False, "BRANCH": False}
    expected, (plain,) = multiplied(6, "auto", **options)
    with pytest.warns(hocket.CompileWarning, match="its copies complete with phases of an mbarrier"):
        out, (loop,) = multiplied(6, "auto", STAGES=3, **options)
    assert loop.formed and loop.best == plain.best, loop
    np.testing.assert_array_equal(out, expected)
    out, (loop,) = multiplied(6, "auto", num_stages=3, **options)
    assert loop.formed and loop.best == plain.best, loop
    np.testing.assert_array_equal(out, expected)


@pytest.mark.slow
@pytest.mark.parametrize("waits", [False, True])
def test_no_schedule_changes_the_result(waits):
    def launch():
        return multiplied(5, "auto", WAITS=waits, BRANCH=False)[0]

    report = hocket.check(launch, target="sm_90a", schedules=200)
    assert report.ok, report
    assert (len(report.schedules), report.results) == (200, 1)


# Kernels of examples/hopper_pipelined.py ------------------------------------------------------------------------------


def decision(kernel):
    (loop,) = kernel.explain_schedule()
    return loop


def gemm():
    x = np.zeros((256, 256), np.float16)
    tiles = [example.descriptor(x, block) for block in ([128, 64], [64, 256], [128, 256])]
    options = {"STAGES": 4, "GROUP": 8, "FORM": "auto", "num_warps": 8}
    return example.gemm.warmup(*tiles, 256, 256, 256, target="sm_90a", **options)


def attention(size):
    rows = np.zeros((256, size), np.float16)
    tiles = [example.descriptor(rows, block) for block in ([128, size], [size, size], [size, size])]
    return example.attention.warmup(*tiles, rows, 256, 0.125, STAGES=3, FORM="auto", target="sm_90a", num_warps=8)


def test_a_gemm_keeps_no_stages():
    """Its wgmmas are always in flight; the waits at the ends of stages would interrupt them."""
    loop = decision(gemm())
    assert loop.reason == "the expected gain is below the model's error"
    # 128 x 256 x 64 multiply-adds at 2048 in a clock.
    assert loop.plain_clocks == 1024 <= loop.bound <= loop.best.clocks
    assert loop.limit == "matrix"


@pytest.mark.parametrize("size", [64, 128])
def test_attention_gets_the_stages_of_the_written_kernel(size):
    loop = decision(attention(size))
    assert loop.formed, loop
    assert [(stage.label, stage.exclusive) for stage in loop.best.stages] == [("matrix", True), ("vector", False)]
    assert loop.best.slots == []
    assert loop.best.clocks * 1.07 < loop.plain_clocks
    text = str(loop)
    assert 'with gl.warp_pipeline_stage("matrix", exclusive=True):' in text
    assert "slots:" not in text


# Other loops ----------------------------------------------------------------------------------------------------------


@hocket.jit
def by_copies(a, b, out, steps, SLOTS: gl.constexpr, HOW: gl.constexpr):
    """cp.async, two tiles ahead, and wgmma."""
    left = gl.allocate_shared_memory(gl.float16, [SLOTS, 128, 64], kernels.A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [SLOTS, 64, 64], kernels.B_TILE)
    for k in gl.static_range(2):
        kernels.copy_step(a, b, left, right, k, steps, SLOTS)
    acc = gl.zeros([128, 64], gl.float32, ACC)
    for k in gl.range(steps, warp_pipeline=HOW):
        kernels.async_copy.wait_group(1)
        acc = warpgroup_mma(left.index(k % SLOTS), right.index(k % SLOTS), acc)
        kernels.copy_step(a, b, left, right, k + 2, steps, SLOTS)
        acc = acc * 0.5 + 1
    gl.store(out + places(128, ACC), acc)


@pytest.mark.parametrize("slots", [3, 4, 5])
def test_loops_with_wgmma_and_cp_async(slots):
    random = np.random.default_rng(slots)
    for steps in (1, 5):
        a, b = (random.integers(-2, 3, (steps, rows, 64)).astype(np.float16) for rows in (128, 64))
        results = []
        for how, seed in ((None, 0), ("auto", 0), ("auto", 3)):
            out = np.zeros((128, 64), np.float32)
            with emulator.target("sm_90a", seed=seed):
                kernel = by_copies[(1,)](a, b, out, steps, SLOTS=slots, HOW=how, num_warps=8)
            results.append(out)
        np.testing.assert_array_equal(results[1], results[0])
        np.testing.assert_array_equal(results[2], results[0])
    assert slots == 3 or decision(kernel).formed, decision(kernel)


@hocket.jit(do_not_specialize=["n"])
def compute_on_tiles(desc, out, n, HOW: gl.constexpr):
    """No wgmma: lanes read the tiles that TMA loads."""
    ring = gl.RingBuffer(gl.allocate_shared_memory(gl.float16, [3, 64, 64], desc.layout), consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    total = gl.zeros([64, 64], gl.float32, LANES)
    for k in gl.static_range(2):
        load(producer, desc, k, n)
    for k in gl.range(n, warp_pipeline=HOW):
        slot = consumer.wait(k)
        tile = slot.buffer.load(LANES).to(gl.float32)
        load(producer, desc, k + 2, n)
        total = gl.exp2(total * -0.5) + tile
    gl.store(out + places(64, LANES), total)


def test_loops_with_tma_alone():
    for n in (1, 2, 6):
        x = np.random.default_rng(n).standard_normal((64 * n, 64)).astype(np.float16)
        results = []
        for how, seed in ((None, 0), ("auto", 0), ("auto", 1), ("auto", 2)):
            out = np.zeros((64, 64), np.float32)
            with emulator.target("sm_90a", seed=seed):
                kernel = compute_on_tiles[(1,)](example.descriptor(x, [64, 64]), out, n, HOW=how, num_warps=8)
            results.append(out)
        for out in results[1:]:
            np.testing.assert_array_equal(out, results[0])
    assert decision(kernel).formed, decision(kernel)


@hocket.jit
def consume(consumer, left, out, n, HOW: gl.constexpr):
    total = gl.zeros([128, 64], gl.float32, ACC)
    for k in gl.range(n, warp_pipeline=HOW):
        slot = consumer.wait(k)
        scores = warpgroup_mma(left, slot.buffer, gl.zeros([128, 64], gl.float32, ACC))
        consumer.release(k)
        total = gl.exp2(total * 0.25 - scores) + scores
    gl.store(out + places(128, ACC), total)


@hocket.jit
def produce(producer, desc, n):
    for k in range(n):
        load(producer, desc, k, n)


@hocket.jit
def specialized(desc, out, n, HOW: gl.constexpr):
    left = gl.allocate_shared_memory(gl.float16, [128, 64], desc.layout, gl.full([128, 64], 0.125, gl.float16, LANES))
    ring = gl.RingBuffer(gl.allocate_shared_memory(gl.float16, [3, 64, 64], desc.layout), consumers=1)
    gl.warp_specialize(
        [(consume, (ring.consumer(), left, out, n, HOW)), (produce, (ring.producer(), desc, n))], [1], [24]
    )


def test_a_release_follows_the_reads_of_both_groups():
    """The group that arrives for the partition must not release a tile that the other group still reads."""
    n = 6
    x = np.random.default_rng(n).standard_normal((64 * n, 64)).astype(np.float16)
    results = []
    for how, seed in ((None, 0), ("auto", 0), ("auto", 1), ("auto", 2)):
        out = np.zeros((128, 64), np.float32)
        with emulator.target("sm_90a", seed=seed):
            specialized[(1,)](example.descriptor(x, [64, 64]), out, n, HOW=how, num_warps=8)
        results.append(out)
    for out in results[1:]:
        np.testing.assert_array_equal(out, results[0])


@hocket.jit
def three_loops(out, n):
    left = gl.allocate_shared_memory(gl.float16, [128, 64], kernels.A_TILE, gl.full([128, 64], 1, gl.float16, LANES))
    right = gl.allocate_shared_memory(gl.float16, [64, 64], kernels.B_TILE, gl.full([64, 64], 1, gl.float16, LANES))
    acc = gl.zeros([128, 64], gl.float32, ACC)
    for _ in gl.range(n, warp_pipeline="auto", num_stages=2):
        acc = warpgroup_mma(left, right, acc)
    for _ in gl.range(n, warp_pipeline="auto"):
        gl.barrier()
    for _ in gl.range(n, warp_pipeline="auto"):
        acc = warpgroup_mma(left, right, acc)
    gl.store(out + places(128, ACC), acc)


@pytest.mark.filterwarnings("ignore:.*this loop is not prefetched")
def test_the_reports_are_in_the_order_of_the_loops():
    """The compiler decides on the last loop first, because it contains wgmma."""
    loops = three_loops.warmup(gl.float32, 4, num_warps=8, target="sm_90a").explain_schedule()
    assert [loop.reason for loop in loops] == [
        "num_stages and stages cannot be combined in a loop with asynchronous MMAs",
        "the loop contains a barrier",
        "the loop has fewer than two operations on tiles",
    ]
    assert [loop.line for loop in loops] == sorted(loop.line for loop in loops)
