"""A descriptor that is known only as the kernel runs: a load takes shape and strides from the one that was chosen."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))


@hocket.jit
def load_chosen(a, b, out, n, STATEMENT: gl.constexpr):
    tile = gl.allocate_shared_memory(a.dtype, [32, 32], a.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    if STATEMENT:
        chosen = a
        if n > 3:
            chosen = b
    else:
        chosen = b if n > 3 else a
    mbarrier.expect(bar, chosen.nbytes_per_cta)
    tma.async_load(chosen, [32, 0], bar, tile)
    mbarrier.wait(bar, 0)
    row = gl.arange(0, 32, layout=gl.SliceLayout(1, ROWS))[:, None]
    gl.store(out + row * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS))[None, :], tile.load(ROWS))


@pytest.mark.parametrize("statement", [False, True])
@pytest.mark.parametrize("n", [3, 4])
def test_the_chosen_one_is_loaded(hopper_device, n, statement):
    layout = gl.NVMMASharedLayout.get_default_for([32, 32], gl.float32)
    arrays = [np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in ((64, 32), (128, 96))]
    given = [TensorDescriptor.from_tensor(hopper_device.to_device(array), [32, 32], layout) for array in arrays]
    out = hopper_device.to_device(np.zeros((32, 32), np.float32))
    load_chosen[(1,)](*given, out, n, statement)
    np.testing.assert_array_equal(hopper_device.to_host(out), arrays[n > 3][32:64, :32])
