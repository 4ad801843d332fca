"""`hocket.kernels.norms` as operators, `hocket::norm` and its gradient, and as modules that replace PyTorch's."""

from __future__ import annotations

import torch

from ..kernels.norms import launch

_FORWARD = (
    "(Tensor x, Tensor? residual, Tensor? weight, Tensor? bias, float eps, bool is_centred)"
    " -> (Tensor, Tensor, Tensor, Tensor)"
)
_BACKWARD = (
    "(Tensor dy, Tensor x, Tensor? weight, Tensor mean, Tensor rstd, Tensor? residual_gradient, bool has_bias,"
    " bool is_centred) -> (Tensor, Tensor, Tensor)"
)

torch.library.define("hocket::norm", _FORWARD, tags=torch.Tag.pt2_compliant_tag)
torch.library.define("hocket::norm_backward", _BACKWARD, tags=torch.Tag.pt2_compliant_tag)


def rms_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    eps: float = 1e-6,
    residual: torch.Tensor | None = None,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """x / sqrt(mean(x^2) + eps) weight, along the last dimension, differentiable.

    Args:
        x: [.., columns], float32, float16 or bfloat16.
        weight: [columns].
        residual: as x; the result is then that of x + residual, and a pair: (y, x + residual).

    See `hocket.kernels.norms` for what it takes, and `hocket.kernels.norms.choose` for what it does.
    """
    y, total, *_ = torch.ops.hocket.norm(x, residual, weight, None, eps, False)
    return y if residual is None else (y, total)


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
    residual: torch.Tensor | None = None,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """(x - mean(x)) / sqrt(variance(x) + eps) weight + bias, along the last dimension, differentiable.

    Args:
        bias: [columns].

    The others are those of `rms_norm`.
    """
    y, total, *_ = torch.ops.hocket.norm(x, residual, weight, bias, eps, True)
    return y if residual is None else (y, total)


def _nothing(x: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    """In the place of a result that there is not: operators return tensors, and none of their arguments."""
    return x.new_empty(0, dtype=dtype or x.dtype)


@torch.library.impl("hocket::norm", ("cuda", "cpu"))
def _run(x, residual, weight, bias, eps, is_centred):
    operation = "layer_norm" if is_centred else "rms_norm"
    y, total, mean, rstd = launch.forward(operation, x, residual, weight, bias, eps, None, None)
    return (
        y,
        _nothing(x) if total is None else total,
        _nothing(x, torch.float32) if mean is None else mean,
        rstd,
    )


@torch.library.register_fake("hocket::norm")
def _fake(x, residual, weight, bias, eps, is_centred):
    """Shapes and dtypes of the results, which is what torch.compile needs."""
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rstd = x.new_empty(x.shape[:-1], dtype=torch.float32)
    mean = torch.empty_like(rstd) if is_centred else _nothing(x, torch.float32)
    return y, _nothing(x) if residual is None else torch.empty_like(y), mean, rstd


@torch.library.impl("hocket::norm_backward", ("cuda", "cpu"))
def _run_backward(dy, x, weight, mean, rstd, residual_gradient, has_bias, is_centred):
    operation = "layer_norm_backward" if is_centred else "rms_norm_backward"
    mean = mean if is_centred else None
    results = launch.backward(operation, dy, x, weight, mean, rstd, has_bias, residual_gradient, None)
    return tuple(_nothing(x) if result is None else result for result in results)


@torch.library.register_fake("hocket::norm_backward")
def _fake_backward(dy, x, weight, mean, rstd, residual_gradient, has_bias, is_centred):
    dx = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    dw = _nothing(x) if weight is None else torch.empty_like(weight)
    has_db = weight is not None and is_centred and has_bias
    return dx, dw, torch.empty_like(weight) if has_db else _nothing(x)


def _save(ctx, inputs, output):
    x, residual, weight, bias, _, is_centred = inputs
    _, total, mean, rstd = output
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(x if residual is None else total, weight, mean, rstd)
    ctx.has_residual = residual is not None
    ctx.is_centred = is_centred
    ctx.bias_dtype = None if bias is None else bias.dtype


def _backward(ctx, of_y, of_total, _of_mean, _of_rstd):
    x, weight, mean, rstd = ctx.saved_tensors
    if not ctx.has_residual:
        of_total = None
    if of_y is None:
        return of_total, of_total, None, None, None, None
    has_bias = ctx.bias_dtype is not None
    dx, dw, db = torch.ops.hocket.norm_backward(
        of_y.to(x.dtype).contiguous(),  # of a sum or an expansion it may have strides of 0
        x,
        weight,
        mean,
        rstd,
        None if of_total is None else of_total.contiguous(),
        has_bias and weight is not None,
        ctx.is_centred,
    )
    of_bias = None
    if has_bias:
        of_bias = (of_y.flatten(0, -2).sum(0, dtype=torch.float32) if weight is None else db).to(ctx.bias_dtype)
    return dx, dx if ctx.has_residual else None, None if weight is None else dw, of_bias, None, None


torch.library.register_autograd("hocket::norm", _backward, setup_context=_save)


def _flat(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return None if tensor is None else tensor.reshape(-1)


def _as_rows(x: torch.Tensor, dimensions: int) -> torch.Tensor:
    """The dimensions that are normalised as one."""
    return x if dimensions == 1 else x.flatten(-dimensions)


class RMSNorm(torch.nn.RMSNorm):
    """`torch.nn.RMSNorm` by `hocket.kernels.norms`: the same arguments and state, any `normalized_shape`."""

    def forward(self, x: torch.Tensor, residual: torch.Tensor | None = None):
        """The norm of x; with a residual, the pair of the norm of x + residual, and x + residual."""
        eps = torch.finfo(x.dtype).eps if self.eps is None else self.eps
        count = len(self.normalized_shape)
        rows = None if residual is None else _as_rows(residual, count)
        y, total, *_ = torch.ops.hocket.norm(_as_rows(x, count), rows, _flat(self.weight), None, eps, False)
        return y.view(x.shape) if residual is None else (y.view(x.shape), total.view(x.shape))


class LayerNorm(torch.nn.LayerNorm):
    """`torch.nn.LayerNorm` by `hocket.kernels.norms`: the same arguments and state, any `normalized_shape`."""

    def forward(self, x: torch.Tensor, residual: torch.Tensor | None = None):
        """The norm of x; with a residual, the pair of the norm of x + residual, and x + residual."""
        count = len(self.normalized_shape)
        rows = None if residual is None else _as_rows(residual, count)
        weight, bias = _flat(self.weight), _flat(self.bias)
        y, total, *_ = torch.ops.hocket.norm(_as_rows(x, count), rows, weight, bias, self.eps, True)
        return y.view(x.shape) if residual is None else (y.view(x.shape), total.view(x.shape))
