"""Linear maps of layouts (csrc/bindings/Layouts.cpp and MatrixLayouts.cpp)."""

from collections.abc import Sequence
from typing import Any

def layout_bases(layout: Any, shape: Sequence[int]) -> dict[str, Any]:
    """Returns the basis vectors of a layout, as {"register" | "lane" | "warp" | "block": rows}.

    For a shared layout, the result is {"offset" | "block": rows, "paddings": pairs}.
    """

def bank_wavefronts(distr_ty: Any, shared_ty: Any, access: str, target: str) -> list[tuple[int, int]]:
    """Returns the numbers (actual, ideal) of wavefronts of each warp for one load or store of the tile. Raises
    ValueError if an argument is invalid for this access."""

def bank_phases(distr_ty: Any, shared_ty: Any, access: str, target: str) -> list[dict[str, Any]]:
    """Returns a dict for each phase of warp 0's access, with "register", "bytes", "banks", "lanes", the byte
    "addresses" of the lanes, and the "actual" and "ideal" wavefronts."""

def matrix_shapes(version: int) -> list[list[int]]:
    """Returns [M, N, K] of every matrix instruction of a CDNA generation: `version` is 3 for CDNA3, and 4 for CDNA4."""

def scale_layout(operand: Any, shape: Sequence[int]) -> Any:
    """Returns the layout of the scales of a dot operand for an AMDMFMALayout. `shape` is the shape of the scales."""
