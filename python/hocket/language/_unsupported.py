"""Gluon names that are not implemented yet. They import, so that import lines need no change; using one is an error."""

from __future__ import annotations

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@method_of(tensor)
@builtin
def associative_scan(input: Any, axis: int, combine_fn: Any, reverse: bool = False) -> Any:
    """inclusive scans"""


@method_of(tensor)
@builtin
def gather(src: Any, index: Any, axis: int) -> Any:
    """gathers from a tensor in registers"""


@method_of(tensor)
@builtin
def histogram(input: Any, num_bins: int, mask: Any = None, layout: Any = None) -> Any:
    """histograms"""


@builtin
def join(a: Any, b: Any) -> Any:
    """joining tensors along a new last dimension"""


@method_of(tensor)
@builtin
def split(a: Any) -> Any:
    """splitting a tensor along its last dimension"""


@builtin
def map_elementwise(scalar_fn: Any, *args: Any, pack: int = 1) -> Any:
    """applying a scalar function to each element"""


@builtin
def inline_asm_elementwise(asm: str, constraints: str, args: Any, dtype: Any, is_pure: bool, pack: int) -> Any:
    """inline assembly"""


@builtin
def expect_zero(value: Any, condition: Any) -> Any:
    """the hint that a value is mostly zero"""


@builtin
def to_linear_layout(layout: Any, shape: Any) -> Any:
    """layouts as linear maps inside kernels"""
