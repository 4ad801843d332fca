"""TMA blocks that one instruction does not move: more than 256 elements along a dimension; and rounding to tf32."""

import numpy as np
import pytest
from tma_cases import Case, load_blocks, store_blocks, tile_layout

from hocket import language as gl
from hocket.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col

#: Block and swizzle: rows, rows and columns, an inner dimension of three, columns without swizzle, one long row.
BLOCKS = {
    "rows": ([512, 16], 32),
    "rows and columns": ([512, 64], 64),
    "a dimension between": ([2, 512, 16], 32),
    "the outermost dimension": ([512, 2, 16], 32),
    "columns in rows": ([4, 512], 0),
    "rows without swizzle": ([512, 8], 0),
    "a long row": ([4096], 0),
}


def case_of(name):
    block, swizzle = BLOCKS[name]
    shape = [size + 3 for size in block[:-1]] + [block[-1] + 16]
    return Case(block, shape, gl.NVMMASharedLayout(swizzle, 16, len(block)), np.float16, (0,) * len(block))


@pytest.mark.parametrize("name", BLOCKS)
def test_loads(hopper_device, name):
    case = case_of(name)
    x = np.random.default_rng(1).integers(1, 1000, case.shape).astype(case.dtype)
    desc = TensorDescriptor.from_tensor(hopper_device.to_device(x), case.block, case.layout)
    expected = np.zeros((case.num_blocks, *case.block), case.dtype)
    out = hopper_device.to_device(np.full_like(expected, 77))
    layout = tile_layout(len(case.block))
    load_blocks[(case.num_blocks,)](desc, out, tuple(case.counts), case.starts, case.block_elements, layout)
    for number in range(case.num_blocks):
        tensor_part, block_part = case.overlap(number)
        expected[number][block_part] = x[tensor_part]
    np.testing.assert_array_equal(hopper_device.to_host(out), expected)


@pytest.mark.parametrize("name", BLOCKS)
def test_stores(hopper_device, name):
    case = case_of(name)
    values = case.values(seed=1)
    array = hopper_device.to_device(np.zeros(case.shape, case.dtype))
    desc = TensorDescriptor.from_tensor(array, case.block, case.layout)
    store_blocks[(case.num_blocks,)](
        desc, hopper_device.to_device(values), tuple(case.counts), case.starts, case.block_elements
    )
    expected = np.zeros(case.shape, case.dtype)
    for number in range(case.num_blocks):
        tensor_part, block_part = case.overlap(number)
        expected[tensor_part] = values[number][block_part]
    np.testing.assert_array_equal(hopper_device.to_host(array), expected)


def test_a_descriptor_of_one_row_may_be_swizzled():
    """Kernels that gather rows are passed one; no tile of a ring can be so small."""
    layout = gl.NVMMASharedLayout(128, 16, 2)
    assert TensorDescriptor.from_tensor(np.zeros((8, 64), np.float16), [1, 64], layout).block_shape == [1, 64]


def nearest_tf32(x):
    """Rounds 24 bits of a number to 11, to the even one if two are equally near."""
    fraction, exponent = np.frexp(x.astype(np.float64))
    return np.where(np.isfinite(x), np.ldexp(np.rint(fraction * 2**11), exponent - 11), x).astype(np.float32)


def numbers_between():
    """Random numbers; ties, to both sides; what rounds up to the next power of two; infinity, NaN and a subnormal."""
    x = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
    special = np.array([0x3F801000, 0x3F803000, 0x3FFFFFFF, 0x7F800000, 0x7FC00001, 0x00001FFF, 0xBF801000], np.uint32)
    x.reshape(-1)[: special.size] = special.view(np.float32)
    return x


def test_loads_round_to_tf32(hopper_device):
    x = numbers_between()
    x[0, 5] = 1  # hardware may flush subnormal numbers
    desc = TensorDescriptor.from_tensor(
        hopper_device.to_device(x), [64, 32], gl.NVMMASharedLayout(128, 32, 2), round_f32_to_tf32=True
    )
    out = hopper_device.to_device(np.zeros((1, 64, 32), np.float32))
    load_blocks[(1,)](desc, out, (1, 1), (0, 0), 64 * 32, tile_layout(2))
    np.testing.assert_array_equal(hopper_device.to_host(out)[0], nearest_tf32(x))


def test_descriptors_of_im2col_round_too():
    x = np.zeros((1, 4, 8, 32), np.float32)
    desc = TensorDescriptorIm2Col.from_tensor(
        x, [32, 32], gl.NVMMASharedLayout(128, 32, 2), round_f32_to_tf32=True,
        pixel_box_lower_corner=[0, 0], pixel_box_upper_corner=[0, 0],
    )  # fmt: skip
    assert desc._launch_arguments[6] is True
