"""ldmatrix and stmatrix: tiles go through shared memory and come back as they were, whatever moves them."""

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import emulator, errors
from hocket import language as gl
from hocket.language.nvidia.ampere import mma_v2

pytestmark = pytest.mark.usefixtures("unoptimized")

ROWS, COLUMNS = 64, 128
FLAT = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
DTYPES = {
    "i8": np.int8, "e4m3": ml_dtypes.float8_e4m3fn, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32,
    "i32": np.int32,
}  # fmt: skip
VERSIONS = {
    2: gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]),
    3: gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]),
}


def bits_of(dtype):
    return np.dtype(dtype).itemsize * 8


def shared_layouts(dtype):
    bits = bits_of(dtype)
    vec = 128 // bits
    return {
        "nvmma": gl.NVMMASharedLayout(128, bits),
        "narrow": gl.NVMMASharedLayout(32, bits),
        "transposed": gl.NVMMASharedLayout(64, bits, transposed=True),
        "swizzled": gl.SwizzledSharedLayout(vec, 1, 8, [1, 0]),
        "columns": gl.SwizzledSharedLayout(vec, 1, 4, [0, 1]),
        "padded": gl.PaddedSharedLayout.with_identity_for([[COLUMNS, vec]], [ROWS, COLUMNS], [1, 0]),
        "odd": gl.PaddedSharedLayout.with_identity_for([[COLUMNS, vec // 2]], [ROWS, COLUMNS], [1, 0]),
    }


SHARED = list(shared_layouts(np.float16))


@hocket.jit
def through_shared(
    x, out, M: gl.constexpr, N: gl.constexpr, STORED: gl.constexpr, LOADED: gl.constexpr, SHARED: gl.constexpr
):
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED)
    tile.store(gl.load(x + tile_offsets(M, N, STORED)))
    gl.store(out + tile_offsets(M, N, LOADED), tile.load(LOADED))


def run(device, dtype, stored, loaded, shared, shape=(ROWS, COLUMNS)):
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    out = device.to_device(np.zeros_like(x))
    through_shared[(1,)](device.to_device(x), out, *shape, stored, loaded, shared)
    np.testing.assert_array_equal(device.to_host(out).astype(np.float32), x.astype(np.float32))


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_operands(nvidia_device, dtype, shared, index):
    """Operand layouts of mma.sync, with one word of elements along K, and with more."""
    for wider in (1, 2):
        operand = gl.DotOperandLayout(index, VERSIONS[2], 32 * wider // bits_of(DTYPES[dtype]))
        run(nvidia_device, DTYPES[dtype], FLAT, operand, shared_layouts(DTYPES[dtype])[shared])


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_of_wgmma(hopper_device, dtype, shared):
    operand = gl.DotOperandLayout(0, VERSIONS[3], 32 // bits_of(DTYPES[dtype]))
    run(hopper_device, DTYPES[dtype], FLAT, operand, shared_layouts(DTYPES[dtype])[shared])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_results_match_numpy(hopper_device, dtype, shared, version):
    """Stored as they are in the tensor core's registers, and read back."""
    layout, memory = VERSIONS[version], shared_layouts(DTYPES[dtype])[shared]
    run(hopper_device, DTYPES[dtype], layout, FLAT, memory)
    run(hopper_device, DTYPES[dtype], layout, layout, memory)


@pytest.mark.parametrize("shape", [(16, 16), (16, 32), (8, 64), (256, 64)], ids=str)
@pytest.mark.parametrize("transposed", [False, True])
def test_tiles_of_any_size(hopper_device, shape, transposed):
    """Smaller than the warps' tile: several lanes and warps hold an element, and store it."""
    rows, columns = shape[::-1] if transposed else shape
    memory = gl.NVMMASharedLayout(32, 16, transposed=transposed)
    for version in VERSIONS.values():
        operand = gl.DotOperandLayout(0, version, 2)
        run(hopper_device, np.float16, version, operand, memory, (rows, columns))


@hocket.jit
def parts(x, out, LAYOUT: gl.constexpr, SHARED: gl.constexpr):
    tile = gl.allocate_shared_memory(gl.float16, [2, 64, 128], SHARED).index(1)
    tile.slice(32, 32, 0).slice(64, 64, 1).store(gl.load(x + tile_offsets(32, 64, LAYOUT)))
    turned: gl.constexpr = gl.DotOperandLayout(1, LAYOUT, 2)
    part = tile.slice(32, 32, 0).slice(64, 64, 1).permute([1, 0])
    gl.store(out + tile_offsets(64, 32, turned), part.load(turned))


@pytest.mark.parametrize("shared", ["nvmma", "narrow", "swizzled", "columns"])
def test_parts_of_tiles(hopper_device, shared):
    x = np.random.default_rng(1).standard_normal((32, 64)).astype(np.float16)
    out = hopper_device.to_device(np.zeros((64, 32), np.float16))
    parts[(1,)](hopper_device.to_device(x), out, VERSIONS[2], shared_layouts(np.float16)[shared])
    np.testing.assert_array_equal(hopper_device.to_host(out), x.T)


@hocket.jit
def multiply(a, b, out, A_TILE: gl.constexpr, B_TILE: gl.constexpr):
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    left = gl.allocate_shared_memory(gl.float16, [64, 64], A_TILE, gl.load(a + tile_offsets(64, 64, FLAT)))
    right = gl.allocate_shared_memory(gl.float16, [64, 64], B_TILE, gl.load(b + tile_offsets(64, 64, FLAT)))
    acc = mma_v2(
        left.load(gl.DotOperandLayout(0, acc_layout, 2)),
        right.load(gl.DotOperandLayout(1, acc_layout, 2)),
        gl.zeros([64, 64], gl.float32, acc_layout),
    )
    gl.store(out + tile_offsets(64, 64, acc_layout), acc)


@pytest.mark.parametrize("b_transposed", [False, True])
@pytest.mark.parametrize("a_transposed", [False, True])
def test_products(nvidia_device, a_transposed, b_transposed):
    a, b = np.random.default_rng(2).integers(-4, 5, (2, 64, 64)).astype(np.float16)
    out = nvidia_device.to_device(np.zeros((64, 64), np.float32))
    tiles = [gl.NVMMASharedLayout(128, 16, transposed=transposed) for transposed in (a_transposed, b_transposed)]
    kernel = multiply[(1,)](nvidia_device.to_device(a), nvidia_device.to_device(b), out, *tiles)
    np.testing.assert_array_equal(nvidia_device.to_host(out), a.astype(np.float32) @ b.astype(np.float32))
    ptx = kernel.asm["ptx"]
    assert ("ldmatrix.sync.aligned.m8n8.x4.trans" in ptx) == (a_transposed or not b_transposed)
    assert "ldmatrix.sync.aligned.m8n8.x4" in ptx and "ld.shared" not in ptx


@hocket.jit
def reads_too_early(x, out, LAYOUT: gl.constexpr):
    """The kernel does not store the second half."""
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16))
    tile.slice(0, 32, 0).store(gl.load(x + tile_offsets(32, 64, FLAT)))
    gl.store(out + tile_offsets(64, 64, LAYOUT), tile.load(LAYOUT))


def test_undefined_rows_are_found():
    x, out = np.ones((32, 64), np.float16), np.zeros((64, 64), np.float16)
    operand = gl.DotOperandLayout(0, VERSIONS[2], 2)
    with (
        emulator.target("sm_90a"),
        emulator.schedule(undefined=True),
        pytest.raises(errors.UndefinedValueError, match="an undefined value is stored"),
    ):
        reads_too_early[(1,)](x, out, operand)
