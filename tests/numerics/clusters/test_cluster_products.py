"""wgmma on operands in linear layouts that are split among, and copied to, the CTAs of a cluster."""

import numpy as np
import pytest

import hocket
from hocket import language as gl


@hocket.jit
def offsets(R: gl.constexpr, C: gl.constexpr, LAYOUT: gl.constexpr):
    row = gl.arange(0, R, layout=gl.SliceLayout(1, LAYOUT))
    column = gl.arange(0, C, layout=gl.SliceLayout(0, LAYOUT))
    return row.expand_dims(1) * C + column.expand_dims(0)


@hocket.jit
def multiply(a, b, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, A: gl.constexpr, B: gl.constexpr,
             ACC: gl.constexpr, SHARED_A: gl.constexpr, SHARED_B: gl.constexpr):  # fmt: skip
    first = gl.allocate_shared_memory(gl.float16, [M, K], SHARED_A, gl.load(a + offsets(M, K, A)))
    second = gl.allocate_shared_memory(gl.float16, [K, N], SHARED_B, gl.load(b + offsets(K, N, B)))
    product = gl.nvidia.hopper.warpgroup_mma(first, second, gl.zeros([M, N], gl.float32, ACC))
    gl.store(out + offsets(M, N, ACC), product)


def unswizzled(shape, rows, transposed):
    """The core matrices of a layout without swizzle: 8 rows of 16 bytes each, as rows of offset and block."""
    part = list(shape)
    for row in rows:
        part = [size // 2 if entry else size for size, entry in zip(part, row, strict=True)]
    order = (1, 0) if transposed else (0, 1)
    outer, inner = (part[dim] for dim in order)
    bases = [[0, 1 << bit] for bit in range(3)]
    bases += [[1 << bit, 0] for bit in range(outer.bit_length() - 1)]
    bases += [[0, 8 << bit] for bit in range((inner // 8).bit_length() - 1)]
    bases = [[basis[order.index(dim)] for dim in range(2)] for basis in bases]
    block = [[entry * size for entry, size in zip(row, part, strict=True)] for row in rows]
    return gl.SharedLinearLayout(bases, block)


@pytest.mark.parametrize("transposed", [(False, False), (False, True), (True, False)], ids=str)
@pytest.mark.parametrize("warps", [[4, 1], [8, 1]], ids=str)
@pytest.mark.parametrize("ctas", [[2, 1], [2, 2], [4, 4]], ids=str)
def test_products(hopper_device, ctas, warps, transposed):
    m, n, k = 16 * warps[0] * ctas[0], 32 * ctas[1], 32
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-9, 9, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    rows_a, rows_b, rows = (gl.make_cga_layout(ctas, split, [1, 0]) for split in ([ctas[0], 1], [1, ctas[1]], ctas))
    out = hopper_device.to_device(np.zeros((m, n), np.float32))
    multiply[(1,)](
        hopper_device.to_device(a),
        hopper_device.to_device(b),
        out,
        m,
        n,
        k,
        gl.BlockedLayout([1, 8], [8, 4], warps, [1, 0], rows_a),
        gl.BlockedLayout([1, 8], [8, 4], warps, [1, 0], rows_b),
        gl.NVMMADistributedLayout([3, 0], warps, [16, 32, 16], rows),
        unswizzled((m, k), rows_a, transposed[0]),
        unswizzled((k, n), rows_b, transposed[1]),
        num_warps=warps[0] * warps[1],
        num_ctas=ctas[0] * ctas[1],
    )
    np.testing.assert_array_equal(hopper_device.to_host(out), a.astype(np.float32) @ b.astype(np.float32))
