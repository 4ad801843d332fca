"""Operations of Hopper (sm_90a): wgmma, which reads shared memory asynchronously, and mbarriers.

    acc = hopper.warpgroup_mma(a_tile, b_tile, acc)                          # waits for its result

    acc = hopper.warpgroup_mma_init(acc)
    acc = hopper.warpgroup_mma(a_tile, b_tile, acc, is_async=True)           # runs asynchronously
    ...
    acc = hopper.warpgroup_mma_wait(num_outstanding=0, deps=[acc])           # the result can be used from here on

A warpgroup is four warps. wgmma accesses shared memory through the async proxy, so ordinary stores of lanes are only
visible to wgmma after a fence (`fence_async_shared`). The compiler inserts missing fences and barriers.
"""

from __future__ import annotations

from ..._builtin import builtin
from ..._tensor import tensor
from ..ampere import named_barrier
from . import cluster, mbarrier, tma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..._shared_descriptor import shared_memory_descriptor

__all__ = [
    "async_store",
    "cluster",
    "fence_async_shared",
    "mbarrier",
    "named_barrier",
    "tma",
    "warpgroup_mma",
    "warpgroup_mma_accumulator",
    "warpgroup_mma_init",
    "warpgroup_mma_wait",
]

#: Type of the accumulator of a pending wgmma, for annotations. In Hocket, this type is `tensor`, and the compiler
#: tracks waits through loops and branches.
warpgroup_mma_accumulator = tensor


@builtin
def async_store(dst: shared_memory_descriptor, value: tensor, mbarrier: shared_memory_descriptor) -> None:
    """Starts storing `value` to the shared memory of the cluster's blocks (st.async).

    Each block stores its elements of `value` to the blocks that hold these elements in `dst` (`cga_layout`). If several
    blocks hold copies in `dst`, elements are stored to each of these blocks. If several blocks hold copies in both
    `value` and `dst`, each block stores to its own memory. The stores are asynchronous: before reading `dst`, a block
    waits at its own mbarrier, whose phase counts the bytes that all blocks store to this block.

    Args:
        dst: shared memory of the shape and dtype of `value`, which no block may still access.
        value: a tensor whose layout gives each thread at least 4 consecutive bytes of `dst`.
        mbarrier: an mbarrier in each block. The mbarriers of all blocks must be initialized before the call
            (`cluster.barrier`).

    The launch must have clusters: `num_ctas` of 2 or more.

    Example: in a cluster of two blocks, both of which hold all of `i`.
        >>> smem = gl.allocate_shared_memory(gl.int32, [4], S)
        >>> bar = mbarrier.allocate_mbarrier()
        >>> mbarrier.init(bar, count=1)
        >>> hopper.cluster.barrier()  # the mbarriers of all blocks are initialized
        >>> mbarrier.expect(bar, smem.nbytes_per_cta)
        >>> hopper.async_store(smem, i, bar)
        >>> mbarrier.wait(bar, 0)
        >>> gl.sum(smem.load(L))
        6
    """


@builtin
def fence_async_shared(cluster: bool = False) -> None:
    """Makes stores to shared memory visible to the async proxy: wgmma and bulk copies.

    The fence must be after the stores, and before the barrier that separates the stores from the asynchronous accesses.
    The compiler inserts missing fences.

    Args:
        cluster: True if the async proxy of other blocks of the cluster reads this block's memory. The fence does not
            depend on `cluster`.

    Example:
        >>> smem = gl.allocate_shared_memory(gl.int32, [64], S)
        >>> smem.store(gl.arange(0, 64, L))
        >>> hopper.fence_async_shared()
        >>> gl.sum(smem.load(L))
        2016
    """


@builtin
def warpgroup_mma(
    a: shared_memory_descriptor | tensor,
    b: shared_memory_descriptor,
    acc: tensor,
    *,
    use_acc: bool | tensor = True,
    precision: str | None = None,
    max_num_imprecise_acc: int | None = None,
    is_async: bool = False,
) -> tensor:
    """Returns acc + a x b, computed by Hopper's warpgroup MMA (wgmma) from shared memory.

    Args:
        a: [M, K] in shared memory, or in registers in `DotOperandLayout(0, acc.layout, k_width)` with a k_width of 4
            bytes. The dtype is float16, bfloat16, float32, float8e4nv, float8e5, int8 or uint8.
        b: [K, N] in shared memory, of the dtype of `a`. Two float8 types, or int8 and uint8, may be mixed.
        acc: [M, N] of float32, or int32 for integers, or float16 for float16, in an `NVMMADistributedLayout` of version
            [3, 0]. M is a multiple of 64. N and K are multiples of the N and K of the layout's instr_shape, where K
            elements have 32 bytes.
        use_acc: False to start with zeros instead of `acc`; may be a run-time value.
        precision: None or "tf32": tensor cores use the 10 upper bits of the fraction of float32.
        max_num_imprecise_acc: None, or at least K.
        is_async: if True, the call does not wait. In a kernel that calls `warpgroup_mma_wait`, the result can be used,
            and `a` and `b` can be overwritten, only after a wait; an earlier use is a CompileError. In a kernel without
            explicit waits, the compiler inserts all waits, including the waits of synchronous MMAs, as late as is safe.

    Tiles in shared memory have an `NVMMASharedLayout` with a swizzle, such as the result of `get_default_for`. For
    16-bit elements, either dimension may be contiguous. For other elements, K must be contiguous. K of `b` is
    contiguous in a layout with `transposed=True`, or in a view of a tile [N, K].

    Returns:
        A tensor of the type of `acc`.

    Example:
        >>> acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 16, 16])
        >>> rows: gl.constexpr = gl.BlockedLayout([1, 8], [16, 2], [4, 1], [1, 0])
        >>> shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 16], gl.float16)
        >>> a = gl.allocate_shared_memory(gl.float16, [64, 16], shared, gl.full([64, 16], 2, gl.float16, rows))
        >>> b = gl.allocate_shared_memory(gl.float16, [16, 16], shared, gl.full([16, 16], 3, gl.float16, rows))
        >>> gl.max(gl.max(hopper.warpgroup_mma(a, b, gl.zeros([64, 16], gl.float32, acc_layout)), 1), 0)
        96
    """


@builtin
def warpgroup_mma_init(acc: tensor) -> tensor:
    """Returns `acc` as the accumulator of asynchronous wgmmas, so that a loop can carry the accumulator.

    Args:
        acc: a tensor in an `NVMMADistributedLayout` of version [3, 0].

    Returns:
        `acc`. In Hocket, a loop can carry any tensor. Only kernels written for Gluon need `warpgroup_mma_init`.

    Example:
        >>> acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 16, 16])
        >>> acc = hopper.warpgroup_mma_init(gl.full([64, 16], 5, gl.float32, acc_layout))
        >>> gl.max(gl.max(hopper.warpgroup_mma_wait(0, deps=[acc]), 1), 0)
        5
    """


@builtin
def warpgroup_mma_wait(num_outstanding: int = 0, deps: Sequence[Any] | None = None) -> Any:
    """Waits until at most the newest `num_outstanding` wgmmas are pending.

    Args:
        num_outstanding: 0 to 7.
        deps: accumulators of the wgmmas that the wait completes, and optionally shared memory.

    Unnecessary waits are removed, and waits that are stronger than necessary are relaxed, unless the launch option
    `keep_waits=True` is given.

    Returns:
        `deps` as tensors: a tuple, or a tensor if `deps` has one tensor.

    Example:
        >>> acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 16, 16])
        >>> rows: gl.constexpr = gl.BlockedLayout([1, 8], [16, 2], [4, 1], [1, 0])
        >>> shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 16], gl.float16)
        >>> a = gl.allocate_shared_memory(gl.float16, [64, 16], shared, gl.full([64, 16], 2, gl.float16, rows))
        >>> b = gl.allocate_shared_memory(gl.float16, [16, 16], shared, gl.full([16, 16], 3, gl.float16, rows))
        >>> acc = hopper.warpgroup_mma(a, b, gl.zeros([64, 16], gl.float32, acc_layout), is_async=True)
        >>> acc = hopper.warpgroup_mma_wait(0, deps=[acc])
        >>> gl.max(gl.max(acc, 1), 0)
        96
    """


if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
