"""Assembly of warp-pipelined GEMMs: the instructions of their stages. See also `test_pipeline_code`."""

import pytest
from matmul_code import COLUMNS, LARGEST, LDS_BYTES, ROWS, compiled, count, metadata
from pipelined_loop import MEMORY, having, read_loop
from pipelined_matmul_code import STAGES, code_of, plan_of, stages_of

from hocket import language as gl
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile
from hocket.kernels._matmul.variant_cdna import choose_variant

pytestmark = pytest.mark.codegen

TILES = (LARGEST, Tile(256, 128, 4, 2), Tile(128, 256, 2, 4))

each_layout = pytest.mark.parametrize(
    ("a_strides", "b_strides"),
    [(ROWS, ROWS), (ROWS, COLUMNS), (COLUMNS, ROWS), (COLUMNS, COLUMNS)],
    ids=["A B", "A B^T", "A^T B", "A^T B^T"],
)
each_target = pytest.mark.parametrize("target", LDS_BYTES)

#: Half cache lines, of which a ring has room for.
RING = CdnaPlan(LARGEST, 32, True, 3, True)


@each_layout
@each_target
def test_two_waves_fit_on_a_simd(target, a_strides, b_strides):
    for tile in TILES:
        code = code_of(target, tile, a_strides, b_strides)
        assert metadata(code, "vgpr_count") + metadata(code, "agpr_count") <= 256
        assert metadata(code, "vgpr_spill_count") == metadata(code, "sgpr_spill_count") == 0
        assert metadata(code, "private_segment_fixed_size") == 0
        assert metadata(code, "group_segment_fixed_size") <= LDS_BYTES[target]
        assert count(code, "scratch_") == 0


@each_layout
@each_target
def test_only_control_comes_after_the_last_barrier(target, a_strides, b_strides):
    *_, last = stages_of(code_of(target, LARGEST, a_strides, b_strides))
    assert not having(last, MEMORY + "|v_mfma|s_waitcnt")


@each_layout
@each_target
def test_compute_stages_only_multiply(target, a_strides, b_strides):
    """Every second stage, a quadrant. Its operands have arrived at the barrier in front, or are waited for once."""
    stages = stages_of(code_of(target, LARGEST, a_strides, b_strides))[:-1]
    depth = 16 if target == "gfx950" else 8
    products = (64 // 32) * (32 // 32) * (64 // depth)
    assert len(stages) == STAGES
    for i, stage in enumerate(stages):
        is_compute = i % 2 == 1
        assert len(having(stage, "v_mfma")) == (products if is_compute else 0)
        if is_compute:
            assert not having(stage, MEMORY)
            first = stage.index(having(stage, "v_mfma")[0])
            assert having(stage[:first], "s_waitcnt") in ([], ["s_waitcnt lgkmcnt(0)"])


@each_layout
@each_target
def test_every_loading_stage_fetches_half_a_slice(target, a_strides, b_strides):
    """16 KiB by 512 lanes, 16 bytes each; on gfx942 the stage also stores one of the two tiles in flight."""
    for stage in stages_of(code_of(target, LARGEST, a_strides, b_strides))[:-1:2]:
        assert len(having(stage, "buffer_load_dwordx4")) == 128 * 64 * 2 // (512 * 16)
        if target == "gfx942":
            assert having(stage, "ds_write")
            first = stage.index(having(stage, "ds_write")[-1])
            assert having(stage[:first], "s_waitcnt.*vmcnt")[-1].startswith("s_waitcnt vmcnt(2)")


def test_copies_of_six_halves_stay_in_flight():
    for stage in stages_of(code_of("gfx950"))[:-1:2]:
        assert having(stage, "s_waitcnt") == ["s_waitcnt vmcnt(12) lgkmcnt(0)"]


@each_layout
@each_target
def test_counts_of_the_loop(budgets, target, a_strides, b_strides):
    """The loop for a k-tile of 64 has no spills, no bank conflicts, and only known instructions."""
    report = compiled(plan_of(target), target, a_strides, b_strides).report()
    (loop,) = report.loops
    assert loop.total("scratch") == report.resources["registers_spilled"] == 0
    for stage in loop.stages:
        for use in (stage.reads, stage.writes):
            assert use is not None
            assert use.actual == use.ideal
    assert (loop.total("shared_reads") > 0) and (loop.total("shared_writes") > 0) == (target == "gfx942")
    along_k = (a_strides == ROWS) + (b_strides == COLUMNS)
    # Operands that are not contiguous along K are transposed: on gfx950 by smaller reads, on gfx942 by instructions.
    budgets.check(
        "matmul, pipelined: a k-tile",
        f"{target}, {along_k} operands contiguous along K",
        instructions=loop.instructions,
        vector=loop.total("vector"),
    )


@pytest.mark.parametrize(
    ("target", "element", "products"),
    [
        ("gfx950", gl.bfloat16, (32, "v_mfma_f32_32x32x16_bf16")),
        ("gfx950", gl.float8e4nv, (16, "v_mfma_f32_32x32x64_f8f6f4")),
        ("gfx950", gl.float8e5, (16, "v_mfma_f32_32x32x64_f8f6f4")),
        ("gfx942", gl.bfloat16, (64, "v_mfma_f32_32x32x8_bf16")),
        ("gfx942", gl.float8e4b8, (64, "v_mfma_f32_32x32x16_fp8_fp8")),
        ("gfx942", gl.float8e5b16, (64, "v_mfma_f32_32x32x16_bf8_bf8")),
    ],
    ids=str,
)
def test_other_elements_are_as_good(budgets, target, element, products):
    """A x B^T with the same bytes per k-tile: the fastest MFMA of the dtype, no spills, no bank conflicts."""
    bits = element.primitive_bitwidth
    way = choose_variant(LARGEST, 4096, bits, None if target == "gfx950" else "registers", LDS_BYTES[target])
    code = compiled(CdnaPlan(LARGEST, *way), target, ROWS, COLUMNS, element)
    loop = code.report().loops[0]
    count, instruction = products
    assert way.block_k == 64 * 16 // bits
    assert loop.total("matrix") == len(having(read_loop(code.asm["amdgcn"]).loop, instruction)) == count
    budgets.check("matmul, pipelined: a k-tile", f"{target}, {element.name}", instructions=loop.instructions)
    assert loop.total("scratch") == code.report().resources["registers_spilled"] == 0
    assert all(use.actual == use.ideal for stage in loop.stages for use in (stage.reads, stage.writes))


@each_layout
def test_a_ring_of_three_stages_spills_nothing(a_strides, b_strides):
    report = compiled(RING, "gfx950", a_strides, b_strides).report()
    (loop,) = report.loops
    assert loop.total("scratch") == report.resources["registers_spilled"] == 0
    assert report.occupancy.warps_per_simd == 2
    assert all(stage.reads.actual == stage.reads.ideal for stage in loop.stages)
