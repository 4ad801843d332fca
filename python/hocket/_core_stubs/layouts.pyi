"""Maps of layouts: csrc/bindings/Layouts.cpp and MatrixLayouts.cpp."""

from collections.abc import Sequence
from typing import Any

def layout_bases(layout: Any, shape: Sequence[int]) -> dict[str, Any]:
    """Returns the bases of a layout: {"register" | "lane" | "warp" | "block": rows}.

    A shared layout has {"offset" | "block": rows, "paddings": pairs}.
    """

def bank_wavefronts(distr_ty: Any, shared_ty: Any, access: str, target: str) -> list[tuple[int, int]]:
    """Returns (actual, ideal) wavefronts of each warp for one load or store of the tile. ValueError if the arguments do
    not
    match.
    """

def bank_phases(distr_ty: Any, shared_ty: Any, access: str, target: str) -> list[dict[str, Any]]:
    """Returns the phases of warp 0: "register", "bytes", "banks", "lanes", their byte "addresses", "actual",
    "ideal"."""

def matrix_shapes(version: int) -> list[list[int]]:
    """Returns [M, N, K] of every matrix instruction of a generation: 3 for CDNA3, 4 for CDNA4."""

def scale_layout(operand: Any, shape: Sequence[int]) -> Any:
    """Returns the layout of a dot operand's scales, a tensor of `shape`, for an AMDMFMALayout."""
