"""hocket.torch.group_norm against PyTorch's own: values, gradients, torch.compile."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]


def randn(like, *shape):
    """Normal numbers on the device of `like`: a tensor, or a device of the tests."""
    device = like.device if isinstance(like, torch.Tensor) else "cuda" if like.is_gpu else "cpu"
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(device)


def gradients(function, leaves, of_y):
    """y, and the gradients of the leaves that are not None."""
    y = function(*leaves)
    return y, *torch.autograd.grad(y, [leaf for leaf in leaves if leaf is not None], of_y)


def reference(x, groups, weight, bias):
    """PyTorch's own, with a weight: PyTorch 2.11 has no gradients on a GPU for a bias without a weight."""
    if weight is None and bias is not None:
        weight = torch.ones_like(bias)
    return torch.nn.functional.group_norm(x, groups, weight, bias)


def check(ours, x, weight, bias, groups=4):
    results = []
    for function in (ours, reference):
        leaves = [None if leaf is None else leaf.detach().requires_grad_() for leaf in (x, weight, bias)]
        of_y = randn(x, *x.shape)
        results.append(gradients(lambda x, *vectors, call=function: call(x, groups, *vectors), leaves, of_y))
    for result, expected in zip(*results, strict=True):
        assert result.dtype == expected.dtype
        torch.testing.assert_close(result, expected, atol=2e-5, rtol=1e-5)


def test_values_and_gradients(hopper_device):
    """Also of channels-last tensors, which are copied, and of a tensor without images."""
    x, weight, bias = (randn(hopper_device, *shape) for shape in ((2, 8, 4, 6), (8,), (8,)))
    for values in (x, x.to(memory_format=torch.channels_last), x[:0]):
        check(hocket.torch.group_norm, values, weight, bias)


@pytest.mark.parametrize(("has_weight", "has_bias"), [(True, False), (False, True), (False, False)])
def test_without_weight_or_bias(hopper_device, has_weight, has_bias):
    x, weight, bias = (randn(hopper_device, *shape) for shape in ((3, 8, 5), (8,), (8,)))
    check(hocket.torch.group_norm, x, weight if has_weight else None, bias if has_bias else None, groups=2)


def test_compiles_in_one_graph(hopper_device):
    backend = "inductor" if hopper_device.is_gpu else "aot_eager"
    compiled = torch.compile(hocket.torch.group_norm, fullgraph=True, backend=backend)
    check(compiled, *(randn(hopper_device, *shape) for shape in ((2, 8, 16), (8,), (8,))))


def test_the_checks_of_operators(hopper_device):
    x = randn(hopper_device, 2, 8, 16).requires_grad_()
    arguments = x, 4, randn(hopper_device, 8), None, 1e-5
    torch.library.opcheck(torch.ops.hocket.group_norm, arguments, test_utils=("test_schema", "test_faketensor"))
