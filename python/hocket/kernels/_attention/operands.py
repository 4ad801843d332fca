"""Arguments of attention, and their checks."""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple

from ... import language as gl
from ...errors import LaunchError
from .._common.arrays import ArrayFacts
from .._common.checks import check_flags

ELEMENTS = {"float16": gl.float16, "bfloat16": gl.bfloat16}
HEAD_SIZES = (64, 128)

#: Smallest scale. A scale of 0 times the -inf of masked scores would be NaN. This scale is so small that all visible
#: scores have the same probability, as with the scale 0.
LEAST_SCALE = 1e-30

LOG2_E = math.log2(math.e)

#: Number of keys before or after a query in a window without a limit. Sums with lengths must not overflow int32.
UNLIMITED = 1 << 29


class Attention(NamedTuple):
    """Properties of the arrays of one call of `attention`; each array is [batch, heads, sequence, D]."""

    q: ArrayFacts
    k: ArrayFacts
    v: ArrayFacts
    out: ArrayFacts
    causal: bool
    returns_lse: bool = False
    #: Numbers of keys before and after its position that a query sees; None for no window. `causal` is then False.
    window: tuple[int, int] | None = None

    @property
    def arrays(self) -> tuple[ArrayFacts, ...]:
        return self[:4]


def checked_window(kernel: str, window: Any, causal: bool) -> tuple[int, int] | None:
    """Returns the numbers of keys before and after its position that a query sees, or None if `window` has no effect.
    Raises a LaunchError if `window` is not None or a pair of numbers or None, or if it contradicts `causal`."""
    if window is None:
        return None
    check_flags(kernel, causal=causal)
    is_pair = isinstance(window, tuple | list) and len(window) == 2
    if not is_pair or not all(limit is None or _is_count(limit) for limit in window):
        raise LaunchError(
            f"{kernel}: window must be (before, after), numbers of keys or None, not {window!r}\n  hint: with "
            "window=(1023, 0), a query sees the key at its position and 1023 keys before it"
        )
    before, after = (None if limit is None or limit >= UNLIMITED else operator.index(limit) for limit in window)
    if causal and after not in (None, 0):
        raise LaunchError(
            f"{kernel}: with causal=True, a query sees no keys after its position, but window is {tuple(window)}\n"
            f"  hint: pass window=({before}, 0)"
        )
    if before is None and (causal or after is None):
        return None
    after = 0 if causal else after
    return UNLIMITED if before is None else before, UNLIMITED if after is None else after


def check_window_target(kernel: str, window: tuple[int, int] | None, target: str) -> None:
    """Raises a LaunchError if there is a window, and the kernel for `target` has none."""
    if window is not None and target != "sm_90a":
        raise LaunchError(f"{kernel}: window is not supported for {target} yet; it is for sm_90a")


def _is_count(limit: Any) -> bool:
    return hasattr(limit, "__index__") and not isinstance(limit, bool) and limit >= 0


class Sequences(NamedTuple):
    """Sequences that are packed one after another: the number of sequences, and the largest number of queries of a
    sequence."""

    count: int
    longest: int


def check_attention(attention: Attention, kernel: str = "attention") -> None:
    """Raises a LaunchError if dtypes or shapes of the arrays do not match. `kernel` is named in the message."""
    q, k, v, out = attention.arrays
    for name, array in (("q", q), ("k", k), ("v", v)):
        if len(array.shape) != 4 or 0 in array.shape:
            raise LaunchError(
                f"{kernel}: {name} must be [batch, heads, sequence, D] with elements, not {list(array.shape)}"
            )
        if array.dtype not in ELEMENTS:
            raise LaunchError(f"{kernel}: {name} is {array.dtype}; it must be {' or '.join(ELEMENTS)}")
        if array.dtype != q.dtype:
            raise LaunchError(f"{kernel}: q is {q.dtype} and {name} is {array.dtype}; they must be of one dtype")
    if k.shape != v.shape:
        raise LaunchError(f"{kernel}: k and v must have one shape, but have {list(k.shape)} and {list(v.shape)}")
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise LaunchError(
            f"{kernel}: batch and D of q and k must be equal, but the shapes are {list(q.shape)} and {list(k.shape)}"
        )
    if q.shape[1] % k.shape[1]:
        raise LaunchError(
            f"{kernel}: q has {q.shape[1]} heads, which must be a multiple of the {k.shape[1]} heads of k and v"
        )
    if q.shape[3] not in HEAD_SIZES:
        raise LaunchError(f"{kernel}: D must be 64 or 128, not {q.shape[3]}")
    if out.shape != q.shape:
        raise LaunchError(f"{kernel}: out must have the shape of q, {list(q.shape)}, not {list(out.shape)}")
