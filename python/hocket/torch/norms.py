"""`hocket.kernels.norms` as the operators `hocket::norm` and `hocket::norm_backward`, and as modules that replace
PyTorch's."""

from __future__ import annotations

import torch

from ..kernels._common.arrays import facts_of
from ..kernels.norms import launch
from ..kernels.norms.operands import has_rows

_FORWARD = (
    "(Tensor x, Tensor? residual, Tensor? weight, Tensor? bias, float eps, bool is_centred, float weight_offset=0.0)"
    " -> (Tensor, Tensor, Tensor, Tensor)"
)
_BACKWARD = (
    "(Tensor dy, Tensor x, Tensor? weight, Tensor mean, Tensor rstd, Tensor? residual_gradient, bool has_bias,"
    " bool is_centred, float weight_offset=0.0) -> (Tensor, Tensor, Tensor)"
)

torch.library.define("hocket::norm", _FORWARD, tags=torch.Tag.pt2_compliant_tag)
torch.library.define("hocket::norm_backward", _BACKWARD, tags=torch.Tag.pt2_compliant_tag)


def rms_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    eps: float = 1e-6,
    residual: torch.Tensor | None = None,
    weight_offset: float = 0.0,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """x / sqrt(mean(x^2) + eps) * weight, along the last dimension, differentiable.

    Args:
        x: [..., columns], float32, float16 or bfloat16.
        weight: [columns].
        residual: a tensor like x. Then x + residual is normalized, and the result is a pair: (y, x + residual).
        weight_offset: added to the weight in float32; 1 for models that store weight - 1 (Gemma).

    See `hocket.kernels.norms` for the arguments, and `hocket.kernels.norms.choose` for the implementation.
    """
    y, total, *_ = torch.ops.hocket.norm(x, residual, weight, None, eps, False, weight_offset)
    return y if residual is None else (y, total)


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
    residual: torch.Tensor | None = None,
    weight_offset: float = 0.0,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """(x - mean(x)) / sqrt(variance(x) + eps) * weight + bias, along the last dimension, differentiable.

    Args:
        bias: [columns].

    The other arguments are those of `rms_norm`.
    """
    y, total, *_ = torch.ops.hocket.norm(x, residual, weight, bias, eps, True, weight_offset)
    return y if residual is None else (y, total)


def _nothing(x: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    """An empty tensor in place of a missing result: operators must return new tensors."""
    return x.new_empty(0, dtype=dtype or x.dtype)


def _with_rows(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """The tensor, or a contiguous copy if its row stride is not constant."""
    return tensor if tensor is None or has_rows(facts_of(tensor, "x")) else tensor.contiguous()


@torch.library.impl("hocket::norm", ("cuda", "cpu"))
def _run(x, residual, weight, bias, eps, is_centred, weight_offset=0.0):
    if x.numel() == 0 and x.shape[-1] != 0:
        return _fake(x, residual, weight, bias, eps, is_centred)  # no rows
    operation = "layer_norm" if is_centred else "rms_norm"
    rows = _with_rows(x), _with_rows(residual)
    y, total, mean, rstd = launch.forward(operation, *rows, weight, bias, eps, None, None, weight_offset=weight_offset)
    return (
        y,
        _nothing(x) if total is None else total,
        _nothing(x, torch.float32) if mean is None else mean,
        rstd,
    )


@torch.library.register_fake("hocket::norm")
def _fake(x, residual, weight, bias, eps, is_centred, weight_offset=0.0):
    """Shapes and dtypes of the results, for torch.compile."""
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rstd = x.new_empty(x.shape[:-1], dtype=torch.float32)
    mean = torch.empty_like(rstd) if is_centred else _nothing(x, torch.float32)
    return y, _nothing(x) if residual is None else torch.empty_like(y), mean, rstd


@torch.library.impl("hocket::norm_backward", ("cuda", "cpu"))
def _run_backward(dy, x, weight, mean, rstd, residual_gradient, has_bias, is_centred, weight_offset=0.0):
    if x.numel() == 0 and x.shape[-1] != 0:
        return tuple(result.zero_() for result in _fake_backward(dy, x, weight, mean, rstd, None, has_bias, is_centred))
    operation = "layer_norm_backward" if is_centred else "rms_norm_backward"
    mean = mean if is_centred else None
    rows = _with_rows(dy), _with_rows(x)
    results = launch.backward(
        operation, *rows, weight, mean, rstd, has_bias, _with_rows(residual_gradient), None, weight_offset=weight_offset
    )
    return tuple(_nothing(x) if result is None else result for result in results)


@torch.library.register_fake("hocket::norm_backward")
def _fake_backward(dy, x, weight, mean, rstd, residual_gradient, has_bias, is_centred, weight_offset=0.0):
    dx = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    dw = _nothing(x) if weight is None else torch.empty_like(weight)
    has_db = weight is not None and is_centred and has_bias
    return dx, dw, torch.empty_like(weight) if has_db else _nothing(x)


def _save(ctx, inputs, output):
    x, residual, weight, bias, _, is_centred, weight_offset = inputs
    _, total, mean, rstd = output
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(x if residual is None else total, weight, mean, rstd)
    ctx.has_residual = residual is not None
    ctx.is_centred = is_centred
    ctx.weight_offset = weight_offset
    ctx.bias_dtype = None if bias is None else bias.dtype


def _backward(ctx, of_y, of_total, _of_mean, _of_rstd):
    x, weight, mean, rstd = ctx.saved_tensors
    if not ctx.has_residual:
        of_total = None
    if of_y is None:
        return of_total, of_total, None, None, None, None, None
    has_bias = ctx.bias_dtype is not None
    dx, dw, db = torch.ops.hocket.norm_backward(
        of_y.to(x.dtype),
        x,
        weight,
        mean,
        rstd,
        of_total,
        has_bias and weight is not None,
        ctx.is_centred,
        ctx.weight_offset,
    )
    of_bias = None
    if has_bias:
        of_bias = (of_y.flatten(0, -2).sum(0, dtype=torch.float32) if weight is None else db).to(ctx.bias_dtype)
    return dx, dx if ctx.has_residual else None, None if weight is None else dw, of_bias, None, None, None


torch.library.register_autograd("hocket::norm", _backward, setup_context=_save)


def _flat(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return None if tensor is None else tensor.reshape(-1)


def _initialize(weight: torch.Tensor | None, value: float) -> None:
    if weight is not None:
        torch.nn.init.constant_(weight, value)


def _as_rows(x: torch.Tensor, dimensions: int) -> torch.Tensor:
    """`x` with its normalized dimensions merged into one."""
    return x if dimensions == 1 else x.flatten(-dimensions)


def _normalize(module, x: torch.Tensor, residual: torch.Tensor | None, bias, eps: float, is_centred: bool):
    count = len(module.normalized_shape)
    rows = _as_rows(x, count), None if residual is None else _as_rows(residual, count)
    vectors = _flat(module.weight), _flat(bias)
    y, total, *_ = torch.ops.hocket.norm(*rows, *vectors, eps, is_centred, module.weight_offset)
    return y.view(x.shape) if residual is None else (y.view(x.shape), total.view(x.shape))


class RMSNorm(torch.nn.RMSNorm):
    """`torch.nn.RMSNorm` with `hocket.kernels.norms`: the same arguments and state, any `normalized_shape`.

    Args:
        weight_offset: added to the weight, which is initialized to 1 - weight_offset. 1 for models that store weight -
            1 (Gemma).
    """

    def __init__(self, *arguments, weight_offset: float = 0.0, **options):
        self.weight_offset = weight_offset
        super().__init__(*arguments, **options)

    def reset_parameters(self) -> None:
        """Initializes the scale to 1."""
        super().reset_parameters()
        _initialize(self.weight, 1 - self.weight_offset)

    def forward(self, x: torch.Tensor, residual: torch.Tensor | None = None):
        """Returns the norm of x or, with a residual, the pair of the norm of x + residual, and x + residual."""
        eps = torch.finfo(x.dtype).eps if self.eps is None else self.eps
        return _normalize(self, x, residual, None, eps, False)


class LayerNorm(torch.nn.LayerNorm):
    """`torch.nn.LayerNorm` with `hocket.kernels.norms`: the same arguments and state, any `normalized_shape`.

    Args:
        weight_offset: as in `RMSNorm` (Nemotron).
    """

    def __init__(self, *arguments, weight_offset: float = 0.0, **options):
        self.weight_offset = weight_offset
        super().__init__(*arguments, **options)

    def reset_parameters(self) -> None:
        """Initializes the scale to 1, and the bias to 0."""
        super().reset_parameters()
        _initialize(self.weight, 1 - self.weight_offset)

    def forward(self, x: torch.Tensor, residual: torch.Tensor | None = None):
        """Returns the norm of x or, with a residual, the pair of the norm of x + residual, and x + residual."""
        return _normalize(self, x, residual, self.bias, self.eps, True)
