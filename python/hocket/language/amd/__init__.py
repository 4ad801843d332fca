"""What AMD's CDNA GPUs do that others do not: matrix cores, buffer descriptors, copies straight into LDS.

    from hocket.language import amd

    amd.AMDMFMALayout      the layout of matrix-core accumulators
    amd.cdna3              CDNA3 (gfx942): buffer_load, buffer_store, buffer_atomic_*, mfma, scaled_upcast
    amd.cdna4              CDNA4 (gfx950): the same, async_copy, mfma_scaled and helpers for layouts

Portable kernels need only `hocket.language`.
"""

from __future__ import annotations

from ..builtin import builtin
from . import cdna3, cdna4

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .layouts import AMDMFMALayout

__all__ = ["AMDMFMALayout", "cdna3", "cdna4", "warp_pipeline_stage"]


@builtin
def warp_pipeline_stage(label: str = "", *, priority: int = 0) -> Any:
    """warp pipelines"""


# Layouts are dataclasses, which take long to import: see `hocket.language.__getattr__`.
def __getattr__(name: str):
    if name != "AMDMFMALayout":
        raise AttributeError(f"module 'hocket.language.amd' has no attribute '{name}'")
    from .layouts import AMDMFMALayout

    globals()[name] = AMDMFMALayout
    return AMDMFMALayout
