"""Compiles warp-pipelined attention for AMD GPUs, in each form that tests look at."""

import functools

from matmul_code import LDS_BYTES

from hocket import language as gl
from hocket.kernels._attention.blocks_cdna import AttentionProblem, AttentionStrides
from hocket.kernels._attention.host_cdna import KERNELS, launch_options
from hocket.kernels._attention.layouts_cdna import configure

#: "whole": keys are known to be whole blocks.
FORMS = ("full", "full, whole", "causal")
#: (target, head size, form); of the forms that are causal and whole, only this one differs.
CASES = [
    *[(target, size, form) for target in LDS_BYTES for size in (64, 128) for form in FORMS],
    ("gfx950", 64, "causal, whole"),
]


@functools.cache
def compiled(target, head_size, form):
    is_direct = target == "gfx950"
    options = launch_options(pipelined=True)
    warps = options["num_warps"]
    config = configure(target, gl.float16, head_size, "causal" in form, is_direct, warps, False, "whole" in form)
    strides = (16 * 4096 * head_size, 4096 * head_size, head_size, 1)
    arguments = [gl.float16] * 4 + [AttentionStrides(*[strides] * 4), AttentionProblem(16, 1, 4096, 4096, 0.125)]
    return KERNELS[True, is_direct].warmup(*arguments, cfg=config, target=target, **options)


def code_of(target, head_size, form):
    return compiled(target, head_size, form).asm["amdgcn"]
