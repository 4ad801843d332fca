"""Predictions of the performance model for Hocket's kernels: warp pipelines compared with plain loops, and with AMD's
schedule for the same shape. No number here is a measurement."""

import pathlib
import sys

import pytest

from hocket import language as gl
from hocket.kernels._attention import host_cdna as attention_cdna
from hocket.kernels._attention.blocks_cdna import AttentionProblem, AttentionStrides
from hocket.kernels._attention.layouts_cdna import configure as configure_attention
from hocket.kernels._matmul import host_cdna as matmul_cdna
from hocket.kernels._matmul.host_scaled import FORMATS, choose_scaled_plan, configure_scaled
from hocket.kernels._matmul.host_scaled import KERNELS as SCALED_KERNELS
from hocket.kernels._matmul.layouts_cdna import configure as configure_matmul
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile
from hocket.kernels._matmul.variant_cdna import choose_variant
from hocket.runtime.jit import MockTensor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "isa"))
from published_schedules import FURTHER, PUBLISHED

LDS_BYTES = {"gfx942": 65536, "gfx950": 163840}
SIZE = 4096
TILE = Tile(256, 256, 2, 4)
each_target = pytest.mark.parametrize("target", list(LDS_BYTES))
each_order = pytest.mark.parametrize("order", [(True, False), (True, True), (False, False)], ids=["AB", "ABt", "AtB"])


def product(target, order, pipelined):
    """Returns the modeled schedule of a float16 GEMM, per k-tile of 64."""
    obstacle = None if target in matmul_cdna.DIRECT_TARGETS else "registers"
    way = choose_variant(TILE, SIZE, 16, obstacle, LDS_BYTES[target])
    plan = (
        CdnaPlan(TILE, *way) if pipelined else CdnaPlan(TILE, 64, obstacle is None, 2 if obstacle is None else 1, False)
    )
    config = configure_matmul(plan, target, gl.float16, LDS_BYTES[target], SIZE, *order)
    strides = [(SIZE, 1) if rows else (1, SIZE) for rows in (order[0], not order[1], True)]
    arguments = [*[gl.float16] * 3, None, *strides, (0, 0, 0), *[SIZE] * 3]
    kernel = matmul_cdna.KERNELS[plan.variant, plan.is_direct]
    return kernel.warmup(*arguments, cfg=config, num_warps=8, target=target).report().schedule


def scaled_product(dtype, pipelined):
    elements = FORMATS[dtype]
    k = SIZE // elements.per_byte
    plan = (
        choose_scaled_plan(SIZE, SIZE, SIZE, elements, "gfx950") if pipelined else CdnaPlan(TILE, 128, True, 2, False)
    )
    assert plan.tile == TILE
    config = configure_scaled(plan, "gfx950", elements, k)
    arrays = elements.stored, elements.stored, gl.bfloat16, None, gl.uint8, gl.uint8
    arguments = [*arrays, (k, 1), (1, k), (SIZE, 1), SIZE, SIZE, k]
    return SCALED_KERNELS[plan.variant].warmup(*arguments, cfg=config, num_warps=8, target="gfx950").report().schedule


def attention(target, size, pipelined, starts=None):
    is_direct, warps = target in attention_cdna.DIRECT_TARGETS, 8 if pipelined else 4
    config = configure_attention(target, gl.float16, size, False, is_direct, warps)
    strides = (16 * SIZE * size, SIZE * size, size, 1)
    problem = AttentionProblem(16, 1, SIZE, SIZE, 0.125, starts, starts)
    arguments = [gl.float16] * 4 + [AttentionStrides(*[strides] * 4), problem]
    kernel = attention_cdna.KERNELS[pipelined, is_direct]
    return kernel.warmup(*arguments, cfg=config, num_warps=warps, target=target).report().schedule


@each_target
@each_order
def test_a_pipelined_product_beats_its_plain_form(target, order):
    assert product(target, order, True).matrix_share > 1.1 * product(target, order, False).matrix_share


#: AMD's schedules of the same tile.
RIVALS = {"gfx950": "quadrants, k-tile 64", "gfx942": "regions on CDNA 3"}


@each_target
@each_order
def test_a_pipelined_product_comes_up_to_amds_schedule(target, order):
    """Within 5 %."""
    rival = next(one for one in PUBLISHED + FURTHER if one.name == RIVALS[target])
    assert product(target, order, True).matrix_share > 0.95 * rival.model().matrix_share


@pytest.mark.parametrize(("dtype", "rival"), [("float8_e4m3fn", "quadrants of bytes"), ("uint8", "MXFP4, 32x32x64")])
def test_a_pipelined_scaled_product_beats_its_plain_form_and_comes_up_to_amds_schedule(dtype, rival):
    pipelined, plain = (scaled_product(dtype, form).matrix_share for form in (True, False))
    assert pipelined > 1.1 * plain
    assert pipelined > 0.95 * next(one for one in FURTHER if one.name == rival).model().matrix_share


@pytest.mark.parametrize(("target", "size"), [("gfx942", 64), ("gfx942", 128), ("gfx950", 128)])
def test_pipelined_attention_beats_its_plain_form(target, size):
    assert attention(target, size, True).matrix_share > 1.1 * attention(target, size, False).matrix_share


@pytest.mark.parametrize("starts", [None, MockTensor(gl.int32)], ids=["one length", "lengths of their own"])
def test_pipelined_attention_with_little_to_multiply_beats_its_plain_form(starts):
    """D 64 on gfx950: three waves without a pipeline keep the VALU nearly as busy as two in a warp pipeline, which have
    fewer VALU instructions."""
    pipelined, plain = (attention("gfx950", 64, form, starts) for form in (True, False))
    assert 1.05 * pipelined.clocks / pipelined.waves < plain.clocks / plain.waves
    assert pipelined.matrix_share > 0.8
    assert pipelined.bound == "vector instructions"


@each_target
def test_pipelined_attention_comes_up_to_amds_schedule(target):
    """Within 5 %, of the better one of two that AMD has published, both for gfx950: that which rescales lazily."""
    rival = next(one for one in PUBLISHED if one.name == "attention, lazy")
    assert attention(target, 128, True).matrix_share > 0.95 * rival.model().matrix_share


@each_target
def test_what_a_plain_attention_loop_waits_for(target):
    """Softmax and MFMAs of a wave run sequentially, so the matrix cores are idle for a quarter of the time."""
    schedule = attention(target, 128, False)
    assert schedule.matrix_share < 0.8
    assert sum(schedule.idle.values()) > 0.2 * schedule.clocks
