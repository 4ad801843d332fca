"""Common properties of the assembly of all warp-pipelined kernels: barriers, waits, priorities, order of accesses.

`test_pipelined_matmul_code` and `test_pipelined_attention_code` hold what differs.
"""

import functools
import itertools
import re
from dataclasses import dataclass

import pipelined_attention_code as attention
import pipelined_matmul_code as matmul
import pytest
from matmul_code import COLUMNS, LDS_BYTES, ROWS
from pipelined_loop import MEMORY, having, read_loops, without_detours

from hocket import language as gl
from hocket.kernels._attention.layouts_cdna import configure as configure_attention
from hocket.kernels._matmul.layouts_cdna import configure as configure_matmul
from hocket.kernels._matmul.plan_cdna import TILES, CdnaPlan

pytestmark = pytest.mark.codegen

#: Copies straight into LDS; on gfx942 tiles go through registers.
DIRECT = "gfx950"
TARGETS = ("gfx942", "gfx950")


@dataclass(frozen=True)
class Case:
    kernel: str
    target: str
    #: Strides of A and B; head size and form.
    variant: tuple

    @property
    def num_stages(self):
        return matmul.STAGES if self.kernel == "matmul" else 4

    def __str__(self):
        return "-".join(str(part) for part in (self.kernel, self.target, *self.variant))


MATMULS = [Case("matmul", target, (a, b)) for target in TARGETS for a in (ROWS, COLUMNS) for b in (ROWS, COLUMNS)]
ATTENTIONS = [Case("attention", target, (size, form)) for target, size, form in attention.CASES]

each_case = pytest.mark.parametrize("case", MATMULS + ATTENTIONS, ids=str)
each_direct_case = pytest.mark.parametrize("case", [c for c in MATMULS + ATTENTIONS if c.target == DIRECT], ids=str)


@functools.cache
def loops_of(case):
    if case.kernel == "matmul":
        return read_loops(matmul.code_of(case.target, matmul.LARGEST, *case.variant))
    return read_loops(attention.code_of(case.target, *case.variant))


def loop_of(case):
    return loops_of(case)[0]


def kinds_of(stage):
    """Returns the order of accesses; consecutive equal ones count once."""
    kinds = []
    for line in having(stage, MEMORY):
        kind = re.match(r"ds_read|ds_write|buffer_load|buffer_store|\w+", line)[0]
        if kinds[-1:] != [kind]:
            kinds.append(kind)
    return kinds


@each_case
def test_one_barrier_per_stage(case):
    assert len(loop_of(case).barriers) == case.num_stages


def lone_barriers(lines):
    return [i for i, line in enumerate(lines) if line == "s_barrier" and "s_cbranch" in lines[i - 1]]


@each_case
def test_one_branch_around_a_barrier_on_each_side(case):
    """Before the loop only warps 4-7 execute an additional barrier, after it only warps 0-3. Attention's second loop,
    with masks, continues with the groups one stage apart, except if copies are in flight between the two loops."""
    loops = loops_of(case)
    assert len(loops) == (2 if case.kernel == "attention" and "whole" not in case.variant[1] else 1)
    assert len(lone_barriers(loops[0].before)) == len(lone_barriers(loops[-1].after)) == 1
    for loop in loops[1:]:
        assert len(lone_barriers(loop.before)) == (2 if case.target == DIRECT else 0)


@each_case
def test_what_multiplies_waits_once_at_most(case):
    """For LDS, before the first product; and never for global memory."""
    stages = [without_detours(stage) for stage in loop_of(case).stages]
    multiplying = [stage for stage in stages if having(stage, "v_mfma")]
    assert len(multiplying) == case.num_stages // 2
    for stage in multiplying:
        products = [i for i, line in enumerate(stage) if line.startswith("v_mfma")]
        assert not having(stage, "s_waitcnt.*vmcnt")
        assert len(having(stage[: products[0]], "s_waitcnt")) <= 1
        assert not having(stage[products[0] : products[-1]], "s_waitcnt|" + MEMORY)


@each_case
def test_what_multiplies_reaches_no_memory(case):
    for stage in map(without_detours, loop_of(case).stages):
        assert not (having(stage, "v_mfma") and having(stage, MEMORY))


@each_direct_case
def test_copies_of_later_slices_stay_in_flight(case):
    """A wait leaves in flight exactly the loads of the commit groups that are newer than the awaited one."""
    loop = loop_of(case)
    loading = [having(stage, "buffer_load") for stage in loop.stages if having(stage, "buffer_load")]
    per_group = len(loading[0])
    assert all(len(loads) == per_group for loads in loading)
    # The GEMM reads one of its eight halves of tiles while one is complete. Attention waits half an iteration ahead.
    groups = 6 if case.kernel == "matmul" else 3
    expected = f"s_waitcnt vmcnt({per_group * groups}) lgkmcnt(0)"
    assert loop.waits_at_barriers == [[expected], []] * (case.num_stages // 2)
    assert [line for line in loop.loop if "vmcnt" in line] == [expected] * (case.num_stages // 2)


@each_case
def test_fences_wait_for_lds_only(case):
    loop = loop_of(case)
    assert not having(loop.loop, "buffer_inv|buffer_wbl2|buffer_gl")
    if case.target != DIRECT:
        fences = [wait for waits in loop.waits_at_barriers for wait in waits]
        assert fences
        assert set(fences) == {"s_waitcnt lgkmcnt(0)"}


@each_case
def test_priorities(case):
    """The priority of a stage is set before its barrier: also before the first iteration; after the loop it is 0.

    Warps that read go first, for reads take long and issue little."""
    loops = loops_of(case)
    first, second = "s_setprio 1", "s_setprio 0"
    for loop in loops:
        before = [having(loop.loop[i - 2 : i], "s_setprio") for i in loop.barriers]
        assert before == [[second], [first]] * (case.num_stages // 2)
        assert len(having(loop.loop, "s_setprio")) == case.num_stages
    assert having(loops[0].before, "s_setprio") == [first]
    assert having(loops[-1].after, "s_setprio") == ["s_setprio 0"]
    for loop in loops[1:]:
        # The groups stay one stage apart if no copy is in flight between the two loops.
        assert having(loop.before, "s_setprio") == ["s_setprio 0", first][0 if case.target == DIRECT else 1 :]


@each_direct_case
def test_copies_are_16_bytes_wide_and_pass_no_register(case):
    loop = loop_of(case).loop
    assert having(loop, "buffer_load") == having(loop, r"buffer_load_dwordx4 .* lds$") != []
    assert not having(loop, "ds_write")


@pytest.mark.parametrize("case", MATMULS, ids=str)
def test_operands_are_read_as_wide_as_they_lie(case):
    """LDS reads for a wave's tile of 128 x 64: 16 bytes if contiguous along K; otherwise gfx950 reads transposed."""
    a_strides, b_strides = case.variant
    bytes_of = {True: 0, False: 0}
    for rows, along_k in ((128, a_strides == ROWS), (64, b_strides == COLUMNS)):
        bytes_of[along_k or case.target != DIRECT] += rows * 64 * 2
    reads = having(loop_of(case).loop, "ds_read")
    wide, transposed = having(reads, "ds_read_b128"), having(reads, "ds_read_b64_tr_b16")
    assert (len(wide), len(transposed)) == (bytes_of[True] // (64 * 16), bytes_of[False] // (64 * 8))
    assert len(reads) == len(wide) + len(transposed)


@each_case
def test_accesses_of_a_stage_keep_the_order_of_the_program(case):
    kinds = [kinds_of(stage) for stage in loop_of(case).stages]
    if case.target == DIRECT:
        assert kinds == [["ds_read", "buffer_load"], []] * (case.num_stages // 2) + [[]]
    elif case.kernel == "matmul":
        assert kinds[::2] == [["ds_read", "ds_write", "buffer_load"]] * 3 + [["ds_write", "buffer_load"], []]
    else:
        assert kinds == [["ds_read", "ds_write", "buffer_load"], []] * 2 + [[]]


def conflicts(registers, shared, shape, access, target, element=gl.float16):
    tensor = gl.distributed_type(element, shape, registers)
    memory = gl.shared_memory_descriptor_type(element, shape, shared)
    return gl.bank_conflicts(tensor, memory, access, target=target)


def tiles_of_matmul(config):
    """(operand, registers that store it, layout in LDS, shape)."""
    return [
        (config.operand_a, config.load_a, config.shared_a, [config.part_m, config.block_k]),
        (config.operand_b, config.load_b, config.shared_b, [config.block_k, config.part_n]),
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_reads_of_operands_have_no_bank_conflicts(target):
    tiles = []
    for a in (ROWS, COLUMNS):
        for b in (ROWS, COLUMNS):
            config = matmul.config_of(target, matmul.LARGEST, a, b)
            tiles += zip(tiles_of_matmul(config), (a == ROWS, b == COLUMNS), strict=True)
    for size in (64, 128):
        config = configure_attention(target, gl.float16, size, False, target == DIRECT, 8)
        tiles.append(((config.operand_k, config.load_k, config.shared_k, [size, config.block_n]), True))
    for (operand, _, shared, shape), along_k in tiles:
        if along_k or target != DIRECT:
            assert conflicts(operand, shared, shape, "load", target) == 0


@pytest.mark.parametrize("is_pipelined", [False, True], ids=["plain", "pipelined"])
@pytest.mark.parametrize("element", [gl.float16, gl.float8e4b8], ids=str)
def test_matmul_stores_without_bank_conflicts(element, is_pipelined):
    """Operands that pass through registers, all tiles, transposed or not: neither stores nor reads."""
    bits = element.primitive_bitwidth
    for tile in TILES:
        if is_pipelined and tile.num_warps != 8:
            continue
        plan = CdnaPlan(tile, 64 * 16 // bits, False, 1, is_pipelined)
        for contiguous in itertools.product((True, False), repeat=2):
            config = configure_matmul(plan, "gfx942", element, LDS_BYTES["gfx942"], 4096, *contiguous)
            for operand, load, shared, shape in tiles_of_matmul(config):
                assert conflicts(operand, shared, shape, "load", "gfx942", element) == 0, (tile, contiguous)
                assert conflicts(load, shared, shape, "store", "gfx942", element) == 0, (tile, contiguous)


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("size", [64, 128])
@pytest.mark.parametrize("target", TARGETS)
def test_attention_through_registers_has_no_bank_conflicts(target, size, num_warps):
    config = configure_attention(target, gl.float16, size, False, False, num_warps)
    shape_k, shape_v = [size, config.block_n], [config.block_n, size]
    for operand, load, shared, shape in (
        (config.operand_k, config.load_k, config.shared_k, shape_k),
        (config.operand_v, config.load_v, config.shared_v, shape_v),
    ):
        # gfx950 takes V that way where its rows are not aligned: no padding suits its reads, of 64 banks, and stores.
        if target == DIRECT and operand is config.operand_v:
            continue
        assert conflicts(operand, shared, shape, "load", target) == 0
        assert conflicts(load, shared, shape, "store", target) == 0
