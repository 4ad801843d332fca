"""The model of a schedule, on loops whose time can be worked out by hand."""

import doctest
import random

import pytest

from hocket.isa import schedule as schedule_module
from hocket.isa.counts import LoopCounts, Stage
from hocket.isa.schedule import Residence, Step, simulate
from hocket.isa.work import costs_of, lane_bytes, work_of

MFMA = "v_mfma_f32_32x32x16_f16 v[0:15], v[0:3], v[4:7], v[0:15]"  # 32 clocks
ADD, EXP, PACKED = "v_add_f32_e32 v0, v0, v1", "v_exp_f32_e32 v0, v0", "v_pk_mul_f32 v[0:1], v[2:3], v[4:5]"
READ = "ds_read_b128 v[0:3], v0"
LOAD = "buffer_load_dwordx4 v[0:3], v0, s[0:3], 0 offen"
STORE = "buffer_store_dwordx4 v[0:3], v0, s[0:3], 0 offen"
ONE = Residence(waves=1)
TAKING_TURNS = Residence(waves=2, lag=1)


def run(*stages, residence=ONE, target="gfx950", **of_work):
    steps = [Step(work_of(line, target, **of_work), i) for i, stage in enumerate(stages) for line in stage]
    return simulate(steps, [str(i) for i in range(len(stages))], target, residence)


@pytest.mark.parametrize(
    ("beside", "clocks"),
    [
        ([], 32),
        ([ADD] * 6, 32),  # from clock 8 on, four clocks each
        ([ADD] * 7, 36),
        ([EXP] * 3, 32),
        ([EXP] * 4, 40),
    ],
)
def test_vector_instructions_beside_a_product(beside, clocks):
    assert run([MFMA, *beside] * 20).clocks == 20 * clocks


def test_exponentials_take_longer_on_cdna3():
    assert run([EXP] * 10, target="gfx942").clocks == 2 * run([EXP] * 10).clocks == 160


def test_packed_arithmetic_waits_for_the_product():
    """32 clocks of the MFMA, 12 until it issues, 4 to issue it."""
    assert run([MFMA, PACKED] * 10).clocks == 10 * (32 + 12 + 4)


def test_two_waves_share_a_matrix_core():
    alone, shared = run([MFMA] * 10), run([MFMA] * 10, residence=Residence(waves=2))
    assert (alone.clocks, shared.clocks) == (320, 640)
    assert alone.matrix_share == shared.matrix_share == 1
    assert shared.bound == "the matrix cores"


def test_vector_instructions_of_one_wave_beside_products_of_the_other():
    stages = [*[ADD] * 64, "s_barrier"], [*[MFMA] * 16, "s_barrier"]
    turns = run(*stages, residence=TAKING_TURNS)
    step = run(*stages, residence=Residence(waves=2))
    assert turns.matrix_share > 0.97
    # In step, both add at first, 64 times each, and the matrix core stands still.
    assert step.clocks == pytest.approx(2 * 64 * 4 + 2 * 16 * 32, rel=0.01)
    assert step.bound == "vector instructions"


@pytest.mark.parametrize(
    ("target", "conflicts", "clocks"), [("gfx950", 1, 16), ("gfx950", 2, 32), ("gfx942", 1, 32), ("gfx942", 1.75, 56)]
)
def test_shared_memory_serves_four_simd_units(target, conflicts, clocks):
    """1024 bytes of each, 256 or 128 a clock."""
    schedule = run([READ] * 40, target=target, conflicts=conflicts)
    assert schedule.clocks == 40 * clocks
    assert schedule.bound == "shared memory"


SCALED = "v_mfma_scale_f32_{}_f8f6f4 v[0:15], v[0:3], v[4:7], v[0:15], v8, v9 cbsz:4 blgp:4"


def test_scales_are_fetched_beside_the_product_before():
    """16 clocks each, though an instruction takes 4 before that."""
    assert run([SCALED.format("16x16x128")] * 20).clocks == 320
    # VALU instructions issue in the remaining clocks: 4 of 16.
    assert run([SCALED.format("16x16x128"), ADD] * 20).clocks == 320
    assert run([SCALED.format("16x16x128"), ADD, ADD] * 20).clocks == 400


@pytest.mark.parametrize(
    ("product", "clocks"),
    [
        ("v_mfma_f32_16x16x32_f16 v[0:3], v[0:3], v[4:7], v[0:3]", 16),  # two issue slots per MFMA
        (SCALED.format("16x16x128"), 32),  # one, which two SIMDs alternate in using
        (SCALED.format("32x32x64"), 16),  # five per 32 clocks
    ],
)
def test_reads_of_lds_beside_products(product, clocks):
    """The loop of github.com/ROCm/gfx950-gluon-tutorials, kernels/gemm/inter_wave/a4w4/v1_combineBsc."""
    few, many = (
        run([*[READ] * reads, "s_barrier"], [*[product] * 64, "s_barrier"], residence=TAKING_TURNS).stages[0].work
        for reads in (16, 32)
    )
    assert many - few == pytest.approx(16 * clocks, rel=0.05)


def test_a_wait_lasts_until_shared_memory_has_answered():
    costs = costs_of("gfx950")
    schedule = run([READ, "s_waitcnt lgkmcnt(0)"])
    assert schedule.clocks == 16 + costs["shared_latency"] + costs["issue"]
    assert schedule.bound == "waiting for LDS"


def test_a_wait_that_leaves_the_newest_under_way():
    first, both = (run([READ, *[ADD] * 40, READ, f"s_waitcnt lgkmcnt({left})"]).clocks for left in (1, 0))
    assert first < both


def test_a_wait_for_global_memory():
    schedule = run([LOAD, "s_waitcnt vmcnt(0)", *[ADD] * 10])
    assert schedule.clocks == costs_of("gfx950")["memory_latency"] + 4 + 40
    assert schedule.bound == "waiting for global memory"


@pytest.mark.parametrize(("line_use", "at_once"), [(1, 8 + 3), (2, 4 + 3)])
def test_loads_under_way(line_use, at_once):
    """A SIMD unit's quarter of 256 lines, and of 12 instructions that wait for room among them."""
    schedule = run([LOAD] * 11 * 7 * 5, line_use=line_use)
    assert schedule.clocks == pytest.approx(1000 * 11 * 7 * 5 / at_once, rel=0.03)
    assert schedule.bound == "room for loads in flight"


def test_stores_need_the_way_through_the_cache_but_no_room_in_it():
    """1024 bytes, at 64 bytes per clock for four SIMDs: 64 clocks per access, for any number of accesses in flight."""
    schedule = run([STORE] * 80)
    assert schedule.clocks == 80 * 64
    assert schedule.bound == "global memory"
    assert run([LOAD] * 80).clocks > 1.3 * schedule.clocks


def test_short_rows_take_the_width_of_the_second_cache():
    """32 lines of 128 bytes, 64 bytes a clock for four SIMD units."""
    schedule = run([LOAD] * 40, line_use=4)
    assert schedule.clocks == 40 * 32 * 128 * 4 / 64
    assert schedule.shares["global memory"] > 0.9


def test_the_idle_time_of_the_matrix_core_is_put_down_to_its_cause():
    """A group that reads for longer than the other multiplies holds it up at the barrier."""
    stages = [[*[READ] * 30, "s_waitcnt lgkmcnt(0)", "s_barrier"], [*[MFMA] * 10, "s_barrier"]]
    schedule = run(*stages, residence=TAKING_TURNS)
    assert schedule.clocks > 2 * 30 * 16
    assert sum(schedule.idle.values()) == pytest.approx(schedule.clocks - 2 * 10 * 32, abs=1)
    reads = schedule.idle["accesses of LDS"] + schedule.idle["waiting for LDS"]
    assert reads > 0.9 * sum(schedule.idle.values())
    assert schedule.bound in ("accesses of LDS", "waiting for LDS")


def test_stages_take_what_a_trip_takes():
    schedule = run(
        [*[READ] * 8, "s_waitcnt lgkmcnt(0)", "s_barrier"], [*[MFMA] * 16, "s_barrier"], residence=TAKING_TURNS
    )
    assert sum(stage.work + stage.waiting for stage in schedule.stages) == pytest.approx(schedule.clocks, rel=0.02)
    memory, products = schedule.stages
    assert memory.waiting > products.waiting


def test_a_higher_priority_goes_first():
    """With the higher priority, VALU instructions for addresses issue before the VALU instructions of the other
    wave."""
    memory = [*[ADD] * 60, READ, "s_waitcnt lgkmcnt(0)"]
    one, none = (
        run(
            [f"s_setprio {priority}", *memory, "s_barrier"],
            ["s_setprio 0", *[line for _ in range(16) for line in (MFMA, *[ADD] * 6)], "s_barrier"],
            residence=TAKING_TURNS,
        )
        .stages[0]
        .work
        for priority in (1, 0)
    )
    assert one < none


def test_blocks_do_not_wait_for_each_other():
    stage = [LOAD, "s_waitcnt vmcnt(0)", "s_barrier", *[MFMA] * 20]
    one, four = (run(stage, residence=Residence(waves=1, blocks=blocks)) for blocks in (1, 4))
    assert four.matrix_share > 2 * one.matrix_share
    assert four.waves == 4


def test_groups_without_barriers_do_not_alternate():
    """The second group would wait forever at the barrier before the loop."""
    with pytest.raises(ValueError, match="a loop without barriers has no second group that lags behind"):
        run([MFMA, ADD], residence=TAKING_TURNS)


@pytest.mark.parametrize(("line", "matrix_clocks", "is_known"), [(ADD, 0, True), (MFMA, 32, True), (ADD, 32, False)])
def test_loops_with_barriers_or_mfmas_in_branches(line, matrix_clocks, is_known):
    """Steps are the instructions of all iterations: perhaps no barrier of a pipeline, or no MFMA of a GEMM."""
    steps = [Step(work_of(each, "gfx950"), 0) for each in [line, "s_cbranch_scc0 .L"]]
    loop = LoopCounts(1, [Stage("1", matrix_clocks=matrix_clocks)], [], 0, steps, is_pipeline=True)
    schedule = loop.schedule("gfx950", warps=8)
    assert schedule.waves == 2 if is_known else schedule is None


LINES = [
    MFMA,
    SCALED.format("16x16x128"),
    ADD,
    EXP,
    PACKED,
    READ,
    LOAD,
    "s_waitcnt vmcnt(2)",
    "s_waitcnt lgkmcnt(1)",
    "s_add_i32 s0, s0, 1",
]
LINES += ["s_setprio 1", "s_setprio 0", "s_nop 3", "s_cbranch_scc0 .L", "ds_write_b128 v0, v[0:3]"]


@pytest.mark.parametrize("seed", range(25))
def test_no_unit_does_more_than_it_can(seed):
    """Random loops: the time is at least that of each unit's work, and idle times of the matrix core have a cause."""
    numbers = random.Random(seed)
    barriers = numbers.choice((0, 1, 2, 4))
    stages = [[*numbers.choices(LINES, k=numbers.randint(1, 40)), "s_barrier"] for _ in range(barriers)]
    stages += [] if stages else [numbers.choices(LINES, k=40)]
    stages[0].insert(0, MFMA)
    residence = Residence(numbers.randint(1, 2), numbers.randint(1, 3), numbers.choice((0, 1)) if barriers > 1 else 0)
    target, costs = numbers.choice(("gfx942", "gfx950")), costs_of("gfx950")
    schedule = run(*stages, residence=residence, target=target)
    work = [work_of(line, target) for stage in stages for line in stage]
    asked = {
        kind: schedule.waves * sum(one.clocks for one in work if one.kind == kind) for kind in ("matrix", "shared")
    }
    asked["vector"] = schedule.waves * sum(one.clocks for one in work if one.kind in ("vector", "packed"))
    # Waves of several blocks need not be as fast as each other.
    slack = 1.0 if residence.blocks == 1 else 1.3
    for kind, clocks in asked.items():
        assert schedule.clocks * slack >= clocks, kind
    assert schedule.clocks >= costs["issue"] * len(work)
    assert 0 < schedule.matrix_share <= 1
    assert sum(schedule.idle.values()) == pytest.approx(schedule.clocks * (1 - schedule.matrix_share), rel=0.05, abs=40)


@pytest.mark.parametrize(
    ("line", "bytes"),
    [
        (READ, 16),
        ("ds_read_b64_tr_b16 v[0:1], v2", 8),
        ("ds_read2_b64 v[0:3], v4 offset1:1", 16),
        ("ds_read2st64_b32 v[0:1], v4 offset1:1", 8),
        ("ds_write_b16 v0, v1", 2),
        ("ds_read_u16_d16_hi v0, v1", 2),
        ("ds_bpermute_b32 v0, v1, v2", 4),
        (LOAD, 16),
        ("buffer_load_dwordx4 v0, s[0:3], 0 offen lds", 16),
        ("buffer_load_dword v0, s[0:3], 0 offen lds", 4),
        ("buffer_load_ushort v0, v1, s[0:3], 0 offen", 2),
        ("buffer_load_short_d16_hi v0, v1, s[0:3], 0 offen", 2),
        ("buffer_store_byte v0, v1, s[0:3], 0 offen", 1),
        ("global_load_dwordx3 v[0:2], v0, s[0:1]", 12),
        ("global_atomic_add_f32 v0, v1, s[0:1]", 4),
        ("scratch_load_dwordx2 v[0:1], off, off", 8),
    ],
)
def test_bytes_of_a_lane(line, bytes):
    assert lane_bytes(line) == bytes


@pytest.mark.parametrize(("line_use", "lines"), [(1, 8), (1.5, 12), (2, 16), (64, 512)])
def test_lines(line_use, lines):
    assert work_of(LOAD, "gfx950", line_use=line_use).lines == lines


def test_the_example_in_the_docstring():
    assert doctest.testmod(schedule_module).attempted == 5
    assert doctest.testmod(schedule_module).failed == 0
