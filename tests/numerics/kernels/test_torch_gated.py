"""hocket.torch.swiglu and geglu against PyTorch's own: values, gradients, torch.compile."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

functional = torch.nn.functional


def geglu_tanh(gate, up):
    return hocket.torch.geglu(gate, up, "tanh")


#: Name: ours, PyTorch's.
PAIRS = {
    "swiglu": (hocket.torch.swiglu, lambda gate, up: functional.silu(gate) * up),
    "geglu": (hocket.torch.geglu, lambda gate, up: functional.gelu(gate) * up),
    "geglu_tanh": (geglu_tanh, lambda gate, up: functional.gelu(gate, approximate="tanh") * up),
}


def randn(device, *shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator).to("cuda" if device.is_gpu else "cpu")


def check(device, ours, theirs, x):
    """Values and gradients of the halves of x."""
    leaves = [x.detach().requires_grad_() for _ in range(2)]
    results = [function(*leaf.chunk(2, dim=-1)) for function, leaf in zip((ours, theirs), leaves, strict=True)]
    torch.testing.assert_close(*results, atol=1e-5, rtol=1e-5)
    of_y = randn(device, *results[0].shape)
    gradients = [torch.autograd.grad(y, leaf, of_y)[0] for y, leaf in zip(results, leaves, strict=True)]
    torch.testing.assert_close(*gradients, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", PAIRS)
def test_values_and_gradients(hopper_device, name):
    """Also of a transposed tensor, which is copied, and of a tensor without rows."""
    x = randn(hopper_device, 6, 5, 32)
    for values in (x[0], x.transpose(0, 2), x[:0]):
        check(hopper_device, *PAIRS[name], values)


def test_compiles_in_one_graph(hopper_device):
    backend = "inductor" if hopper_device.is_gpu else "aot_eager"
    compiled = torch.compile(hocket.torch.swiglu, fullgraph=True, backend=backend)
    check(hopper_device, compiled, PAIRS["swiglu"][1], randn(hopper_device, 6, 40))


def test_the_checks_of_operators(hopper_device):
    gate, up = (randn(hopper_device, 6, columns)[:, :40].requires_grad_() for columns in (40, 48))
    torch.library.opcheck(torch.ops.hocket.gated, (gate, up, "silu"), test_utils=("test_schema", "test_faketensor"))


def test_an_unknown_form():
    with pytest.raises(RuntimeError, match='approximate is "none" or "tanh", not \'erf\''):
        hocket.torch.geglu(torch.ones(2, 4), torch.ones(2, 4), "erf")
