"""Global memory: loads, stores and atomics through pointers or tensors of pointers."""

from __future__ import annotations

from ._builtin import builtin, method_of
from ._tensor import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._cache_policy import CachePolicy


@builtin
def load(
    pointer: tensor,
    mask: tensor | None = None,
    other: Any = None,
    cache_modifier: str | None = "",
    eviction_policy: str | None = "",
    volatile: bool = False,
    cache_policy: CachePolicy | None = None,
) -> tensor:
    """Read what `pointer` points to; the result has its shape and layout.

    Args:
        pointer: a pointer or a tensor of pointers.
        mask: int1, broadcast to the shape of `pointer`; elements whose mask is false are not read.
        other: the value of elements with a false mask, converted to the element type; if not given, it is undefined.
        cache_modifier: "" or None, ".ca" (all levels), ".cg" (L2 only), ".cs" (streaming) or ".cv" (do not cache).
        eviction_policy: "" or None, "evict_first" or "evict_last": what caches drop first, or last.
        volatile: never merged with another load and never removed.
        cache_policy: a `gl.CachePolicy` in the place of these two words, which can say more.

    Example:
        >>> gl.load(p + i)
        [10, 20, 30, 40]
        >>> gl.load(p + i, mask=i < 2, other=-1)
        [10, 20, -1, -1]
    """


@method_of(tensor)
@builtin
def store(
    pointer: tensor,
    value: Any,
    mask: tensor | None = None,
    cache_modifier: str | None = "",
    eviction_policy: str | None = "",
    cache_policy: CachePolicy | None = None,
) -> None:
    """Write `value`, converted to the element type, to where `pointer` points.

    Args:
        pointer: a pointer or a tensor of pointers.
        value: a number, a scalar or a tensor that broadcasts to the shape of `pointer`.
        mask: int1, broadcast to the shape of `pointer`; elements whose mask is false are not written.
        cache_modifier: "" or None, ".wb" (write back), ".cg" (L2 only), ".cs" (streaming) or ".wt" (write through).
        eviction_policy: "" or None, "evict_first" or "evict_last": what caches drop first, or last.
        cache_policy: a `gl.CachePolicy` in the place of these two words, which can say more.

    Example:
        >>> gl.store(p + i, i * i, mask=i > 0)
        >>> gl.load(p + i)
        [10, 1, 4, 9]
    """


@method_of(tensor)
@builtin
def atomic_add(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "acq_rel", scope: str = "gpu"
) -> tensor:
    """Add `val` to what `pointer` points to and return the old values, of any integer of 32 or 64 bits or any float.

    Args:
        mask: int1; elements whose mask is false are left alone, and their result is undefined.
        sem: "relaxed", "acquire", "release" or "acq_rel".
        scope: threads the operation is ordered with: "cta", "gpu" or "sys".

    Example:
        >>> gl.atomic_add(p + i, 1)
        [10, 20, 30, 40]
        >>> gl.load(p + i)
        [11, 21, 31, 41]
    """


@builtin
def atomic_load(pointer: tensor, mask: tensor | None = None, sem: str = "acquire", scope: str = "gpu") -> tensor:
    """Read what `pointer` points to in one piece, and see what who has written it had released. 32 or 64 bits.

    It is carried out as an atomic operation that changes nothing: the memory must be writable.

    Args:
        mask: int1; elements whose mask is false are not read, and their result is undefined.
        sem: "acquire" or "relaxed".
        scope: threads the operation is ordered with: "cta", "gpu" or "sys".

    Example:
        >>> gl.atomic_load(p + i)
        [10, 20, 30, 40]
    """


@builtin
def atomic_store(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "release", scope: str = "gpu"
) -> None:
    """Write `val` in one piece, after all that this thread has written before. 32 or 64 bits.

    What other threads of the block have written before is seen, too, if a `gl.barrier` stands in front.

    Args:
        mask: int1; elements whose mask is false are left alone.
        sem: "release" or "relaxed".
        scope: threads the operation is ordered with: "cta", "gpu" or "sys".

    Example:
        >>> gl.atomic_store(p + i, 7)
        >>> gl.load(p + i)
        [7, 7, 7, 7]
    """


@builtin
def atomic_poll(
    pointer: tensor, expected: Any, sem: str = "acquire", scope: str = "gpu", timeout_ns: Any = None
) -> tensor:
    """Wait until memory holds `expected`; int1 of the shape of `pointer`, whether each element has.

    Elements are integers of 16, 32 or 64 bits. Each is read by atomic operations that change nothing (the memory must
    be writable) until it is what is expected; all threads of the block go on when the last element has arrived. What
    who has written the value had released is seen afterwards by the whole block.

    Args:
        expected: a number, a scalar or a tensor that broadcasts to the shape of `pointer`.
        sem: "acquire" or "relaxed".
        scope: threads the operation is ordered with: "cta", "gpu" or "sys".
        timeout_ns: nanoseconds for all elements together, after which the block goes on: what has not arrived is False
            then. Each element is read once at least, also if it is 0. Without it the result is True everywhere. GPUs
            count it in steps of up to a microsecond, the emulator in tries. Not in clusters.

    Example:
        >>> gl.atomic_poll(p + i, 10 * i + 10)
        [1, 1, 1, 1]
        >>> gl.atomic_poll(p + i, 20, timeout_ns=100)
        [0, 1, 0, 0]
    """


@method_of(tensor)
@builtin
def atomic_max(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "acq_rel", scope: str = "gpu"
) -> tensor:
    """Keep the larger of old value and `val`; return the old values. 32- or 64-bit integers; else as `atomic_add`.

    Example:
        >>> old = gl.atomic_max(p + i, 25)
        >>> gl.load(p + i)
        [25, 25, 30, 40]
    """


@method_of(tensor)
@builtin
def atomic_min(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "acq_rel", scope: str = "gpu"
) -> tensor:
    """Keep the smaller of old value and `val`; return the old values. 32- or 64-bit integers; else as `atomic_add`.

    Example:
        >>> old = gl.atomic_min(p + i, 25)
        >>> gl.load(p + i)
        [10, 20, 25, 25]
    """


@method_of(tensor)
@builtin
def atomic_and(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "acq_rel", scope: str = "gpu"
) -> tensor:
    """Bitwise and with `val`; return the old values. 32- or 64-bit integers; otherwise as `atomic_add`.

    Example:
        >>> old = gl.atomic_and(p + i, 7)
        >>> gl.load(p + i)
        [2, 4, 6, 0]
    """


@method_of(tensor)
@builtin
def atomic_or(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "acq_rel", scope: str = "gpu"
) -> tensor:
    """Bitwise or with `val`; return the old values. 32- or 64-bit integers; otherwise as `atomic_add`.

    Example:
        >>> old = gl.atomic_or(p + i, 1)
        >>> gl.load(p + i)
        [11, 21, 31, 41]
    """


@method_of(tensor)
@builtin
def atomic_xor(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "acq_rel", scope: str = "gpu"
) -> tensor:
    """Bitwise exclusive or with `val`; return the old values. 32- or 64-bit integers; otherwise as `atomic_add`.

    Example:
        >>> old = gl.atomic_xor(p + i, 3)
        >>> gl.load(p + i)
        [9, 23, 29, 43]
    """


@method_of(tensor)
@builtin
def atomic_xchg(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "acq_rel", scope: str = "gpu"
) -> tensor:
    """Replace with `val`; return the old values. Elements of 32 or 64 bits; otherwise as `atomic_add`.

    Example:
        >>> old = gl.atomic_xchg(p + i, 5)
        >>> gl.load(p + i)
        [5, 5, 5, 5]
    """


@method_of(tensor)
@builtin
def atomic_cas(pointer: tensor, cmp: Any, val: Any, sem: str = "acq_rel", scope: str = "gpu") -> tensor:
    """Replace with `val` where the old value equals `cmp`; return the old values. Elements of 16, 32 or 64 bits.

    Example:
        >>> gl.atomic_cas(p + i, 20, 0)
        [10, 20, 30, 40]
        >>> gl.load(p + i)
        [10, 0, 30, 40]
    """
