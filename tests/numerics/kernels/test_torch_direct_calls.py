"""hocket.torch's functions call kernels directly where PyTorch's dispatcher has nothing to do, with equal results."""

import sys

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import hocket.torch  # noqa: E402
from hocket.torch._operator import Operator  # noqa: E402


def ints_like(tensor, values):
    return torch.tensor(values, dtype=torch.int32, device=tensor.device)


def starts_like(tensor):
    """Returns the `cu_seqlens` of two sequences of 20 rows."""
    return ints_like(tensor, [0, 5, 20])


#: Functions of hocket.torch, by name, with the operator that they call, and the shapes of their arguments.
FUNCTIONS = {
    "rms_norm": (hocket.torch.rms_norm, "norm", [(4, 64), (64,)]),
    "layer_norm": (hocket.torch.layer_norm, "norm", [(4, 64), (64,), (64,)]),
    "residual": (lambda x, r, w: hocket.torch.rms_norm(x, w, residual=r), "norm", [(4, 64), (4, 64), (64,)]),
    "matmul": (hocket.torch.matmul, "matmul", [(16, 24), (24, 32), (32,)]),
    "softmax": (hocket.torch.softmax, "softmax", [(4, 64)]),
    "swiglu": (hocket.torch.swiglu, "gated", [(4, 64), (4, 64)]),
    "cross_entropy": (
        lambda logits: hocket.torch.cross_entropy(logits, torch.arange(4, device=logits.device)),
        "cross_entropy",
        [(4, 64)],
    ),
    "sum of losses": (
        lambda logits: hocket.torch.cross_entropy(logits, torch.arange(4, device=logits.device), reduction="sum"),
        "cross_entropy",
        [(4, 64)],
    ),
    "attention": (hocket.torch.attention, "attention", [(1, 1, 20, 64)] * 3),
    "attention_varlen": (
        lambda q, k, v: hocket.torch.attention_varlen(q, k, v, *[starts_like(q)] * 2, 15),
        "attention_varlen",
        [(20, 1, 64)] * 3,
    ),
    "attention_paged": (
        lambda q, k, v: hocket.torch.attention_paged(
            q, k, v, ints_like(q, [[1], [0]]), ints_like(q, [16, 5]), starts_like(q), 15
        ),
        "attention_paged",
        [(20, 1, 64), (2, 16, 1, 64), (2, 16, 1, 64)],
    ),
    "grouped_matmul": (
        lambda a, b: hocket.torch.grouped_matmul(a, b, ints_like(a, [5, 20])),
        "grouped_matmul",
        [(20, 24), (2, 24, 32)],
    ),
    "group_norm": (lambda x: hocket.torch.group_norm(x, 2), "group_norm", [(2, 4, 16)]),
    "rms_norm_quantized": (hocket.torch.rms_norm_quantized, "norm_quantized", [(4, 64), (64,)]),
}
WITHOUT_GRADIENTS = ("rms_norm_quantized", "attention_paged")
OPERATORS = {
    operator._dispatched._schema.name.removeprefix("hocket::"): operator
    for module in [module for name, module in sys.modules.items() if name.startswith("hocket.torch.")]
    for operator in vars(module).values()
    if isinstance(operator, Operator)
}
PLAIN = lambda x: hocket.torch.rms_norm(x)  # noqa: E731


@pytest.fixture
def dispatched(monkeypatch):
    """The names of the operators that are called through the dispatcher, in order."""
    names = []

    def counted(name, call):
        def count_and_call(*arguments):
            names.append(name)
            return call(*arguments)

        return count_and_call

    for name, operator in OPERATORS.items():
        monkeypatch.setattr(operator, "_dispatched", counted(name, operator._dispatched))
    return names


def randn(device, *shape, seed=0):
    values = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float16)
    return values.to("cuda" if device.is_gpu else "cpu")


def arguments_of(device, name, requires_grad=False):
    shapes = FUNCTIONS[name][2]
    return [randn(device, *shape, seed=i).requires_grad_(requires_grad) for i, shape in enumerate(shapes)]


def tensors_of(result):
    return result if isinstance(result, tuple) else (result,)


class Recorded(TorchDispatchMode):
    """Records the names of operators."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function._schema.name)
        return function(*args, **kwargs or {})


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_gradients_kernels_are_called_directly(hopper_device, dispatched, name, mode):
    """Results are those of the dispatched operator, to the last bit."""
    function, operator, _ = FUNCTIONS[name]
    with getattr(torch, mode)():
        arguments = arguments_of(hopper_device, name)
        direct = tensors_of(function(*arguments))
        assert not dispatched
        with Recorded():
            others = tensors_of(function(*arguments))
    assert dispatched == [operator]
    for one, other in zip(direct, others, strict=True):
        assert one.dtype == other.dtype and one.stride() == other.stride() and not one.requires_grad
        assert torch.equal(one.flatten().view(torch.uint8), other.flatten().view(torch.uint8))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if f"{FUNCTIONS[name][1]}_backward" in OPERATORS])
def test_second_derivatives_are_an_error(hopper_device, name):
    """They are neither left out of a sum nor reported as missing."""
    function, operator, _ = FUNCTIONS[name]
    arguments = arguments_of(hopper_device, name, requires_grad=True)
    # The gradient of a sum is a constant, so only the arguments have second derivatives.
    loss = tensors_of(function(*arguments))[0].float().sum()
    first = torch.autograd.grad(loss, arguments, retain_graph=True)
    gradients = torch.autograd.grad(loss, arguments, create_graph=True)
    assert all(torch.equal(*pair) for pair in zip(gradients, first, strict=True))
    penalty = sum(gradient.float().square().sum() for gradient in gradients)
    with pytest.raises(NotImplementedError) as caught:
        (loss + penalty).backward()
    assert str(caught.value) == (
        f"hocket.torch has no second derivatives of {operator}: hocket::{operator}_backward has no gradient\n"
        "  hint: compute this part by PyTorch's operators if a gradient is differentiated again (create_graph=True)"
    )


def second_derivatives(function, a, b):
    gradients = torch.autograd.grad(function(a, b).float().square().mean(), (a, b), create_graph=True)
    return torch.autograd.grad(sum(gradient.float().square().sum() for gradient in gradients), (a, b))


@pytest.mark.parametrize("name", ["matmul", "grouped_matmul"])
def test_gemms_have_second_derivatives(hopper_device, name):
    def grouped(a, b):
        return torch.cat([a[:5] @ b[0], a[5:] @ b[1]])

    arguments = arguments_of(hopper_device, name, requires_grad=True)[:2]
    expected = [x.detach().float().requires_grad_() for x in arguments]
    results = second_derivatives(FUNCTIONS[name][0], *arguments)
    references = second_derivatives(grouped if name == "grouped_matmul" else torch.matmul, *expected)
    for ours, theirs in zip(results, references, strict=True):
        torch.testing.assert_close(ours.float(), theirs, atol=5e-3 * float(theirs.abs().max()), rtol=0)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in WITHOUT_GRADIENTS])
def test_gradients_are_computed_without_the_dispatcher(hopper_device, dispatched, name):
    function, operator, _ = FUNCTIONS[name]
    gradients = []
    for mode in (None, Recorded()):
        arguments = arguments_of(hopper_device, name, requires_grad=True)
        if mode is None:
            results = tensors_of(function(*arguments))
            assert not dispatched
        else:
            with mode:
                results = tensors_of(function(*arguments))
            assert dispatched == [operator]
        gradients.append(torch.autograd.grad([result.float().square().sum() for result in results], arguments))
    for one, other in zip(*gradients, strict=True):
        assert torch.equal(one, other)


def test_modules_are_called_directly(hopper_device, dispatched):
    for name in ("RMSNorm", "LayerNorm"):
        module = getattr(hocket.torch, name)(64, dtype=torch.float16).to("cuda" if hopper_device.is_gpu else "cpu")
        x = randn(hopper_device, 4, 64)
        module(x).sum().backward()
        with torch.no_grad():
            module(x, x)
    assert not dispatched


def test_a_weight_that_needs_no_gradient(hopper_device, dispatched):
    x, weight = randn(hopper_device, 4, 64).requires_grad_(), randn(hopper_device, 64)
    (gradient,) = torch.autograd.grad(hocket.torch.rms_norm(x, weight).sum(), [x])
    assert gradient.shape == x.shape and not dispatched


def test_gradients_of_gradients_are_left_to_the_dispatcher(hopper_device, dispatched):
    """norm_backward has no gradient."""
    x = randn(hopper_device, 4, 64).requires_grad_()
    torch.autograd.grad(PLAIN(x).sum(), [x], create_graph=True)
    assert dispatched == ["norm_backward"]


def test_modes_see_operators(hopper_device):
    names = []

    class Functions(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            names.append(str(function))
            return function(*args, **kwargs or {})

    x = randn(hopper_device, 4, 64)
    with Recorded() as recorded:
        PLAIN(x)
    with Functions():
        PLAIN(x)
    assert recorded.names.count("hocket::norm") == 1
    assert any("hocket.norm" in name for name in names)


def test_traces_contain_operators(hopper_device):
    x = randn(hopper_device, 4, 64)
    traced = make_fx(PLAIN)(x)
    assert torch.ops.hocket.norm.default in [node.target for node in traced.graph.nodes]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        PLAIN(x)
    assert "hocket::norm" in [event.key for event in profile.key_averages()]


def test_tensors_without_data_are_not_launched():
    with FakeTensorMode():
        y = PLAIN(torch.empty(4, 64))
    assert y.shape == (4, 64) and isinstance(y, torch._subclasses.FakeTensor)
    assert PLAIN(torch.empty(4, 64, device="meta")).is_meta


def test_negated_views_are_resolved(hopper_device):
    z = torch.view_as_complex(torch.stack([randn(hopper_device, 4, 64).float()] * 2, dim=-1))
    negated = z.conj().imag
    assert negated.is_neg()
    torch.testing.assert_close(PLAIN(negated), PLAIN(negated.resolve_neg().clone()), atol=0, rtol=0)


def test_subclasses_get_their_calls(hopper_device):
    seen = []

    class Wrapped(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return super().__torch_function__(function, types, args, kwargs or {})

    y = PLAIN(randn(hopper_device, 4, 64).as_subclass(Wrapped))
    assert isinstance(y, Wrapped) and any("hocket.norm" in name for name in seen)


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_transforms_see_operators(hopper_device, dispatched):
    x = randn(hopper_device, 4, 64)
    assert torch.equal(torch.func.vmap(hocket.torch.softmax)(x), hocket.torch.softmax(x))
    assert dispatched == ["softmax"]


WRONG = {
    "a list": ([1.0], None, None, None, 1e-6, False, 0.0, None),
    "a text": ("x", None, None, None, 1e-6, False, 0.0, None),
    "an eps": (torch.ones(2, 8), None, None, None, "x", False, 0.0, None),
    "a schedule": (torch.ones(2, 8), None, None, None, 1e-6, False, 0.0, 3),
    "a sparse tensor": (torch.ones(2, 8).to_sparse(), None, None, None, 1e-6, False, 0.0, None),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arguments_raise_the_errors_of_the_dispatcher(wrong):
    with pytest.raises((RuntimeError, TypeError, NotImplementedError)) as of_operator:
        torch.ops.hocket.norm.default(*WRONG[wrong])
    with pytest.raises(of_operator.type) as of_function:
        OPERATORS["norm"](*WRONG[wrong])
    assert str(of_function.value) == str(of_operator.value)


def test_the_kernel_of_another_operator_records_no_gradient(hopper_device):
    recorded = []

    @torch.library.custom_op("hocket_tests::calls_rms_norm", mutates_args=())
    def calls_rms_norm(x: torch.Tensor) -> torch.Tensor:
        y = PLAIN(x)
        recorded.append(y.requires_grad)
        return y

    calls_rms_norm(randn(hopper_device, 4, 64).requires_grad_())
    assert recorded == [False]
