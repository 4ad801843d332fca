"""mma_v2: every operand type, k_width, arrangement of warps, through registers and through shared memory."""

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import errors
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy, mma_v2

F16, BF16, F32 = np.float16, ml_dtypes.bfloat16, np.float32
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
#: The dtypes of a and b, and the elements in 4 bytes.
OPERANDS = {
    "f16": (F16, F16, 2),
    "bf16": (BF16, BF16, 2),
    "tf32": (F32, F32, 1),
    "s8": (np.int8, np.int8, 4),
    "s8.u8": (np.int8, np.uint8, 4),
    "u8.s8": (np.uint8, np.int8, 4),
    "u8": (np.uint8, np.uint8, 4),
    "e4m3": (E4M3, E4M3, 4),
    "e4m3.e5m2": (E4M3, E5M2, 4),
    "e5m2.e4m3": (E5M2, E4M3, 4),
    "e5m2": (E5M2, E5M2, 4),
}
FLOAT8 = [name for name in OPERANDS if name.startswith("e")]


def numbers(seed, shape, dtype):
    """Returns numbers whose dot products are exact."""
    low = 0 if np.dtype(dtype) == np.uint8 else -4
    high = 256 if np.dtype(dtype) == np.uint8 else 5
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def exact(a, b):
    kind = np.int64 if np.issubdtype(a.dtype, np.integer) else np.float64
    return a.astype(kind) @ b.astype(kind)


def accumulator(a):
    return np.int32 if np.issubdtype(a.dtype, np.integer) else np.float32


def skip_what_is_missing(device, *dtypes):
    if getattr(device, "target", "") == "sm_80" and any(dtype in (E4M3, E5M2) for dtype in dtypes):
        pytest.skip("8-bit floats came with Hopper")


@hocket.jit
def multiply(a, b, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, WARPS: gl.constexpr, K_WIDTH: gl.constexpr):
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], WARPS, [16, 8])
    a_layout: gl.constexpr = gl.DotOperandLayout(0, acc_layout, K_WIDTH)
    b_layout: gl.constexpr = gl.DotOperandLayout(1, acc_layout, K_WIDTH)
    left = gl.load(a + tile_offsets(M, K, a_layout))
    right = gl.load(b + tile_offsets(K, N, b_layout))
    acc = gl.load(out + tile_offsets(M, N, acc_layout))
    gl.store(out + tile_offsets(M, N, acc_layout), mma_v2(left, right, acc))


@pytest.mark.parametrize("wider", [1, 2, 4])
@pytest.mark.parametrize("operands", OPERANDS)
def test_every_type(nvidia_device, operands, wider):
    """The result is added to the accumulator."""
    left, right, width = OPERANDS[operands]
    skip_what_is_missing(nvidia_device, left, right)
    k_width = width * wider
    m, n, k = 32, 32, 16 * k_width
    a, b = numbers(0, (m, k), left), numbers(1, (k, n), right)
    before = np.random.default_rng(2).integers(-100, 100, (m, n)).astype(accumulator(a))
    out = nvidia_device.to_device(before)
    multiply[(1,)](nvidia_device.to_device(a), nvidia_device.to_device(b), out, m, n, k, (2, 2), k_width)
    np.testing.assert_array_equal(nvidia_device.to_host(out), before + exact(a, b))


@pytest.mark.parametrize("shape", [(16, 8, 16), (64, 32, 32), (16, 128, 64), (128, 16, 16)], ids=str)
@pytest.mark.parametrize("warps", [(4, 1), (1, 4), (2, 2)], ids=str)
def test_shapes_and_warps(nvidia_device, shape, warps):
    """Smaller than what the warps cover, and larger."""
    m, n, k = shape
    a, b = numbers(3, (m, k), F16), numbers(4, (k, n), F16)
    out = nvidia_device.to_device(np.zeros((m, n), np.float32))
    multiply[(1,)](nvidia_device.to_device(a), nvidia_device.to_device(b), out, m, n, k, warps, 2)
    np.testing.assert_array_equal(nvidia_device.to_host(out), exact(a, b))


@pytest.mark.parametrize("operands", ["f16", "bf16", "tf32"])
def test_normal_numbers(nvidia_device, operands):
    """Products are exact (of tf32, of 11 bits each), sums are rounded as float32."""
    left, right, width = OPERANDS[operands]
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((64, 128)).astype(left), rng.standard_normal((128, 64)).astype(right)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    multiply[(1,)](nvidia_device.to_device(a), nvidia_device.to_device(b), out, 64, 64, 128, (2, 2), width)
    tolerance = 6e-2 if operands == "tf32" else 1e-4
    np.testing.assert_allclose(nvidia_device.to_host(out), exact(a, b), atol=tolerance)


@hocket.jit
def through_shared(a, b, out, steps, SHARED_A: gl.constexpr, SHARED_B: gl.constexpr):
    """A loop over K: cp.async brings the tiles, lanes read their operands from shared memory."""
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    a_layout: gl.constexpr = gl.DotOperandLayout(0, acc_layout, 2)
    b_layout: gl.constexpr = gl.DotOperandLayout(1, acc_layout, 2)
    copy: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    a_tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED_A)
    b_tile = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED_B)
    acc = gl.zeros([64, 64], gl.float32, acc_layout)
    offsets = tile_offsets(64, 64, copy)
    for step in gl.range(0, steps, num_stages=2):
        async_copy.async_load(a_tile, a + offsets + step * 4096)
        async_copy.async_load(b_tile, b + offsets + step * 4096)
        async_copy.commit_group()
        async_copy.wait_group(0)
        acc = mma_v2(a_tile.load(a_layout), b_tile.load(b_layout), acc)
    gl.store(out + tile_offsets(64, 64, acc_layout), acc)


SHARED = {
    "plain": gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
    "swizzled": gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
    "nvmma": gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16),
}


@pytest.mark.parametrize("layout", SHARED)
def test_loops_through_shared_memory(nvidia_device, layout):
    shared = SHARED[layout]
    a, b = numbers(6, (5, 64, 64), F16), numbers(7, (5, 64, 64), F16)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    through_shared[(1,)](nvidia_device.to_device(a), nvidia_device.to_device(b), out, 5, shared, shared)
    np.testing.assert_array_equal(nvidia_device.to_host(out), sum(exact(x, y) for x, y in zip(a, b, strict=True)))


@hocket.jit
def chained(a, b, c, out):
    """(a x b) x c: the result becomes an operand."""
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    a_layout: gl.constexpr = gl.DotOperandLayout(0, acc_layout, 2)
    b_layout: gl.constexpr = gl.DotOperandLayout(1, acc_layout, 2)
    left = gl.load(a + tile_offsets(64, 32, a_layout))
    right = gl.load(b + tile_offsets(32, 32, b_layout))
    last = gl.load(c + tile_offsets(32, 32, b_layout))
    product = mma_v2(left, right, gl.zeros([64, 32], gl.float32, acc_layout))
    product = gl.convert_layout(product.to(gl.float16), a_layout)
    gl.store(out + tile_offsets(64, 32, acc_layout), mma_v2(product, last, gl.zeros([64, 32], gl.float32, acc_layout)))


def test_chained_products(nvidia_device):
    rng = np.random.default_rng(8)
    a, b, c = (rng.integers(-2, 3, shape).astype(F16) for shape in [(64, 32), (32, 32), (32, 32)])
    out = nvidia_device.to_device(np.zeros((64, 32), np.float32))
    chained[(1,)](*map(nvidia_device.to_device, (a, b, c)), out)
    np.testing.assert_array_equal(nvidia_device.to_host(out), exact(a, b) @ c.astype(np.float64))


@hocket.jit
def batched(a, b, out):
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 1, 2], [1, 16, 8])
    a_layout: gl.constexpr = gl.DotOperandLayout(0, acc_layout, 2)
    b_layout: gl.constexpr = gl.DotOperandLayout(1, acc_layout, 2)
    batch: gl.constexpr = gl.BlockedLayout([1, 1, 4], [1, 8, 4], [4, 1, 1], [2, 1, 0])
    index = gl.arange(0, 4, layout=gl.SliceLayout(1, gl.SliceLayout(2, batch)))[:, None, None] * 512
    rows = gl.arange(0, 16, layout=gl.SliceLayout(0, gl.SliceLayout(2, batch)))[None, :, None] * 32
    places = index + rows + gl.arange(0, 32, layout=gl.SliceLayout(0, gl.SliceLayout(1, batch)))[None, None, :]
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, gl.SliceLayout(2, batch)))[None, :, None] * 16
    across = gl.arange(0, 16, layout=gl.SliceLayout(0, gl.SliceLayout(1, batch)))[None, None, :]
    left = gl.convert_layout(gl.load(a + places), a_layout)
    right = gl.convert_layout(gl.load(b + index + columns + across), b_layout)
    acc = mma_v2(left, right, gl.zeros([4, 16, 16], gl.float32, acc_layout))
    index = gl.arange(0, 4, layout=gl.SliceLayout(1, gl.SliceLayout(2, acc_layout)))[:, None, None] * 256
    rows = gl.arange(0, 16, layout=gl.SliceLayout(0, gl.SliceLayout(2, acc_layout)))[None, :, None] * 16
    across = gl.arange(0, 16, layout=gl.SliceLayout(0, gl.SliceLayout(1, acc_layout)))[None, None, :]
    gl.store(out + index + rows + across, acc)


def test_batches(nvidia_device):
    a, b = numbers(9, (4, 16, 32), F16), numbers(10, (4, 32, 16), F16)
    out = nvidia_device.to_device(np.zeros((4, 16, 16), np.float32))
    batched[(1,)](nvidia_device.to_device(a), nvidia_device.to_device(b), out)
    np.testing.assert_array_equal(nvidia_device.to_host(out), exact(a, b))


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("operands", OPERANDS)
def test_the_gpu_gets_one_instruction_per_result_and_step(operands, target):
    left, right, width = OPERANDS[operands]
    if operands in FLOAT8 and target == "sm_80":
        pytest.skip("8-bit floats came with Hopper")
    dtypes = [np.dtype(dtype) for dtype in (left, right, accumulator(np.zeros(1, left)))]
    sizes = {"M": 32, "N": 32, "K": 16 * width, "WARPS": (2, 2), "K_WIDTH": width}
    compiled = multiply.warmup(*dtypes, target=target, num_warps=4, **sizes)
    # A warp has one result of 16 x 8 beside another, and two steps of 8 words along K.
    assert compiled.asm["ptx"].count("mma.sync.aligned.m16n8k") == 4


@pytest.mark.parametrize("operands", FLOAT8)
def test_float8_is_refused_on_ampere(operands):
    left, right, _ = OPERANDS[operands]
    a, b = numbers(0, (32, 64), left), numbers(1, (64, 32), right)
    from hocket import emulator

    with emulator.target("sm_80"), pytest.raises(errors.CompileError, match=r"needs mma\.sync of 8-bit floats"):
        multiply[(1,)](a, b, np.zeros((32, 32), np.float32), 32, 32, 64, (2, 2), 4)


@hocket.jit
def multiply_versions(a, b, out, VERSION: gl.constexpr, ACC: gl.constexpr):
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout(VERSION, [2, 2], [16, 8])
    left = gl.load(a + tile_offsets(32, 64, gl.DotOperandLayout(0, acc_layout, 2)))
    right = gl.load(b + tile_offsets(64, 32, gl.DotOperandLayout(1, acc_layout, 2)))
    acc = gl.zeros([32, 32], ACC, acc_layout)
    for _ in range(2):
        acc = mma_v2(left, right, acc)
    gl.static_assert(acc.dtype == ACC)
    gl.store(out + tile_offsets(32, 32, acc_layout), acc)


@pytest.mark.parametrize("version", [(2, 0), (2, 1)])
def test_sums_in_float16(nvidia_device, version):
    """Each mma_v2 sums in float32 and rounds once."""
    a, b = numbers(0, (32, 64), F16), numbers(1, (64, 32), F16)
    out = nvidia_device.to_device(np.zeros((32, 32), F16))
    multiply_versions[(1,)](nvidia_device.to_device(a), nvidia_device.to_device(b), out, version, gl.float16)
    np.testing.assert_array_equal(nvidia_device.to_host(out), (2 * exact(a, b)).astype(F16))
