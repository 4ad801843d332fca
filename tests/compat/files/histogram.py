"""A histogram of blocks, added up by atomics."""

import numpy as np
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.extra import libdevice

BINS = gl.constexpr(64)


@gluon.jit
def bin_of(x, low, inverse_width):
    return libdevice.fast_dividef(x - low, 1.0 / inverse_width).to(gl.int32)


@gluon.jit
def histogram_kernel(x_ptr, counts_ptr, n, low, inverse_width, BLOCK: gl.constexpr, LANES: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [LANES], [gl.num_warps()], [0])
    bins_layout: gl.constexpr = gl.BlockedLayout([1], [LANES], [gl.num_warps()], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = i < n
    bins = bin_of(gl.load(x_ptr + i, mask=mask, other=0.0), low, inverse_width)
    counts = gl.histogram(bins, BINS, mask=mask, layout=bins_layout)
    where = gl.arange(0, BINS, layout=bins_layout)
    gl.atomic_add(counts_ptr + where, counts, mask=counts > 0, sem="relaxed")


x = torch.rand(10_000, device="cuda", generator=torch.Generator(device="cuda").manual_seed(3))
counts = torch.zeros(BINS.value, dtype=torch.int32, device="cuda")
lanes = triton.runtime.driver.active.get_current_target().warp_size
histogram_kernel[(triton.cdiv(x.numel(), 1024),)](x, counts, x.numel(), 0.0, 64.0, BLOCK=1024, LANES=lanes)
expected = np.bincount((x.cpu().numpy() / (1.0 / 64.0)).astype(np.int32), minlength=64)
np.testing.assert_array_equal(counts.cpu().numpy(), expected)
print("histogram: ok")
