"""Asynchronous copies from global memory straight into LDS, and waits for them.

    async_copy.buffer_load_to_shared(tile, pointer, offsets)      # starts a copy
    async_copy.commit_group()                                     # makes a group of the copies since the last commit
    async_copy.wait_group(1)                                      # waits for all groups except the newest one
    x = tile.load(layout)

The hardware writes the data of a warp's lanes contiguously, lane after lane, 16 or 4 bytes per lane on CDNA4 and 4 on
CDNA3. Therefore the offsets' layout must have a warp's elements in the order of the tile's layout. Padding is only
allowed between the parts of the tile that different warps write.
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
    """Starts copying from global memory into `dest`.

    Args:
        dest: shared memory with the shape of `ptr` and the pointers' element type.
        ptr: a tensor of pointers.
        mask: int1, broadcast to `ptr`; elements whose mask is false become `other`, or 0.
        other: a number or a tensor that broadcasts to `ptr`.
        cache_modifier: "", ".ca", ".cg", ".cs" or ".cv", as in `gl.load`.

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
    """Starts copying `ptr[offsets]` into `dest`.

    Args:
        dest: shared memory of the shape of `offsets` and the element type of `ptr`.
        ptr: a scalar pointer.
        offsets: an int32 tensor, in elements.
        mask: int1, broadcast to `offsets`; elements whose mask is false become `other`, or 0.
        other: a number or a tensor that broadcasts to `offsets`.
        cache_modifier: "", ".ca", ".cg", ".cs" or ".cv", as in `gl.load`.

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
    """Makes a group of all copies that were started since the last commit. A group may be empty.

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
    """Waits until at most `num_outstanding` groups (known at compile time) of this warp are pending.

    After the wait, the kernel may also read data that other warps have copied: the compiler inserts the necessary
    barrier.

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
    """Works like `smem.load(layout)`, for memory that asynchronous copies fill, without automatic synchronization.

    The kernel must ensure that an earlier `wait_group` covers every copy into the buffer, and that barriers of the
    kernel order `smem.store`s into the buffer. The compiler inserts one barrier after a wait, for copies of other
    warps. The compiler inserts no barriers for stores.

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
