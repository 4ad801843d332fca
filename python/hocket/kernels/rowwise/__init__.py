"""Operations on rows besides norms, for all targets. A plan explains the choice of its algorithm variant.

    y = rowwise.softmax(x)
    dx = rowwise.softmax_backward(dy, y)
    loss, statistics = rowwise.cross_entropy(logits, targets, return_statistics=True)
    quantized, scale, total = rowwise.rms_norm_quantized(x, weight, residual=h, group=128)
    y = rowwise.group_norm(images, 32, weight, bias)
    h = rowwise.swiglu(x[:, :n], x[:, n:])
    dlogits = rowwise.cross_entropy_backward(None, logits, targets, statistics, out=logits)
    print(rowwise.choose(4096, 128256, "bfloat16", "softmax").explain())

Arrays are [..., columns] with any number of rows, in float32, float16 or bfloat16; elements of a row are contiguous,
and rows may have any stride. Arithmetic and sums are float32. No kernel uses atomics on data, so results are bitwise
reproducible on one GPU.
"""

from __future__ import annotations

from typing import Any

from ..norms.plan import Plan
from . import launch
from .activations import geglu, geglu_backward, swiglu, swiglu_backward
from .choose import choose
from .group_norm_gradients import group_norm_backward
from .group_norms import group_norm
from .losses import LossStatistics, cross_entropy, cross_entropy_backward
from .quantizing import QuantizedNorm, layer_norm_quantized, rms_norm_quantized

__all__ = [
    "LossStatistics",
    "Plan",
    "QuantizedNorm",
    "choose",
    "cross_entropy",
    "cross_entropy_backward",
    "geglu",
    "geglu_backward",
    "group_norm",
    "group_norm_backward",
    "layer_norm_quantized",
    "log_softmax",
    "log_softmax_backward",
    "rms_norm_quantized",
    "softmax",
    "softmax_backward",
    "swiglu",
    "swiglu_backward",
]


def softmax(x: Any, *, out: Any = None, schedule: str | None = None) -> Any:
    """Returns exp(x) / sum(exp(x)), along the last dimension.

    Args:
        x: [..., columns], up to 262144 columns. The result of a row whose elements are all -inf is NaN, as in PyTorch.
        out: array to write the result to, which may be x; a new array if None.
        schedule: variant to use instead of the predicted best one, see `choose`.

    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.

    Source: rows that do not fit into registers use the online softmax (Milakov and Gimelshein, arXiv 1805.02867).
    """
    return launch.softmax("softmax", (x,), out, schedule)


def log_softmax(x: Any, *, out: Any = None, schedule: str | None = None) -> Any:
    """Returns x - log(sum(exp(x))), along the last dimension. The arguments and errors are those of `softmax`."""
    return launch.softmax("log_softmax", (x,), out, schedule)


def softmax_backward(dy: Any, y: Any, *, out: Any = None, schedule: str | None = None) -> Any:
    """Returns the gradient of `softmax`: y (dy - sum(dy y)), in one launch.

    Args:
        dy: [..., columns], the gradient of y.
        y: the result of `softmax`.
        out: array to write the result to, which may be dy or y; a new array if None.
        schedule: variant to use instead of the predicted best one, see `choose`.

    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.
    """
    return launch.softmax("softmax_backward", (dy, y), out, schedule)


def log_softmax_backward(dy: Any, y: Any, *, out: Any = None, schedule: str | None = None) -> Any:
    """Returns the gradient of `log_softmax`: dy - exp(y) sum(dy). Arguments and errors are those of
    `softmax_backward`."""
    return launch.softmax("log_softmax_backward", (dy, y), out, schedule)


def __dir__() -> list[str]:
    """Returns the public names, for completion."""
    return sorted(__all__)
