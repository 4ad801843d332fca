"""The ISA of normalizations on CDNA: accesses of 128 bits, loads that stay in flight, nothing spilled."""

import re

import pytest

from hocket import language as gl
from hocket.kernels import norms
from hocket.kernels.norms import launch
from hocket.kernels.norms.arguments import (
    BackwardInputs,
    BackwardStrides,
    ForwardInputs,
    ForwardOutputs,
    ForwardStrides,
    MatrixPointer,
    VectorGradients,
)
from hocket.kernels.norms.plan import config_of
from hocket.runtime.jit import MockTensor

pytestmark = pytest.mark.codegen

TARGETS = ("gfx942", "gfx950")


def compile_norm(plan, target, stride=None):
    """Without a bias forward, with one backward."""
    problem = plan.problem
    columns, config = problem.columns, config_of(plan, not problem.is_backward, stride)
    array, real, integer = (MockTensor(kind) for kind in (getattr(gl, problem.dtype), gl.float32, gl.int32))
    options = launch.options_of(plan, config) | {"target": target}
    if problem.is_backward:
        return launch._BACKWARD[plan.schedule].warmup(
            BackwardInputs(array, array, real, real), BackwardStrides(columns, columns, 1, 1), array,
            MatrixPointer(array, columns), MatrixPointer(None, 1),
            VectorGradients(array, array if config.has_bias else None), real, integer, problem.rows, columns, columns,
            launch_cooperative_grid=True, **options,
        )  # fmt: skip
    mean = real if config.is_centered else None
    return launch._FORWARD[plan.schedule].warmup(
        ForwardInputs(array, None), ForwardStrides(columns, 1, columns, columns), array,
        array if config.has_bias else None, ForwardOutputs(array, None, mean, real), problem.rows, columns, 1e-5,
        **options,
    )  # fmt: skip


def isa_of(op, columns, target, rows=16384):
    plan = norms.choose(rows, columns, "bfloat16", op, target)
    return plan, compile_norm(plan, target).asm["amdgcn"]


each_target = pytest.mark.parametrize("target", TARGETS)
each_op = pytest.mark.parametrize("op", ["rms_norm", "layer_norm", "rms_norm_backward", "layer_norm_backward"])


@each_target
@each_op
@pytest.mark.parametrize("columns", [1024, 4096, 8192])
def test_nothing_is_spilled(op, columns, target):
    _, isa = isa_of(op, columns, target)
    for fact in ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size", "agpr_count"):
        assert re.findall(rf"\.{fact}:\s+(\d+)", isa) == ["0"], fact
    assert "scratch_" not in isa


@each_target
@each_op
@pytest.mark.parametrize("columns", [20000, 32768, 50000, 65536])
def test_no_row_is_too_long_for_the_registers(op, columns, target):
    """One block uses all registers of a compute unit, so an estimate that is too low leads to spills."""
    _, isa = isa_of(op, columns, target)
    for fact in ("vgpr_spill_count", "private_segment_fixed_size"):
        assert re.findall(rf"\.{fact}:\s+(\d+)", isa) == ["0"], fact


@each_target
@each_op
def test_rows_are_accessed_by_128_bits(op, target):
    plan, isa = isa_of(op, 4096, target)
    accesses = plan.elements // plan.vector
    assert len(re.findall("buffer_load_dwordx4", isa)) >= accesses * plan.problem.matrices_read
    assert len(re.findall("buffer_store_dwordx4", isa)) == accesses
    # Rows, weights and biases have no access that is narrower; statistics are one number for each row.
    assert not re.findall(r"(?:buffer|global)_load_(?:ushort|short|dwordx2|dwordx3)\w*", isa)


@each_target
@pytest.mark.parametrize("op", ["rms_norm_backward", "layer_norm_backward"])
def test_the_next_tile_is_on_its_way_during_the_work(op, target):
    """No wait of the loop is for all that is in flight, and it has no branch but its own."""
    plan, isa = isa_of(op, 8192, target)
    assert plan.prefetches
    (loop,) = re.findall(
        r"\n\.LBB0_(\d+):[^\n]*Inner Loop Header[^\n]*\n((?:(?!\n\.LBB).)*?buffer_store.*?)s_cbranch_scc\d \.LBB0_\1\n",
        isa,
        re.S,
    )
    body = loop[1]
    loads, stores = (len(re.findall(f"buffer_{kind}_dwordx4", body)) for kind in ("load", "store"))
    accesses = plan.elements // plan.vector
    assert (loads, stores) == (2 * accesses, accesses)
    work = body[body.rindex("buffer_load") :]  # after the loads of the next tile
    counts = [[int(count) for count in re.findall(r"vmcnt\((\d+)\)", part)] for part in work.split("buffer_store", 1)]
    assert all(count >= loads for count in counts[0]) and min(counts[1], default=stores) >= stores
    assert "s_cbranch" not in body and "saveexec" not in body


@pytest.mark.parametrize("op", ["rms_norm", "layer_norm", "rms_norm_backward", "layer_norm_backward"])
def test_staged_rows_go_past_the_registers(op):
    """Direct copies to LDS of 128 bits per lane, and LDS reads of 128 bits."""
    plan = norms.choose(16384, 8192, "bfloat16", op, "gfx950", schedule="staged")
    isa = compile_norm(plan, "gfx950").asm["amdgcn"]
    accesses = plan.elements // plan.vector * plan.problem.matrices_read
    copies = re.findall(r"buffer_load_dwordx4 [^\n]* lds", isa)
    # The copies of the first tile, and those of the next one in the loop of persistent blocks.
    assert len(copies) == (2 if plan.prefetches else 1) * accesses
    assert plan.prefetches or not plan.problem.is_backward
    assert len(re.findall("ds_read_b128", isa)) >= accesses
    for fact in ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size"):
        assert re.findall(rf"\.{fact}:\s+(\d+)", isa) == ["0"], fact


def test_far_rows_are_not_accessed_by_32_bit_offsets():
    plan = norms.choose(1 << 20, 4096, "bfloat16", "rms_norm", "gfx950")
    assert not config_of(plan).buffers
    plan = norms.choose(16384, 4096, "bfloat16", "rms_norm", "gfx950")
    assert config_of(plan).buffers and not config_of(plan, stride=1 << 20).buffers
    isa = compile_norm(plan, "gfx950", 1 << 20).asm["amdgcn"]
    assert "buffer_load_dwordx4" not in isa and "global_load_dwordx4" in isa
