"""hocket.kernels.grouped_matmul of float8 with scales of 1 x 128 and 128 x 128 elements, against float64."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import grouped_matmul
from hocket.kernels._grouped.plan_hopper import choose_grouped_plan
from hocket.kernels._matmul.plan_block_scaled import BLOCK, TILES
from hocket.kernels._matmul.plan_hopper import HopperTile

pytestmark = pytest.mark.usefixtures("unoptimized")

SHARED_BYTES = 232448 - 2048


def plan_for(tile, rows, groups, n, k, out_bits=16):
    plan = choose_grouped_plan(rows, groups, n, k, 8, out_bits, SHARED_BYTES, 132, tile=tile)
    return dataclasses.replace(plan, blocks=3)


def values(rng, shape):
    return rng.standard_normal(shape).astype(np.float32).astype(ml_dtypes.float8_e4m3fn)


def factors(rng, shape):
    return (2.0 ** rng.uniform(-5, 5, shape)).astype(np.float32)


def dequantized(stored, scales, rows_per_scale):
    """A matrix times its scales, as float64."""
    wide = np.repeat(np.repeat(scales.astype(np.float64), rows_per_scale, 0)[: len(stored)], BLOCK, 1)
    return stored.astype(np.float64) * wide


def check(result, left, right):
    """Sums of float8 on Hopper have 13 bits of the fraction."""
    expected = left @ right.T
    slack = np.abs(left) @ np.abs(right).T * (2.0**-12 + left.shape[1] * 2.0**-22)
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + slack + 1e-6
    assert (np.abs(result.astype(np.float64) - expected) <= allowed).all()


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_groups_of_adjacent_rows(hopper_device, tile):
    """Groups are empty, smaller and larger than a tile. Rows of no group are NaN, and their results are not written."""
    rng = np.random.default_rng(tile.n)
    rows, n, k = 340, tile.n + 48, 384
    ends = np.array([70, 70, 75, 300], np.int32)
    a, b = values(rng, (rows, k)), values(rng, (4, n, k))
    a[300:] = np.nan
    scale_a, scale_b = factors(rng, (rows, k // BLOCK)), factors(rng, (4, -(-n // BLOCK), k // BLOCK))
    moved = [hopper_device.to_device(array) for array in (a, b, ends, scale_a, scale_b)]
    out = hopper_device.to_device(np.full((rows, n), 7, np.float32))
    plan = plan_for(tile, rows, 4, n, k, 32)
    grouped_matmul(
        moved[0], moved[1].swapaxes(1, 2), moved[2], out, scale_a=moved[3], scale_b=moved[4], plan=plan
    )  # fmt: skip
    result = hopper_device.to_host(out)
    for group, (start, end) in enumerate(zip((0, *ends[:-1]), ends, strict=True)):
        left = dequantized(a[start:end], scale_a[start:end], 1)
        check(result[start:end], left, dequantized(b[group], scale_b[group], BLOCK))
    assert (result[300:] == 7).all()


def test_masked_groups_and_scales_with_contiguous_columns(hopper_device):
    rng = np.random.default_rng(1)
    counts, k, n = np.array([5, 0, 130], np.int64), 256, 136
    a, b = values(rng, (3, 136, k)), values(rng, (3, n, k))
    scale_a, scale_b = factors(rng, (k // BLOCK, 3, 136)), factors(rng, (3, k // BLOCK, 2))
    moved = [hopper_device.to_device(array) for array in (a, b, counts, scale_a, scale_b)]
    of_a = moved[3].swapaxes(0, 1).swapaxes(1, 2)
    of_b = moved[4].swapaxes(1, 2)
    out = grouped_matmul(
        moved[0], moved[1].swapaxes(1, 2), counts=moved[2], scale_a=of_a, scale_b=of_b, out_dtype="bfloat16"
    )  # fmt: skip
    result = hopper_device.to_host(out)
    for group, count in enumerate(counts):
        left = dequantized(a[group, :count], scale_a[:, group, :count].T, 1)
        check(result[group, :count], left, dequantized(b[group], scale_b[group].T, BLOCK))


def test_schedules():
    """The result does not depend on the order in which warps run."""
    rng = np.random.default_rng(2)
    ends, n, k = np.array([70, 200], np.int32), 176, 512
    a, b = values(rng, (200, k)), values(rng, (2, n, k))
    scale_a, scale_b = factors(rng, (200, 4)), factors(rng, (2, 2, 4))
    plan = dataclasses.replace(plan_for(TILES[0], 200, 2, n, k), blocks=2, stages=3)
    results = []
    with emulator.target("sm_90a"):
        for seed in range(4):
            with emulator.schedule(seed=seed, completion="late" if seed % 2 else "now"):
                scales = {"scale_a": scale_a, "scale_b": scale_b}
                results.append(grouped_matmul(a, b.swapaxes(1, 2), ends, plan=plan, **scales))
    check(results[0][:70], dequantized(a[:70], scale_a[:70], 1), dequantized(b[0], scale_b[0], BLOCK))
    assert all(np.array_equal(results[0], other) for other in results)


A, ENDS = np.ones((5, 256), ml_dtypes.float8_e4m3fn), np.array([3, 5], np.int32)
B = np.ones((2, 136, 256), ml_dtypes.float8_e4m3fn).swapaxes(1, 2)
OF_A, OF_B = np.ones((5, 2), np.float32), np.ones((2, 2, 2), np.float32)
INDICES = np.zeros(5, np.int32)


@pytest.mark.parametrize(
    "arguments, named, message",
    [
        ((A, B, ENDS), {"scale_a": OF_A[:4], "scale_b": OF_B}, r"scale_a must be 5 x 2, but its shape is \[4, 2\]"),
        ((A, B, ENDS), {"scale_a": OF_A, "scale_b": OF_B[:, :1]}, r"scale_b must be 2 x 2 x 2, but its shape"),
        ((A, B, ENDS), {"scale_a": OF_A}, r"scale_a must be 5, but its shape is \[5, 2\]"),
        ((A, B, ENDS), {"scale_a": OF_A.astype(np.float64), "scale_b": OF_B}, "scale_a must be float32, not float64"),
        (
            (A[:, :192], B[:, :192], ENDS),
            {"scale_a": OF_A, "scale_b": OF_B},
            "K must be a multiple of 128, which share a scale, but it is 192",
        ),
        (
            (A, B, ENDS),
            {"scale_a": OF_A, "scale_b": OF_B, "indices": INDICES},
            "scales of blocks are not supported with indices",
        ),
        (
            (A.astype(np.float16), B.astype(np.float16), ENDS),
            {"scale_a": OF_A, "scale_b": OF_B},
            "scales of blocks are for float8, not float16",
        ),
        (
            (A, B, ENDS),
            {"scale_a": OF_A, "scale_b": OF_B, "plan": plan_for(HopperTile(128, 256, 2), 5, 2, 136, 256)},
            "64 x 256 have no registers",
        ),
    ],
)
def test_mistakes(arguments, named, message):
    with emulator.target("sm_90a"), pytest.raises(LaunchError, match=message):
        grouped_matmul(*arguments, **named)
