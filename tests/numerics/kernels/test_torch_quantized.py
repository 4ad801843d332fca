"""hocket.torch's norms with a float8 result against PyTorch: values, torch.compile, the error of the gradient."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

EPS = 1e-5


def randn(device, *shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator).to("cuda" if device.is_gpu else "cpu")


def restored(quantized, scale, group):
    """Quantized elements times their scales."""
    return quantized.float() * (scale[..., None] if group is None else scale.repeat_interleave(group, -1))


def check(function, x, residual, weight, group):
    quantized, scale, total = function(x, weight, EPS, residual, group)
    assert quantized.dtype == torch.float8_e4m3fn
    torch.testing.assert_close(total, x + residual)
    expected = torch.nn.functional.rms_norm(x + residual, x.shape[-1:], weight, EPS)
    torch.testing.assert_close(restored(quantized, scale, group), expected, atol=1e-2, rtol=0.07)


@pytest.mark.parametrize("group", [None, 128], ids=["rows", "groups"])
def test_values(hopper_device, group):
    """Also of transposed tensors, which are copied."""
    x, residual, weight = (randn(hopper_device, *shape) for shape in ((2, 3, 256), (3, 2, 256), (256,)))
    check(hocket.torch.rms_norm_quantized, x, residual.transpose(0, 1), weight, group)


def test_layer_norm_without_rows(hopper_device):
    x, weight = randn(hopper_device, 3, 128), randn(hopper_device, 128)
    quantized, scale = hocket.torch.layer_norm_quantized(x, weight, weight, EPS)
    expected = torch.nn.functional.layer_norm(x, (128,), weight, weight, EPS)
    torch.testing.assert_close(restored(quantized, scale, None), expected, atol=1e-2, rtol=0.07)
    quantized, scale = hocket.torch.layer_norm_quantized(x[:0], group=128)
    assert quantized.shape == (0, 128) and scale.shape == (0, 1)


def test_compiles_in_one_graph(hopper_device):
    x, residual, weight = (randn(hopper_device, *shape) for shape in ((5, 128), (5, 128), (128,)))
    backend = "inductor" if hopper_device.is_gpu else "aot_eager"
    compiled = torch.compile(hocket.torch.rms_norm_quantized, fullgraph=True, backend=backend)
    check(compiled, x, residual, weight, 128)


def test_no_gradient(hopper_device):
    _, scale = hocket.torch.rms_norm_quantized(randn(hopper_device, 2, 128).requires_grad_())
    with pytest.raises(NotImplementedError, match="norms with a float8 result have no backward pass"):
        scale.sum().backward()
