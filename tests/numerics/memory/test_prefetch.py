"""Prefetched loops give the same bits as plain ones, for any number of iterations."""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.amd import cdna3
from hocket.language.amd.cdna4 import async_copy

EVERY_TARGET = ["sm_80", "sm_90a", "gfx942", "gfx950"]
#: All loops of these tests are prefetched.
pytestmark = pytest.mark.usefixtures("no_compile_warnings")
# With 16 elements along K per iteration: 0, 1, 2, 3 and 7 iterations, the last one whole or ragged.
LENGTHS = [0, 1, 16, 17, 32, 40, 48, 112, 103]


@hocket.jit
def matmul(a, b, c, M, N, K, BK: gl.constexpr, STAGES: gl.constexpr, SLOTS: gl.constexpr):
    """Tiles of 64 x 64. SLOTS: 0 for separate buffers, else the number of slots of a ring that the program indexes."""
    lanes: gl.constexpr = gl.num_lanes()
    acc_layout: gl.constexpr = gl.BlockedLayout([4, 4], [lanes // 8, 8], [gl.num_warps(), 1], [1, 0])
    load_a: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 4, 4], [gl.num_warps(), 1], [1, 0])
    load_b: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 16, 16], [gl.num_warps(), 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, load_a))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, load_b))
    k_a = gl.arange(0, BK, layout=gl.SliceLayout(0, load_a))
    k_b = gl.arange(0, BK, layout=gl.SliceLayout(1, load_b))
    ring: gl.constexpr = [SLOTS] if SLOTS else []
    a_ring = gl.allocate_shared_memory(gl.float32, [*ring, 64, BK], shared)
    b_ring = gl.allocate_shared_memory(gl.float32, [*ring, BK, 64], shared)
    acc = gl.zeros([64, 64], gl.float32, acc_layout)
    for k in gl.range(0, K, BK, num_stages=STAGES):
        a_tile, b_tile = a_ring, b_ring
        if SLOTS:
            a_tile, b_tile = a_ring.index(k // BK % SLOTS), b_ring.index(k // BK % SLOTS)
        mask_a = (rows < M)[:, None] & (k + k_a < K)[None, :]
        mask_b = (k + k_b < K)[:, None] & (columns < N)[None, :]
        a_tile.store(gl.load(a + rows[:, None] * K + (k + k_a)[None, :], mask=mask_a, other=0).to(gl.float32))
        b_tile.store(gl.load(b + (k + k_b)[:, None] * N + columns[None, :], mask=mask_b, other=0).to(gl.float32))
        left = a_tile.load(gl.DotOperandLayout(0, acc_layout, 0))
        acc = gl.dot_fma(left, b_tile.load(gl.DotOperandLayout(1, acc_layout, 0)), acc)
    out_rows = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, acc_layout))
    out_columns = gl.arange(0, 64, layout=gl.SliceLayout(0, acc_layout))
    mask = (out_rows < M)[:, None] & (out_columns < N)[None, :]
    gl.store(c + out_rows[:, None] * N + out_columns[None, :], acc, mask=mask)


def run_matmul(a, b, stages, slots=0, **options):
    (m, k), n = a.shape, b.shape[1]
    c = np.full((m, n), np.nan, np.float32)
    matmul[(2,)](a, b, c, m, n, k, BK=16, STAGES=stages, SLOTS=slots, num_warps=4, **options)
    return c


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("target", EVERY_TARGET)
def test_copies_through_registers(target, length):
    rng = np.random.default_rng(length)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((70, length), (length, 40)))
    with emulator.target(target):
        plain = run_matmul(a, b, 1)
        prefetched = [run_matmul(a, b, stages, slots) for stages in (2, 3) for slots in (0, 2)]
        for_all_loops = run_matmul(a, b, None, num_stages=2)
    np.testing.assert_allclose(plain, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-5, atol=1e-5)
    for result in (*prefetched, for_all_loops):
        assert result.tobytes() == plain.tobytes()


@pytest.mark.parametrize("stages", [2, 3])
def test_all_targets_agree(stages):
    """Products are added in the same order everywhere."""
    rng = np.random.default_rng(stages)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((70, 103), (103, 40)))
    results = []
    for target in EVERY_TARGET:
        with emulator.target(target):
            results.append(run_matmul(a, b, stages).tobytes())
    assert results == results[:1] * len(EVERY_TARGET)


@hocket.jit
def indirect(table, x, out, n, STAGES: gl.constexpr):
    """A pointer that moves, tiles at addresses that are loaded themselves, and a result of what was loaded last."""
    layout: gl.constexpr = gl.row_layout()
    turned: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, 256, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    total = gl.zeros([256], gl.float32, turned)
    last = gl.zeros([256], gl.float32, layout)
    for _ in gl.range(n, num_stages=STAGES):
        values = gl.load(x + gl.load(table) * 256 + i)
        tile.store(values * 2)
        total = total * 0.5 + tile.load(turned)
        last = values
        table += 1
    gl.store(out + gl.arange(0, 256, layout=turned), total)
    gl.store(out + 256 + i, last)


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 4, 9])
def test_what_the_loop_carries(device, trips):
    rng = np.random.default_rng(trips)
    table, x = rng.permutation(9).astype(np.int32), rng.standard_normal((9, 256), dtype=np.float32)
    outs = []
    for stages in (1, 2, 3):
        out = device.to_device(np.full((2, 256), np.nan, np.float32))
        indirect[(1,)](device.to_device(table), device.to_device(x), out, trips, STAGES=stages)
        outs.append(device.to_host(out))
    if trips:
        np.testing.assert_array_equal(outs[0][1], x[table[trips - 1]])
    assert outs[0].tobytes() == outs[1].tobytes() == outs[2].tobytes()


@hocket.jit
def async_sum(x, out, n, SLOTS: gl.constexpr, STAGES: gl.constexpr):
    copied: gl.constexpr = gl.BlockedLayout([1, 1], [1, 64], [4, 1], [1, 0])
    read: gl.constexpr = gl.BlockedLayout([4, 1], [16, 4], [1, 4], [0, 1])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    offsets = gl.arange(0, 16, layout=gl.SliceLayout(1, copied))[:, None] * 64
    offsets += gl.arange(0, 64, layout=gl.SliceLayout(0, copied))[None, :]
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 16, 64], shared)
    second = gl.allocate_shared_memory(gl.float32, [16, 64], shared)
    total = gl.zeros([16, 64], gl.float32, read)
    for k in gl.range(n, num_stages=STAGES):
        tile = ring.index(k % SLOTS)
        async_copy.buffer_load_to_shared(tile, x, offsets + k * 1024)
        async_copy.commit_group()
        async_copy.global_load_to_shared(second, x + offsets + k * 1024)
        async_copy.commit_group()
        async_copy.wait_group(1)
        total = total * 0.5 + tile.load(read)
        async_copy.wait_group(0)
        total = total * 0.5 + second.load(read)
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, read))[:, None]
    cdna3.buffer_store(total, out, rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, read))[None, :])


@pytest.mark.parametrize("completion", ["late", "random"])
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 4, 7])
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_asynchronous_copies(target, trips, completion):
    x = np.random.default_rng(trips).standard_normal((7, 16, 64), dtype=np.float32)
    outs = []
    for stages in (1, 2, 3, 4):
        for slots in (1, 3):
            out = np.full((16, 64), np.nan, np.float32)
            with emulator.target(target, completion=completion, seed=stages):
                async_sum[(1,)](x, out, trips, SLOTS=slots, STAGES=stages, num_warps=4)
            outs.append(out)
    expected = np.zeros((16, 64), np.float32)
    for tile in x[:trips]:
        expected = (expected * 0.5 + tile) * 0.5 + tile
    np.testing.assert_allclose(outs[0], expected, rtol=1e-5, atol=1e-6)
    assert len({out.tobytes() for out in outs}) == 1


@hocket.jit
def sums_of_rows(x, out, rows, n, STAGES: gl.constexpr):
    """A loop in a loop: the buffers are filled again while slow warps may still read what the inner loop left."""
    layout: gl.constexpr = gl.row_layout()
    turned: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, 256, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    for row in range(rows):
        total = gl.zeros([256], gl.float32, turned)
        for k in gl.range(n, num_stages=STAGES):
            tile.store(gl.load(x + (row * n + k) * 256 + i))
            total = total * 0.5 + tile.load(turned)
        gl.store(out + row * 256 + gl.arange(0, 256, layout=turned), total)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("trips", [0, 1, 2, 5])
def test_a_loop_in_a_loop(device, trips, seed):
    x = np.random.default_rng(trips).standard_normal((3, max(trips, 1), 256), dtype=np.float32)
    outs = []
    for stages in (1, 2, 3):
        out = device.to_device(np.full((3, 256), np.nan, np.float32))
        with emulator.schedule(seed=seed):
            sums_of_rows[(1,)](device.to_device(x), out, 3, trips, STAGES=stages)
        outs.append(device.to_host(out))
    expected = np.zeros((3, 256), np.float32)
    for k in range(trips):
        expected = expected * 0.5 + x[:, k]
    np.testing.assert_allclose(outs[0], expected, rtol=1e-5, atol=1e-5)
    assert outs[0].tobytes() == outs[1].tobytes() == outs[2].tobytes()


@hocket.jit
def sum_in_branches(x, out, n, IS_USED_INSIDE: gl.constexpr, STAGES: gl.constexpr):
    """Copies in branches: a tile keeps its values while no branch copies to it."""
    layout: gl.constexpr = gl.row_layout()
    turned: gl.constexpr = gl.row_layout(4)
    i = gl.arange(0, 256, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    total = gl.zeros([256], gl.float32, turned)
    for k in gl.range(n, num_stages=STAGES):
        if k % 3 != 1:
            tile.store(gl.load(x + k * 256 + i) * 2)
            if IS_USED_INSIDE:
                total = total * 0.5 + tile.load(turned)
        elif k % 2 == 1:
            tile.store(gl.load(x + k * 256 + i))
        if not IS_USED_INSIDE:
            total = total * 0.5 + tile.load(turned)
    gl.store(out + gl.arange(0, 256, layout=turned), total)


@pytest.mark.parametrize("is_used_inside", [False, True])
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 5, 9])
def test_copies_in_branches(device, trips, is_used_inside):
    x = np.random.default_rng(trips).standard_normal((9, 256), dtype=np.float32)
    outs = []
    for stages in (1, 2, 3):
        out = device.to_device(np.full(256, np.nan, np.float32))
        sum_in_branches[(1,)](device.to_device(x), out, trips, IS_USED_INSIDE=is_used_inside, STAGES=stages)
        outs.append(device.to_host(out))
    expected, tile = np.zeros(256, np.float32), None
    for k in range(trips):
        is_first = k % 3 != 1
        tile = x[k] * 2 if is_first else x[k] if k % 2 == 1 else tile
        if is_first or not is_used_inside:
            expected = expected * np.float32(0.5) + tile
    assert outs[0].tobytes() == expected.tobytes()
    assert outs[0].tobytes() == outs[1].tobytes() == outs[2].tobytes()
