"""Operations of AMD's CDNA GPUs: MFMA, buffer accesses, copies straight into LDS.

    from hocket.language import amd

    amd.AMDMFMALayout              the layout of MFMA accumulators
    amd.PartitionedSharedLayout    the layout of a tile in parts, one after another in LDS
    amd.cdna3                      CDNA3 (gfx942): buffer_load, buffer_store, buffer_atomic_*, mfma, scaled_upcast
    amd.cdna4                      CDNA4 (gfx950): the operations of CDNA3, async_copy, mfma_scaled, helpers for layouts
    amd.hint                       hints for the instruction scheduler
    amd.slice                      the same object as gl.slice
    amd.warp_pipeline_stage        the same object as gl.warp_pipeline_stage

Portable kernels need only `hocket.language`.
"""

from __future__ import annotations

from .._pipelines import warp_pipeline_stage
from .._slice import slice
from . import cdna3, cdna4, hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._layouts.amd import AMDMFMALayout
    from .._layouts.partitioned import PartitionedSharedLayout

__all__ = ["AMDMFMALayout", "PartitionedSharedLayout", "cdna3", "cdna4", "hint", "slice", "warp_pipeline_stage"]


# Layouts are dataclasses, which take long to import: see `hocket.language.__getattr__`.
if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        if name not in __all__:
            from .._foreign_names import missing_attribute

            raise missing_attribute(__name__, name, __all__)
        from .._layouts import amd, partitioned

        globals().update(AMDMFMALayout=amd.AMDMFMALayout, PartitionedSharedLayout=partitioned.PartitionedSharedLayout)
        return globals()[name]


def __dir__() -> list[str]:
    return __all__
