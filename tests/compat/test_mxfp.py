"""`triton.tools.mxfp`: bits of the microscaling formats."""

import math

import pytest

torch = pytest.importorskip("torch")

from hocket.compat.namespaces.mxfp import MXFP4Tensor, MXScaleTensor, fp8e8m0_to_float32  # noqa: E402

ALL = torch.arange(16, dtype=torch.uint8)
VALUES = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def test_numbers_of_e2m1():
    tensor = MXFP4Tensor(size=16)
    tensor.data = ALL
    assert tensor.to(torch.float32).tolist() == [*VALUES, *(-value for value in VALUES)]
    assert torch.equal(MXFP4Tensor(data=tensor.to(torch.float32)).data, ALL)


@pytest.mark.parametrize(
    ("number", "rounded"),
    [
        (0.25, 0),
        (0.26, 0.5),
        (0.75, 1),
        (1.25, 1),
        (1.75, 2),
        (2.5, 2),
        (3.5, 4),
        (5, 4),
        (5.1, 6),
        (100, 6),
        (-2.6, -3),
    ],
)
def test_floats_are_rounded_to_nearest_even(number, rounded):
    assert MXFP4Tensor(data=torch.tensor([float(number)])).to(torch.float32).item() == rounded


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("shape", [(4, 6), (3, 5)])
def test_packing(dim, shape):
    tensor = MXFP4Tensor(size=shape).random()
    packed = tensor.to_packed_tensor(dim)
    assert packed.shape[dim] == (shape[dim] + 1) // 2 and packed.dtype == torch.uint8
    first = packed.select(dim, 0) & 0xF
    assert torch.equal(first, tensor.data.select(dim, 0))
    assert torch.equal(tensor.unpack_packed_tensor(packed, dim, shape), tensor.data)


def test_scales():
    assert fp8e8m0_to_float32(torch.tensor([127, 128, 0], dtype=torch.uint8)).tolist() == [1, 2, 2.0**-127]
    assert math.isnan(fp8e8m0_to_float32(torch.tensor([255], dtype=torch.uint8)).item())
    scales = MXScaleTensor(size=(64, 4)).random(low=1 / 32, high=32.0)
    assert 122 <= scales.data.min() and scales.data.max() <= 132 and scales.to(torch.float32).shape == (64, 4)
    assert MXScaleTensor(data=torch.tensor([1.0, 3.0, 0.25, -1.0, math.inf])).data.tolist() == [127, 128, 125, 255, 255]
