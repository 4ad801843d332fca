"""Operations of CDNA3 (gfx942), which CDNA4 (gfx950) also has: buffer accesses and MFMA.

A buffer access has a scalar base pointer and a tensor of int32 offsets. A buffer address takes one register per element
instead of two. Masked-off elements need no branch, because the hardware checks bounds. All offsets must be within 2 GiB
of the base.
"""

from __future__ import annotations

from .._builtin import builtin
from ._padding import compute_efficient_padded_shared_layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._dtype import dtype
    from .._tensor import tensor

__all__ = [
    "buffer_atomic_add",
    "buffer_atomic_and",
    "buffer_atomic_max",
    "buffer_atomic_min",
    "buffer_atomic_or",
    "buffer_atomic_xchg",
    "buffer_atomic_xor",
    "buffer_load",
    "buffer_store",
    "compute_efficient_padded_shared_layout",
    "mfma",
    "scaled_upcast",
    "sched_barrier",
    "sched_group_barrier",
    "set_prio",
]


@builtin
def buffer_load(
    ptr: tensor, offsets: tensor, mask: tensor | None = None, other: Any = None, cache: str | None = None
) -> tensor:
    """Reads `ptr[offsets]`; the result has the shape and layout of `offsets`.

    Args:
        ptr: a scalar pointer.
        offsets: an int32 tensor, in elements.
        mask: int1, broadcast to `offsets`; elements whose mask is false are not read.
        other: the value of elements with a false mask, converted to the element type; by default 0, which needs no
            instruction.
        cache: None, "", ".ca" (all levels), ".cg" (L2 only), ".cs" (streaming) or ".cv" (do not cache).

    Example:
        >>> amd.cdna3.buffer_load(p, i)
        [10, 20, 30, 40]
        >>> amd.cdna3.buffer_load(p, i, mask=i < 2)
        [10, 20, 0, 0]
    """


@builtin
def buffer_store(
    stored_value: Any, ptr: tensor, offsets: tensor, mask: tensor | None = None, cache: str | None = None
) -> None:
    """Writes `stored_value`, converted to the element type, to `ptr[offsets]`.

    Args:
        stored_value: a number, a scalar or a tensor that broadcasts to `offsets`.
        ptr: a scalar pointer.
        offsets: an int32 tensor, in elements.
        mask: int1, broadcast to `offsets`; elements whose mask is false are not written.
        cache: None, "", ".wb" (write back), ".cg" (L2 only), ".cs" (streaming) or ".wt" (write through).

    Example:
        >>> amd.cdna3.buffer_store(i * i, p, i, mask=i > 0)
        >>> gl.load(p + i)
        [10, 1, 4, 9]
    """


@builtin
def buffer_atomic_add(
    ptr: tensor,
    offsets: tensor,
    value: Any,
    mask: tensor | None = None,
    sem: str | None = "relaxed",
    scope: str | None = "gpu",
) -> tensor:
    """Atomically adds `value` to `ptr[offsets]`; returns the old values.

    Elements are integers of 32 and 64 bits, float16, float32 or float64; on CDNA4 also bfloat16.

    Args:
        ptr: a scalar pointer.
        offsets: an int32 tensor, in elements.
        value: a number, a scalar or a tensor that broadcasts to `offsets`.
        mask: int1; elements whose mask is false are not changed, and their result is undefined.
        sem: "relaxed" (the default), "acquire", "release" or "acq_rel".
        scope: scope of the memory order: "cta", "gpu" (the default) or "sys".

    Example:
        >>> amd.cdna3.buffer_atomic_add(p, i, 1)
        [10, 20, 30, 40]
        >>> gl.load(p + i)
        [11, 21, 31, 41]
    """


@builtin
def buffer_atomic_max(
    ptr: tensor,
    offsets: tensor,
    value: Any,
    mask: tensor | None = None,
    sem: str | None = "relaxed",
    scope: str | None = "gpu",
) -> tensor:
    """Atomically replaces each element by the larger of element and `value`; returns the old values.

    Elements are integers of 32 and 64 bits, float32 or float64. Arguments are as in `buffer_atomic_add`.

    Example:
        >>> old = amd.cdna3.buffer_atomic_max(p, i, 25)
        >>> gl.load(p + i)
        [25, 25, 30, 40]
    """


@builtin
def buffer_atomic_min(
    ptr: tensor,
    offsets: tensor,
    value: Any,
    mask: tensor | None = None,
    sem: str | None = "relaxed",
    scope: str | None = "gpu",
) -> tensor:
    """Atomically replaces each element by the smaller of element and `value`; returns the old values. Element types and
    arguments are as in `buffer_atomic_max`.

    Example:
        >>> old = amd.cdna3.buffer_atomic_min(p, i, 25)
        >>> gl.load(p + i)
        [10, 20, 25, 25]
    """


@builtin
def buffer_atomic_and(
    ptr: tensor,
    offsets: tensor,
    value: Any,
    mask: tensor | None = None,
    sem: str | None = "relaxed",
    scope: str | None = "gpu",
) -> tensor:
    """Atomically replaces each element by `element & value`; returns the old values. Elements are integers of 32 and 64
    bits. Arguments are as in `buffer_atomic_add`.

    Example:
        >>> old = amd.cdna3.buffer_atomic_and(p, i, 7)
        >>> gl.load(p + i)
        [2, 4, 6, 0]
    """


@builtin
def buffer_atomic_or(
    ptr: tensor,
    offsets: tensor,
    value: Any,
    mask: tensor | None = None,
    sem: str | None = "relaxed",
    scope: str | None = "gpu",
) -> tensor:
    """Atomically replaces each element by `element | value`; returns the old values. Elements are integers of 32 and 64
    bits. Arguments are as in `buffer_atomic_add`.

    Example:
        >>> old = amd.cdna3.buffer_atomic_or(p, i, 1)
        >>> gl.load(p + i)
        [11, 21, 31, 41]
    """


@builtin
def buffer_atomic_xor(
    ptr: tensor,
    offsets: tensor,
    value: Any,
    mask: tensor | None = None,
    sem: str | None = "relaxed",
    scope: str | None = "gpu",
) -> tensor:
    """Atomically replaces each element by `element ^ value`; returns the old values. Elements are integers of 32 and 64
    bits. Arguments are as in `buffer_atomic_add`.

    Example:
        >>> old = amd.cdna3.buffer_atomic_xor(p, i, 3)
        >>> gl.load(p + i)
        [9, 23, 29, 43]
    """


@builtin
def buffer_atomic_xchg(
    ptr: tensor,
    offsets: tensor,
    value: Any,
    mask: tensor | None = None,
    sem: str | None = "relaxed",
    scope: str | None = "gpu",
) -> tensor:
    """Atomically replaces each element by `value`; returns the old values. Elements have 32 or 64 bits. Arguments are
    as in `buffer_atomic_add`.

    Example:
        >>> old = amd.cdna3.buffer_atomic_xchg(p, i, 5)
        >>> gl.load(p + i)
        [5, 5, 5, 5]
    """


@builtin
def mfma(a: tensor, b: tensor, acc: tensor) -> tensor:
    """Returns acc + a x b, computed by MFMA.

    Args:
        a: [M, K] in DotOperandLayout(0, L, k_width).
        b: [K, N] in DotOperandLayout(1, L, k_width), of the dtype of `a` (the two float8 types of the GPU may be
            mixed).
        acc: [M, N] in L, an AMDMFMALayout whose instr_shape exists for the dtype; a leading batch dimension is allowed.

    Supported dtypes: float16, bfloat16, float8 or float32 with a float32 accumulator, int8 with an int32 accumulator,
    float64 with a float64 accumulator. The float8 types of CDNA3 are float8e4b8 and float8e5b16. The float8 types of
    CDNA4 are float8e4nv and float8e5.

    Example:
        >>> M = amd.AMDMFMALayout(4, [16, 16, 32], True, [gl.num_warps(), 1])
        >>> a = gl.full([16, 32], 1, gl.float16, gl.DotOperandLayout(0, M, 8))
        >>> b = gl.full([32, 16], 2, gl.float16, gl.DotOperandLayout(1, M, 8))
        >>> gl.max(amd.cdna4.mfma(a, b, gl.zeros([16, 16], gl.float32, M)))
        64
    """


@builtin
def scaled_upcast(src: tensor, scale: tensor, elem_type: dtype, axis: int | None = None) -> tensor:
    """Returns `src` times its scales, as `elem_type`.

    Args:
        src: float8e4nv or float8e5, or uint8 that holds two float4 (e2m1) each along `axis`, the first in the low half.
        scale: uint8 (or int8) exponents s, for 2 ** (s - 127); 255 is NaN. The scales broadcast to the result.
        elem_type: float16, bfloat16 or float32.
        axis: for uint8, the dimension along which pairs are packed; not needed for float8.

    Example:
        >>> amd.cdna3.scaled_upcast(x.to(gl.float8e4nv), gl.full([4], 128, gl.uint8, L), gl.float32)
        [0, 2, 4, 6]
    """


@builtin
def sched_barrier(mask: int = 0) -> None:
    """Prevents the scheduler from moving instructions across this point, except the kinds that `mask` names.

    Results do not change. `gl.sched_barrier` works for every vendor. The documentation of `gl.sched_barrier` has more
    details.

    Args:
        mask: the sum of 1 (instructions without memory access or side effects), 2 (VALU), 4 (SALU), 8 (MFMA), 16
            (global memory), 32 (reads of global memory), 64 (writes of global memory), 128 (LDS), 256 (reads of LDS),
            512 (writes of LDS), 1024 (transcendental functions), 2048 (copies into LDS).

    Example:
        >>> amd.cdna3.sched_barrier(8)
    """


@builtin
def sched_group_barrier(mask: int, size: int, group_id: int = 0) -> None:
    """Directs the back end's scheduler to put `size` instructions of the kinds in `mask` at this point of a sequence.

    Several calls with one `group_id` describe the order of the instructions around the calls. Results do not change.
    `gl.sched_group_barrier` is the same operation for every vendor, with kinds by name.

    Args:
        mask: the kinds, as for `sched_barrier`.
        size: number of instructions.
        group_id: number of the sequence.

    Example:
        >>> amd.cdna3.sched_group_barrier(8, 4)
        >>> amd.cdna3.sched_group_barrier(256, 2)
    """


@builtin
def set_prio(priority: int) -> None:
    """Sets the priority of this warp among the warps of its SIMD: 0 (the lowest) to 3. Results do not change.

    Example:
        >>> amd.cdna3.set_prio(1)
        >>> amd.cdna3.set_prio(0)
    """


def __dir__() -> list[str]:
    return __all__
