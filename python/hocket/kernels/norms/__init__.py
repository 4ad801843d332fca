"""RMSNorm and LayerNorm, forward and backward, for all targets: kernels that say which schedule they use and why.

    y = norms.rms_norm(x, weight)
    y, rstd = norms.rms_norm(x, weight, return_statistics=True)
    dx, dw = norms.rms_norm_backward(dy, x, weight, rstd)
    print(norms.choose(16384, 4096, "bfloat16", "rms_norm_backward").explain())

x, dy and results are [.., columns], any rows, 1 to 65536 columns, float32, float16 or bfloat16; arithmetic and sums are
float32. The gradients of weight and bias come from the same launch as dx, without atomics on data: results are the
same, bit by bit, on each run on one GPU.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ..checks import check_flags
from . import launch
from .choose import choose
from .plan import Plan
from .problem import Problem

__all__ = ["Plan", "Problem", "choose", "layer_norm", "layer_norm_backward", "rms_norm", "rms_norm_backward"]


def rms_norm(
    x: Any,
    weight: Any = None,
    eps: float = 1e-6,
    *,
    residual: Any = None,
    weight_offset: float = 0.0,
    out: Any = None,
    return_statistics: bool = False,
    schedule: str | None = None,
) -> Any:
    """x / sqrt(mean(x^2) + eps) weight, along the last dimension.

    Args:
        x: [.., columns]; rows may be apart, their elements are contiguous.
        weight: [columns], or None.
        residual: as x; x + residual is normalised, and returned too.
        weight_offset: added to the weight in float32; 1 for models that store its difference from 1 (Gemma's).
        out: where to write the result; a new array if None.
        return_statistics: return 1 / sqrt(mean(x^2) + eps) of each row too, float32, for `rms_norm_backward`.
        schedule: see `choose`.

    Returns: y, or a tuple of y, x + residual (with `residual`), rstd (with `return_statistics`).
    Raises: LaunchError for arrays that do not fit.
    """
    check_flags("rms_norm", return_statistics=return_statistics)
    y, total, _, rstd = launch.forward(
        "rms_norm", x, residual, weight, None, eps, out, schedule, weight_offset=weight_offset
    )
    results = [y] + ([total] if residual is not None else []) + ([rstd] if return_statistics else [])
    return tuple(results) if len(results) > 1 else y


def layer_norm(
    x: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    *,
    residual: Any = None,
    weight_offset: float = 0.0,
    out: Any = None,
    return_statistics: bool = False,
    schedule: str | None = None,
) -> Any:
    """(x - mean(x)) / sqrt(variance(x) + eps) weight + bias, along the last dimension.

    Args:
        bias: [columns], or None.
        return_statistics: return mean and 1 / sqrt(variance + eps) of each row too, float32.

    The others are those of `rms_norm`.

    Returns: y, or a tuple of y, x + residual (with `residual`), mean and rstd (with `return_statistics`).
    Raises: LaunchError for arrays that do not fit.
    """
    check_flags("layer_norm", return_statistics=return_statistics)
    y, total, mean, rstd = launch.forward(
        "layer_norm", x, residual, weight, bias, eps, out, schedule, weight_offset=weight_offset
    )
    results = [y] + ([total] if residual is not None else []) + ([mean, rstd] if return_statistics else [])
    return tuple(results) if len(results) > 1 else y


def rms_norm_backward(
    dy: Any,
    x: Any,
    weight: Any,
    rstd: Any,
    *,
    residual_gradient: Any = None,
    weight_offset: float = 0.0,
    schedule: str | None = None,
) -> tuple[Any, Any]:
    """Gradients of `rms_norm`: dx, and that of the weight (None without a weight), in one launch.

    Args:
        dy, x: [.., columns]; of the fused form, x is what was normalised: x + residual.
        rstd: one float32 per row, as `rms_norm` returns it; it may be strided.
        residual_gradient: as x; added to dx: the gradient of x + residual from its other reader.
        weight_offset: as `rms_norm` was given it.
        schedule: see `choose`.

    Raises: LaunchError for arrays that do not fit.
    """
    arguments = dy, x, weight, None, rstd, False, residual_gradient, schedule
    return launch.backward("rms_norm_backward", *arguments, weight_offset=weight_offset)[:2]


def layer_norm_backward(
    dy: Any,
    x: Any,
    weight: Any,
    mean: Any,
    rstd: Any,
    *,
    has_bias: bool = True,
    residual_gradient: Any = None,
    weight_offset: float = 0.0,
    schedule: str | None = None,
) -> tuple[Any, Any, Any]:
    """Gradients of `layer_norm`: dx, those of weight and bias (None where there is none), in one launch.

    Args:
        mean, rstd: one float32 per row, as `layer_norm` returns them; they may be strided.
        has_bias: whether the gradient of a bias is wanted; it needs a weight.

    The others are those of `rms_norm_backward`.
    Raises: LaunchError for arrays that do not fit.
    """
    arguments = dy, x, weight, mean, rstd, has_bias, residual_gradient, schedule
    return launch.backward("layer_norm_backward", *arguments, weight_offset=weight_offset)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)


class _Norms(ModuleType):
    """The type of this module: `hocket.kernels.norms(x)` says what to write."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            "hocket.kernels.norms is a module\n  hint: write norms.rms_norm(x, weight), or norms.layer_norm"
        )

    def __getattr__(self, name: str) -> Any:
        hint = _INSTEAD.get(name, "")
        raise AttributeError(
            f"module '{__name__}' has no attribute '{name}'" + (f"\n  hint: {hint}" if hint else ""),
            name=name,
            obj=self,
        )


_CHOOSE = "write norms.choose(rows, columns, dtype, operation).explain()"
_INSTEAD = {
    "explain": _CHOOSE,
    "plan": _CHOOSE,
    "rmsnorm": "write norms.rms_norm",
    "layernorm": "write norms.layer_norm",
    "backward": "write norms.rms_norm_backward or norms.layer_norm_backward",
}
sys.modules[__name__].__class__ = _Norms
