"""Assembly of GEMMs for CDNA whose warps interleave MFMAs with memory accesses: tiles of 256 x 256, one wave per
SIMD."""

import pathlib
import sys

import pytest
from matmul_code import COLUMNS, LDS_BYTES, ROWS, configure_plan, count
from pipelined_loop import having, read_loop
from pipelined_matmul_code import plan_of as pipelined_plan

from hocket import language as gl
from hocket.kernels._matmul.host_cdna import KERNELS
from hocket.kernels._matmul.host_scaled import FORMATS, configure_scaled
from hocket.kernels._matmul.host_scaled import KERNELS as SCALED_KERNELS
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "isa"))
from published_schedules import FURTHER

pytestmark = pytest.mark.codegen

LARGEST = Tile(256, 256, 2, 2)
#: Two loops whose efficiencies differ by less cannot be ranked by the schedule model (docs/isa.md).
MODEL_ERROR = 0.07

CASES = {
    "A B^T": ("gfx950", gl.float16, ROWS, COLUMNS),
    "A B": ("gfx950", gl.float16, ROWS, ROWS),
    "A^T B": ("gfx950", gl.float16, COLUMNS, ROWS),
    "bfloat16": ("gfx950", gl.bfloat16, ROWS, COLUMNS),
    "float8": ("gfx950", gl.float8e4nv, ROWS, COLUMNS),
    "gfx942": ("gfx942", gl.float16, ROWS, COLUMNS),
    "gfx942, bfloat16": ("gfx942", gl.bfloat16, ROWS, COLUMNS),
}


def launch(kernel, config, target, *arguments):
    return kernel.warmup(*arguments, cfg=config, num_warps=4, target=target)


def plan_for(target, element):
    is_direct = target == "gfx950"
    block_k = 64 * 16 // element.primitive_bitwidth
    return CdnaPlan(LARGEST, block_k, is_direct, 2 if is_direct else 1, False, is_interleaved=True)


def compiled(target, element, a_strides, b_strides):
    plan = plan_for(target, element)
    config = configure_plan(plan, target, a_strides, b_strides, element)
    arrays = element, element, gl.float16, None, a_strides, b_strides, ROWS, (0, 0, 0)
    return launch(KERNELS[plan.variant, plan.is_direct], config, target, *arrays, *[4096] * 3)


def compiled_scaled():
    elements = FORMATS["float8_e4m3fn"]
    plan = CdnaPlan(LARGEST, 128, True, 2, False, is_interleaved=True)
    config = configure_scaled(plan, "gfx950", elements, 4096)
    arrays = elements.stored, elements.stored, gl.bfloat16, None, gl.uint8, gl.uint8
    sizes = ROWS, COLUMNS, ROWS, *[4096] * 3
    return launch(SCALED_KERNELS[plan.variant], config, "gfx950", *arrays, *sizes)


@pytest.fixture(scope="module")
def code():
    """Compiles each case once."""
    cache = {}

    def compile_case(name):
        if name not in cache:
            cache[name] = compiled_scaled() if name == "MXFP8" else compiled(*CASES[name])
        return cache[name]

    return compile_case


def published_share():
    """The efficiency of AMD's loop of one wave per SIMD, by the same model."""
    (loop,) = [loop for loop in FURTHER if loop.name == "one wave, 256 x 256"]
    return loop.model().matrix_share


each_case = pytest.mark.parametrize("name", [*CASES, "MXFP8"])


@each_case
def test_nothing_is_spilled(code, name):
    report = code(name).report()
    assert report.resources["registers_spilled"] == report.resources["scalar_registers_spilled"] == 0
    assert report.loops[0].total("scratch") == count(code(name).asm["amdgcn"], "scratch_") == 0
    assert report.occupancy.warps_per_simd == 1
    assert report.resources["accumulation_registers"] > 128


@each_case
def test_a_k_tile_has_two_barriers(code, name):
    loop = code(name).report().loops[0]
    assert loop.total("barriers") == 2
    assert loop.matrix_clocks == (4096 if name.startswith("gfx942") else 2048)


@pytest.mark.parametrize("name", CASES)
def test_reads_of_operands_have_no_bank_conflicts(name):
    target, element, a_strides, b_strides = CASES[name]
    config = configure_plan(plan_for(target, element), target, a_strides, b_strides, element)
    a_shape, b_shape = [config.part_m, config.block_k], [config.block_k, config.part_n]
    operands = (a_shape, config.operand_a, config.shared_a), (b_shape, config.operand_b, config.shared_b)
    for shape, layout, shared in operands:
        tensor = gl.distributed_type(element, shape, layout)
        memory = gl.shared_memory_descriptor_type(element, shape, shared)
        assert gl.bank_conflicts(tensor, memory, target=target) == 0


@pytest.mark.parametrize("name", ["A B^T", "A B", "bfloat16", "float8", "gfx942", "gfx942, bfloat16", "MXFP8"])
def test_the_loop_is_as_busy_as_the_published_one(code, name):
    assert code(name).report().schedule.matrix_share >= published_share()


@pytest.mark.parametrize("name", ["A B^T", "float8", "MXFP8"])
def test_accesses_are_between_mfmas(code, name):
    """At most three reads of LDS or copies follow one another without an MFMA between them."""
    loop = having(read_loop(code(name).asm["amdgcn"]).loop, "v_mfma|ds_read|buffer_load.* lds")
    kinds = "".join("m" if line.startswith("v_mfma") else "a" for line in loop)
    assert "aaaa" not in kinds + kinds


@pytest.mark.parametrize("target", LDS_BYTES)
def test_the_model_does_not_rank_it_above_the_warp_pipeline(code, target):
    """If it did, `variant_cdna` should choose the interleaved kernel."""
    pipelined = pipelined_plan(target)
    config = configure_plan(pipelined, target, ROWS, COLUMNS)
    arrays = gl.float16, gl.float16, gl.float16, None, ROWS, COLUMNS, ROWS, (0, 0, 0)
    kernel = KERNELS[pipelined.variant, pipelined.is_direct]
    share = kernel.warmup(*arrays, *[4096] * 3, cfg=config, num_warps=8, target=target).report().schedule.matrix_share
    interleaved = code("A B^T" if target == "gfx950" else "gfx942").report().schedule.matrix_share
    assert interleaved < share + MODEL_ERROR
