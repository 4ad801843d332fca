"""Hocket's passes over AMD machine code: LLVM's verifier accepts each, and `skip_passes` leaves them out."""

import pytest

import hocket
from hocket import language as gl
from hocket.errors import LaunchError
from hocket.kernels._attention import host_cdna as attention_cdna
from hocket.kernels._attention.blocks_cdna import AttentionProblem, AttentionStrides
from hocket.kernels._attention.layouts_cdna import configure

pytestmark = pytest.mark.codegen


def attention_code(target, size, is_causal, pipelined, **options):
    """The assembly text of a form of the ready attention kernel."""
    is_direct = target in attention_cdna.DIRECT_TARGETS
    options = {**attention_cdna.launch_options(pipelined), **options}
    config = configure(target, gl.float16, size, is_causal, is_direct, options["num_warps"], False, pipelined)
    strides = (16 * 4096 * size, 4096 * size, size, 1)
    arguments = [gl.float16] * 4 + [AttentionStrides(*[strides] * 4), AttentionProblem(16, 1, 4096, 4096, 0.125)]
    kernel = attention_cdna.KERNELS[pipelined, is_direct]
    return kernel.warmup(*arguments, cfg=config, target=target, **options).asm["amdgcn"]


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize(("size", "is_causal", "pipelined"), [(128, False, True), (64, True, True), (64, False, False)])
def test_the_machine_verifier_accepts_attention(monkeypatch, tmp_path, target, size, is_causal, pipelined):
    monkeypatch.setenv("HOCKET_CACHE_DIR", str(tmp_path))  # else nothing is compiled
    monkeypatch.setenv("HOCKET_VERIFY_MACHINE", "1")
    assert "v_mfma" in attention_code(target, size, is_causal, pipelined)


def test_a_pass_that_is_left_out():
    code = attention_code("gfx942", 128, False, True)
    without = attention_code("gfx942", 128, False, True, skip_passes="pack-f16-in-place")
    assert "v_cvt_f16_f32_sdwa" in code
    assert "v_cvt_f16_f32_sdwa" not in without
    assert "v_mfma" in without


def test_the_names_of_passes_are_checked():
    names = hocket._core.codegen_passes()
    with pytest.raises(LaunchError) as error:
        attention_code("gfx942", 64, False, False, skip_passes="interleave-mfma,schedule-loop")
    assert str(error.value) == (
        "skip_passes: Hocket has no code generation pass 'schedule-loop'\n"
        f"  hint: write all, or some of {', '.join(names)}"
    )


def test_no_wide_buffer_store_has_a_scalar_offset():
    """LLVM 22 omits the wait state that such a store needs before its data registers are written again (gfx940 on)."""
    for target in ("gfx942", "gfx950"):
        for pipelined in (True, False):
            for line in attention_code(target, 128, False, pipelined).splitlines():
                if line.strip().startswith(("buffer_store_dwordx3", "buffer_store_dwordx4")):
                    assert line.split(";")[0].split(",")[3].split()[0] == "0", line
