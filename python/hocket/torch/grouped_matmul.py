"""`hocket.kernels.grouped_matmul` as the operator `hocket::grouped_matmul`."""

from __future__ import annotations

import torch

from ..kernels import grouped_matmul as kernel
from ._operator import Operator
from .matmul import matmul

_SCHEMA = (
    "(Tensor a, Tensor b, Tensor? offsets=None, Tensor? counts=None, Tensor? indices=None, Tensor? scale_a=None,"
    " Tensor? scale_b=None, ScalarType? out_dtype=None, bool clears_rest=False) -> Tensor"
)


def grouped_matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    offsets: torch.Tensor | None = None,
    counts: torch.Tensor | None = None,
    indices: torch.Tensor | None = None,
    scale_a: torch.Tensor | None = None,
    scale_b: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Multiplies each group of rows of `a` by its own matrix of `b`, on Hopper; or, if `b` has two dimensions,
    multiplies `a` and `b` over the rows of each group. The result of float16 and bfloat16 is differentiable.

        a                       b            sizes of groups    result
        [T, K]                  [G, K, N]    offsets            [T, N]
        [S, K] with indices     [G, K, N]    offsets            [T, N], for the rows a[indices]
        [G, M, K]               [G, K, N]    counts             [G, M, N]
        [M, T], a transpose     [T, N]       offsets            [G, M, N]

    Args:
        offsets: int32 or int64 [G]: for each group the index after its last row.
        counts: int32 or int64 [G], instead of `offsets`: number of valid rows of each group.
        indices: int32 or int64 [T]: row of `a` for each row of the result.
        scale_a, scale_b: factors of float32 for the rows of a and for the columns of each b. Results with scales have
            no gradients.
        out_dtype: dtype of the result; None for that of `a`, or float16 if `a` is float8.

    Rows of the result that belong to no group are undefined. Their gradient has no effect, and rows of `a` that belong
    to no group have the gradient 0. With `indices`, gradients of the rows of `a` are summed by
    `torch.Tensor.index_add_`, whose order of additions PyTorch determines.

    See `hocket.kernels.grouped_matmul` for the arguments, and `hocket.kernels.grouped_matmul.explain` for the
    implementation.
    """
    return _grouped_matmul(a, b, offsets, counts, indices, scale_a, scale_b, out_dtype, False)


def _new_result(new, a, b, offsets, indices, out_dtype):
    """Returns what `new` returns for the shape and dtype of the result: `a.new_empty`, for example."""
    dtype = out_dtype or (torch.float16 if a.dtype.itemsize == 1 else a.dtype)
    if b.dim() == 2 and offsets is not None:
        return new((offsets.shape[0], a.shape[0], b.shape[1]), dtype=dtype)
    rows = a.shape[:-1] if indices is None else indices.shape
    return new((*rows, b.shape[-1]), dtype=dtype)


def _run(a, b, offsets=None, counts=None, indices=None, scale_a=None, scale_b=None, out_dtype=None, clears_rest=False):
    out = _new_result(a.new_zeros, a, b, offsets, indices, out_dtype) if clears_rest else None
    dtype = None if out_dtype is None else str(out_dtype).removeprefix("torch.")
    return kernel(a, b, offsets, out, counts=counts, indices=indices, scale_a=scale_a, scale_b=scale_b, out_dtype=dtype)


def _fake(a, b, offsets=None, counts=None, indices=None, scale_a=None, scale_b=None, out_dtype=None, clears_rest=False):
    """Returns the shape and dtype of the result, for torch.compile."""
    torch._check(
        2 <= a.dim() <= 3 and 2 <= b.dim() <= 3, lambda: "grouped_matmul: a and b have two or three dimensions"
    )
    return _new_result(a.new_empty, a, b, offsets, indices, out_dtype)


def _save(ctx, inputs, output):
    a, b, offsets, counts, indices, scale_a, scale_b, _, _ = inputs
    ctx.save_for_backward(a, b, offsets, counts, indices)
    ctx.has_scales = scale_a is not None or scale_b is not None


def _backward(ctx, gradient):
    a, b, offsets, counts, indices = ctx.saved_tensors
    if ctx.has_scales or a.dtype.itemsize == 1:
        raise NotImplementedError(
            "grouped_matmul of float8, or with scales, has no backward pass\n  hint: call it under torch.no_grad(), or "
            "multiply float16 or bfloat16 without scales"
        )
    # The gradient may have strides of 0, e.g. if the result was summed.
    of_result = gradient.to(a.dtype).contiguous()
    if counts is not None:
        gradients = _of_padded_groups(ctx, of_result, a, b, counts)
    elif b.dim() == 2:
        gradients = _of_sums_over_rows(ctx, of_result, a, b, offsets)
    else:
        gradients = _of_rows(ctx, of_result, a, b, offsets, indices)
    return *gradients, *(None,) * 7


def _multiply_rows(a, b, offsets, counts=None):
    """Returns the GEMM of each group's rows, with zeros in rows of no group."""
    return _grouped_matmul(a, b, offsets, counts, None, None, None, None, True)


def _sum_over_rows(a, b, offsets):
    """Returns the sum of a^T b over the rows of each group."""
    return _grouped_matmul(a.mT, b, offsets, None, None, None, None, None, False)


def _of_rows(ctx, of_result, a, b, offsets, indices):
    """Returns the gradients of a [T, K] or, with indices, [S, K], and of b [G, K, N]."""
    of_a = of_b = None
    if indices is not None:
        # The rows of no group may have any index.
        indices = indices.clamp(0, a.shape[0] - 1)
    if ctx.needs_input_grad[0]:
        of_a = _multiply_rows(of_result, b.mT, offsets)
        if indices is not None:
            of_a = torch.zeros_like(a, dtype=torch.float32).index_add_(0, indices, of_a.float()).to(a.dtype)
    if ctx.needs_input_grad[1]:
        of_b = _sum_over_rows(a if indices is None else a[indices], of_result, offsets)
    return of_a, of_b


def _of_sums_over_rows(ctx, of_result, a, b, offsets):
    """Returns the gradients of a [M, T] and b [T, N]."""
    of_a = _multiply_rows(b, of_result.mT, offsets).mT if ctx.needs_input_grad[0] else None
    of_b = _multiply_rows(a.mT, of_result, offsets) if ctx.needs_input_grad[1] else None
    return of_a, of_b


def _of_padded_groups(ctx, of_result, a, b, counts):
    """Returns the gradients of a [G, M, K] and b [G, K, N]."""
    of_a = _multiply_rows(of_result, b.mT, None, counts) if ctx.needs_input_grad[0] else None
    of_b = None
    if ctx.needs_input_grad[1]:
        is_outside = torch.arange(a.shape[1], device=a.device)[None, :, None] >= counts[:, None, None]
        of_b = matmul(a.masked_fill(is_outside, 0).mT, of_result.masked_fill(is_outside, 0))
    return of_a, of_b


_grouped_matmul = Operator("grouped_matmul", _SCHEMA, _run, _fake, _backward, _save)
