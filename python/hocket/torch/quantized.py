"""`hocket.kernels.rowwise.rms_norm_quantized` and `layer_norm_quantized` as the operator `hocket::norm_quantized`."""

from __future__ import annotations

import torch

from ..kernels import rowwise
from ._operator import Operator, nothing
from ._rows import has_no_rows, new_like, with_rows

_SCHEMA = (
    "(Tensor x, Tensor? residual, Tensor? weight, Tensor? bias, float eps, int? group, bool is_centered,"
    " float weight_offset=0.0) -> (Tensor, Tensor, Tensor)"
)


def rms_norm_quantized(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    eps: float = 1e-6,
    residual: torch.Tensor | None = None,
    group: int | None = None,
    weight_offset: float = 0.0,
) -> tuple[torch.Tensor, ...]:
    """Returns `rms_norm` of x, or of x + residual, as float8_e4m3fn with float32 scales. Only the forward pass is
    supported.

    Args:
        x: [..., columns], float32, float16 or bfloat16.
        group: number of adjacent columns with one scale, e.g. 128. None for one scale per row.

    The other arguments are those of `rms_norm`.

    Returns: (quantized, scale), and x + residual if there is a residual.

    See `hocket.kernels.rowwise.rms_norm_quantized` for the arguments, and `hocket.kernels.rowwise.choose` for the
    implementation.
    """
    return _call(x, residual, weight, None, eps, group, False, weight_offset)


def layer_norm_quantized(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
    residual: torch.Tensor | None = None,
    group: int | None = None,
    weight_offset: float = 0.0,
) -> tuple[torch.Tensor, ...]:
    """Returns `layer_norm` of x, or of x + residual, as float8_e4m3fn with float32 scales. Only the forward pass is
    supported.

    Args:
        bias: [columns].

    The other arguments and results are those of `rms_norm_quantized`.
    """
    return _call(x, residual, weight, bias, eps, group, True, weight_offset)


def _call(x, residual, *arguments) -> tuple[torch.Tensor, ...]:
    results = _norm_quantized(x, residual, *arguments)
    return results[:2] if residual is None else results


def _run(x, residual, weight, bias, eps, group, is_centered, weight_offset=0.0):
    if has_no_rows(x):
        return _fake(x, residual, weight, bias, eps, group, is_centered)
    options = {"residual": with_rows(residual), "group": group, "weight_offset": weight_offset}
    if is_centered:
        return rowwise.layer_norm_quantized(with_rows(x), weight, bias, eps, **options)
    return rowwise.rms_norm_quantized(with_rows(x), weight, eps, **options)


def _fake(x, residual, weight, bias, eps, group, is_centered, weight_offset=0.0):
    """Returns empty tensors with the shapes and dtypes of the results, for torch.compile."""
    rows = x.shape[:-1]
    quantized = torch.empty(x.shape, dtype=torch.float8_e4m3fn, device=x.device)
    scale = x.new_empty(rows if group is None else (*rows, x.shape[-1] // group), dtype=torch.float32)
    return quantized, scale, nothing(x) if residual is None else new_like(x)


def _backward(ctx, *gradients):
    raise NotImplementedError(
        "norms with a float8 result have no backward pass\n  hint: call them under torch.no_grad(), or use "
        "hocket.torch.rms_norm or layer_norm for training"
    )


_norm_quantized = Operator("norm_quantized", _SCHEMA, _run, _fake, _backward)
