"""Tensor descriptors as arguments of launches on a GPU: what the driver is asked to encode, and what kernels get."""

import struct

import numpy as np
import pytest
from stand_ins.arrays import CudaArray, TorchLike, aligned

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import DescriptorForm, TensorDescriptor, TensorDescriptorIm2Col

#: Fields of the stand-in's TensorMap.
MAP = struct.Struct("<Q5Q4Q5I7B6Bx3h3hh")


@hocket.jit
def store_ones(desc, n):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    tile.store(gl.full(desc.block_shape, 1, desc.dtype, layout))
    tma.async_store(desc, [n, 0], tile)
    tma.store_wait(0)


def descriptor(array, padding="zero"):
    layout = gl.NVMMASharedLayout(64, 16, 2)
    return TensorDescriptor(array, [30, 80], [96, 1], [16, 64], layout, padding)


@pytest.fixture
def array():
    return CudaArray(aligned(30 * 96, np.float16))


def encoded(driver):
    fields = MAP.unpack(driver.wide_bytes[: MAP.size])
    names = ("rank", "type", "swizzle", "fill", "interleave", "promotion", "element_strides")
    tensor_map = dict(zip(names, fields[15:22], strict=True))
    return fields[0], list(fields[1:6]), list(fields[6:10]), list(fields[10:15]), tensor_map


@hocket.jit
def load_pixels(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load_im2col(desc, [0, 0, 0, 0], [1, 2], bar, tile)
    mbarrier.wait(bar, 0)


def test_the_driver_encodes_images(driver):
    images = CudaArray(aligned(3 * 10 * 12 * 64, np.float16))
    desc = TensorDescriptorIm2Col(
        images,
        [3, 10, 12, 64],
        [10 * 12 * 64, 12 * 64, 64, 1],
        [16, 64],
        gl.NVMMASharedLayout(64, 16, 2),
        element_strides=[1, 2, 3, 1],
        pixel_box_lower_corner=[-1, -2],
        pixel_box_upper_corner=[-3, -4],
    )
    driver.set("wide_parameter", 0)
    driver.set("parameter_count", 8)
    load_pixels[(1,)](desc)
    fields = MAP.unpack(driver.wide_bytes[: MAP.size])
    assert fields[0] == images.address
    assert fields[1:5] == (64, 12, 10, 3)
    assert fields[6:9] == (128, 12 * 128, 10 * 12 * 128)
    assert fields[15:18] == (4, 6, 2)  # rank, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_SWIZZLE_64B
    channels, *steps = fields[22:28]
    assert channels == 32  # as wide as the swizzle
    assert steps[:4] == [1, 3, 2, 1]
    assert (fields[28:30], fields[31:33], fields[34]) == ((-2, -1), (-4, -3), 16)


def test_the_driver_encodes_the_map(driver, array):
    driver.set("wide_parameter", 0)
    driver.set("parameter_count", 5)
    store_ones[(1,)](descriptor(array), 7)
    address, sizes, strides, box, rest = encoded(driver)
    assert address == array.address
    assert sizes[:2] == [80, 30]
    assert strides[0] == 192
    assert box[:2] == [32, 16]  # as wide as the swizzle
    assert rest == {
        "rank": 2,
        "type": 6,  # CU_TENSOR_MAP_DATA_TYPE_FLOAT16
        "swizzle": 2,  # CU_TENSOR_MAP_SWIZZLE_64B
        "fill": 0,
        "interleave": 0,
        "promotion": 2,  # CU_TENSOR_MAP_L2_PROMOTION_L2_128B
        "element_strides": 1,
    }
    assert driver.get("wide_misalignment") == 0
    _, rows, columns, stride, n = driver.parameters(5)
    assert [rows & 0xFFFFFFFF, columns & 0xFFFFFFFF, stride, n & 0xFFFFFFFF] == [30, 80, 96, 7]


def test_a_descriptor_is_encoded_once(driver, array):
    desc, before = descriptor(array), driver.get("encodings")
    for n in range(3):
        store_ones[(1,)](desc, n + 2)
    assert driver.get("encodings") == before + 1
    array.array = aligned(30 * 96, np.float16)  # its memory moved
    driver.set("wide_parameter", 0)
    store_ones[(1,)](desc, 2)
    assert driver.get("encodings") == before + 2
    assert encoded(driver)[0] == array.address


def test_nan_is_filled_in_by_the_hardware(driver, array):
    driver.set("wide_parameter", 0)
    store_ones[(1,)](descriptor(array, "nan"), 2)
    assert encoded(driver)[4]["fill"] == 1


def test_descriptors_of_one_type_share_a_kernel(driver, array):
    other = CudaArray(aligned(50 * 96, np.float16))
    kernel = store_ones[(1,)](descriptor(array), 2)
    assert store_ones[(1,)](descriptor(other), 2) is kernel
    narrower = TensorDescriptor(array, [30, 80], [96, 1], [16, 32], gl.NVMMASharedLayout(64, 16, 2))
    assert store_ones[(1,)](narrower, 2) is not kernel


def test_a_map_that_the_driver_refuses(driver, array):
    desc, launches = descriptor(array), driver.get("launches")
    driver.set("next_encoding_result", 1)
    with pytest.raises(hocket.LaunchError, match="encoding a tensor descriptor failed"):
        store_ones[(1,)](desc, 2)
    assert driver.get("launches") == launches
    store_ones[(1,)](desc, 2)
    assert driver.get("launches") == launches + 1


def test_forms_encode_once_per_address(driver):
    made = DescriptorForm(descriptor(CudaArray(aligned(30 * 96, np.float16))))
    arrays = [TorchLike(aligned(30 * 96, np.float16)) for _ in range(2)]
    driver.set("wide_parameter", 0)
    before = driver.get("encodings")
    for array in (*arrays, *arrays):
        store_ones[(1,)](made.on(array), 2)
        assert encoded(driver)[0] == array.data_ptr()
    assert driver.get("encodings") == before + 2
