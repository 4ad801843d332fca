"""RMSNorm and LayerNorm, forward and backward, for all targets. A plan explains the choice of its algorithm variant.

    y = norms.rms_norm(x, weight)
    y, rstd = norms.rms_norm(x, weight, return_statistics=True)
    dx, dw = norms.rms_norm_backward(dy, x, weight, rstd)
    print(norms.choose(16384, 4096, "bfloat16", "rms_norm_backward").explain())

x, dy and results are [..., columns] with any number of rows, 1 to 65536 columns, and dtype float32, float16 or
bfloat16. Arithmetic and sums are float32. A single launch of a backward kernel computes dx and the gradients of weight
and bias. Kernels use no atomics on data, so results are bitwise reproducible on one GPU.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from . import launch
from .arguments import ForwardOutputs
from .choose import choose
from .forced import force_schedule
from .plan import Plan
from .problem import Problem

__all__ = [
    "Plan",
    "Problem",
    "choose",
    "force_schedule",
    "layer_norm",
    "layer_norm_backward",
    "rms_norm",
    "rms_norm_backward",
]


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
    """Returns x / sqrt(mean(x^2) + eps) * weight, along the last dimension.

    Args:
        x: [..., columns]; elements of a row are contiguous, rows may have any stride.
        weight: [columns], or None.
        residual: an array like x, or None. With a residual, x + residual is normalized, and also returned.
        weight_offset: added to the weight in float32; 1 for models that store weight - 1 (Gemma).
        out: array to write the result to; a new array if None.
        return_statistics: also return 1 / sqrt(mean(x^2) + eps) of each row, float32, for `rms_norm_backward`.
        schedule: variant to use instead of the predicted best one, see `choose`.

    Returns: y, or a tuple of y, x + residual (with `residual`), rstd (with `return_statistics`).
    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.
    """
    outputs = launch.forward(
        "rms_norm", x, residual, weight, None, eps, out, schedule, None, weight_offset, return_statistics
    )
    return _requested(outputs, residual, return_statistics)


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
    """Returns (x - mean(x)) / sqrt(variance(x) + eps) * weight + bias, along the last dimension.

    Args:
        bias: [columns], or None.
        return_statistics: also return mean and 1 / sqrt(variance + eps) of each row, float32.

    The other arguments are those of `rms_norm`.

    Returns: y, or a tuple of y, x + residual (with `residual`), mean and rstd (with `return_statistics`).
    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.
    """
    outputs = launch.forward(
        "layer_norm", x, residual, weight, bias, eps, out, schedule, None, weight_offset, return_statistics
    )
    return _requested(outputs, residual, return_statistics)


def _requested(outputs: ForwardOutputs, residual: Any, return_statistics: bool) -> Any:
    """Returns y if there is no other result, otherwise a tuple of the results that the caller requests."""
    if residual is None and not return_statistics:
        return outputs.y
    return tuple(result for result in outputs if result is not None)


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
    """Returns the gradients of `rms_norm`: dx, and dw (None without a weight), in one launch.

    Args:
        dy, x: [..., columns]. If the forward pass had a residual, x is x + residual.
        rstd: one float32 per row, as `rms_norm` returns it; it may be strided.
        residual_gradient: an array like x, which is added to dx: the gradient of x + residual from its other use.
        weight_offset: the value passed to `rms_norm`.
        schedule: variant to use instead of the predicted best one, see `choose`.

    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.
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
    """Returns the gradients of `layer_norm`: dx, dw and db (None without weight or bias), in one launch.

    Args:
        mean, rstd: one float32 per row, as `layer_norm` returns them; they may be strided.
        has_bias: whether to compute the gradient of the bias; it requires a weight.

    The other arguments are those of `rms_norm_backward`.
    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.
    """
    arguments = dy, x, weight, mean, rstd, has_bias, residual_gradient, schedule
    return launch.backward("layer_norm_backward", *arguments, weight_offset=weight_offset)


def __dir__() -> list[str]:
    """Returns the public names, for completion."""
    return sorted(__all__)


class _Norms(ModuleType):
    """The type of this module. The call `hocket.kernels.norms(x)` raises an error that names the module's functions."""

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
    "schedule": "write `with norms.force_schedule(...)`",
}
sys.modules[__name__].__class__ = _Norms
