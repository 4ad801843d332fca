"""hocket.torch.softmax and log_softmax against PyTorch's own: values, gradients, torch.compile."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

each_kind = pytest.mark.parametrize("name", ["softmax", "log_softmax"])


def randn(device, *shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator).to("cuda" if device.is_gpu else "cpu")


def check(device, ours, name, x):
    theirs = getattr(torch, name)
    leaves = [x.detach().requires_grad_() for _ in range(2)]
    y, expected = ours(leaves[0]), theirs(leaves[1], -1)
    torch.testing.assert_close(y, expected, atol=1e-6, rtol=1e-5)
    of_y = randn(device, *x.shape)
    results = [torch.autograd.grad(value, leaf, of_y)[0] for value, leaf in ((y, leaves[0]), (expected, leaves[1]))]
    torch.testing.assert_close(*results, atol=1e-5, rtol=1e-5)


@each_kind
def test_values_and_gradients(hopper_device, name):
    """Also of a transposed tensor, which is copied, and of a tensor without rows."""
    x = randn(hopper_device, 3, 5, 24)
    for values in (x, x.transpose(0, 2), x[:0]):
        check(hopper_device, getattr(hocket.torch, name), name, values)


@each_kind
def test_compiles_in_one_graph(hopper_device, name):
    ours = getattr(hocket.torch, name)
    compiled = torch.compile(ours, fullgraph=True, backend="inductor" if hopper_device.is_gpu else "aot_eager")
    check(hopper_device, compiled, name, randn(hopper_device, 6, 40))


def test_the_checks_of_operators(hopper_device):
    x = randn(hopper_device, 6, 40).requires_grad_()
    torch.library.opcheck(torch.ops.hocket.softmax, (x, True), test_utils=("test_schema", "test_faketensor"))
