"""`triton._internal_testing`: queries of the GPU that tests use."""

from __future__ import annotations

import importlib
from typing import Any

from .driver import active

__all__ = [
    "dtypes",
    "dtypes_with_bfloat16",
    "float_dtypes",
    "float_dtypes_with_bfloat16",
    "get_current_target",
    "get_hip_lds_size",
    "int_dtypes",
    "integral_dtypes",
    "is_ampere_or_newer",
    "is_blackwell",
    "is_blackwell_ultra",
    "is_cuda",
    "is_hip",
    "is_hip_cdna",
    "is_hip_cdna2",
    "is_hip_cdna3",
    "is_hip_cdna3_or_newer",
    "is_hip_cdna4",
    "is_hip_gfx1250",
    "is_hip_rdna",
    "is_hip_rdna3",
    "is_hip_rdna4",
    "is_hopper",
    "is_hopper_or_newer",
    "is_interpreter",
    "is_rubin",
    "is_sm12x",
    "is_xpu",
    "supports_tma",
    "supports_ws",
    "torch_dtypes",
    "torch_float8_dtypes",
    "uint_dtypes",
]

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]


def get_current_target() -> Any:
    return active.get_current_target() if active.is_active() else None


def _arch() -> str:
    return active.target_name() if active.is_active() else ""


def is_interpreter() -> bool:
    return False


def is_cuda() -> bool:
    return _arch().startswith("sm_")


def _capability() -> int:
    return int(active.get_current_target().arch) if is_cuda() else 0


def is_ampere_or_newer() -> bool:
    return _capability() >= 80


def is_hopper() -> bool:
    return _capability() // 10 == 9


def is_hopper_or_newer() -> bool:
    return _capability() >= 90


def is_blackwell() -> bool:
    return _capability() // 10 == 10


def is_blackwell_ultra() -> bool:
    return _capability() == 103


def is_rubin() -> bool:
    return False


def is_sm12x() -> bool:
    return _capability() // 10 == 12


def is_hip() -> bool:
    return _arch().startswith("gfx")


def is_hip_cdna2() -> bool:
    return _arch() == "gfx90a"


def is_hip_cdna3() -> bool:
    return _arch() == "gfx942"


def is_hip_cdna4() -> bool:
    return _arch() == "gfx950"


def is_hip_cdna3_or_newer() -> bool:
    return is_hip_cdna3() or is_hip_cdna4()


def is_hip_cdna() -> bool:
    return is_hip_cdna2() or is_hip_cdna3_or_newer()


def is_hip_rdna3() -> bool:
    return _arch().startswith("gfx11")


def is_hip_rdna4() -> bool:
    return _arch().startswith("gfx120")


def is_hip_rdna() -> bool:
    return is_hip_rdna3() or is_hip_rdna4()


def is_hip_gfx1250() -> bool:
    return _arch() == "gfx1250"


def is_xpu() -> bool:
    return False


def supports_tma(byval_only: bool = False) -> bool:
    return is_hopper_or_newer()


def supports_ws() -> bool:
    return is_hopper_or_newer()


def get_hip_lds_size() -> int:
    """Returns the bytes of LDS that a block can use."""
    return active.utils.get_device_properties(0)["max_shared_mem"]


def __getattr__(name: str) -> Any:
    if name == "requires_tma":
        pytest = importlib.import_module("pytest")
        return pytest.mark.skipif(not supports_tma(), reason="requires TMA: NVIDIA Hopper")
    if name == "default_alloc_fn":
        return _allocate
    raise AttributeError(name)


def _allocate(size: int, align: int, stream: Any) -> Any:
    """Allocates scratch memory, as the allocator in Triton's tests does. Launches of Hocket never call `_allocate`."""
    return importlib.import_module("torch").empty(size, dtype=importlib.import_module("torch").int8, device="cuda")
