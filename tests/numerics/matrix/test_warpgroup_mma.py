"""warpgroup_mma: every operand type, shapes, both orders in shared memory, a from registers, products in flight."""

import numpy as np
import pytest
from wgmma_cases import F16, F32, TYPES, depth, exact, multiply, numbers, shared_layout

from hocket import language as gl


def check(
    device, types, shape, n=None, warps=(4, 1), transposed_a=False, transposed_b=None, in_registers=False, **options
):
    left, right, total = TYPES[types]
    m, cols, k = shape
    acc = gl.NVMMADistributedLayout([3, 0], list(warps), [16, n or min(cols, 256), depth(left)])
    if transposed_b is None:
        transposed_b = np.dtype(right).itemsize != 2
    a, b = numbers(0, (m, k), left), numbers(1, (k, cols), right)
    before = np.random.default_rng(2).integers(-100, 100, (m, cols)).astype(total)
    out = device.to_device(before)
    shared_a, shared_b = shared_layout((m, k), left, transposed_a), shared_layout((k, cols), right, transposed_b)
    width = 4 // np.dtype(left).itemsize if in_registers else 0
    multiply[(1,)](
        device.to_device(a),
        device.to_device(b),
        out,
        m,
        cols,
        k,
        acc,
        shared_a,
        shared_b,
        width,
        num_warps=warps[0] * warps[1],
        **options,
    )
    expected = exact(a, b) + (before.astype(np.float64) if options.get("USE_ACC", True) else 0)
    np.testing.assert_array_equal(device.to_host(out).astype(np.float64), expected.astype(total).astype(np.float64))


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("in_registers", [False, True], ids=["shared", "registers"])
@pytest.mark.parametrize("types", TYPES)
def test_every_type(hopper, types, in_registers, is_async):
    check(hopper, types, (64, 32, 4 * depth(TYPES[types][0])), in_registers=in_registers, IS_ASYNC=is_async)


@pytest.mark.parametrize("transposed_b", [False, True], ids=["n", "k"])
@pytest.mark.parametrize("transposed_a", [False, True], ids=["k", "m"])
@pytest.mark.parametrize("types", ["f16", "bf16", "f16.f16"])
def test_either_dimension_is_fastest(hopper, types, transposed_a, transposed_b):
    check(hopper, types, (64, 64, 64), transposed_a=transposed_a, transposed_b=transposed_b)


@pytest.mark.parametrize("columns", [8, 16, 32, 64, 128, 256])
@pytest.mark.parametrize("transposed_b", [False, True], ids=["n", "k"])
def test_columns(hopper, columns, transposed_b):
    check(hopper, "f16", (64, columns, 32), transposed_b=transposed_b)


@pytest.mark.parametrize("warps", [(4, 1), (8, 1), (4, 2), (8, 2)], ids=str)
@pytest.mark.parametrize("shape", [(64, 64, 16), (128, 128, 64), (256, 32, 128)], ids=str)
@pytest.mark.parametrize("in_registers", [False, True], ids=["shared", "registers"])
def test_tiles_of_several_instructions(hopper, shape, warps, in_registers):
    """Several warpgroups along M and N; if the tile is too small for all, some compute the same elements."""
    check(hopper, "f16", shape, n=32, warps=warps, in_registers=in_registers)


@pytest.mark.parametrize("k", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("transposed", [False, True], ids=["k", "m"])
def test_depths_and_swizzles(hopper, k, transposed):
    check(hopper, "f16", (64, 64, k), transposed_a=transposed, transposed_b=True)


@pytest.mark.parametrize("swizzle", [32, 64, 128])
@pytest.mark.parametrize("transposed_a", [False, True], ids=["k", "m"])
@pytest.mark.parametrize("transposed_b", [False, True], ids=["n", "k"])
def test_swizzles(hopper, swizzle, transposed_a, transposed_b):
    a, b = numbers(3, (64, 128), F16), numbers(4, (128, 128), F16)
    out = hopper.to_device(np.zeros((64, 128), F32))
    layouts = [gl.NVMMASharedLayout(swizzle, 16, 2, transposed) for transposed in (transposed_a, transposed_b)]
    acc = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 128, 16])
    multiply[(1,)](hopper.to_device(a), hopper.to_device(b), out, 64, 128, 128, acc, *layouts, 0)
    np.testing.assert_array_equal(hopper.to_host(out), exact(a, b))


def test_accumulators_that_do_not_count(hopper):
    check(hopper, "f16", (64, 64, 32), USE_ACC=False)


def test_normal_numbers(hopper):
    """Products are exact, sums are rounded as float32."""
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((64, 128)).astype(F16), rng.standard_normal((128, 64)).astype(F16)
    out = hopper.to_device(np.zeros((64, 64), F32))
    acc = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    layouts = shared_layout((64, 128), F16), shared_layout((128, 64), F16)
    multiply[(1,)](hopper.to_device(a), hopper.to_device(b), out, 64, 64, 128, acc, *layouts, 0)
    np.testing.assert_allclose(hopper.to_host(out), exact(a, b), atol=1e-3)
