"""Arguments of TensorDescriptorIm2Col, and messages for invalid ones."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.nvidia.hopper import TensorDescriptorIm2Col

ROWS = gl.NVMMASharedLayout(128, 16, 2)


def make(**changes):
    arguments = {
        "base": np.zeros((2, 8, 10, 64), np.float16),
        "shape": [2, 8, 10, 64],
        "strides": [5120, 640, 64, 1],
        "block_shape": [32, 64],
        "layout": ROWS,
        "pixel_box_lower_corner": [-1, -1],
        "pixel_box_upper_corner": [-1, -1],
        **changes,
    }
    return TensorDescriptorIm2Col(**arguments)


def test_fields():
    x = np.zeros((2, 8, 10, 64), np.float16)
    corners = {"pixel_box_lower_corner": (-1, 0), "pixel_box_upper_corner": (0, -2)}
    desc = TensorDescriptorIm2Col.from_tensor(x, (32, 64), ROWS, element_strides=[1, 2, 3, 1], **corners)
    assert (desc.base is x, desc.shape, desc.strides) == (True, [2, 8, 10, 64], [5120, 640, 64, 1])
    assert (desc.element_strides, desc.pixel_box_lower_corner) == ([1, 2, 3, 1], [-1, 0])
    assert (desc.pixel_box_upper_corner, desc.padding) == ([0, -2], "zero")


def test_blocks_of_many_pixels():
    assert make(block_shape=[1024, 64]).block_shape == [1024, 64]


WRONG = {
    "no image": (
        {"shape": [2, 64], "strides": [64, 1]},
        "a tensor of images has 3 to 5 dimensions, got shape [2, 64]\n"
        "  hint: they are images, 1 to 3 dimensions of each, and channels",
    ),
    "no corner": ({"pixel_box_lower_corner": None}, "pixel_box_lower_corner must be a list of ints, got None"),
    "a corner of the tensor": (
        {"pixel_box_upper_corner": [0, -1, -1, 0]},
        "pixel_box_upper_corner must have an entry per dimension of an image, 2, got [0, -1, -1, 0]",
    ),
    "a distant corner": (
        {"pixel_box_lower_corner": [-129, 0]},
        "pixel_box_lower_corner must be -128 to 127 in 4 dimensions, got [-129, 0]",
    ),
    "an empty box": (
        {"pixel_box_upper_corner": [-9, 0]},
        "the pixel box is empty in dimension 0 of images: from -1 to -2\n"
        "  hint: pixel_box_upper_corner is counted from the last pixel of the image",
    ),
    "too few steps": (
        {"element_strides": [2, 2]},
        "element_strides must have an entry per dimension, 4, got [2, 2]",
    ),
    "long steps": ({"element_strides": [1, 9, 1, 1]}, "element_strides must be 1 to 8, got 9 in [1, 9, 1, 1]"),
    "steps over channels": (
        {"element_strides": [1, 1, 1, 2]},
        "element_strides of images and channels, the first and the last, must be 1, got [1, 1, 1, 2]",
    ),
    "a block of images": (
        {"block_shape": [1, 4, 8, 64]},
        "block_shape must be [pixels, channels], got [1, 4, 8, 64]",
    ),
    "too many pixels": (
        {"block_shape": [2048, 64]},
        "a block has at most 1024 pixels and 256 channels, got block_shape [2048, 64]",
    ),
    "a layout of images": (
        {"layout": gl.NVMMASharedLayout(128, 16, 4)},
        "layout has rank 4, but the block has rank 2",
    ),
    "pixels dealt to blocks": (
        {"layout": gl.NVMMASharedLayout(128, 16, 2, cga_layout=[[1, 0]])},
        "layout must not split pixels or channels among the blocks of a cluster (cga_layout)",
    ),
    "channels narrower than the swizzle": (
        {"block_shape": [32, 32]},
        "with a swizzle of 128 bytes, rows of a block need at least that size, got 64 in block_shape [32, 32] of "
        "float16\n  hint: use a narrower swizzle, or wider blocks",
    ),
    "odd channels": (
        {"base": np.zeros((2, 8, 10, 3), np.float16), "shape": [2, 8, 10, 3], "strides": [240, 30, 3, 1]},
        "all strides but the last must be multiples of 16 bytes, got 30 elements of float16 (60 bytes) in "
        "[240, 30, 3, 1]\n  hint: pad the rows of the array",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_invalid_descriptors_are_errors(name):
    changes, text = WRONG[name]
    with pytest.raises((ValueError, hocket.LaunchError)) as raised:
        make(**changes)
    assert str(raised.value) == "TensorDescriptorIm2Col: " + text


def test_from_tensor_needs_strides():
    with pytest.raises(ValueError, match="from_tensor needs an array with strides, got a list"):
        TensorDescriptorIm2Col.from_tensor([[1, 2]], [8, 8], ROWS)
