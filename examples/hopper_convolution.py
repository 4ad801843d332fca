"""A convolution on Hopper as an implicit GEMM; TMA gathers operand A (im2col).

Each pixel of the result is a row of the GEMM, and each combination of a filter tap and an input channel is an index
along K. Operand A, the im2col matrix, is not stored in global memory: `tma.async_load_im2col` copies, for one tap and
some channels, the pixels under the tap, with zeros outside of the images. Shapes: images N, H, W, C; filters K, R, S,
C; results N, P, Q, K.

    warps                       count    work
    all, one warpgroup          4        start the TMA copies of k-tiles, execute wgmmas, store the tile of the result

    ring                        full, arrivals             empty, arrivals
    `STAGES` stages             1, and the bytes of TMA    none: program order releases the stages

Timeline, with S stages:

    copy k-tiles 0 ... S - 3 | copy S - 2, wgmma 0 | copy S - 1, wgmma 1 | copy S, wgmma 2 | ... | store the tile

    python hopper_convolution.py
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import tma
from hocket.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col


@hocket.jit
def load_step(producer, images, filters, step, first, column, TAPS: gl.constexpr, pred):
    """Starts the copies of the pixels under one tap, for some channels, and of these channels of that tap of the
    filters."""
    BK: gl.constexpr = images.block_shape[1]
    parts = images.shape[3] // BK
    tap = step // parts
    channel = step % parts * BK
    image, row, across = first
    # TAPS is (rows, columns, dilation) of the filters.
    offsets = [(tap // TAPS[1] * TAPS[2]).to(gl.int16), (tap % TAPS[1] * TAPS[2]).to(gl.int16)]
    slot = producer.acquire(step, pred)
    tma.async_load_im2col(images, [image, row, across, channel], offsets, slot.full, slot.buffers[0], pred)
    tma.async_load(filters, [column, step * BK], slot.full, slot.buffers[1], pred)


@hocket.jit
def convolve(
    images, filters, results, P, Q, TAPS: gl.constexpr, STRIDE: gl.constexpr, PAD: gl.constexpr, STAGES: gl.constexpr
):
    BM: gl.constexpr = images.block_shape[0]
    BK: gl.constexpr = images.block_shape[1]
    BN: gl.constexpr = filters.block_shape[0]
    row = gl.program_id(0) * BM
    column = gl.program_id(1) * BN
    # The first pixel that TMA loads: the one under the first tap of the block's first result.
    in_image = row % (P * Q)
    first = (row // (P * Q), in_image // Q * STRIDE - PAD, in_image % Q * STRIDE - PAD)
    a_tiles = gl.allocate_shared_memory(images.dtype, [STAGES, BM, BK], images.layout)
    b_tiles = gl.allocate_shared_memory(filters.dtype, [STAGES, BN, BK], filters.layout)
    ring = gl.RingBuffer((a_tiles, b_tiles), consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    steps = TAPS[0] * TAPS[1] * (images.shape[3] // BK)
    for step in gl.static_range(STAGES - 2):
        load_step(producer, images, filters, step, first, column, TAPS, step < steps)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    acc = gl.zeros([BM, BN], gl.float32, layout)
    for step in range(steps):
        ahead = step + STAGES - 2
        load_step(producer, images, filters, ahead, first, column, TAPS, ahead < steps)
        slot = consumer.wait(step)
        acc = hopper.warpgroup_mma(slot.buffers[0], slot.buffers[1].permute([1, 0]), acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(1, deps=[acc])
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    ring.invalidate()
    tile = gl.allocate_shared_memory(results.dtype, results.block_shape, results.layout)
    tile.store(acc.to(results.dtype))
    hopper.fence_async_shared()
    tma.async_store(results, [row, column], tile)
    tma.store_wait(0)


def result_shape(images, filters, stride=1, pad=0, dilation=1):
    n, h, w, _ = images.shape
    k, r, s, _ = filters.shape
    p, q = ((size + 2 * pad - dilation * (taps - 1) - 1) // stride + 1 for size, taps in ((h, r), (w, s)))
    return n, p, q, k


def convolution(images, filters, results, stride=1, pad=0, dilation=1, bm=128, bn=64, bk=64, warps=4, stages=4):
    """Returns a function that launches the kernel, with descriptors made once. C is a multiple of `bk`."""
    n, h, w, c = images.shape
    k, r, s, _ = filters.shape
    _, p, q, _ = results.shape

    def layout(block):
        return gl.NVMMASharedLayout.get_default_for(block, gl.float16)

    # In each image, TMA visits the pixels under the first tap: p x q, in steps of the stride.
    last = [(size - 1) * stride - pad for size in (p, q)]
    images_desc = TensorDescriptorIm2Col.from_tensor(
        images,
        [bm, bk],
        layout([bm, bk]),
        element_strides=[1, stride, stride, 1],
        pixel_box_lower_corner=[-pad, -pad],
        pixel_box_upper_corner=[pixel - (size - 1) for pixel, size in zip(last, (h, w), strict=True)],
    )
    filters_desc = TensorDescriptor.from_tensor(filters.reshape(k, r * s * c), [bn, bk], layout([bn, bk]))
    results_desc = TensorDescriptor.from_tensor(results.reshape(n * p * q, k), [bm, bn], layout([bm, bn]))
    launch = convolve[(-(-n * p * q // bm), -(-k // bn))]
    options = {"TAPS": (r, s, dilation), "STRIDE": stride, "PAD": pad, "STAGES": stages, "num_warps": warps}
    return lambda: launch(images_desc, filters_desc, results_desc, p, q, **options)


def reference(images, filters, stride=1, pad=0, dilation=1):
    """Computes the convolution in float32, tap by tap."""
    _, p, q, _ = shape = result_shape(images, filters, stride, pad, dilation)
    padded = np.pad(images.astype(np.float32), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    total = np.zeros(shape, np.float32)
    for r, s in np.ndindex(*filters.shape[1:3]):
        rows = slice(r * dilation, r * dilation + (p - 1) * stride + 1, stride)
        columns = slice(s * dilation, s * dilation + (q - 1) * stride + 1, stride)
        total += padded[:, rows, columns] @ filters[:, r, s].astype(np.float32).T
    return total


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    images = rng.standard_normal((2, 14, 14, 128)).astype(np.float16)
    filters = rng.standard_normal((64, 3, 3, 128)).astype(np.float16)
    results = np.zeros(result_shape(images, filters, pad=1), np.float16)
    with hocket.emulator.target("sm_90a"):
        convolution(images, filters, results, pad=1)()
    error = np.abs(results.astype(np.float32) - reference(images, filters, pad=1)).max()
    print(f"largest error {error:.3f}")
