"""Kernels that are ready to use, written in the kernel language. `matmul.explain(...)` explains choices of `matmul`.

Targets: `norms` and `rowwise` run on all targets, `matmul` on gfx942, gfx950, sm_80 and sm_90a, `attention` and
`attention_varlen` on gfx942, gfx950 and sm_90a, `attention_backward`, `attention_varlen_backward`, `attention_paged`
and `grouped_matmul` on sm_90a, and `matmul_scaled` on gfx950 and sm_90a. On other targets these functions raise
a LaunchError.
"""

from . import norms, plans, rowwise
from ._attention.block_mask import attention_block_mask
from ._attention.host import attention
from ._attention.host_backward import attention_backward
from ._attention.host_paged import attention_paged
from ._attention.host_varlen import attention_varlen
from ._attention.host_varlen_backward import attention_varlen_backward
from ._grouped.host import grouped_matmul
from ._matmul.host import matmul
from ._matmul.host_scaled import matmul_scaled, shuffle_scales

__all__ = [
    "attention",
    "attention_backward",
    "attention_block_mask",
    "attention_paged",
    "attention_varlen",
    "attention_varlen_backward",
    "grouped_matmul",
    "matmul",
    "matmul_scaled",
    "norms",
    "plans",
    "rowwise",
    "shuffle_scales",
]


def __dir__() -> list[str]:
    """Returns the public names, for completion. Modules that implement the kernels are omitted."""
    return sorted(__all__)
