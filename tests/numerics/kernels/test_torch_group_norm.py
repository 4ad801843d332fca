"""hocket.torch.group_norm against PyTorch's own."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]


def randn(device, *shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator).to("cuda" if device.is_gpu else "cpu")


def test_values(hopper_device):
    """Also of channels-last tensors, which are copied, and of a tensor without elements."""
    x, weight, bias = (randn(hopper_device, *shape) for shape in ((2, 8, 4, 6), (8,), (8,)))
    for values in (x, x.to(memory_format=torch.channels_last), x[:0]):
        expected = torch.nn.functional.group_norm(values, 4, weight, bias)
        torch.testing.assert_close(hocket.torch.group_norm(values, 4, weight, bias), expected, atol=1e-5, rtol=1e-5)


def test_no_gradient(hopper_device):
    y = hocket.torch.group_norm(randn(hopper_device, 2, 8, 4).requires_grad_(), 2)
    with pytest.raises(NotImplementedError, match="group_norm has no backward pass yet"):
        y.sum().backward()
