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
    """Reads from global memory. The result has the shape and layout of `pointer`.

    Args:
        pointer: a pointer or a tensor of pointers.
        mask: int1, broadcast to the shape of `pointer`; elements whose mask is false are not read.
        other: the value of elements with a false mask, converted to the element type. Without `other`, the value of
            these elements is undefined.
        cache_modifier: "" or None, ".ca" (all levels), ".cg" (L2 only), ".cs" (streaming) or ".cv" (do not cache).
        eviction_policy: "" or None, "evict_first" or "evict_last": eviction priority in caches.
        volatile: the compiler never merges the load with another load, and never removes the load.
        cache_policy: a `gl.CachePolicy`, a more general alternative to `cache_modifier` and `eviction_policy`.

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
    """Writes `value`, converted to the element type, to global memory.

    Args:
        pointer: a pointer or a tensor of pointers.
        value: a number, a scalar or a tensor that broadcasts to the shape of `pointer`.
        mask: int1, broadcast to the shape of `pointer`; elements whose mask is false are not written.
        cache_modifier: "" or None, ".wb" (write back), ".cg" (L2 only), ".cs" (streaming) or ".wt" (write through).
        eviction_policy: "" or None, "evict_first" or "evict_last": eviction priority in caches.
        cache_policy: a `gl.CachePolicy`, a more general alternative to `cache_modifier` and `eviction_policy`.

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
    """Adds `val` to memory atomically, and returns the old values. Elements are integers of 32 or 64 bits, or floats.

    Args:
        mask: int1; elements whose mask is false are not changed, and their result is undefined.
        sem: "relaxed", "acquire", "release" or "acq_rel".
        scope: scope of the memory order: "cta", "gpu" or "sys".

    Example:
        >>> gl.atomic_add(p + i, 1)
        [10, 20, 30, 40]
        >>> gl.load(p + i)
        [11, 21, 31, 41]
    """


@builtin
def atomic_load(pointer: tensor, mask: tensor | None = None, sem: str = "acquire", scope: str = "gpu") -> tensor:
    """Reads memory atomically, with acquire semantics. Elements have 32 or 64 bits.

    The load is implemented as an atomic operation that changes nothing, so the memory must be writable.

    Args:
        mask: int1; elements whose mask is false are not read, and their result is undefined.
        sem: "acquire" or "relaxed".
        scope: scope of the memory order: "cta", "gpu" or "sys".

    Example:
        >>> gl.atomic_load(p + i)
        [10, 20, 30, 40]
    """


@builtin
def atomic_store(
    pointer: tensor, val: Any, mask: tensor | None = None, sem: str = "release", scope: str = "gpu"
) -> None:
    """Writes `val` atomically, with release semantics: earlier writes of this thread become visible before `val`.
    Elements have 32 or 64 bits.

    If a `gl.barrier` precedes the store, earlier writes of all threads of the block become visible before `val`.

    Args:
        mask: int1; elements whose mask is false are not changed.
        sem: "release" or "relaxed".
        scope: scope of the memory order: "cta", "gpu" or "sys".

    Example:
        >>> gl.atomic_store(p + i, 7)
        >>> gl.load(p + i)
        [7, 7, 7, 7]
    """


@builtin
def atomic_poll(
    pointer: tensor, expected: Any, sem: str = "acquire", scope: str = "gpu", timeout_ns: Any = None
) -> tensor:
    """Waits until memory equals `expected`. Returns int1 of the shape of `pointer`: True for elements that equal
    `expected`.

    Elements are integers of 16, 32 or 64 bits. Each element is read by atomic operations that change nothing, until the
    element equals `expected`. The memory must be writable. All threads of the block continue when the last element is
    equal. With acquire semantics, writes of other blocks before the release of the awaited values are visible to the
    whole block after the wait.

    Args:
        expected: a number, a scalar or a tensor that broadcasts to the shape of `pointer`.
        sem: "acquire" or "relaxed".
        scope: scope of the memory order: "cta", "gpu" or "sys".
        timeout_ns: nanoseconds, for all elements together, after which the block continues; the result is False for
            elements that differ from `expected` at this time. Each element is read at least once, even if `timeout_ns`
            is 0. Without a timeout, the result is True everywhere. GPUs measure the time in steps of up to a
            microsecond, the emulator counts reads. Kernels with clusters cannot use `atomic_poll`.

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
    """Atomically replaces each element by the larger of element and `val`; returns the old values. Elements are
    integers of 32 or 64 bits. Arguments are as in `atomic_add`.

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
    """Atomically replaces each element by the smaller of element and `val`; returns the old values. Elements are
    integers of 32 or 64 bits. Arguments are as in `atomic_add`.

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
    """Atomically replaces each element by `element & val`; returns the old values. Elements are integers of 32 or 64
    bits. Arguments are as in `atomic_add`.

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
    """Atomically replaces each element by `element | val`; returns the old values. Elements are integers of 32 or 64
    bits. Arguments are as in `atomic_add`.

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
    """Atomically replaces each element by `element ^ val`; returns the old values. Elements are integers of 32 or 64
    bits. Arguments are as in `atomic_add`.

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
    """Atomically replaces each element by `val`; returns the old values. Elements have 32 or 64 bits. Arguments are as
    in `atomic_add`.

    Example:
        >>> old = gl.atomic_xchg(p + i, 5)
        >>> gl.load(p + i)
        [5, 5, 5, 5]
    """


@method_of(tensor)
@builtin
def atomic_cas(pointer: tensor, cmp: Any, val: Any, sem: str = "acq_rel", scope: str = "gpu") -> tensor:
    """Atomically replaces each element that equals `cmp` by `val`; returns the old values. The elements have 16, 32 or
    64 bits.

    Example:
        >>> gl.atomic_cas(p + i, 20, 0)
        [10, 20, 30, 40]
        >>> gl.load(p + i)
        [10, 0, 30, 40]
    """
