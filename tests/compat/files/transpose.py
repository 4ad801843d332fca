"""A transpose through shared memory, with a barrier that the compiler places."""

import argparse

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl


@gluon.constexpr_function
def tile_layouts(rows, cols, warps, lanes):
    """Layouts that read rows and write columns, coalesced both."""
    read = ttgl.BlockedLayout([1, 4], [lanes * 4 // cols, cols // 4], [warps, 1], [1, 0])
    write = ttgl.BlockedLayout([1, 4], [lanes * 4 // rows, rows // 4], [warps, 1], [1, 0])
    return read, write


@gluon.jit
def transpose_kernel(
    x_ptr, y_ptr, M, N, x_stride, y_stride, BM: ttgl.constexpr, BN: ttgl.constexpr, LANES: ttgl.constexpr
):
    layouts: ttgl.constexpr = tile_layouts(BM, BN, ttgl.num_warps(), LANES)
    read: ttgl.constexpr = layouts[0]
    write: ttgl.constexpr = layouts[1]
    shared: ttgl.constexpr = ttgl.SwizzledSharedLayout(vec=4, per_phase=1, max_phase=8, order=[1, 0])
    m0 = ttgl.program_id(0) * BM
    n0 = ttgl.program_id(1) * BN
    rows = m0 + ttgl.arange(0, BM, layout=ttgl.SliceLayout(1, read))
    cols = n0 + ttgl.arange(0, BN, layout=ttgl.SliceLayout(0, read))
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    tile = ttgl.load(x_ptr + rows[:, None] * x_stride + cols[None, :], mask=mask, other=0.0)
    smem = ttgl.allocate_shared_memory(x_ptr.dtype.element_ty, [BM, BN], shared)
    smem.store(tile)
    turned = smem.permute((1, 0)).load(write)
    rows = n0 + ttgl.arange(0, BN, layout=ttgl.SliceLayout(1, write))
    cols = m0 + ttgl.arange(0, BM, layout=ttgl.SliceLayout(0, write))
    mask = (rows < N)[:, None] & (cols < M)[None, :]
    ttgl.store(y_ptr + rows[:, None] * y_stride + cols[None, :], turned, mask=mask)


def transpose(x):
    M, N = x.shape
    y = torch.empty((N, M), device=x.device, dtype=x.dtype)
    lanes = triton.runtime.driver.active.get_current_target().warp_size
    grid = lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))  # noqa: E731
    kernel = transpose_kernel[grid](x, y, M, N, x.stride(0), y.stride(0), BM=32, BN=64, LANES=lanes, num_warps=4)
    assert kernel.metadata.shared == 32 * 64 * x.element_size()
    return y


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs=2, default=[100, 130])
    args = parser.parse_args()
    x = torch.arange(args.sizes[0] * args.sizes[1], dtype=torch.float32).reshape(*args.sizes).to("cuda")
    y = transpose(x)
    torch.testing.assert_close(y.cpu(), x.cpu().T.contiguous())
    print("transpose: ok", tuple(y.shape))
