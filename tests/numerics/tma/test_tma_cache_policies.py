"""Cache policies of bulk copies: they change no result, and the instructions have them."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.language.nvidia import ampere
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col

FIRST = ampere.CachePolicy(l2=ampere.FractionalEvictionPolicy("evict_first"))
LAST = ampere.CachePolicy(l2=ampere.FractionalEvictionPolicy("evict_last"))
NORMAL = ampere.CachePolicy(l2=ampere.FractionalEvictionPolicy("evict_normal"))
PART = ampere.CachePolicy(l2=ampere.FractionalEvictionPolicy("evict_last", 0.25, "evict_first"))
LAYOUT = gl.NVMMASharedLayout(128, 16, 2)


@hocket.jit
def copy(source, images, target, LOAD: gl.constexpr, STORE: gl.constexpr):
    tile = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, source.nbytes_per_cta)
    tma.async_load(source, [0, 0], bar, tile, cache_policy=LOAD)
    mbarrier.wait(bar, 0)
    tma.async_store(target, [0, 0], tile, cache_policy=STORE)
    tma.store_wait(0)
    mbarrier.expect(bar, images.nbytes_per_cta)
    tma.async_load_im2col(images, [0, 0, 0], [0], bar, tile, cache_policy=LOAD)
    mbarrier.wait(bar, 1)
    tma.async_store(target, [8, 0], tile, cache_policy=STORE)
    tma.store_wait(0)


def descriptors(x, y):
    corners = {"pixel_box_lower_corner": [0], "pixel_box_upper_corner": [0]}
    images = TensorDescriptorIm2Col(x, [1, 8, 64], [512, 64, 1], [8, 64], LAYOUT, **corners)
    return TensorDescriptor.from_tensor(x, [8, 64], LAYOUT), images, TensorDescriptor.from_tensor(y, [8, 64], LAYOUT)


@pytest.mark.parametrize("load, store", [(None, None), (FIRST, LAST), (LAST, FIRST), (NORMAL, NORMAL), (PART, PART)])
def test_copies(hopper_device, load, store):
    x = np.random.default_rng(0).standard_normal((8, 64)).astype(np.float16)
    y = hopper_device.to_device(np.zeros((16, 64), np.float16))
    copy[(1,)](*descriptors(hopper_device.to_device(x), y), load, store)
    np.testing.assert_array_equal(hopper_device.to_host(y), np.concatenate([x, x]))


@pytest.mark.parametrize(
    "load, store, hints", [(None, None, 0), (FIRST, None, 2), (FIRST, LAST, 4), (NORMAL, NORMAL, 0), (PART, None, 2)]
)
def test_instructions(load, store, hints):
    arrays = np.zeros((8, 64), np.float16), np.zeros((16, 64), np.float16)
    ptx = copy.warmup(*descriptors(*arrays), load, store, target="sm_90a").asm["ptx"]
    assert ptx.count("L2::cache_hint") == hints
    # Constants that createpolicy.fractional returns for a fraction of 1.
    assert (str(0x12F0000000000000) in ptx) == (load is FIRST)
    assert (str(0x14F0000000000000) in ptx) == (store is LAST)
    # Policies that are only known at run time.
    assert ("createpolicy.fractional.L2::evict_last.L2::evict_first.b64" in ptx) == (load is PART)
