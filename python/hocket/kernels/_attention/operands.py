"""Arguments of attention, and their checks."""

from __future__ import annotations

import math
from typing import NamedTuple

from ... import language as gl
from ...errors import LaunchError
from .._common.arrays import ArrayFacts

ELEMENTS = {"float16": gl.float16, "bfloat16": gl.bfloat16}
HEAD_SIZES = (64, 128)

#: Smallest scale. A scale of 0 times the -inf of masked scores would be NaN. This scale is so small that all visible
#: scores have the same probability, as with the scale 0.
LEAST_SCALE = 1e-30

LOG2_E = math.log2(math.e)


class Attention(NamedTuple):
    """Properties of the arrays of one call of `attention`; each array is [batch, heads, sequence, D]."""

    q: ArrayFacts
    k: ArrayFacts
    v: ArrayFacts
    out: ArrayFacts
    causal: bool
    returns_lse: bool = False

    @property
    def arrays(self) -> tuple[ArrayFacts, ...]:
        return self[:4]


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
