"""Ready kernels, written in the language as users would write them. Each explains its choices: `matmul.explain(..)`.

Written for gfx942 and gfx950, `matmul` for sm_80 and sm_90a too, `attention` for sm_90a too, `norms` for all,
`matmul_scaled` for gfx950; on other targets they raise a LaunchError.
"""

from . import norms
from .attention import attention
from .attention_varlen import attention_varlen
from .matmul import matmul
from .matmul_scaled import matmul_scaled, shuffle_scales

__all__ = ["attention", "attention_varlen", "matmul", "matmul_scaled", "norms", "shuffle_scales"]


def __dir__() -> list[str]:
    """The public names, for completion: the modules that the kernels consist of are not among them."""
    return sorted(__all__)
