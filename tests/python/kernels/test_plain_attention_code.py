"""The ISA of attention whose warps work in step: two blocks of four warps share a compute unit."""

import functools

import pytest
from matmul_code import LDS_BYTES

from hocket import language as gl
from hocket.kernels._attention.blocks_cdna import AttentionProblem, AttentionStrides
from hocket.kernels._attention.host_cdna import KERNELS, launch_options
from hocket.kernels._attention.layouts_cdna import configure

pytestmark = pytest.mark.codegen

each_case = pytest.mark.parametrize(
    ("target", "head_size", "causal"),
    [(target, size, causal) for target in LDS_BYTES for size in (64, 128) for causal in (False, True)],
    ids=str,
)


@functools.cache
def report_of(target, head_size, causal):
    is_direct = target == "gfx950"
    config = configure(target, gl.float16, head_size, causal, is_direct, 4)
    strides = (16 * 4096 * head_size, 4096 * head_size, head_size, 1)
    arguments = [gl.float16] * 4 + [AttentionStrides(*[strides] * 4), AttentionProblem(16, 1, 4096, 4096, 0.125)]
    options = launch_options(pipelined=False)
    return KERNELS[False, is_direct].warmup(*arguments, cfg=config, target=target, **options).report()


@each_case
def test_two_blocks_share_a_compute_unit(target, head_size, causal):
    """On gfx942 with D = 128 they fill LDS: 32 KiB each, without padding."""
    report = report_of(target, head_size, causal)
    assert report.occupancy.blocks >= 2
    assert report.occupancy.warps_per_simd >= 2
    assert report.loops[0].total("scratch") == 0


@each_case
def test_a_block_takes_few_instructions(budgets, target, head_size, causal):
    """A wave's instructions per block of 64 keys without a mask."""
    loop = report_of(target, head_size, causal).loops[0]
    budgets.check(
        "attention, plain: a block",
        f"{target}, D {head_size}",
        without_rescale=loop.instructions - loop.optional(),
        vector=loop.total("vector") - loop.optional("vector"),
        with_rescale=loop.instructions,
    )


@each_case
def test_reads_and_writes_of_lds_have_no_bank_conflicts(target, head_size, causal):
    for stage in report_of(target, head_size, causal).loops[0].stages:
        assert stage.reads.actual == stage.reads.ideal
        assert stage.writes.actual == stage.writes.ideal
