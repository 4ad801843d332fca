"""Checks of the arguments of AMDMFMALayout: each function returns the normalized value or raises an error."""

from __future__ import annotations

from .._constexpr import unwrap
from . import checks as check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Largest k_width: the number of elements of an operand that a lane holds for the MFMA with the largest K.
_MOST_K_WIDTH = 32


def version(owner: Any, value: Any) -> int:
    return check.integer(owner, "version", value, 1, 4)


def instr_shape(owner: Any, value: Any, chip_version: int) -> list[int]:
    from ... import _core

    value = check.powers_of_two(owner, "instr_shape", value)
    if len(value) != 3:
        raise ValueError(f"AMDMFMALayout: instr_shape must be [M, N, K], got {value}")
    known = _core.matrix_shapes(chip_version)
    if value not in known:
        name = f"AMDMFMALayout: version {chip_version} has no instruction of shape {value}"
        depths = sorted(k for m, n, k in known if [m, n] == value[:2])
        if depths:
            raise ValueError(f"{name}: K of {value[0]}x{value[1]} is one of {', '.join(map(str, depths))}")
        results = sorted({(m, n) for m, n, _ in known}, reverse=True)
        raise ValueError(f"{name}: M x N is one of {', '.join(f'{m}x{n}' for m, n in results)}")
    return value


def boolean(owner: Any, name: str, value: Any) -> bool:
    value = unwrap(value)
    if not isinstance(value, (bool, int)):
        raise ValueError(f"AMDMFMALayout: {name} must be True or False, got {value!r}")
    return bool(value)


def element_bitwidth(owner: Any, value: Any, shape: list[int]) -> int:
    value = check.integer(owner, "element_bitwidth", value, 1, 64)
    if value not in (32, 64):
        raise ValueError(f"AMDMFMALayout: element_bitwidth must be 32 or 64, got {value}")
    if value == 64 and shape != [16, 16, 4]:
        raise ValueError(f"AMDMFMALayout: accumulators of 64 bits need instr_shape=[16, 16, 4], got {shape}")
    return value


def tiles_per_warp(owner: Any, value: Any, rank: int) -> list[int] | None:
    if unwrap(value) is None:
        return None
    value = check.powers_of_two(owner, "tiles_per_warp", value)
    if len(value) != rank:
        raise ValueError(f"AMDMFMALayout: tiles_per_warp has {len(value)} entries where warps_per_cta has {rank}")
    return None if all(tiles == 1 for tiles in value) else value


def k_width(value: int) -> None:
    if not 1 <= value <= _MOST_K_WIDTH or value & (value - 1):
        raise ValueError(
            f"DotOperandLayout: k_width must be a power of two from 1 to {_MOST_K_WIDTH} for an AMDMFMALayout parent, "
            f"got {value}; 8 elements of 16 bits are one 16-byte read of LDS"
        )
