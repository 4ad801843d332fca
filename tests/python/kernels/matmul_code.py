"""Compiles GEMMs for AMD GPUs, and counts what their assembly has."""

import re

from hocket import language as gl
from hocket.kernels._matmul.host_cdna import KERNELS
from hocket.kernels._matmul.layouts_cdna import configure
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile

LARGEST = Tile(256, 256, 2, 4)
LDS_BYTES = {"gfx942": 64 * 1024, "gfx950": 160 * 1024}
#: Row-major, and the transpose of a row-major matrix.
ROWS, COLUMNS = (4096, 1), (1, 4096)


def code_of(target, is_direct, a_strides=ROWS, b_strides=ROWS):
    return compile_plan(CdnaPlan(LARGEST, 64, is_direct, 2 if is_direct else 1, False), target, a_strides, b_strides)


def configure_plan(plan, target, a_strides, b_strides, element=gl.float16):
    return configure(plan, target, element, LDS_BYTES[target], 4096, a_strides == ROWS, b_strides == COLUMNS)


def compile_plan(plan, target, a_strides, b_strides):
    return compiled(plan, target, a_strides, b_strides).asm["amdgcn"]


def compiled(plan, target, a_strides, b_strides, element=gl.float16):
    config = configure_plan(plan, target, a_strides, b_strides, element)
    kernel = KERNELS[plan.variant, plan.is_direct]
    flat = [element, element, gl.float16, None, a_strides, b_strides, ROWS, (0, 0, 0), *[4096] * 3]
    return kernel.warmup(*flat, cfg=config, num_warps=8, target=target)


def metadata(code, name):
    return int(re.search(rf"\.{name}:\s+(\d+)", code)[1])


def count(code, instruction):
    return len(re.findall(rf"^\s+{instruction}", code, re.MULTILINE))
