"""hocket.torch: the ready kernels as operators of PyTorch, on its CPU tensors in the emulator, or on a GPU."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = pytest.mark.slow

FUNCTIONS = {
    None: lambda x: x,
    "relu": torch.nn.functional.relu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


def randn(device, *shape, dtype=torch.float16, requires_grad=False):
    generator = torch.Generator().manual_seed(sum(shape))
    values = torch.randn(*shape, generator=generator).to(dtype).to("cuda" if device.is_gpu else "cpu")
    return values.requires_grad_(requires_grad)


def reference(a, b, bias, activation):
    result = a.float() @ b.float()
    return FUNCTIONS[activation](result if bias is None else result + bias.float())


@pytest.mark.parametrize("activation", FUNCTIONS)
@pytest.mark.parametrize("has_bias", [False, True], ids=["alone", "bias"])
def test_matmul_is_that_of_torch(hopper_device, activation, has_bias):
    a, weight = randn(hopper_device, 72, 40), randn(hopper_device, 136, 40)
    bias = randn(hopper_device, 136) if has_bias else None
    result = hocket.torch.matmul(a, weight.T, bias, activation)
    assert result.dtype == torch.float16
    torch.testing.assert_close(result.float(), reference(a, weight.T, bias, activation), atol=2e-2, rtol=2e-3)


def test_matmul_passes_the_checks_of_operators(hopper_device):
    a, b, bias = (randn(hopper_device, *shape, requires_grad=True) for shape in ((16, 24), (24, 32), (32,)))
    torch.library.opcheck(
        torch.ops.hocket.matmul, (a, b, bias, "silu", torch.float32), test_utils=("test_schema", "test_faketensor")
    )


@pytest.mark.parametrize("activation", FUNCTIONS)
@pytest.mark.parametrize("batches", ["none", "a", "b", "both"])
def test_matmul_has_gradients(hopper_device, batches, activation):
    shapes = [
        (3, 16, 24) if batches in ("a", "both") else (16, 24),
        (3, 24, 32) if batches in ("b", "both") else (24, 32),
    ]
    a, b, bias = (randn(hopper_device, *shape, requires_grad=True) for shape in (*shapes, (32,)))
    gradients = torch.autograd.grad(hocket.torch.matmul(a, b, bias, activation).float().sum(), (a, b, bias))
    expected = torch.autograd.grad(reference(a, b, bias, activation).sum(), (a, b, bias))
    for ours, theirs in zip(gradients, expected, strict=True):
        torch.testing.assert_close(ours, theirs, atol=5e-2, rtol=1e-2)


def test_matmul_compiles_in_one_graph(hopper_device):
    a, b = randn(hopper_device, 16, 24), randn(hopper_device, 24, 32)

    @torch.compile(fullgraph=True, backend="inductor" if hopper_device.is_gpu else "aot_eager")
    def model(a, b):
        return hocket.torch.matmul(a * 2, b, activation="relu") + 1

    expected = reference(a * 2, b, None, "relu") + 1
    torch.testing.assert_close(model(a, b).float(), expected, atol=2e-2, rtol=2e-3)


def test_matmul_is_captured_in_graphs(hopper_device):
    if not hopper_device.is_gpu:
        pytest.skip("CUDA graphs need a GPU")
    a, b = randn(hopper_device, 128, 64), randn(hopper_device, 64, 256)
    hocket.torch.matmul(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = hocket.torch.matmul(a, b)
    a.copy_(-a)
    graph.replay()
    torch.testing.assert_close(result.float(), reference(a, b, None, None), atol=2e-2, rtol=2e-3)


def attention_inputs(device, heads=2, queries=150, keys=190, size=64, **options):
    return [randn(device, 1, heads, rows, size, **options) for rows in (queries, keys, keys)]


def test_attention_is_that_of_torch(hopper_device):
    q, k, v = attention_inputs(hopper_device)
    out, lse = hocket.torch.attention(q, k, v, return_lse=True)
    scores = q.float() @ k.float().mT * q.shape[3] ** -0.5
    torch.testing.assert_close(out.float(), scores.softmax(3) @ v.float(), atol=2e-3, rtol=2e-3)
    torch.testing.assert_close(lse, scores.logsumexp(3), atol=1e-4, rtol=1e-4)


def test_attention_passes_the_checks_of_operators(hopper_device):
    inputs = attention_inputs(hopper_device)
    torch.library.opcheck(torch.ops.hocket.attention, (*inputs, True), test_utils=("test_schema", "test_faketensor"))


def test_attention_compiles_in_one_graph(hopper_device):
    q, k, v = attention_inputs(hopper_device)

    @torch.compile(fullgraph=True, backend="inductor" if hopper_device.is_gpu else "aot_eager")
    def model(q, k, v):
        return hocket.torch.attention(q, k, v * 2) + 1

    expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float() * 2) + 1
    torch.testing.assert_close(model(q, k, v).float(), expected, atol=5e-3, rtol=2e-3)


def test_attention_has_no_gradient_and_says_so(hopper_device):
    inputs = attention_inputs(hopper_device, requires_grad=True)
    with pytest.raises(NotImplementedError, match="has no backward pass yet"):
        hocket.torch.attention(*inputs).sum().backward()
