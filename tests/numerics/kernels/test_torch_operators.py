"""hocket.torch: the ready kernels as operators of PyTorch, on its CPU tensors in the emulator, or on a GPU."""

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

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


def expected_attention(q, k, v, causal=False):
    """Attention and the logarithms of the sums of exponentials, in float64."""
    q, k, v = (x.double() for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    scores = q @ k.mT * q.shape[3] ** -0.5
    if causal:
        visible = torch.ones(scores.shape[2:], dtype=torch.bool, device=q.device).tril(
            scores.shape[3] - scores.shape[2]
        )
        scores = scores.masked_fill(~visible, float("-inf"))
    return scores.softmax(3) @ v, scores.logsumexp(3)


def close_to_float64(ours, theirs):
    for left, right in zip(ours, theirs, strict=True):
        assert left.dtype == torch.float16
        torch.testing.assert_close(left.double(), right.double(), atol=1e-2, rtol=1e-2)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
def test_attention_has_gradients(hopper_device, causal):
    """The gradient of a sum is expanded: all of its strides are 0."""
    q, k, v = attention_inputs(hopper_device, requires_grad=True)
    gradients = torch.autograd.grad(hocket.torch.attention(q, k, v, causal).sum(), (q, k, v))
    close_to_float64(gradients, torch.autograd.grad(expected_attention(q, k, v, causal)[0].sum(), (q, k, v)))


def test_attention_has_gradients_with_shared_keys_and_logarithms(hopper_device):
    q = randn(hopper_device, 2, 4, 70, 64, requires_grad=True)
    k, v = (randn(hopper_device, 2, 2, 90, 64, requires_grad=True) for _ in range(2))
    weights = [randn(hopper_device, *shape, dtype=torch.float32) for shape in (q.shape, q.shape[:3])]

    def gradients(out, lse):
        return torch.autograd.grad((out * weights[0]).sum() + (lse * weights[1]).sum(), (q, k, v))

    out, lse = hocket.torch.attention(q, k, v, return_lse=True)
    close_to_float64(gradients(out, lse), gradients(*expected_attention(q, k, v)))
    [of_q] = torch.autograd.grad(hocket.torch.attention(q, k, v, return_lse=True)[1].sum(), (q,))
    close_to_float64([of_q], torch.autograd.grad(expected_attention(q, k, v)[1].sum(), (q,)))


def test_gradients_of_attention_pass_the_checks_of_operators(hopper_device):
    inputs = attention_inputs(hopper_device, requires_grad=True)
    torch.library.opcheck(torch.ops.hocket.attention, inputs, test_utils=("test_autograd_registration",))
    with torch.no_grad():
        out, lse = torch.ops.hocket.attention(*inputs, True)
        arguments = out, *inputs, out, lse, lse, True
        torch.library.opcheck(
            torch.ops.hocket.attention_backward, arguments, test_utils=("test_schema", "test_faketensor")
        )


def test_a_step_of_training_compiles_in_one_graph(hopper_device):
    q, k, v = attention_inputs(hopper_device, requires_grad=True)

    @torch.compile(fullgraph=True, backend="inductor" if hopper_device.is_gpu else "aot_eager")
    def model(q, k, v):
        return (hocket.torch.attention(q, k, v * 2, causal=True) * 3).sum()

    gradients = torch.autograd.grad(model(q, k, v), (q, k, v))
    expected = torch.autograd.grad((expected_attention(q, k, v * 2, True)[0] * 3).sum(), (q, k, v))
    close_to_float64(gradients, expected)


@pytest.mark.parametrize("is_causal", [False, True], ids=["full", "causal"])
def test_scaled_dot_product_attention_is_that_of_torch(hopper_device, is_causal):
    q = randn(hopper_device, 1, 4, 80, 64)
    k, v = (randn(hopper_device, 1, 2, 80, 64) for _ in range(2))
    options = {"is_causal": is_causal, "scale": 0.2, "enable_gqa": True}
    result = hocket.torch.scaled_dot_product_attention(q, k, v, **options)
    expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), **options)
    torch.testing.assert_close(result.float(), expected, atol=2e-3, rtol=2e-3)


INSTEAD = "use torch.nn.functional.scaled_dot_product_attention"
UNSUPPORTED = {
    "dropout": (
        {"dropout_p": 0.1},
        NotImplementedError,
        "hocket.torch.scaled_dot_product_attention has no dropout, but dropout_p is 0.1\n"
        f"  hint: pass dropout_p=0.0, or {INSTEAD}",
    ),
    "mask": (
        {"attn_mask": torch.ones(150, 190, dtype=torch.bool)},
        NotImplementedError,
        f"hocket.torch.scaled_dot_product_attention has no masks except the causal mask\n  hint: {INSTEAD}",
    ),
    "causal mask of more keys": (
        {"is_causal": True},
        NotImplementedError,
        "hocket.torch.scaled_dot_product_attention: the causal mask of PyTorch lets the first query see one key, and "
        "Hocket has no such mask for 150 queries and 190 keys\n  hint: hocket.torch.attention(q, k, v, causal=True) "
        "lets the last query see all keys",
    ),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_scaled_dot_product_attention_does_not_support(name):
    options, kind, message = UNSUPPORTED[name]
    q, k, v = (torch.zeros(1, 2, rows, 64, dtype=torch.float16) for rows in (150, 190, 190))
    with pytest.raises(kind) as caught:
        hocket.torch.scaled_dot_product_attention(q, k, v, **options)
    assert str(caught.value) == message


def test_shared_keys_need_enable_gqa():
    q, k, v = (torch.zeros(1, heads, 16, 64, dtype=torch.float16) for heads in (4, 2, 2))
    with pytest.raises(ValueError) as caught:
        hocket.torch.scaled_dot_product_attention(q, k, v)
    assert str(caught.value) == (
        "hocket.torch.scaled_dot_product_attention: query has 4 heads and key has 2\n  hint: pass enable_gqa=True"
    )
