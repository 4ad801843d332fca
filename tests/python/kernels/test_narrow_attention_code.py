"""The ISA of warp-pipelined attention with D = 64 on gfx950. What it shares with other forms is in
`test_pipelined_attention_code`."""

import pytest
from pipelined_loop import having, read_loops, without_detours
from test_pipelined_attention_code import CASES, code_of, compiled

pytestmark = pytest.mark.codegen

FORMS = [form for target, size, form in CASES if (target, size) == ("gfx950", 64)]
each_form = pytest.mark.parametrize("form", FORMS)


def stages_of(form, loop=0):
    """Checks iterations that do not rescale."""
    return [without_detours(stage) for stage in read_loops(code_of("gfx950", 64, form))[loop].stages]


@each_form
def test_a_block_takes_few_instructions(form):
    """By the report. AMD's own loops, for D = 128, have 91 to 101 vector instructions besides exponentials."""
    report = compiled("gfx950", 64, form).report()
    loop = report.loops[0]
    # Places that stay at the last block; a branch that masks.
    scalar = {"full, whole": 2, "causal, whole": 5}.get(form, 0)
    mask = 99 if form == "causal, whole" else 0
    assert loop.instructions - loop.optional() <= 170 + scalar
    assert loop.total("vector") - loop.optional("vector") <= 52
    assert loop.total("transcendental") - loop.optional("transcendental") == 32
    assert loop.instructions <= 327 + scalar + mask
    assert loop.total("scratch") == report.resources["registers_spilled"] == 0
    assert report.occupancy.warps_per_simd == 2


@each_form
def test_p_is_summed_during_the_scores(form):
    """Four small products, which take half as long as the others."""
    stages = stages_of(form)
    assert [len(having(stage, "v_mfma_f32_32x32x16")) for stage in stages] == [0, 8, 0, 8, 0]
    assert [len(having(stage, "v_mfma_f32_16x16x32")) for stage in stages] == [0, 4, 0, 0, 0]
    assert not any(having(stage, "v_add_f32") for stage in (stages[0], stages[1], stages[3]))


@each_form
def test_scores_are_weighed_with_few_instructions(form):
    """An fma and an exponential each, half of which are beside either product; no maximum."""
    _, end, read_v, begin, _ = stages_of(form)
    assert [len(having(stage, "v_exp_f32")) for stage in (end, read_v, begin)] == [16, 0, 16]
    assert [len(having(stage, "v_fma_f32")) for stage in (end, read_v, begin)] == [0, 0, 32]
    assert [len(having(stage, "v_cvt_pk_f16_f32")) for stage in (end, read_v, begin)] == [16, 0, 0]
    assert not any(having(stage, "v_max|v_permlane|ds_bpermute|v_pk") for stage in (end, read_v, begin))


@each_form
def test_few_blocks_rescale(form):
    """A warp compares its row sums once, and branches over the rescaling unless a sum is too large."""
    loop = read_loops(code_of("gfx950", 64, form))[0]
    whole, common = loop.stages[2], without_detours(loop.stages[2])
    masked = 32 if form == "causal, whole" else 0  # behind a jump of its own
    assert len(having(common, r"v_cmp_\w+_f32")) == 1
    assert len(having(common, "v_cmp")) == 1 + masked
    assert len(having(common, "s_cbranch")) == (2 if masked else 1)
    assert len(having(common, "v_cndmask")) == masked
    assert not having(common, "v_mul")
    extra = {name: len(having(whole, name)) - len(having(common, name)) for name in ("v_exp", "v_max3", "v_mfma")}
    assert extra["v_exp"] == 32 + 1
    assert extra["v_max3"] >= 15
    assert extra["v_mfma"] == 4


@pytest.mark.parametrize("form", [form for form in FORMS if "whole" not in form])
def test_only_the_loop_for_the_last_blocks_masks(form):
    whole, last = (stages_of(form, loop)[2] for loop in (0, 1))
    assert not having(whole, "v_cndmask")
    assert len(having(last, r"v_cmp_\w+_i32\w* \S+, -?\d+, ")) >= 30
    assert len(having(last, "v_cndmask")) >= 32
