"""Functions that the operators on rows share."""

from __future__ import annotations

import torch

from ..kernels._common.arrays import facts_of
from ..kernels.norms.operands import has_rows


def with_rows(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """Returns the tensor, or a contiguous copy if the tensor cannot be read as rows with a constant stride."""
    if tensor is None or tensor.is_contiguous() or has_rows(facts_of(tensor, "x")):
        return tensor
    return tensor.contiguous()


def new_like(tensor: torch.Tensor) -> torch.Tensor:
    """Returns an uninitialized contiguous tensor with the shape and dtype of `tensor`."""
    return torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)


def has_no_rows(tensor: torch.Tensor) -> bool:
    """Returns True if the tensor has columns, but no rows, so there is nothing to compute."""
    return tensor.numel() == 0 and tensor.dim() > 0 and tensor.shape[-1] != 0
