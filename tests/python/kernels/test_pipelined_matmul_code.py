"""The ISA of warp-pipelined matrix products: what stands in their stages, and between them."""

import re

import pytest
from test_matmul_code import COLUMNS, LARGEST, LDS_BYTES, ROWS, compile_plan, count, metadata

from hocket.kernels.matmul_plan import Plan, Tile
from hocket.kernels.matmul_way import choose_way

#: Instructions that reach memory.
MEMORY = r"(buffer|global|flat|scratch|ds)_"
STAGES = {"gfx950": 2, "gfx942": 8}
TILES = (LARGEST, Tile(256, 128, 4, 2), Tile(128, 256, 2, 4))

each_layout = pytest.mark.parametrize(
    ("a_strides", "b_strides"),
    [(ROWS, ROWS), (ROWS, COLUMNS), (COLUMNS, ROWS), (COLUMNS, COLUMNS)],
    ids=["A B", "A B^T", "A^T B", "A^T B^T"],
)
each_target = pytest.mark.parametrize("target", STAGES)


def code_of(target, tile=LARGEST, a_strides=ROWS, b_strides=ROWS):
    way = choose_way(tile, 4096, 16, None if target == "gfx950" else "registers", LDS_BYTES[target])
    assert way.is_pipelined
    return compile_plan(Plan(tile, *way), target, a_strides, b_strides)


def loop_of(code):
    """Instructions of the loop, without its label."""
    lines = [line.split(";")[0].strip() if ".LBB" not in line else line.strip() for line in code.splitlines()]
    start = next(i for i, line in enumerate(lines) if "Inner Loop Header" in line)
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("s_cbranch_scc"))
    return [line for line in lines[start + 1 : end] if line and not line.startswith(";")]


def stages_of(code):
    """Instructions of each stage; in the list's last place those behind the last barrier."""
    stages = [[]]
    for line in loop_of(code):
        if line == "s_barrier":
            stages.append([])
        else:
            stages[-1].append(line)
    return stages


def having(lines, pattern):
    return [line for line in lines if re.match(pattern, line)]


@each_layout
@each_target
def test_two_waves_fit_on_a_simd(target, a_strides, b_strides):
    for tile in TILES:
        code = code_of(target, tile, a_strides, b_strides)
        assert metadata(code, "vgpr_count") + metadata(code, "agpr_count") <= 256
        assert metadata(code, "vgpr_spill_count") == metadata(code, "sgpr_spill_count") == 0
        assert metadata(code, "private_segment_fixed_size") == 0
        assert metadata(code, "group_segment_fixed_size") <= LDS_BYTES[target]


@each_layout
@each_target
def test_a_barrier_per_stage(target, a_strides, b_strides):
    stages = stages_of(code_of(target, LARGEST, a_strides, b_strides))
    assert len(stages) - 1 == STAGES[target]
    assert not having(stages[-1], MEMORY + "|v_mfma|s_waitcnt")


@each_layout
@each_target
def test_compute_stages_only_multiply(target, a_strides, b_strides):
    """Every second stage. Nothing is waited for: operands have arrived at the barrier in front."""
    stages = stages_of(code_of(target, LARGEST, a_strides, b_strides))[:-1]
    block_k, depth = (32, 16) if target == "gfx950" else (64, 8)
    products = (128 // 32) * (64 // 32) * (block_k // depth)
    for i, stage in enumerate(stages):
        is_compute = i % 2 == 1
        assert len(having(stage, "v_mfma")) == (products // (STAGES[target] // 2) if is_compute else 0)
        if is_compute:
            assert not having(stage, MEMORY)
            assert not having(stage, "s_waitcnt")


@each_target
def test_priorities(target):
    """Stages that load come first; the priority of a stage is set in front of its barrier."""
    code = code_of(target)
    lines = loop_of(code)
    barriers = [i for i, line in enumerate(lines) if line == "s_barrier"]
    before = [[line for line in lines[i - 2 : i] if line.startswith("s_setprio")] for i in barriers]
    assert before == [["s_setprio 0"], ["s_setprio 1"]] * (STAGES[target] // 2)
    # One more for the first iteration, one that leaves 0 behind.
    assert count(code, "s_setprio") == STAGES[target] + 2


def test_copies_of_two_slices_stay_in_flight():
    load, *_ = stages_of(code_of("gfx950"))
    copies = len(having(load, r"buffer_load_dwordx4 .* lds$"))
    assert copies == 2 * 256 * 32 * 2 // (512 * 16)
    assert having(load, "s_waitcnt") == [f"s_waitcnt vmcnt({2 * copies}) lgkmcnt(0)"]
    assert having(load, "ds_write") == []


def test_reads_keep_their_place_in_front_of_the_copies():
    load = stages_of(code_of("gfx950"))[0]
    kinds = [line.split("_")[0] for line in having(load, "ds_read|buffer_load")]
    assert kinds == sorted(kinds, reverse=True)


def test_fetched_slices_are_waited_for_where_they_are_stored():
    stages = stages_of(code_of("gfx942"))[:-1]
    waiting = [i for i, stage in enumerate(stages) if having(stage, "s_waitcnt.*vmcnt")]
    writing = [i for i, stage in enumerate(stages) if having(stage, "ds_write")]
    fetching = [i for i, stage in enumerate(stages) if having(stage, "buffer_load")]
    assert (fetching, waiting, writing) == ([0], [6], [6])


@each_target
def test_only_one_group_stops_around_the_loop(target):
    """A branch around a bare barrier in front of the loop and another behind it."""
    code = code_of(target)
    instructions = [line.strip().split(";")[0].split() for line in code.splitlines()]
    names = [parts[0] for parts in instructions if parts and re.match(r"s_|v_|ds_|buffer_", parts[0])]
    skipped = [i for i, name in enumerate(names) if name == "s_barrier" and names[i - 1].startswith("s_cbranch")]
    assert len(skipped) == 2
