"""wgmmas of one `a` with adjacent slots of a ring become one instruction for all columns, with equal results."""

import re

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.language.nvidia import hopper

ELEMENTS = {
    "float16": (gl.float16, np.float16),
    "bfloat16": (gl.bfloat16, ml_dtypes.bfloat16),
    "float32": (gl.float32, np.float32),
    "float8": (gl.float8e5, ml_dtypes.float8_e5m2),
    "int8": (gl.int8, np.int8),
}


@hocket.jit
def side_by_side(a, b, out, K: gl.constexpr, COLUMNS: gl.constexpr, COUNT: gl.constexpr, TURNED: gl.constexpr,
                 IN_REGISTERS: gl.constexpr, DTYPE: gl.constexpr, WAITS: gl.constexpr):  # fmt: skip
    """Computes out = a x b in two k-tiles, with COUNT times COLUMNS columns; `b` is transposed if TURNED. With WAITS,
    each wgmma is a commit group; otherwise the compiler inserts the waits, and one group per k-tile suffices."""
    M: gl.constexpr = 16 * gl.num_warps()
    sums: gl.constexpr = gl.int32 if DTYPE == gl.int8 else gl.float32
    step: gl.constexpr = 256 // DTYPE.primitive_bitwidth
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, COLUMNS, step])
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [gl.num_warps(), 1], [1, 0])
    block: gl.constexpr = [COLUMNS, K] if TURNED else [K, COLUMNS]
    a_smem = gl.allocate_shared_memory(DTYPE, [M, K], gl.NVMMASharedLayout.get_default_for([M, K], DTYPE))
    ring = gl.allocate_shared_memory(DTYPE, [2 * COUNT, *block], gl.NVMMASharedLayout.get_default_for(block, DTYPE))
    accs = [gl.zeros([M, COLUMNS], sums, acc_layout) for _ in range(COUNT)]
    down = gl.arange(0, M, layout=gl.SliceLayout(1, rows))[:, None]
    along = gl.arange(0, K, layout=gl.SliceLayout(0, rows))[None, :]
    b_down = gl.arange(0, block[0], layout=gl.SliceLayout(1, rows))[:, None]
    b_along = gl.arange(0, block[1], layout=gl.SliceLayout(0, rows))[None, :]
    for k in range(2):
        if WAITS:
            accs = hopper.warpgroup_mma_wait(0, deps=accs)
        a_smem.store(gl.load(a + down * 2 * K + k * K + along))
        first = k % 2 * COUNT
        for side in gl.static_range(COUNT):
            if TURNED:
                part = gl.load(b + (side * COLUMNS + b_down) * 2 * K + k * K + b_along)
            else:
                part = gl.load(b + (k * K + b_down) * COUNT * COLUMNS + side * COLUMNS + b_along)
            ring.index(first + side).store(part)
        left = a_smem
        if IN_REGISTERS:
            left = a_smem.load(gl.DotOperandLayout(0, acc_layout, 32 // DTYPE.primitive_bitwidth))
        parts = [ring.index(first + side) for side in range(COUNT)]
        if TURNED:
            parts = [part.permute([1, 0]) for part in parts]
        accs = [
            hopper.warpgroup_mma(left, parts[side], accs[side], use_acc=k > 0, is_async=True) for side in range(COUNT)
        ]
    if WAITS:
        accs = hopper.warpgroup_mma_wait(0, deps=accs)
    out_down = gl.arange(0, M, layout=gl.SliceLayout(1, acc_layout))[:, None]
    out_along = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, acc_layout))[None, :]
    for side in gl.static_range(COUNT):
        gl.store(out + out_down * COUNT * COLUMNS + side * COLUMNS + out_along, accs[side])


def run(device, columns, count, dtype="float16", turned=False, in_registers=False, depth=64, waits=True, num_warps=4):
    kind, numpy_kind = ELEMENTS[dtype]
    rng = np.random.default_rng(columns + count)
    a, b = (
        rng.integers(-8, 8, shape).astype(numpy_kind)
        for shape in ((16 * num_warps, 2 * depth), (2 * depth, count * columns))
    )
    sums = np.int32 if dtype == "int8" else np.float32
    out = device.to_device(np.zeros((16 * num_warps, count * columns), sums))
    operands = device.to_device(a), device.to_device(np.ascontiguousarray(b.T) if turned else b)
    compiled = side_by_side[(1,)](
        *operands, out, depth, columns, count, turned, in_registers, kind, waits, num_warps=num_warps
    )
    # Small integers: exact in every dtype and order.
    np.testing.assert_array_equal(device.to_host(out), a.astype(sums) @ b.astype(sums))
    return compiled.asm["ptx"]


def widths(ptx):
    """Returns the columns of the wgmmas of one commit group: four along K each. (LLVM unrolls the loop.)"""
    found = [int(n) for n in re.findall(r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k", ptx)]
    groups = len(re.findall(r"wgmma\.commit_group", ptx))
    assert len(found) % (4 * groups) == 0
    return found[: len(found) // groups : 4]


@pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("columns, count", [(64, 3), (64, 2), (64, 4), (128, 2), (32, 3), (16, 5), (8, 3), (8, 7)])
def test_columns_are_one_instructions(hopper_device, columns, count, turned):
    assert widths(run(hopper_device, columns, count, turned=turned)) == [columns * count]


@pytest.mark.parametrize("dtype, depth", [("bfloat16", 64), ("float32", 32), ("float8", 128), ("int8", 128)])
@pytest.mark.parametrize("columns, count", [(64, 3), (16, 3)])
def test_every_dtype(hopper_device, dtype, depth, columns, count):
    assert widths(run(hopper_device, columns, count, dtype, turned=True, depth=depth)) == [columns * count]


@pytest.mark.parametrize("waits", [False, True])
def test_integers_have_fewer_widths(hopper_device, waits):
    assert widths(run(hopper_device, 8, 3, "int8", turned=True, depth=128, waits=waits)) == [24]


def test_what_an_instruction_has_no_columns_for(hopper_device):
    assert widths(run(hopper_device, 128, 3, waits=False)) == [256, 128]
    assert widths(run(hopper_device, 8, 5, "int8", turned=True, depth=128, waits=False)) == [32, 8]


def test_waits_that_count_other_groups_keep_products_apart(hopper_device):
    """Two of the three could be one group then, the third another: waits would have to count both as one, and one."""
    ptx = run(hopper_device, 128, 3)
    assert set(re.findall(r"m64n(\d+)k", ptx)) == {"128"}


@pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
def test_a_in_registers(hopper_device, turned):
    assert widths(run(hopper_device, 64, 3, turned=turned, in_registers=True)) == [192]


@pytest.mark.parametrize("in_registers", [False, True], ids=["shared", "registers"])
def test_two_warpgroups(hopper_device, in_registers):
    assert widths(run(hopper_device, 64, 3, turned=True, in_registers=in_registers, num_warps=8)) == [192]


@hocket.jit
def ring_of_slots(a, b, out, steps, COUNT: gl.constexpr, SLOTS: gl.constexpr, LEFT: gl.constexpr):
    """out = a x b, 64 columns COUNT times, in steps of 32, of which SLOTS are in shared memory at a time."""
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    a_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 32], gl.float16)
    b_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([32, 64], gl.float16)
    a_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, 64, 32], a_layout)
    b_ring = gl.allocate_shared_memory(gl.float16, [SLOTS * COUNT, 32, 64], b_layout)
    accs = [gl.zeros([64, 64], gl.float32, acc_layout) for _ in range(COUNT)]
    i, j = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))[:, None], gl.arange(0, 32, layout=gl.SliceLayout(1, rows))
    narrow = gl.arange(0, 32, layout=gl.SliceLayout(0, rows))[None, :]
    wide = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))[None, :]
    for k in range(steps):
        slot = k % SLOTS
        accs = hopper.warpgroup_mma_wait(LEFT, deps=accs)
        a_ring.index(slot).store(gl.load(a + i * steps * 32 + k * 32 + narrow))
        for side in gl.static_range(COUNT):
            part = gl.load(b + (k * 32 + j[:, None]) * 64 * COUNT + side * 64 + wide)
            b_ring.index(slot * COUNT + side).store(part)
        left = a_ring.index(slot)
        accs = [
            hopper.warpgroup_mma(left, b_ring.index(slot * COUNT + side), accs[side], use_acc=k > 0, is_async=True)
            for side in range(COUNT)
        ]
    accs = hopper.warpgroup_mma_wait(0, deps=accs)
    down = gl.arange(0, 64, layout=gl.SliceLayout(1, acc_layout))[:, None]
    along = gl.arange(0, 64, layout=gl.SliceLayout(0, acc_layout))[None, :]
    for side in gl.static_range(COUNT):
        gl.store(out + down * COUNT * 64 + side * 64 + along, accs[side])


@hocket.jit
def ring_of_known_length(a, b, out, STEPS: gl.constexpr, COUNT: gl.constexpr, SLOTS: gl.constexpr, LEFT: gl.constexpr):
    ring_of_slots(a, b, out, STEPS, COUNT, SLOTS, LEFT)


@pytest.mark.parametrize("count, slots", [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)])
def test_waits_count_what_is_joined(hopper_device, count, slots):
    """The wait in the loop leaves in flight the wgmmas of all slots except the one that is written next: a commit group
    per slot."""
    steps, most = 7, (slots - 1) * count
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-8, 8, shape).astype(np.float16) for shape in ((64, steps * 32), (steps * 32, count * 64)))
    for left in range(most + 1):
        out = hopper_device.to_device(np.zeros((64, count * 64), np.float32))
        operands = hopper_device.to_device(a), hopper_device.to_device(b)
        compiled = ring_of_slots[(1,)](*operands, out, steps, count, slots, left)
        np.testing.assert_array_equal(hopper_device.to_host(out), a.astype(np.float32) @ b.astype(np.float32))
        assert set(re.findall(r"wgmma\.wait_group\.sync\.aligned\s+(\d)", compiled.asm["ptx"])) == {str(slots - 1), "0"}
    with pytest.raises(hocket.CompileError, match="warpgroup_mma_wait"):
        ring_of_known_length[(1,)](*operands, out, steps, count, slots, most + 1)


@pytest.mark.parametrize("count, slots", [(2, 2), (3, 3)])
def test_a_ring_of_any_length_is_checked_when_it_runs(count, slots):
    """The loop may run no more often than the ring has slots, so the compiler cannot refuse the wait."""
    a, b = np.ones((64, 7 * 32), np.float16), np.ones((7 * 32, count * 64), np.float16)
    with hocket.emulator.target("sm_90a"), pytest.raises(hocket.errors.RaceError, match="may still read it"):
        ring_of_slots[(1,)](a, b, np.zeros((64, count * 64), np.float32), 7, count, slots, (slots - 1) * count + 1)


@hocket.jit
def exponentials_under_the_second(x, out, WAITS: gl.constexpr):
    """Computes out = softmax(x0 x0) + x0 x1: the second wgmma may be in flight while the exponentials of the first are
    computed."""
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], layout)
    i = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))[:, None]
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))[None, :]
    for side in gl.static_range(2):
        ring.index(side).store(gl.load(x + side * 4096 + i * 64 + j))
    zeros = gl.zeros([64, 64], gl.float32, acc_layout)
    first = hopper.warpgroup_mma(ring.index(0), ring.index(0), zeros, is_async=True)
    second = hopper.warpgroup_mma(ring.index(0), ring.index(1), zeros, is_async=True)
    if WAITS:
        first = hopper.warpgroup_mma_wait(1, deps=[first])
    weights = gl.exp(first - gl.max(first, axis=1)[:, None])
    weights = weights / gl.sum(weights, axis=1)[:, None]
    if WAITS:
        second = hopper.warpgroup_mma_wait(0, deps=[second])
    down = gl.arange(0, 64, layout=gl.SliceLayout(1, acc_layout))[:, None]
    along = gl.arange(0, 64, layout=gl.SliceLayout(0, acc_layout))[None, :]
    gl.store(out + down * 64 + along, weights + second)


@pytest.mark.parametrize("waits", [False, True])
def test_what_goes_on_under_one_of_two_products(hopper_device, waits):
    """To join them would have the exponentials wait for both."""
    x = (np.random.default_rng(0).standard_normal((2, 64, 64)) / 4).astype(np.float16)
    out = hopper_device.to_device(np.zeros((64, 64), np.float32))
    compiled = exponentials_under_the_second[(1,)](hopper_device.to_device(x), out, waits)
    first, second = (x[0].astype(np.float32) @ other.astype(np.float32) for other in x)
    weights = np.exp(first - first.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) + second
    np.testing.assert_allclose(hopper_device.to_host(out), expected, rtol=1e-4, atol=1e-4)
    assert set(re.findall(r"m64n(\d+)k", compiled.asm["ptx"])) == {"64"}
    assert re.search(r"wgmma\.wait_group\.sync\.aligned\s+1;", compiled.asm["ptx"])


@hocket.jit
def joined_after_products_apart(a, b, out, APART: gl.constexpr):
    """out = a x b twice, 64 columns two times: first in products of two tiles of a, or one, then in one of both."""
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    a_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 32], gl.float16)
    b_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([32, 64], gl.float16)
    i, j = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))[:, None], gl.arange(0, 32, layout=gl.SliceLayout(1, rows))
    narrow = gl.arange(0, 32, layout=gl.SliceLayout(0, rows))[None, :]
    wide = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))[None, :]
    tile = gl.load(a + i * 32 + narrow)
    first = gl.allocate_shared_memory(gl.float16, [64, 32], a_layout, tile)
    second = gl.allocate_shared_memory(gl.float16, [64, 32], a_layout, tile)
    b_ring = gl.allocate_shared_memory(gl.float16, [2, 32, 64], b_layout)
    for side in gl.static_range(2):
        b_ring.index(side).store(gl.load(b + j[:, None] * 128 + side * 64 + wide))
    accs = [gl.zeros([64, 64], gl.float32, acc_layout) for _ in range(2)]
    lefts = (first, second) if APART else (first, first)
    accs = [hopper.warpgroup_mma(lefts[side], b_ring.index(side), accs[side]) for side in range(2)]
    second.store(tile)  # needs a wait for both, which gives no results back
    accs = [hopper.warpgroup_mma(first, b_ring.index(side), accs[side]) for side in range(2)]
    down = gl.arange(0, 64, layout=gl.SliceLayout(1, acc_layout))[:, None]
    along = gl.arange(0, 64, layout=gl.SliceLayout(0, acc_layout))[None, :]
    for side in gl.static_range(2):
        gl.store(out + down * 128 + side * 64 + along, accs[side])


@pytest.mark.parametrize("apart", [False, True])
def test_accumulators_may_be_results_of_other_products(hopper_device, apart):
    """They are read where the joined product reads them, whether a wait has given them back before or not."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(-8, 8, (64, 32)).astype(np.float16), rng.integers(-8, 8, (32, 128)).astype(np.float16)
    out = hopper_device.to_device(np.zeros((64, 128), np.float32))
    joined_after_products_apart[(1,)](hopper_device.to_device(a), hopper_device.to_device(b), out, APART=apart)
    np.testing.assert_array_equal(hopper_device.to_host(out), 2 * (a.astype(np.float32) @ b.astype(np.float32)))
