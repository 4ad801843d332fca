"""`hocket.kernels.rowwise.cross_entropy` as the operators `hocket::cross_entropy`, `hocket::cross_entropy_backward` and
`hocket::cross_entropy_backward_`, which writes the gradient over the logits."""

from __future__ import annotations

import torch

from ..kernels import rowwise
from ._operator import Operator, nothing
from ._rows import has_no_rows, new_like, with_rows

_SETTINGS = "int ignore_index, float label_smoothing, float z_loss, str reduction"
_ARRAYS = "Tensor? gradient, Tensor{} logits, Tensor targets, Tensor lse, Tensor? count"
_FORWARD = f"(Tensor logits, Tensor targets, {_SETTINGS}, bool in_place) -> (Tensor, Tensor, Tensor)"
_BACKWARD = f"({_ARRAYS.format('')}, {_SETTINGS}) -> Tensor"
_BACKWARD_IN_PLACE = f"({_ARRAYS.format('(a!)')}, {_SETTINGS}) -> ()"


def cross_entropy(
    logits: torch.Tensor,
    targets: torch.Tensor,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    z_loss: float = 0.0,
    reduction: str = "mean",
    in_place: bool = False,
) -> torch.Tensor:
    """Returns the cross-entropy of logits, along the last dimension, as float32. The result is differentiable.

    Args:
        logits: [..., columns], float32, float16 or bfloat16. `torch.nn.functional.cross_entropy` has the classes in the
            second dimension instead.
        targets: [...], int32 or int64.
        z_loss: factor of the squared log-sum-exp, which is added to the loss of each row.
        reduction: "mean", "sum" or "none".
        in_place: the backward pass writes the gradient over the logits, which saves their memory. The logits must not
            be used after the backward pass. Only for eager mode.

    See `hocket.kernels.rowwise.cross_entropy` for the arguments, and `hocket.kernels.rowwise.choose` for the
    implementation.
    """
    settings = ignore_index, label_smoothing, z_loss, reduction
    return _cross_entropy(logits, targets, *settings, in_place)[0]


def _options(settings: tuple) -> dict:
    return dict(zip(("ignore_index", "label_smoothing", "z_loss", "reduction"), settings, strict=True))


def _run(logits, targets, ignore_index, label_smoothing, z_loss, reduction, in_place):
    settings = ignore_index, label_smoothing, z_loss, reduction
    if has_no_rows(logits):
        loss, lse, count = _fake(logits, targets, *settings, in_place)
        return loss.fill_(float("nan") if reduction == "mean" else 0.0), lse, count.fill_(0.0)
    logits = with_rows(logits)
    loss, (lse, count) = rowwise.cross_entropy(logits, targets, return_statistics=True, **_options(settings))
    return loss, lse, count


def _fake(logits, targets, ignore_index, label_smoothing, z_loss, reduction, in_place):
    """Returns empty tensors with the shapes and dtypes of the results, for torch.compile."""
    lse = logits.new_empty(logits.shape[:-1], dtype=torch.float32)
    loss = torch.empty_like(lse) if reduction == "none" else lse.new_empty(())
    return loss, lse, lse.new_empty(()) if reduction == "mean" else nothing(logits)


def _launch(gradient, logits, targets, lse, count, settings, out):
    statistics = rowwise.LossStatistics(lse, count if settings[-1] == "mean" else None)
    return rowwise.cross_entropy_backward(gradient, logits, targets, statistics, out=out, **_options(settings))


def _run_backward(gradient, logits, targets, lse, count, *settings):
    if has_no_rows(logits):
        return new_like(logits)
    return _launch(with_rows(gradient), with_rows(logits), targets, lse, count, settings, None)


def _fake_backward(gradient, logits, targets, lse, count, *settings):
    return new_like(logits)


def _run_backward_in_place(gradient, logits, targets, lse, count, *settings):
    if not has_no_rows(logits):
        _launch(with_rows(gradient), logits, targets, lse, count, settings, logits)


def _fake_backward_in_place(gradient, logits, targets, lse, count, *settings):
    return None


def _save(ctx, inputs, output):
    logits, targets, *settings, in_place = inputs
    _, lse, count = output
    ctx.set_materialize_grads(False)
    ctx.settings, ctx.in_place = settings, in_place
    ctx.save_for_backward(logits, targets, lse, count)


def _backward(ctx, gradient, _of_lse, _of_count):
    logits, targets, lse, count = ctx.saved_tensors
    if gradient is None:
        return (None,) * 7
    arguments = targets, lse, count, *ctx.settings
    gradient = gradient.to(torch.float32)
    if ctx.in_place:
        of_logits = logits.detach()
        _cross_entropy_backward_in_place(gradient, of_logits, *arguments)
    else:
        of_logits = _cross_entropy_backward(gradient, logits, *arguments)
    return of_logits, *[None] * 6


_cross_entropy_backward = Operator("cross_entropy_backward", _BACKWARD, _run_backward, _fake_backward)
_cross_entropy_backward_in_place = Operator(
    "cross_entropy_backward_", _BACKWARD_IN_PLACE, _run_backward_in_place, _fake_backward_in_place
)
_cross_entropy = Operator("cross_entropy", _FORWARD, _run, _fake, _backward, _save)
