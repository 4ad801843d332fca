"""The ISA of warp-pipelined attention with D = 64 on gfx950. What it shares with other forms is in
`test_pipelined_attention_code`."""

import pytest
from pipelined_attention_code import CASES, code_of, compiled
from pipelined_loop import having, read_loops, without_detours

pytestmark = pytest.mark.codegen

FORMS = [form for target, size, form in CASES if (target, size) == ("gfx950", 64)]
each_form = pytest.mark.parametrize("form", FORMS)


def stages_of(form, loop=0):
    """Checks iterations that do not rescale."""
    return [without_detours(stage) for stage in read_loops(code_of("gfx950", 64, form))[loop].stages]


@each_form
def test_a_block_takes_few_instructions(budgets, form):
    """By the report. AMD's own loops, for D = 128, have 91 to 101 vector instructions besides exponentials."""
    report = compiled("gfx950", 64, form).report()
    loop = report.loops[0]
    assert loop.total("transcendental") - loop.optional("transcendental") == 32
    budgets.check(
        "attention, pipelined: a block",
        f"gfx950, D 64, {form}",
        without_rescale=loop.instructions - loop.optional(),
        vector=loop.total("vector") - loop.optional("vector"),
        with_rescale=loop.instructions,
    )
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
def test_scores_are_weighed_with_few_instructions(budgets, form):
    """An fma and an exponential each, half of which are beside either product; no maximum."""
    _, end, read_v, begin, _ = stages_of(form)
    assert not having(read_v, "v_(exp|fma|cvt_pk_f16)_f32")
    budgets.check(
        "attention, pipelined: scores of a lane, D 64",
        f"gfx950, {form}",
        exponentials_beside_q_k=len(having(end, "v_exp_f32")),
        exponentials_beside_p_v=len(having(begin, "v_exp_f32")),
        fma=len(having(begin, "v_fma_f32")),
        conversions=len(having(end, "v_cvt_pk_f16_f32")),
    )
    assert not any(having(stage, "v_max|v_permlane|ds_bpermute|v_pk") for stage in (end, read_v, begin))


@each_form
def test_few_blocks_rescale(budgets, form):
    """A warp compares its row sums once, and branches over the rescaling unless a sum is too large."""
    loop = read_loops(code_of("gfx950", 64, form))[0]
    whole, common = loop.stages[2], without_detours(loop.stages[2])
    masked = 32 if form == "causal, whole" else 0  # behind a jump of its own
    assert len(having(common, r"v_cmp_\w+_f32")) == 1
    assert len(having(common, "v_cndmask")) == masked
    assert not having(common, "v_mul")
    extra = {name: len(having(whole, name)) - len(having(common, name)) for name in ("v_exp", "v_max3", "v_mfma")}
    assert extra["v_mfma"] == 4
    assert extra["v_max3"] > 0
    budgets.check(
        "attention, pipelined: rescale, D 64",
        f"gfx950, {form}",
        comparisons=len(having(common, "v_cmp")),
        branches=len(having(common, "s_cbranch")),
        exponentials_of_a_rescale=extra["v_exp"],
    )


@pytest.mark.parametrize("form", [form for form in FORMS if "whole" not in form])
def test_only_the_loop_for_the_last_blocks_masks(form):
    whole, last = (stages_of(form, loop)[2] for loop in (0, 1))
    assert not having(whole, "v_cndmask")
    assert len(having(last, r"v_cmp_\w+_i32\w* \S+, -?\d+, ")) >= 30
    assert len(having(last, "v_cndmask")) >= 32
