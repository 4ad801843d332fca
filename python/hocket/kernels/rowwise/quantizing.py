"""Norms with a float8 result: the functions that users call, and their launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import maker_of_empty
from ..norms.arguments import ForwardInputs, ForwardStrides
from ..norms.operands import check_vector, checked_eps, checked_offset, matrix_of
from ..norms.plan import STREAMING, config_of
from .choose import check_schedule
from .launch import prepared
from .quantized import QuantizedOutputs, quantized_resident, quantized_streaming

#: Numbers of columns that may share a scale.
GROUPS = (32, 64, 128, 256)


class QuantizedNorm(NamedTuple):
    """Results of `rms_norm_quantized` and `layer_norm_quantized`."""

    #: float8_e4m3fn, with the shape of x. The result of the norm is `quantized` times `scale`.
    quantized: Any
    #: float32: [...] for one scale per row, or [..., columns / group] for one scale per group.
    scale: Any
    #: x + residual, with the dtype of x. None without a residual.
    total: Any


def rms_norm_quantized(
    x: Any,
    weight: Any = None,
    eps: float = 1e-6,
    *,
    residual: Any = None,
    group: int | None = None,
    weight_offset: float = 0.0,
    schedule: str | None = None,
) -> QuantizedNorm:
    """Returns `norms.rms_norm` of x, or of x + residual, as float8 with scales, in one launch.

    The scale of a row or group is its largest magnitude divided by 448, or 1 if all of its values are zero. The values
    are divided by their scale. The result of the norm is not rounded before it is quantized.

    Args:
        x: [..., columns], up to 65536 columns, float32, float16 or bfloat16; rows may have any stride.
        weight: [columns], or None.
        residual: an array like x, which is added to x first. The sum is rounded to the dtype of x, and returned.
        group: number of adjacent columns that share a scale: 32, 64, 128 or 256. None for one scale per row.
        weight_offset: added to the weight in float32.
        schedule: variant to use instead of the predicted best one, see `choose`.

    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.

    Source: scales per row and per 1 x 128 block as in DeepSeek-V3, arXiv 2412.19437.
    """
    return _launch("rms_norm_quantized", x, weight, None, eps, residual, group, weight_offset, schedule)


def layer_norm_quantized(
    x: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    *,
    residual: Any = None,
    group: int | None = None,
    weight_offset: float = 0.0,
    schedule: str | None = None,
) -> QuantizedNorm:
    """Returns `norms.layer_norm` of x, or of x + residual, as float8 with scales, in one launch.

    Args:
        bias: [columns], or None.

    The other arguments and errors are those of `rms_norm_quantized`.
    """
    return _launch("layer_norm_quantized", x, weight, bias, eps, residual, group, weight_offset, schedule)


def _launch(operation, x, weight, bias, eps, residual, group, weight_offset, schedule) -> QuantizedNorm:
    weight_offset = checked_offset(operation, weight_offset, weight)
    run = _launches.find((x, residual, weight, bias), (operation, schedule, group, weight_offset))
    return run(x, residual, weight, bias, checked_eps(operation, eps))


def _prepare(
    x, residual, weight, bias, operation: str, schedule: str | None, group: int | None, weight_offset: float
) -> Callable[..., QuantizedNorm]:
    check_schedule(schedule)
    if group is not None and (isinstance(group, bool) or group not in GROUPS):
        raise LaunchError(f"{operation}: group is None or one of {', '.join(map(str, GROUPS))}, not {group!r}")
    group = group or 0
    source = matrix_of(operation, "x", x)
    inputs = [source]
    if residual is not None:
        inputs.append(matrix_of(operation, "residual", residual, source))
    shape = source.facts.shape
    columns = shape[-1]
    for name, vector in (("weight", weight), ("bias", bias)):
        check_vector(operation, name, vector, columns)
    if group and columns % group:
        raise LaunchError(
            f"{operation}: columns must be a multiple of group, {group}, but x has {columns}\n"
            "  hint: leave group out for one scale per row"
        )
    facts = {"has_weight": weight is not None, "has_bias": bias is not None, "has_residual": residual is not None}
    plan, options, strides = prepared(operation, inputs, [], schedule, None, [weight, bias], **facts)
    options["cfg"] = config_of(plan, False, max(strides), weight_offset)
    all_strides = ForwardStrides(strides[0], strides[-1], columns, columns)
    new_y, new_total = maker_of_empty(x, shape, "float8_e4m3fn"), maker_of_empty(x, shape, source.facts.dtype)
    new_scales = maker_of_empty(x, (*shape[:-1], columns // group) if group else shape[:-1], "float32")
    kernel = quantized_streaming if plan.schedule == STREAMING else quantized_resident
    rows = plan.problem.rows

    def run(x, residual, weight, bias, eps):
        results = QuantizedNorm(new_y(x), new_scales(x), None if residual is None else new_total(x))
        outputs = QuantizedOutputs(*results, None, None)
        inputs = ForwardInputs(x, residual)
        kernel[(plan.blocks,)](inputs, all_strides, weight, bias, outputs, rows, columns, eps, group, **options)
        return results

    return run


_launches = LaunchCache(_prepare)
