"""Compiles warp-pipelined GEMMs for AMD GPUs."""

from matmul_code import LARGEST, LDS_BYTES, ROWS, compile_plan, configure_plan
from pipelined_loop import read_loop

from hocket.kernels._matmul.plan_cdna import CdnaPlan
from hocket.kernels._matmul.variant_cdna import choose_variant

#: Two for each quadrant.
STAGES = 8


def plan_of(target, tile=LARGEST):
    way = choose_variant(tile, 4096, 16, None if target == "gfx950" else "registers", LDS_BYTES[target])
    assert way.is_pipelined
    return CdnaPlan(tile, *way)


def config_of(target, tile=LARGEST, a_strides=ROWS, b_strides=ROWS):
    return configure_plan(plan_of(target, tile), target, a_strides, b_strides)


def code_of(target, tile=LARGEST, a_strides=ROWS, b_strides=ROWS):
    return compile_plan(plan_of(target, tile), target, a_strides, b_strides)


def stages_of(code):
    """Instructions of each stage; in the list's last place those after the last barrier."""
    return read_loop(code).stages
