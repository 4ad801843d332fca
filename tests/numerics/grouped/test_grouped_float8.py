"""hocket.kernels.grouped_matmul of float8, with scales of rows and columns."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import grouped_matmul
from hocket.kernels._grouped.plan_hopper import choose_grouped_plan
from hocket.kernels._matmul.plan_hopper import HopperTile

pytestmark = pytest.mark.usefixtures("unoptimized")

SHARED_BYTES = 232448 - 2048


def plan_for(tile, rows, groups, n, k, bits=8):
    plan = choose_grouped_plan(rows, groups, n, k, bits, 16, SHARED_BYTES, 132, tile=tile)
    return dataclasses.replace(plan, blocks=3)


def numbers(rng, shape, dtype):
    return rng.standard_normal(shape).astype(np.float32).astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))


def assert_rows(result, a, b, scale_a, scale_b):
    """Sums of float8 on Hopper have 13 bits of the fraction."""
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    factors = scale_a[:, None].astype(np.float64) * scale_b
    expected = wide_a @ wide_b * factors
    slack = np.abs(wide_a) @ np.abs(wide_b) * factors * (2.0**-12 + a.shape[1] * 2.0**-22) + 1e-6
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + slack
    assert (np.abs(result.astype(np.float64) - expected) <= allowed).all()


@pytest.mark.parametrize(
    "tile, dtype, out_dtype",
    [
        (HopperTile(128, 256, 2), "float8_e4m3fn", "bfloat16"),
        (HopperTile(64, 64, 1), "float8_e5m2", None),
        (HopperTile(64, 64, 1), "float16", None),
    ],
    ids=str,
)
def test_scaled_groups(hopper_device, tile, dtype, out_dtype):
    rng = np.random.default_rng(tile.m)
    ends = np.array([70, 70, 75, 140], np.int32)
    n, k = tile.n + 48, 208
    a, b = numbers(rng, (145, k), dtype), numbers(rng, (4, n, k), dtype)
    scale_a = rng.uniform(0.5, 2, 145).astype(np.float32)
    scale_b = rng.uniform(0.5, 2, (4, n)).astype(np.float32)
    a[140:] = np.nan
    moved = [hopper_device.to_device(array) for array in (a, b, ends, scale_a, scale_b)]
    plan = plan_for(tile, 145, 4, n, k, a.dtype.itemsize * 8)
    scales = {"scale_a": moved[3], "scale_b": moved[4]}
    out = grouped_matmul(moved[0], moved[1].swapaxes(1, 2), moved[2], out_dtype=out_dtype, plan=plan, **scales)
    result = hopper_device.to_host(out)
    assert result.dtype == (np.float16 if out_dtype is None else ml_dtypes.bfloat16)
    start = 0
    for group, end in enumerate(ends):
        rows = slice(start, end)
        assert_rows(result[rows], a[rows], b[group].T, scale_a[rows], scale_b[group])
        start = end


def test_masked_groups_with_scales_of_rows(hopper_device):
    rng = np.random.default_rng(1)
    counts = np.array([5, 0, 70], np.int64)
    a, b = numbers(rng, (3, 72, 208), "float8_e4m3fn"), numbers(rng, (3, 64, 208), "float8_e4m3fn")
    scale_a = rng.uniform(0.5, 2, (3, 72)).astype(np.float32)
    moved_a, moved_b, moved_counts, moved_scale = map(hopper_device.to_device, (a, b, counts, scale_a))
    out = grouped_matmul(moved_a, moved_b.swapaxes(1, 2), counts=moved_counts, scale_a=moved_scale)
    result = hopper_device.to_host(out)
    for group, count in enumerate(counts):
        assert_rows(result[group, :count], a[group, :count], b[group].T, scale_a[group, :count], np.ones(64))


A, ENDS = np.ones((5, 16), ml_dtypes.float8_e4m3fn), np.array([3, 5], np.int32)
B = np.ones((2, 16, 16), ml_dtypes.float8_e4m3fn)
ONES = np.ones(5, np.float32)


@pytest.mark.parametrize(
    "arguments, named, message",
    [
        ((A, B, ENDS), {}, "K must be the contiguous dimension of b: tensor cores read float8_e4m3fn"),
        ((A.T, A, ENDS), {}, "over the rows of groups has no kernel for float8_e4m3fn"),
        ((A, B.swapaxes(1, 2), ENDS), {"scale_a": ONES[:4]}, r"scale_a must be 5, but its shape is \[4\]"),
        ((A, B.swapaxes(1, 2), ENDS), {"scale_b": ONES}, r"scale_b must be 2 x 16, but its shape is \[5\]"),
        ((A, B.swapaxes(1, 2), ENDS), {"scale_a": np.ones(5)}, "scale_a must be float32, not float64"),
        ((A, B.swapaxes(1, 2), ENDS), {"scale_a": np.ones(10, np.float32)[::2]}, "scale_a must be contiguous"),
        ((A.astype(np.float16).T, A.astype(np.float16), ENDS), {"scale_a": ONES}, "scale_a is for GEMMs of the rows"),
    ],
)
def test_mistakes(arguments, named, message):
    with emulator.target("sm_90a"), pytest.raises(LaunchError, match=message):
        grouped_matmul(*arguments, **named)
