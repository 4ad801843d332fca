"""Arguments of TensorDescriptor, and messages for invalid ones."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.nvidia.hopper import TensorDescriptor

ROWS = gl.NVMMASharedLayout(128, 16, 2)
PLAIN = gl.NVMMASharedLayout(0, 16, 1)


def half(*shape):
    return np.zeros(shape, np.float16)


def make(**changes):
    arguments = {
        "base": half(64, 128),
        "shape": [64, 128],
        "strides": [128, 1],
        "block_shape": [16, 64],
        "layout": ROWS,
        **changes,
    }
    return TensorDescriptor(**arguments)


def test_fields():
    x = half(64, 128)
    desc = TensorDescriptor.from_tensor(x, (16, 64), ROWS)
    assert (desc.base is x, desc.shape, desc.strides, desc.block_shape) == (True, [64, 128], [128, 1], [16, 64])
    assert (desc.layout, desc.padding, desc.round_f32_to_tf32) == (ROWS, "zero", False)


def test_a_view_keeps_its_strides():
    desc = TensorDescriptor.from_tensor(half(64, 3, 128)[:, 1, :100], [16, 64], ROWS)
    assert (desc.shape, desc.strides) == ([64, 100], [384, 1])


def test_it_does_not_change():
    with pytest.raises(AttributeError):
        make().block_shape = [8, 64]


WRONG = {
    "no array": ({"base": 7}, "TensorDescriptor: base must be an array, not a int"),
    "no dimensions": (
        {"shape": [], "strides": [], "block_shape": []},
        "TensorDescriptor: a tensor has 1 to 5 dimensions, got shape []",
    ),
    "too many dimensions": (
        {"shape": [1] * 6, "strides": [8, 8, 8, 8, 8, 1], "block_shape": [1] * 6},
        "TensorDescriptor: a tensor has 1 to 5 dimensions, got shape [1, 1, 1, 1, 1, 1]",
    ),
    "too few strides": (
        {"strides": [128]},
        "TensorDescriptor: strides must have an entry per dimension, 2, got [128]",
    ),
    "no list": ({"shape": 64}, "TensorDescriptor: shape must be a list of ints, got 64"),
    "another layout": (
        {"layout": gl.SwizzledSharedLayout(1, 1, 1, [1, 0])},
        "TensorDescriptor: layout must be an NVMMASharedLayout, got SwizzledSharedLayout(1, 1, 1, [1, 0])\n"
        "  hint: gl.NVMMASharedLayout.get_default_for(block_shape, dtype) has the widest swizzle that fits",
    ),
    "another rank": (
        {"layout": gl.NVMMASharedLayout(128, 16, 3)},
        "TensorDescriptor: layout has rank 3, but the tensor has rank 2",
    ),
    "unaligned base": (
        {"base": half(65, 128).reshape(-1)[1:]},
        "TensorDescriptor: the address of base must be a multiple of 16 bytes, but is 2 bytes above one\n"
        "  hint: describe the whole array, and add to the coordinates in the kernel",
    ),
    "empty": ({"shape": [0, 128]}, "TensorDescriptor: sizes must be 1 to 2^31 - 1, got 0 in shape [0, 128]"),
    "columns first": (
        {"strides": [1, 64]},
        "TensorDescriptor: the last stride must be 1, got 64 in [1, 64]\n"
        "  hint: describe the transposed array, and permute the tiles in shared memory",
    ),
    "negative stride": (
        {"strides": [-128, 1]},
        "TensorDescriptor: a stride is negative in [-128, 1]: TMA reads rows in ascending order\n"
        "  hint: describe a copy of the array, or the array itself with reversed coordinates",
    ),
    "unaligned stride": (
        {"strides": [100, 1], "shape": [64, 100]},
        "TensorDescriptor: all strides but the last must be multiples of 16 bytes, got 100 elements of float16 (200 "
        "bytes) in [100, 1]\n  hint: pad the rows of the array",
    ),
    "beyond the end": (
        {"shape": [65, 128]},
        "TensorDescriptor: shape [65, 128] with strides [128, 1] spans 16640 bytes, but base has only 16384",
    ),
    "block of three": (
        {"block_shape": [3, 64]},
        "TensorDescriptor: sizes of a block must be powers of two, got 3 in block_shape [3, 64]",
    ),
    "transposed layout": (
        {"layout": gl.NVMMASharedLayout(128, 16, 2, transposed=True)},
        "TensorDescriptor: layout must not be transposed: TMA writes rows of the tensor as rows of the tile\n"
        "  hint: permute the tiles in shared memory: smem.permute([1, 0])",
    ),
    "short rows": (
        {"block_shape": [16, 4], "layout": gl.NVMMASharedLayout(0, 16, 2)},
        "TensorDescriptor: rows of a block must have a multiple of 16 bytes, got 8 in block_shape [16, 4] of float16",
    ),
    "rows narrower than the swizzle": (
        {"block_shape": [16, 32]},
        "TensorDescriptor: with a swizzle of 128 bytes, rows of a block need at least that size, got 64 in block_shape "
        "[16, 32] of float16\n  hint: use a narrower swizzle, or wider blocks",
    ),
    "tf32 of halves": (
        {"round_f32_to_tf32": True},
        "TensorDescriptor: round_f32_to_tf32 needs an array of float32, and `base` has elements of float16",
    ),
    "unknown padding": (
        {"padding": "edge"},
        'TensorDescriptor: padding must be "zero" or "nan", got \'edge\'',
    ),
    "nan of integers": (
        {"base": np.zeros((64, 128), np.int16), "padding": "nan"},
        'TensorDescriptor: padding "nan" needs floats of 16 bits or more, and `base` has elements of int16',
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes(name):
    changes, text = WRONG[name]
    with pytest.raises((ValueError, hocket.LaunchError)) as raised:
        make(**changes)
    assert str(raised.value) == text


def test_from_tensor_needs_strides():
    with pytest.raises(ValueError) as raised:
        TensorDescriptor.from_tensor([[1, 2]], [8], PLAIN)
    assert str(raised.value) == "TensorDescriptor: from_tensor needs an array with strides, got a list"
