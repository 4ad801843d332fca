"""GEMM on Hopper, in a plain version with the most important techniques. `kernel_hopper` is the tuned version.

Each CTA computes one tile of C, of 128 x 256, with two kinds of warps:

    warps                    count    work
    producer warp            1        copies k-tiles of A and B into the stages of a ring buffer, by TMA
    consumer warpgroups      2        multiply k-tiles by wgmma, each 64 rows of the tile; store C through shared memory

    ring                     full, arrivals                 empty, arrivals
    4 stages                 1, and the bytes of TMA        1 (all consumer warps arrive together)

Timeline, with one wgmma in flight while the next one is started:

    producer     copy 0 | copy 1 | copy 2 | copy 3 | wait for stage 0        | copy 4 | ...
    consumers             wait 0 | wgmma 0 | wgmma 1, release 0 | wgmma 2, release 1 | ...      store C

Edges need no code: TMA reads elements outside of A and B as 0, and does not write elements outside of C. The compiler
inserts the barriers and fences that shared memory requires. `kernel_hopper` also has persistent CTAs, whose producer
runs ahead into the next tile while C is stored, a tile order for the L2, ping-pong, more tile shapes, and an epilogue.
"""

from __future__ import annotations

from typing import Any

from ... import cdiv, jit
from ... import language as gl
from ...errors import LaunchError
from ...language.nvidia import hopper
from ...language.nvidia.hopper import tma
from ...nvidia.hopper import TensorDescriptor
from .._common.arrays import empty_like, facts_of, target_of

BLOCK_M, BLOCK_N, BLOCK_K = 128, 256, 64
STAGES = 4
DTYPES = {"float16": gl.float16, "bfloat16": gl.bfloat16}


@jit
def copy_k_tiles(a_desc, b_desc, ring, row, column, steps):
    """The producer warp copies the k-tiles of A and B into the ring buffer."""
    for step in range(steps):
        slot = ring.acquire(step)
        k = step * a_desc.block_shape[1]
        tma.async_load(a_desc, [row, k], slot.full, slot.buffers[0])
        tma.async_load(b_desc, [k, column], slot.full, slot.buffers[1])


@jit
def multiply_k_tiles(ring, steps):
    """Returns the tile of C in the registers of the consumer warpgroups."""
    rows: gl.constexpr = ring.buffers[0].shape[1]
    columns: gl.constexpr = ring.buffers[1].shape[2]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, columns, 16])
    acc = gl.zeros([rows, columns], gl.float32, layout)
    for step in range(steps):
        slot = ring.wait(step)
        acc = hopper.warpgroup_mma(slot.buffers[0], slot.buffers[1], acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(1, deps=[acc])
        # The wgmma of this iteration may still read its stage. The wgmma of the previous iteration has completed, so
        # its stage can be released.
        ring.release(step - 1, pred=step > 0)
    return hopper.warpgroup_mma_wait(0, deps=[acc])


@jit
def matmul_simple_kernel(a_desc, b_desc, c_desc, steps, STAGES: gl.constexpr):
    """A kernel that computes C = A x B. The grid has one CTA per tile of C. `num_warps` of the launch counts only the
    consumers' warps."""
    row = gl.program_id(0) * c_desc.block_shape[0]
    column = gl.program_id(1) * c_desc.block_shape[1]
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [STAGES, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [STAGES, *b_desc.block_shape], b_desc.layout)
    ring = gl.RingBuffer((a_tiles, b_tiles), consumers=1)
    acc = gl.warp_specialize(
        [
            (multiply_k_tiles, (ring.consumer(), steps)),
            (copy_k_tiles, (a_desc, b_desc, ring.producer(), row, column, steps)),
        ],
        worker_num_warps=[1],
        worker_num_regs=[24],
    )
    ring.invalidate()
    # The last use of the ring buffer precedes `c_tile`, so the compiler reuses the ring buffer's memory for `c_tile`.
    c_tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_shape, c_desc.layout)
    c_tile.store(acc.to(c_desc.dtype))
    tma.async_store(c_desc, [row, column], c_tile)
    tma.store_wait(0)


def _describe(array: Any, block: list[int], dtype: Any) -> TensorDescriptor:
    """Returns a TMA descriptor of `array` for blocks of shape `block`, with the widest swizzle that such blocks
    permit."""
    return TensorDescriptor.from_tensor(array, block, gl.NVMMASharedLayout.get_default_for(block, dtype))


def matmul_simple(a: Any, b: Any, out: Any = None) -> Any:
    """Returns A x B with float32 accumulation, on Hopper GPUs. With NumPy arrays, it runs in the emulator.

    Args:
        a: [M, K], contiguous, of float16 or bfloat16: a NumPy array or a PyTorch tensor. The size of a row is a
            multiple of 16 bytes.
        b: [K, N] of the same dtype.
        out: [M, N] of the same dtype to write the result to; a new array if None.

    Returns: `out`.
    Raises: LaunchError for unsupported targets, dtypes and shapes.
    """
    if target_of(a) != "sm_90a":
        raise LaunchError(f"matmul_simple runs on sm_90a, not on {target_of(a)}\n  hint: call hocket.kernels.matmul")
    facts, other = facts_of(a, "matmul_simple: a"), facts_of(b, "matmul_simple: b")
    if len(facts.shape) != 2 or len(other.shape) != 2 or facts.shape[1] != other.shape[0]:
        raise LaunchError(f"matmul_simple: the shapes {list(facts.shape)} and {list(other.shape)} do not match")
    if facts.dtype not in DTYPES or facts.dtype != other.dtype:
        raise LaunchError(
            f"matmul_simple: a and b must both be {' or '.join(DTYPES)}, but are {facts.dtype} and {other.dtype}"
        )
    (m, k), n, dtype = facts.shape, other.shape[1], DTYPES[facts.dtype]
    if out is None:
        out = empty_like(a, (m, n), facts.dtype)
    blocks = ([BLOCK_M, BLOCK_K], [BLOCK_K, BLOCK_N], [BLOCK_M, BLOCK_N])
    descriptors = [_describe(array, block, dtype) for array, block in zip((a, b, out), blocks, strict=True)]
    grid = cdiv(m, BLOCK_M), cdiv(n, BLOCK_N)
    matmul_simple_kernel[grid](*descriptors, cdiv(k, BLOCK_K), STAGES=STAGES, num_warps=8)
    return out
