"""`triton.language.target_info`: functions with which kernels query the GPU at compile time."""

from __future__ import annotations

from ... import constexpr_function
from ..gpu_targets import GPUTarget
from .driver import active

__all__ = ["cuda_capability_geq", "current_target", "is_cuda", "is_hip", "is_hip_cdna3", "is_hip_cdna4"]


def current_target() -> GPUTarget:
    return active.get_current_target()


@constexpr_function
def is_cuda() -> bool:
    return current_target().backend == "cuda"


@constexpr_function
def is_hip() -> bool:
    return current_target().backend == "hip"


@constexpr_function
def is_hip_cdna3() -> bool:
    return current_target().arch == "gfx942"


@constexpr_function
def is_hip_cdna4() -> bool:
    return current_target().arch == "gfx950"


@constexpr_function
def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    target = current_target()
    return target.backend == "cuda" and int(target.arch) >= 10 * major + minor
