"""Operations of Hopper (sm_90a): products by warpgroups, which read shared memory asynchronously, and mbarriers.

    acc = hopper.warpgroup_mma(a_tile, b_tile, acc)                          # waits for itself

    acc = hopper.warpgroup_mma_init(acc)
    acc = hopper.warpgroup_mma(a_tile, b_tile, acc, is_async=True)           # goes on while the program does
    ...
    acc = hopper.warpgroup_mma_wait(num_outstanding=0, deps=[acc])           # from here on it is a tensor

A warpgroup is four warps. It reads shared memory past what lanes have stored in the ordinary way, until a fence
(`fence_async_shared`); the compiler inserts the fences that are missing, and the barriers.
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

#: What a product in flight gives, for annotations: here it is a tensor, which waits follow through loops and branches.
warpgroup_mma_accumulator = tensor


@builtin
def async_store(dst: shared_memory_descriptor, value: tensor, mbarrier: shared_memory_descriptor) -> None:
    """Start storing `value` to the shared memory of those blocks of the cluster that have its elements (st.async).

    Each block that comes here stores the elements that its layout gives it, to the block that has them in `dst`
    (`cga_layout`); where several blocks have copies there, to each of them, but of copies that blocks have in `value`,
    too, each stores its own. It goes on asynchronously: who reads `dst` waits at the block's own mbarrier, whose phase
    counts the bytes that all blocks store there.

    Args:
        dst: shared memory of the shape and dtype of `value`, which every block is through with.
        value: a tensor whose layout gives each thread at least 4 consecutive bytes of `dst`.
        mbarrier: of each block; those of others have been initialised before (`cluster.barrier`).

    Needs a cluster, `num_ctas` of 2 or more.

    Example: in a cluster of two blocks, which both have all of `i`.
        >>> smem = gl.allocate_shared_memory(gl.int32, [4], S)
        >>> bar = mbarrier.allocate_mbarrier()
        >>> mbarrier.init(bar, count=1)
        >>> hopper.cluster.barrier()  # those of other blocks are there, too
        >>> mbarrier.expect(bar, smem.nbytes_per_cta)
        >>> hopper.async_store(smem, i, bar)
        >>> mbarrier.wait(bar, 0)
        >>> gl.sum(smem.load(L))
        6
    """


@builtin
def fence_async_shared(cluster: bool = False) -> None:
    """Show what was stored to shared memory to units that read it asynchronously: products of warpgroups, bulk copies.

    Comes after the stores and before the barrier. The compiler inserts those that are missing.

    Args:
        cluster: also for units of other blocks of the cluster that read this block's memory: the fence is the same.

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
    """acc + a x b on Hopper's tensor cores (wgmma): warpgroups multiply what shared memory holds.

    Args:
        a: [M, K] in shared memory, or in registers in `DotOperandLayout(0, acc.layout, k_width)` with a k_width of 4
            bytes of elements. float16, bfloat16, float32, float8e4nv, float8e5, int8 or uint8.
        b: [K, N] in shared memory, of the dtype of `a` (float8 and 8-bit integers mix).
        acc: [M, N] of float32, or int32 for integers, or float16 for float16, in an `NVMMADistributedLayout` of version
            [3, 0]. M is a multiple of 64, N and K are of those in its instr_shape, whose K is 32 bytes of elements.
        use_acc: False: begin with zeros instead of `acc`. May be known only at run time.
        precision: None or "tf32": of float32, tensor cores see the 10 upper bits of the fraction.
        max_num_imprecise_acc: None, or at least K.
        is_async: do not wait. In a kernel that writes `warpgroup_mma_wait` somewhere, the result can be used, and `a`
            and `b` overwritten, after such a wait; too early a use is a CompileError. In a kernel that writes none, all
            waits are placed, for synchronous products too: as late as possible, with as many in flight as is safe.

    Shared memory is in an `NVMMASharedLayout` with a swizzle, as `get_default_for` makes. In 16-bit elements either
    dimension may be the fastest; in others it must be K: for b, `transposed=True`, or a view of [N, K].

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
    """`acc` as the accumulator of asynchronous products, so that a loop can carry it.

    Args:
        acc: a tensor in an `NVMMADistributedLayout` of version [3, 0].

    Returns:
        `acc`: here a loop can carry it without. For kernels written for Gluon.

    Example:
        >>> acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 16, 16])
        >>> acc = hopper.warpgroup_mma_init(gl.full([64, 16], 5, gl.float32, acc_layout))
        >>> gl.max(gl.max(hopper.warpgroup_mma_wait(0, deps=[acc]), 1), 0)
        5
    """


@builtin
def warpgroup_mma_wait(num_outstanding: int = 0, deps: Sequence[Any] | None = None) -> Any:
    """Wait until at most `num_outstanding` products, the newest, are unfinished.

    Args:
        num_outstanding: 0 to 7.
        deps: the accumulators to use from here on: of finished products. Shared memory may be among them.

    A wait that is not needed is removed, and one that is stronger than needed relaxed, unless the launch says
    `keep_waits=True`.

    Returns:
        `deps` as tensors: a tuple, or the tensor if there is one.

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


if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
