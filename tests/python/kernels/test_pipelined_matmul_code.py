"""The ISA of warp-pipelined matrix products: what stands in their stages. See also `test_pipeline_code`."""

import pytest
from pipelined_loop import MEMORY, having, read_loop
from test_matmul_code import COLUMNS, LARGEST, LDS_BYTES, ROWS, compile_plan, configure_plan, count, metadata

from hocket.kernels.matmul_plan import Plan, Tile
from hocket.kernels.matmul_way import choose_way

STAGES = {"gfx950": 2, "gfx942": 8}
TILES = (LARGEST, Tile(256, 128, 4, 2), Tile(128, 256, 2, 4))

each_layout = pytest.mark.parametrize(
    ("a_strides", "b_strides"),
    [(ROWS, ROWS), (ROWS, COLUMNS), (COLUMNS, ROWS), (COLUMNS, COLUMNS)],
    ids=["A B", "A B^T", "A^T B", "A^T B^T"],
)
each_target = pytest.mark.parametrize("target", STAGES)


def plan_of(target, tile=LARGEST):
    way = choose_way(tile, 4096, 16, None if target == "gfx950" else "registers", LDS_BYTES[target])
    assert way.is_pipelined
    return Plan(tile, *way)


def config_of(target, tile=LARGEST, a_strides=ROWS, b_strides=ROWS):
    return configure_plan(plan_of(target, tile), target, a_strides, b_strides)


def code_of(target, tile=LARGEST, a_strides=ROWS, b_strides=ROWS):
    return compile_plan(plan_of(target, tile), target, a_strides, b_strides)


def stages_of(code):
    """Instructions of each stage; in the list's last place those after the last barrier."""
    return read_loop(code).stages


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
    """Every second stage. Its operands have arrived at the barrier in front, or are waited for once."""
    stages = stages_of(code_of(target, LARGEST, a_strides, b_strides))[:-1]
    block_k, depth = (32, 16) if target == "gfx950" else (64, 8)
    products = (128 // 32) * (64 // 32) * (block_k // depth)
    for i, stage in enumerate(stages):
        is_compute = i % 2 == 1
        assert len(having(stage, "v_mfma")) == (products // (STAGES[target] // 2) if is_compute else 0)
        if is_compute:
            assert not having(stage, MEMORY)
            waits = having(stage, "s_waitcnt")
            assert waits in ([], ["s_waitcnt lgkmcnt(0)"])
            assert not waits or stage.index(waits[0]) < stage.index(having(stage, "v_mfma")[0])


def test_copies_of_two_slices_stay_in_flight():
    load, *_ = stages_of(code_of("gfx950"))
    copies = len(having(load, r"buffer_load_dwordx4 .* lds$"))
    assert copies == 2 * 256 * 32 * 2 // (512 * 16)
    assert having(load, "s_waitcnt") == [f"s_waitcnt vmcnt({2 * copies}) lgkmcnt(0)"]


def test_fetched_slices_are_waited_for_where_they_are_stored():
    stages = stages_of(code_of("gfx942"))[:-1]
    waiting = [i for i, stage in enumerate(stages) if having(stage, "s_waitcnt.*vmcnt")]
    writing = [i for i, stage in enumerate(stages) if having(stage, "ds_write")]
    fetching = [i for i, stage in enumerate(stages) if having(stage, "buffer_load")]
    assert (fetching, waiting, writing) == ([0], [6], [6])
