"""warpgroup_mma with is_async: products in flight, their waits, fences, and what the emulator says of mistakes."""

import numpy as np
import ptxas
import pytest
from tiles import tile_offsets
from wgmma_cases import F16, F32, TYPES, depth, exact, multiply, numbers, shared_layout

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.hopper import fence_async_shared, warpgroup_mma, warpgroup_mma_init, warpgroup_mma_wait

WGMMA = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])


@hocket.jit
def two_products(a, b, out, other, TILE: gl.constexpr, ACC: gl.constexpr):
    """Waits for the first wgmma while the second is in flight."""
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    left = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(a + tile_offsets(64, 64, copy)))
    right = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(b + tile_offsets(64, 64, copy)))
    zeros = gl.zeros([64, 64], gl.float32, ACC)
    first = warpgroup_mma(left, right, zeros, is_async=True)
    second = warpgroup_mma(right, left, zeros, is_async=True)
    first = warpgroup_mma_wait(1, deps=[first])
    gl.store(out + tile_offsets(64, 64, ACC), first)
    second = warpgroup_mma_wait(0, deps=[second])
    gl.store(other + tile_offsets(64, 64, ACC), second)


def tiles(device, *seeds):
    return [device.to_device(numbers(seed, (64, 64), F16)) for seed in seeds]


def test_two_in_flight(hopper):
    a, b = numbers(0, (64, 64), F16), numbers(1, (64, 64), F16)
    out, other = (hopper.to_device(np.zeros((64, 64), F32)) for _ in range(2))
    two_products[(1,)](*tiles(hopper, 0, 1), out, other, shared_layout((64, 64), F16), WGMMA)
    np.testing.assert_array_equal(hopper.to_host(out), exact(a, b))
    np.testing.assert_array_equal(hopper.to_host(other), exact(b, a))


@hocket.jit
def read_in_each_iteration(a, b, out, steps, TILE: gl.constexpr, ACC: gl.constexpr):
    """The first result does not change while other wgmmas start and complete."""
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    left = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(a + tile_offsets(64, 64, copy)))
    right = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(b + tile_offsets(64, 64, copy)))
    zeros = gl.zeros([64, 64], gl.float32, ACC)
    first = warpgroup_mma(left, right, zeros, is_async=True)
    acc = zeros
    total = zeros
    for _ in range(steps):
        total += first
        acc = warpgroup_mma(right, left, acc, is_async=True)
    gl.store(out + tile_offsets(64, 64, ACC), total + acc)


def test_result_read_in_each_iteration(hopper):
    a, b = numbers(0, (64, 64), F16), numbers(1, (64, 64), F16)
    out = hopper.to_device(np.zeros((64, 64), F32))
    read_in_each_iteration[(1,)](*tiles(hopper, 0, 1), out, 20, shared_layout((64, 64), F16), WGMMA)
    np.testing.assert_array_equal(hopper.to_host(out), 20 * exact(a, b) + 20 * exact(b, a))


@hocket.jit
def added_to_later(a, b, out, early, steps, TILE: gl.constexpr, ACC: gl.constexpr):
    """The first result is read after a wait under a condition, and is an accumulator again after many other wgmmas."""
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    left = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(a + tile_offsets(64, 64, copy)))
    right = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(b + tile_offsets(64, 64, copy)))
    first = warpgroup_mma(left, right, gl.zeros([64, 64], gl.float32, ACC), is_async=True)
    if steps > 0:
        first = warpgroup_mma_wait(0, deps=[first])
    gl.store(early + tile_offsets(64, 64, ACC), first)
    acc = gl.zeros([64, 64], gl.float32, ACC)
    for _ in range(steps):
        acc = warpgroup_mma(right, left, acc, is_async=True)
    first = warpgroup_mma(left, right, first, is_async=True)
    first, acc = warpgroup_mma_wait(0, deps=[first, acc])
    gl.store(out + tile_offsets(64, 64, ACC), first + acc)


@pytest.mark.parametrize("steps", [5, 60])
def test_result_is_an_accumulator_later(hopper, steps):
    a, b = numbers(0, (64, 64), F16), numbers(1, (64, 64), F16)
    out, early = (hopper.to_device(np.zeros((64, 64), F32)) for _ in range(2))
    tile = shared_layout((64, 64), F16)
    added_to_later[(1,)](*tiles(hopper, 0, 1), out, early, steps, tile, WGMMA, keep_waits=True)
    np.testing.assert_array_equal(hopper.to_host(early), exact(a, b))
    np.testing.assert_array_equal(hopper.to_host(out), 2 * exact(a, b) + steps * exact(b, a))


@hocket.jit
def pipelined(a, b, out, steps, TILE: gl.constexpr, ACC: gl.constexpr, SLOTS: gl.constexpr):
    """A loop that carries a wgmma: that of the previous iteration is in flight while the next tiles are stored."""
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    left = gl.allocate_shared_memory(gl.float16, [SLOTS, 64, 64], TILE)
    right = gl.allocate_shared_memory(gl.float16, [SLOTS, 64, 64], TILE)
    offsets = tile_offsets(64, 64, copy)
    acc = warpgroup_mma_init(gl.zeros([64, 64], gl.float32, ACC))
    for step in range(steps):
        slot = step % SLOTS
        left.index(slot).store(gl.load(a + offsets + step * 4096))
        right.index(slot).store(gl.load(b + offsets + step * 4096))
        acc = warpgroup_mma(left.index(slot), right.index(slot), acc, is_async=True)
        acc = warpgroup_mma_init(warpgroup_mma_wait(SLOTS - 2, deps=[acc]))
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(out + tile_offsets(64, 64, ACC), acc)


@pytest.mark.parametrize("slots", [2, 3, 4])
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_loops_carry_products(hopper, steps, slots):
    a, b = numbers(0, (steps, 64, 64), F16), numbers(1, (steps, 64, 64), F16)
    out = hopper.to_device(np.zeros((64, 64), F32))
    tile = shared_layout((64, 64), F16)
    pipelined[(1,)](hopper.to_device(a), hopper.to_device(b), out, steps, tile, WGMMA, slots)
    np.testing.assert_array_equal(hopper.to_host(out), sum(exact(x, y) for x, y in zip(a, b, strict=True)))


@hocket.jit
def matmul(a, b, out, n, k, M_TILE: gl.constexpr, N_TILE: gl.constexpr, K_TILE: gl.constexpr, ACC: gl.constexpr):
    """Tiles of a and b by pointers into shared memory, and a loop over K."""
    copy: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [gl.num_warps(), 1], [1, 0])
    a_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([M_TILE, K_TILE], gl.float16)
    b_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([K_TILE, N_TILE], gl.float16)
    a_tile = gl.allocate_shared_memory(gl.float16, [M_TILE, K_TILE], a_layout)
    b_tile = gl.allocate_shared_memory(gl.float16, [K_TILE, N_TILE], b_layout)
    row, column = gl.program_id(0) * M_TILE, gl.program_id(1) * N_TILE
    a_rows = row + gl.arange(0, M_TILE, gl.SliceLayout(1, copy))
    b_columns = column + gl.arange(0, N_TILE, gl.SliceLayout(0, copy))
    a_depth = gl.arange(0, K_TILE, gl.SliceLayout(0, copy))
    b_depth = gl.arange(0, K_TILE, gl.SliceLayout(1, copy))
    acc = gl.zeros([M_TILE, N_TILE], gl.float32, ACC)
    for step in range(0, k, K_TILE):
        a_tile.store(gl.load(a + a_rows[:, None] * k + (step + a_depth)[None, :]))
        b_tile.store(gl.load(b + (step + b_depth)[:, None] * n + b_columns[None, :]))
        acc = warpgroup_mma(a_tile, b_tile, acc, use_acc=step > 0)
    rows = row + gl.arange(0, M_TILE, gl.SliceLayout(1, ACC))
    columns = column + gl.arange(0, N_TILE, gl.SliceLayout(0, ACC))
    gl.store(out + rows[:, None] * n + columns[None, :], acc.to(gl.float16))


@pytest.mark.parametrize("warps", [4, 8])
def test_matmul(hopper, warps):
    m, n, k, m_tile, n_tile = 256, 256, 192, 128, 128
    a, b = numbers(0, (m, k), F16), numbers(1, (k, n), F16)
    out = hopper.to_device(np.zeros((m, n), F16))
    acc = gl.NVMMADistributedLayout([3, 0], [warps, 1], [16, n_tile, 16])
    grid = (m // m_tile, n // n_tile)
    matmul[grid](hopper.to_device(a), hopper.to_device(b), out, n, k, m_tile, n_tile, 64, acc, num_warps=warps)
    np.testing.assert_array_equal(hopper.to_host(out), exact(a, b).astype(F16))


# Errors of the emulator ----------------------------------------------------------------------------------------------


@hocket.jit
def overwritten(a, out, slot, TILE: gl.constexpr, ACC: gl.constexpr):
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    values = gl.load(a + tile_offsets(64, 64, copy))
    ring = gl.allocate_shared_memory(gl.float16, [2, 64, 64], TILE)
    ring.index(0).store(values)
    acc = warpgroup_mma(ring.index(0), ring.index(0), gl.zeros([64, 64], gl.float32, ACC), is_async=True)
    ring.index(slot).store(values + 1)
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(out + tile_offsets(64, 64, ACC), acc)


@pytest.mark.parametrize("completion", ["late", "random", "now"])
def test_operands_overwritten_before_the_wait(completion):
    """Uses a slot whose index the compiler cannot determine."""
    a, out, tile = numbers(0, (64, 64), F16), np.zeros((64, 64), F32), shared_layout((64, 64), F16)
    with emulator.target("sm_90a"), emulator.schedule(completion=completion):
        with pytest.raises(errors.RaceError) as caught:
            overwritten[(1,)](a, out, 0, tile, WGMMA)
        overwritten[(1,)](a, out, 3 - 2, tile, WGMMA)
    message = str(caught.value)
    line = overwritten.fn.__code__.co_firstlineno
    assert f"write to `ring` while the wgmma of line {line + 6} may still read it" in message
    assert f"test_warpgroup_async.py:{line + 7}:" in message
    assert "warpgroup_mma_wait(n, deps=[acc])" in message
    np.testing.assert_array_equal(out, exact(a, a))


@hocket.jit
def waits_too_little(a, b, out, enough, TILE: gl.constexpr, ACC: gl.constexpr):
    """Waits under a condition that the compiler cannot determine."""
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    left = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(a + tile_offsets(64, 64, copy)))
    right = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(b + tile_offsets(64, 64, copy)))
    acc = warpgroup_mma(left, right, gl.zeros([64, 64], gl.float32, ACC), is_async=True)
    if enough:
        acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(out + tile_offsets(64, 64, ACC), acc)


def test_results_are_undefined_before_the_wait():
    out = np.zeros((64, 64), F32)
    a, b = numbers(0, (64, 64), F16), numbers(1, (64, 64), F16)
    with emulator.target("sm_90a"):
        waits_too_little[(1,)](a, b, out, False, shared_layout((64, 64), F16), WGMMA)
        assert np.isnan(out).all()
        waits_too_little[(1,)](a, b, out, True, shared_layout((64, 64), F16), WGMMA)
    np.testing.assert_array_equal(out, exact(a, b))


@hocket.jit
def half_written(a, out, TILE: gl.constexpr, ACC: gl.constexpr):
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], TILE)
    tile.slice(0, 32).store(gl.load(a + tile_offsets(32, 64, copy)))
    acc = warpgroup_mma(tile.slice(0, 16, 1), tile.slice(0, 16), gl.zeros([64, 64], gl.float32, ACC), use_acc=False)
    gl.store(out + tile_offsets(64, 64, ACC), acc)


def test_products_of_what_nothing_has_written():
    a, out, tile = numbers(0, (64, 64), F16), np.zeros((64, 64), F32), shared_layout((64, 64), F16)
    with emulator.target("sm_90a"), emulator.schedule(undefined=True):
        two_products[(1,)](a, a, out, np.zeros_like(out), tile, WGMMA)
        np.testing.assert_array_equal(out, exact(a, a))
        with pytest.raises(errors.UndefinedValueError, match="an undefined value is stored"):
            half_written[(1,)](a, out, tile, WGMMA)
        with pytest.raises(errors.UndefinedValueError, match="a wgmma that is in flight"):
            waits_too_little[(1,)](a, a, out, False, tile, WGMMA)


@hocket.jit
def under_a_branch(a, out, TILE: gl.constexpr, ACC: gl.constexpr):
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], TILE, gl.load(a + tile_offsets(64, 64, copy)))
    fence_async_shared()
    acc = gl.zeros([64, 64], gl.float32, ACC)
    if gl.program_id(0) == 0:
        acc = warpgroup_mma(tile, tile, acc)
    gl.store(out + tile_offsets(64, 64, ACC), acc)


def test_products_under_uniform_branches(hopper):
    a = numbers(0, (64, 64), F16)
    out = hopper.to_device(np.zeros((64, 64), F32))
    under_a_branch[(1,)](hopper.to_device(a), out, shared_layout((64, 64), F16), WGMMA)
    np.testing.assert_array_equal(hopper.to_host(out), exact(a, a))


# The PTX -------------------------------------------------------------------------------------------------------------


def compiled(types, n, in_registers=False, is_async=False, **sizes):
    left, right, total = TYPES[types]
    k = 2 * depth(left)
    acc = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, n, depth(left)])
    shared = shared_layout((64, k), left), shared_layout((k, n), right, np.dtype(right).itemsize != 2)
    options = {"M": 64, "N": n, "K": k, "ACC": acc, "SHARED_A": shared[0], "SHARED_B": shared[1], "IS_ASYNC": is_async}
    options["A_WIDTH"] = 4 // np.dtype(left).itemsize if in_registers else 0
    dtypes = [np.dtype(dtype) for dtype in (left, right, total)]
    return multiply.warmup(*dtypes, target="sm_90a", num_warps=4, **(options | sizes))


@pytest.mark.parametrize("n", [8, 16, 32, 64, 128, 256])
@pytest.mark.parametrize("types", TYPES)
def test_the_gpu_gets_every_instruction(types, n):
    left, _, total = TYPES[types]
    spelled = {"f16": "f32.f16.f16", "f16.f16": "f16.f16.f16", "bf16": "f32.bf16.bf16", "tf32": "f32.tf32.tf32"}
    pair = types if "." in types else f"{types}.{types}"
    name = spelled.get(types, ("s32." if total is np.int32 else "f32.") + pair)
    ptx = compiled(types, n).asm["ptx"]
    assert ptx.count(f"wgmma.mma_async.sync.aligned.m64n{n}k{depth(left)}.{name} ") == 2
    assert ptx.count("wgmma.fence.sync.aligned") == 1
    assert ptx.count("wgmma.commit_group.sync.aligned") == 1
    assert ptx.count("wgmma.wait_group.sync.aligned \t0") + ptx.count("wgmma.wait_group.sync.aligned 0") == 1
    assert ptx.count("fence.proxy.async.shared::cta") == 1


def test_registers_of_a_have_one_fence_a_product():
    """An instruction in between would make ptxas insert a wait for the first wgmma before it."""
    ptx = compiled("f16", 64, in_registers=True).asm["ptx"]
    assert ptx.count("wgmma.mma_async") == 2
    assert ptx.count("wgmma.fence.sync.aligned") == 1
    assert ptx.index("wgmma.fence.sync.aligned") < ptx.index("wgmma.mma_async")


def test_unused_accumulators_are_not_initialized():
    zeros = "0f00000000"
    assert zeros not in compiled("f16", 64, USE_ACC=False).asm["ptx"]


def test_ampere_has_no_wgmma():
    with pytest.raises(errors.CompileError, match="NVMMADistributedLayout is for sm_90a"):
        dtypes = [np.dtype(dtype) for dtype in (F16, F16, F32)]
        tile = shared_layout((64, 64), F16)
        sizes = {"M": 64, "N": 64, "K": 64, "ACC": WGMMA, "SHARED_A": tile, "SHARED_B": tile, "A_WIDTH": 0}
        multiply.warmup(*dtypes, target="sm_80", num_warps=4, **sizes)


@ptxas.needed
@pytest.mark.parametrize("slots", [None, 2, 3, 4])
def test_ptxas_keeps_products_in_flight(slots):
    """It neither makes products wait for each other (C7515) nor waits once more (C7517); None: `two_products`."""
    array, out = np.zeros((64, 64), F16), np.zeros((64, 64), F32)
    tile = shared_layout((64, 64), F16)
    if slots is None:
        kernel = two_products.warmup(array, array, out, out, tile, WGMMA, target="sm_90a")
    else:
        kernel = pipelined.warmup(array, array, out, 7, tile, WGMMA, slots, target="sm_90a")
    said = ptxas.messages(kernel.asm["ptx"])
    assert "registers" in said
    assert "C75" not in said
