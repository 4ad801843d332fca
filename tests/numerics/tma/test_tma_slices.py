"""TMA into and out of slices of larger tiles."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

pytestmark = pytest.mark.quick


@hocket.jit
def swap(source, target, R: gl.constexpr, C: gl.constexpr, DIM: gl.constexpr):
    """Loads two blocks into the slices of one tile in the reverse order, and stores the slices in their order."""
    rows: gl.constexpr = source.block_shape[0]
    columns: gl.constexpr = source.block_shape[1]
    tile = gl.allocate_shared_memory(source.dtype, [R, C], source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, 2 * source.nbytes_per_cta)
    step_rows: gl.constexpr = rows if DIM == 0 else 0
    step_columns: gl.constexpr = columns if DIM == 1 else 0
    size: gl.constexpr = rows if DIM == 0 else columns
    for half in gl.static_range(2):
        place = tile.slice((1 - half) * size, size, DIM)
        tma.async_load(source, [half * step_rows, half * step_columns], bar, place)
    mbarrier.wait(bar, 0)
    for half in gl.static_range(2):
        tma.async_store(target, [half * step_rows, half * step_columns], tile.slice(half * size, size, DIM))
    tma.store_wait(0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("shape, dim", [((64, 128), 0), ((16, 64), 0), ((32, 256), 1)], ids=str)
def test_slices(hopper_device, shape, dim, swizzle, dtype):
    if dim == 1 and swizzle == 0:
        pytest.skip("one box is as wide as the tile: a slice of columns has gaps")
    x = np.random.default_rng(0).integers(0, 999, shape).astype(dtype)
    block = [size // 2 if d == dim else size for d, size in enumerate(shape)]
    layout = gl.NVMMASharedLayout(swizzle, np.dtype(dtype).itemsize * 8)
    out = hopper_device.to_device(np.zeros_like(x))
    source, target = (TensorDescriptor.from_tensor(array, block, layout) for array in (hopper_device.to_device(x), out))
    swap[(1,)](source, target, *shape, dim)
    np.testing.assert_array_equal(hopper_device.to_host(out), np.roll(x, shape[dim] // 2, dim))


@pytest.mark.parametrize("num_ctas", [2, 4])
def test_slices_of_tiles_distributed_over_ctas(hopper_device, num_ctas):
    """Each CTA has its part of every slice."""
    x = np.random.default_rng(0).integers(0, 999, (64, 256)).astype(np.float16)
    rows = [[1 << bit, 0] for bit in range(num_ctas.bit_length() - 1)]
    layout = gl.NVMMASharedLayout(128, 16, cga_layout=rows)
    out = hopper_device.to_device(np.zeros_like(x))
    source, target = (
        TensorDescriptor.from_tensor(array, [64, 128], layout) for array in (hopper_device.to_device(x), out)
    )
    swap[(1,)](source, target, 64, 256, 1, num_ctas=num_ctas)
    np.testing.assert_array_equal(hopper_device.to_host(out), np.roll(x, 128, 1))
