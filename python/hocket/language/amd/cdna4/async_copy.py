"""Copies from global memory straight into LDS, and waiting for them.

    async_copy.buffer_load_to_shared(tile, pointer, offsets)      # starts
    async_copy.commit_group()                                     # the copies since the last commit are a group
    async_copy.wait_group(1)                                      # all but the newest group have arrived
    x = tile.load(layout)

The hardware writes what the lanes of a warp fetch side by side, lane after lane, 16 or 4 bytes per lane on CDNA4 and 4
on CDNA3: the layout of the offsets must place a warp's elements in the order in which the tile's layout stores them.
Padding may only come between the parts of different warps.
"""

from __future__ import annotations

from ..._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..._layouts import DistributedLayout
    from ..._shared_descriptor import shared_memory_descriptor
    from ..._tensor import tensor

__all__ = ["buffer_load_to_shared", "commit_group", "global_load_to_shared", "load_shared_relaxed", "wait_group"]


@builtin
def global_load_to_shared(
    dest: shared_memory_descriptor,
    ptr: tensor,
    mask: tensor | None = None,
    other: Any = None,
    cache_modifier: str = "",
) -> None:
    """Start copying what `ptr` points to into `dest`.

    Args:
        dest: shared memory of the shape of `ptr` and its element type.
        ptr: a tensor of pointers.
        mask: int1, broadcast to `ptr`; elements whose mask is false become `other`, or 0.
        other: a number or a tensor that broadcasts to `ptr`.
        cache_modifier: "", ".ca", ".cg", ".cs" or ".cv", as `gl.load` has them.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> i = gl.arange(0, 64, L)
        >>> async_copy.global_load_to_shared(smem, p + i)
        >>> async_copy.commit_group()
        >>> async_copy.wait_group(0)
        >>> gl.sum(smem.load(L))
        20800
    """


@builtin
def buffer_load_to_shared(
    dest: shared_memory_descriptor,
    ptr: tensor,
    offsets: tensor,
    mask: tensor | None = None,
    other: Any = None,
    cache_modifier: str = "",
) -> None:
    """Start copying `ptr[offsets]` into `dest`.

    Args:
        dest: shared memory of the shape of `offsets` and the element type of `ptr`.
        ptr: a scalar pointer.
        offsets: an int32 tensor, in elements.
        mask: int1, broadcast to `offsets`; elements whose mask is false become `other`, or 0.
        other: a number or a tensor that broadcasts to `offsets`.
        cache_modifier: "", ".ca", ".cg", ".cs" or ".cv", as `gl.load` has them.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> i = gl.arange(0, 64, L)
        >>> async_copy.buffer_load_to_shared(smem, p, i, mask=i < 4)
        >>> async_copy.commit_group()
        >>> async_copy.wait_group(0)
        >>> gl.sum(smem.load(L))
        100
    """


@builtin
def commit_group() -> None:
    """Make all copies that were started since the last commit one group. A group may be empty.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> i = gl.arange(0, 64, L)
        >>> async_copy.buffer_load_to_shared(smem, p, i)
        >>> async_copy.commit_group()
        >>> async_copy.wait_group(0)
        >>> gl.sum(smem.load(L))
        20800
    """


@builtin
def wait_group(num_outstanding: int = 0) -> None:
    """Wait until at most `num_outstanding` groups (known at compile time) of this warp are unfinished.

    What other warps copied may be read after it too: the compiler inserts the barrier.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> i = gl.arange(0, 64, L)
        >>> async_copy.buffer_load_to_shared(smem, p, i)
        >>> async_copy.commit_group()
        >>> async_copy.wait_group(0)
        >>> gl.sum(smem.load(L))
        20800
    """


@builtin
def load_shared_relaxed(smem: shared_memory_descriptor, layout: DistributedLayout) -> tensor:
    """`smem.load(layout)`, for memory that asynchronous copies fill.

    You promise that every copy into the slots it reads is covered by an earlier `wait_group`, and that your own
    barriers order `smem.store`s into them: the compiler inserts one barrier after a wait, for what other warps copied,
    and none for stores.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> i = gl.arange(0, 64, L)
        >>> async_copy.buffer_load_to_shared(smem, p, i)
        >>> async_copy.commit_group()
        >>> async_copy.wait_group(0)
        >>> gl.sum(async_copy.load_shared_relaxed(smem, L))
        20800
    """


def __dir__() -> list[str]:
    return __all__
