"""hocket.nvidia.hopper.DescriptorForm: descriptors of arrays that are alike, made without checking again."""

import gc
import weakref

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import DescriptorForm, TensorDescriptor

BLOCK = [8, 64]
LAYOUT = gl.NVMMASharedLayout.get_default_for(BLOCK, gl.float16)


class GpuArray:
    """Has what PyTorch's tensors have; nothing reads its memory."""

    dtype = np.dtype(np.float16)

    def __init__(self, address, device=0):
        self.address, self.device = address, device

    def data_ptr(self):
        return self.address

    def get_device(self):
        return self.device


def form():
    return DescriptorForm(TensorDescriptor.from_tensor(np.zeros((16, 64), np.float16), BLOCK, LAYOUT))


@hocket.jit
def copy(source, target):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    tile = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_load(source, [8, 0], bar, tile)
    mbarrier.wait(bar, 0)
    tma.async_store(target, [0, 0], tile)
    tma.store_wait(0)


def test_launches_take_them():
    made = form()
    with hocket.emulator.target("sm_90a"):
        for seed in range(2):
            x = np.random.default_rng(seed).standard_normal((16, 64)).astype(np.float16)
            out = np.zeros_like(x)
            copy[(1,)](made.on(x), made.on(out))
            np.testing.assert_array_equal(out[:8], x[8:])


def test_on_a_gpu_an_address_has_one():
    made = form()
    first = made.on(GpuArray(4096))
    assert made.on(GpuArray(4096)) is first
    assert made.on(GpuArray(8192)) is not first
    assert made.on(GpuArray(4096, device=1)) is not first


def test_arrays_on_a_gpu_are_not_kept():
    made, array = form(), GpuArray(4096)
    descriptor, alive = made.on(array), weakref.ref(array)
    del array
    gc.collect()
    assert alive() is None
    assert descriptor is made.on(GpuArray(4096))


def test_few_addresses_are_kept():
    made = form()
    first = made.on(GpuArray(4096))
    for number in range(1, 300):
        made.on(GpuArray(4096 * (number + 1)))
    assert len(made) <= 256
    assert made.on(GpuArray(4096)) is not first


def test_arrays_of_the_host_are_kept_by_their_descriptors():
    made = form()
    array = np.ones((16, 64), np.float16)
    assert made.on(array) is not made.on(array)
