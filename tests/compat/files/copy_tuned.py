"""An autotuned copy; descriptors whose block shape the configuration sets."""

import torch
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


def warp_size():
    return triton.runtime.driver.active.get_current_target().warp_size


CONFIGS = [triton.Config({"XBLOCK": 2**i, "R": r}, num_warps=w) for i in (8, 10) for r in (1, 4) for w in (2, 4)]


@triton.autotune(configs=CONFIGS, key=["xnumel"])
@triton.heuristics({"EVEN": lambda args: args["xnumel"] % args["XBLOCK"] == 0})
@gluon.jit
def memcpy_kernel(
    in_ptr, out_ptr, xnumel, LANES: gl.constexpr, XBLOCK: gl.constexpr, R: gl.constexpr, EVEN: gl.constexpr
):
    layout: gl.constexpr = gl.BlockedLayout([R], [LANES], [gl.num_warps()], [0])
    offsets = gl.program_id(0) * XBLOCK + gl.arange(0, XBLOCK, layout=layout)
    if EVEN:
        gl.store(out_ptr + offsets, gl.load(in_ptr + offsets))
    else:
        mask = offsets < xnumel
        gl.store(out_ptr + offsets, gl.load(in_ptr + offsets, mask=mask), mask=mask)


def memcpy(x):
    y = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["XBLOCK"]),)  # noqa: E731
    memcpy_kernel[grid](x, y, x.numel(), LANES=warp_size())
    return y


for size in (4096, 5000):
    x = torch.arange(size, device="cuda", dtype=torch.int32)
    assert torch.equal(memcpy(x), x)
assert isinstance(memcpy_kernel, triton.runtime.Autotuner)
assert len(memcpy_kernel.cache) == 2
assert memcpy_kernel.best_config.kwargs["XBLOCK"] in (256, 1024)
assert tl.constexpr(3).value == 3
print("copy: ok,", "XBLOCK" in str(memcpy_kernel.best_config))
