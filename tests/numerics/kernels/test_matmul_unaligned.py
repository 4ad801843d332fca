"""hocket.kernels.matmul on Hopper with arrays that TMA cannot address: padded copies of operands, stores by lanes."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket.kernels import matmul
from hocket.kernels._common.arrays import facts_of
from hocket.kernels._matmul.operands import operand_of
from hocket.kernels._matmul.padded_copy import PaddedCopy, padded
from hocket.kernels._matmul.plan_hopper import TILES, choose_hopper_plan

pytestmark = pytest.mark.usefixtures("unoptimized")

SHARED_BYTES = 232448
BITS = {"float16": 16, "bfloat16": 16, "float32": 32, "float8_e4m3fn": 8, "float8_e5m2": 8}
#: Relative error of one multiplication: tf32 has 10 bits of the fraction, and sums of float8 have 13.
ROUNDING = {"float32": 2.0**-10, "float8_e4m3fn": 2.0**-13, "float8_e5m2": 2.0**-13}


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def view(device, rng, shape, dtype, *, first=0, gap=0, transposed=False):
    """Returns a view of a device array with the given shape, and its values. The view begins at element `first` of its
    memory, and `gap` elements are between two rows, or between two columns if `transposed`."""
    rows, columns = shape[-2:][::-1] if transposed else shape[-2:]
    batch = shape[:-2]
    count = int(np.prod(batch, dtype=int)) * rows * (columns + gap)
    numbers = rng.standard_normal(first + count).astype(np.float32).astype(dtype_of(dtype))

    def viewed(memory):
        matrices = memory[first:].reshape(*batch, rows, columns + gap)[..., :columns]
        return matrices.swapaxes(-1, -2) if transposed else matrices

    return viewed(device.to_device(numbers)), viewed(numbers)


def assert_product(result, a, b, bias, dtype):
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    expected = wide_a @ wide_b + (0 if bias is None else bias.astype(np.float64))
    slack = np.abs(wide_a) @ np.abs(wide_b) * (a.shape[-1] * 2.0**-23 + ROUNDING.get(dtype, 0)) + 1e-6
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + 2 * slack
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= allowed).all(), (error - allowed).max()


def plan_for(tile, m, n, k, bits=16, out_bits=16, **changes):
    plan = choose_hopper_plan(m, n, k, 1, bits, out_bits, SHARED_BYTES, 132, tile=tile)
    return dataclasses.replace(plan, **changes)


@pytest.mark.parametrize("out", ["rows", "columns", "apart"])
@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile} {tile.consumers} {tile.ping_pong}")
def test_every_tile_is_stored_by_lanes(hopper_device, tile, out):
    rng = np.random.default_rng(1)
    m, n, k = 2 * tile.m + 7, tile.n + 41, 131
    a, a_values = view(hopper_device, rng, (m, k), "float16")
    b, b_values = view(hopper_device, rng, (k, n), "float16")
    bias, bias_values = view(hopper_device, rng, (1, n), "float32")
    memory = hopper_device.to_device(np.full((2 * m, 2 * n), np.nan, np.float16))
    if out == "columns":  # with a bias, so the kernel does not compute the transposed GEMM
        memory = hopper_device.to_device(np.full((n, m), np.nan, np.float16))
        c = memory.T
    else:
        c = memory[:m, 1 : n + 1] if out == "rows" else memory[::2, ::2]
    assert matmul(a, b, c, bias=bias[0], plan=plan_for(tile, m, n, k, blocks=4)) is c
    assert_product(hopper_device.to_host(c), a_values, b_values, bias_values, "float16")
    if out != "columns":  # other elements are not written
        assert np.isnan(hopper_device.to_host(memory)).sum() == 4 * m * n - m * n


@pytest.mark.parametrize("seed", range(48))
def test_drawn_arrays(hopper_device, seed):
    rng = np.random.default_rng([9, seed])
    m, n, k = (int(2 ** rng.uniform(0, high)) for high in (8.5, 8.5, 9))
    dtype = rng.choice(list(BITS), p=[0.3, 0.3, 0.2, 0.1, 0.1])
    out_dtype = rng.choice(["float16", "bfloat16", "float32"])
    batch = int(rng.integers(2, 4)) if rng.random() < 0.3 else None
    is_batch = [batch is not None and rng.random() < 0.7 for _ in range(2)]
    if batch is not None and not any(is_batch):
        is_batch[0] = True
    shapes = [(*((batch,) * of_batch), *shape) for of_batch, shape in zip(is_batch, ((m, k), (k, n)), strict=True)]
    (a, a_values), (b, b_values) = (
        view(
            hopper_device, rng, shape, dtype,
            first=int(rng.integers(0, 9)), gap=int(rng.integers(0, 9)), transposed=bool(rng.random() < 0.5),
        )
        for shape in shapes
    )  # fmt: skip
    bias = bias_values = None
    if rng.random() < 0.5:
        bias, bias_values = view(hopper_device, rng, (1, n), "float32")
        bias = bias[0]
    plan = None
    if rng.random() < 0.7:
        tile = TILES[rng.integers(len(TILES))]
        steps = -(-k * BITS[dtype] // 1024)
        splits = 1 if tile.ping_pong else int(rng.integers(1, min(steps, 3) + 1))
        blocks = int(rng.integers(1, 7))
        plan = plan_for(tile, m, n, k, BITS[dtype], BITS[out_dtype], splits=splits, blocks=blocks)
    result = hopper_device.to_host(matmul(a, b, bias=bias, out_dtype=str(out_dtype), plan=plan))
    assert_product(result, a_values, b_values, bias_values, dtype)


@pytest.mark.parametrize("tile", (TILES[0], TILES[3]), ids=str)
def test_every_schedule_gives_the_same(tile):
    m, n, k = 2 * tile.m - 5, tile.n + 9, 137
    plan = plan_for(tile, m, n, k, blocks=2, stages=3)

    def multiply():
        rng = np.random.default_rng(2)
        a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
        out = hocket.emulator.empty((m, n), np.float16)
        assert_product(matmul(a, b, out, plan=plan), a, b, None, "float16")
        return out

    report = hocket.check(multiply, target="sm_90a", schedules=12)
    assert report.ok, report


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("transposed", [False, True], ids=["in order", "transposed"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 70, 33), (17, 300), (66, 384), (9, 96), (130, 257)], ids=str)
def test_copies_have_the_elements_of_their_source(hopper_device, shape, transposed, dtype):
    rng = np.random.default_rng(3)
    source, values = view(hopper_device, rng, shape, dtype, first=3, gap=5, transposed=transposed)
    operand = operand_of("a", facts_of(source, "a"), 2)
    copy = padded(operand, True)
    assert copy.row_stride * BITS[dtype] % 128 == 0
    with hocket.emulator.target("sm_90a"):
        made = hopper_device.to_host(PaddedCopy(operand, copy).of(source))
    rows, columns = shape[-2:]
    made = made.reshape(-1, rows, copy.row_stride)[..., :columns]
    assert np.array_equal(made.view(np.uint8), np.ascontiguousarray(values).reshape(-1, rows, columns).view(np.uint8))
