"""The cases of `rowwise.py`: for each operation, the implementations of Hocket, PyTorch, torch.compile, Liger and
quack."""

from __future__ import annotations

import contextlib
import functools

import torch
import torch._functorch.config

from hocket.kernels import rowwise

try:
    import quack
    from quack.cross_entropy import cross_entropy as quack_cross_entropy
except ImportError:
    quack = None

try:
    from liger_kernel.ops import cross_entropy as liger_cross_entropy
    from liger_kernel.ops import geglu as liger_geglu
    from liger_kernel.ops import group_norm as liger_group_norm
    from liger_kernel.ops import softmax as liger_softmax
    from liger_kernel.ops import swiglu as liger_swiglu
except ImportError:
    liger_cross_entropy = liger_geglu = liger_group_norm = liger_softmax = liger_swiglu = None

functional = torch.nn.functional
EPS = 1e-6
#: Number of channels per group of group norm.
CHANNELS = 10


def compiled(function):
    torch._dynamo.reset()  # torch.compile stops compiling after a few shapes
    torch._functorch.config.donated_buffer = False  # with donated buffers, a backward pass cannot be repeated
    return torch.compile(function, dynamic=False)


@functools.cache
def generator():
    """Returns a generator of random numbers. PyTorch's default generator is unusable after the capture of a peer in a
    CUDA graph has failed."""
    return torch.Generator("cuda")


def normal(*shape, dtype):
    return torch.randn(shape, device="cuda", generator=generator()).to(dtype)


def passes(functions, arguments, gradient):
    """Returns two dicts by name, with functions that run the forward pass and the backward pass of differentiable
    functions."""
    forwards, backwards = {}, {}
    for name, function in functions.items():
        forwards[name] = lambda function=function: function(*arguments)
        leaves = [argument.detach().requires_grad_() for argument in arguments]
        with report(name):
            y = function(*leaves)
            backwards[name] = lambda y=y, leaves=leaves: torch.autograd.grad(y, leaves, gradient, retain_graph=True)
    return forwards, backwards


@contextlib.contextmanager
def report(name):
    """Returns a context manager that prints errors of a peer instead of raising them."""
    try:
        yield
    except Exception as error:
        print(f"  {name} is left out: {type(error).__name__}: {str(error)[:120]}", flush=True)


def softmax_rivals(rows, columns, dtype, wants_compile):
    """Returns {operation: (functions by name, bytes moved)} for softmax."""
    x, dy = (normal(rows, columns, dtype=dtype) for _ in range(2))

    def eager(x):
        return functional.softmax(x, dim=-1)

    functions = {"torch": eager}
    if wants_compile:
        functions["compile"] = compiled(eager)
    if liger_softmax is not None:
        functions["liger"] = liger_softmax.LigerSoftmaxFunction.apply
    if quack is not None:
        functions["quack"] = quack.softmax
    forwards, backwards = passes(functions, (x,), dy)
    y = eager(x)
    matrix = rows * columns * x.element_size()
    return {
        "softmax": ({"Hocket": lambda: rowwise.softmax(x), **forwards}, 2 * matrix),
        "softmax_backward": ({"Hocket": lambda: rowwise.softmax_backward(dy, y), **backwards}, 3 * matrix),
    }


#: Label smoothing of the case "cross_entropy, both, smoothed", in which every tenth target is also ignored.
SMOOTHING = 0.1


def both_passes(logits, targets, wants_compile, label_smoothing=0.0):
    """Returns functions by name that compute the mean loss and its gradient. Hocket, quack and Liger overwrite the
    logits with the gradient, so each implementation has a copy of the logits. quack has no label smoothing."""

    def eager(logits):
        return functional.cross_entropy(logits, targets, label_smoothing=label_smoothing)

    def hocket(copy):
        options = {"label_smoothing": label_smoothing}
        _, statistics = rowwise.cross_entropy(copy, targets, return_statistics=True, **options)
        return rowwise.cross_entropy_backward(None, copy, targets, statistics, out=copy, **options)

    functions = {"torch": eager}
    if wants_compile:
        functions["compile"] = torch.compile(eager, dynamic=False)
    if quack is not None and not label_smoothing:
        functions["quack"] = lambda logits: quack_cross_entropy(logits, targets, inplace_backward=True)
    if liger_cross_entropy is not None:
        functions["liger"] = lambda logits: liger_cross_entropy.LigerCrossEntropyFunction.apply(
            logits, targets, None, -100, 0.0, label_smoothing, "mean"
        )[0]
    own = logits.clone()
    both = {"Hocket": lambda: hocket(own)}
    for name, function in functions.items():
        leaf = logits.clone().requires_grad_()
        both[name] = lambda function=function, leaf=leaf: torch.autograd.grad(function(leaf), leaf)
    return both


def cross_entropy_rivals(rows, columns, dtype, wants_compile):
    """Returns {operation: (functions by name, bytes moved)} for cross-entropy: the loss of each row, its gradient, and
    both passes of the mean loss, also with label smoothing and ignored targets."""
    logits = normal(rows, columns, dtype=dtype)
    targets = torch.randint(columns, (rows,), device="cuda", generator=generator())
    partly_ignored = torch.where(torch.arange(rows, device="cuda") % 10 == 0, -100, targets)
    of_rows = torch.full((rows,), 1 / rows, device="cuda")

    def eager(logits):
        return functional.cross_entropy(logits, targets, reduction="none").float()

    functions = {"torch": eager}
    if wants_compile:
        functions["compile"] = compiled(eager)
    if quack is not None:
        functions["quack"] = lambda logits: quack_cross_entropy(logits, targets, reduction="none")
    forwards, backwards = passes(functions, (logits,), of_rows)
    _, statistics = rowwise.cross_entropy(logits, targets, reduction="none", return_statistics=True)
    matrix = rows * columns * logits.element_size()
    return {
        "cross_entropy": (
            {"Hocket": lambda: rowwise.cross_entropy(logits, targets, reduction="none"), **forwards},
            matrix,
        ),
        "cross_entropy_backward": (
            {
                "Hocket": lambda: rowwise.cross_entropy_backward(
                    of_rows, logits, targets, statistics, reduction="none"
                ),
                **backwards,
            },
            2 * matrix,
        ),
        "cross_entropy, both": (both_passes(logits, targets, wants_compile), 3 * matrix),
        "cross_entropy, both, smoothed": (both_passes(logits, partly_ignored, wants_compile, SMOOTHING), 3 * matrix),
    }


def gated_rivals(rows, columns, dtype, wants_compile, name="swiglu"):
    """Returns {operation: (functions by name, bytes moved)} for SwiGLU, or for GeGLU with the tanh approximation."""
    dy, gate, up = (normal(rows, columns, dtype=dtype) for _ in range(3))
    is_swiglu = name == "swiglu"
    options = {} if is_swiglu else {"approximate": "tanh"}
    ours = (rowwise.swiglu, rowwise.swiglu_backward) if is_swiglu else (rowwise.geglu, rowwise.geglu_backward)

    def eager(gate, up):
        return (functional.silu(gate) if is_swiglu else functional.gelu(gate, approximate="tanh")) * up

    functions = {"torch": eager}
    if wants_compile:
        functions["compile"] = compiled(eager)
    if liger_swiglu is not None:
        liger = liger_swiglu.LigerSiLUMulFunction if is_swiglu else liger_geglu.LigerGELUMulFunction
        functions["liger"] = liger.apply
    forwards, backwards = passes(functions, (gate, up), dy)
    matrix = rows * columns * gate.element_size()
    return {
        name: ({"Hocket": lambda: ours[0](gate, up, **options), **forwards}, 3 * matrix),
        f"{name}_backward": ({"Hocket": lambda: ours[1](dy, gate, up, **options), **backwards}, 5 * matrix),
    }


def geglu_rivals(*arguments):
    return gated_rivals(*arguments, name="geglu")


def quantized_rivals(rows, columns, dtype, wants_compile):
    """Returns {operation: (functions by name, bytes moved)} for RMSNorm of x + residual with a float8 result."""
    x, residual = (normal(rows, columns, dtype=dtype) for _ in range(2))
    weight = normal(columns, dtype=dtype)

    def eager(x, residual, weight, group):
        total = x + residual
        y = functional.rms_norm(total.float(), (columns,), weight.float(), EPS).view(rows, -1, group)
        scale = y.abs().amax(-1, keepdim=True) / 448
        return (y / scale).to(torch.float8_e4m3fn).view(rows, columns), scale[..., 0], total

    cases = {}
    for name, group in (("rows", None), ("groups of 128", 128)):
        arguments = x, residual, weight, group or columns
        functions = {
            "Hocket": lambda group=group: rowwise.rms_norm_quantized(x, weight, EPS, residual=residual, group=group),
            "torch": lambda arguments=arguments: eager(*arguments),
        }
        if wants_compile:
            function = compiled(eager) if group is None else torch.compile(eager, dynamic=False)
            functions["compile"] = lambda function=function, arguments=arguments: function(*arguments)
        cases[f"rms_norm_quantized, {name}"] = functions, rows * columns * (3 * x.element_size() + 1)
    return cases


def group_norm_rivals(rows, columns, dtype, wants_compile, groups=32, channels=CHANNELS):
    """Returns {operation: (functions by name, bytes moved)} for group norm. `rows` is the number of groups of all
    images, with `channels` channels each; `columns` is the number of elements of a group."""
    x, dy = (normal(rows // groups, groups * channels, columns // channels, dtype=dtype) for _ in range(2))
    weight, bias = (normal(groups * channels, dtype=dtype) for _ in range(2))

    def eager(x, weight, bias):
        return functional.group_norm(x, groups, weight, bias)

    functions = {"torch": eager}
    if wants_compile:
        functions["compile"] = compiled(eager)
    if liger_group_norm is not None:
        functions["liger"] = lambda x, weight, bias: liger_group_norm.LigerGroupNormFunction.apply(
            x, weight, bias, groups * channels, groups, 1e-5
        )
    forwards, backwards = passes(functions, (x, weight, bias), dy)
    _, mean, rstd = rowwise.group_norm(x, groups, weight, bias, return_statistics=True)
    matrix = x.numel() * x.element_size()
    return {
        "group_norm": ({"Hocket": lambda: rowwise.group_norm(x, groups, weight, bias), **forwards}, 2 * matrix),
        "group_norm_backward": (
            {"Hocket": lambda: rowwise.group_norm_backward(dy, x, groups, weight, mean, rstd), **backwards},
            3 * matrix,
        ),
    }


#: Families by name: (function that returns the cases for a shape, all shapes, shapes with `--quick`).
FAMILIES = {
    "softmax": (
        softmax_rivals,
        ((16384, 1024), (16384, 4096), (16384, 8192), (8192, 16384), (4096, 32768), (4096, 131072), (2048, 262144)),
        ((16384, 4096), (4096, 32768)),
    ),
    "cross_entropy": (
        cross_entropy_rivals,
        ((16384, 1024), (8192, 32000), (8192, 50257), (4096, 128256), (2048, 262144)),
        ((8192, 32000), (4096, 128256)),
    ),
    "swiglu": (gated_rivals, ((16384, 4096), (8192, 11008), (8192, 14336)), ((8192, 14336),)),
    "geglu": (geglu_rivals, ((8192, 14336),), ((8192, 14336),)),
    "quantized": (quantized_rivals, ((16384, 4096), (8192, 5120), (8192, 8192)), ((8192, 8192),)),
    "group_norm": (group_norm_rivals, ((512, 10240), (512, 40960), (32, 5242880)), ((512, 40960),)),
}
