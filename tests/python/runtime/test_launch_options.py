"""Effects of launch options on the code."""

import re

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.runtime.options import Options

NVIDIA, AMD = ["sm_80", "sm_90a"], ["gfx942", "gfx950"]


@hocket.jit
def multiply_add(x, out):
    i = gl.arange(0, 128, layout=gl.row_layout())
    value = gl.load(x + i)
    gl.store(out + i, value * value + 1.0)


def assembly(target, **options):
    asm = multiply_add.warmup(gl.float32, gl.float32, target=target, **options).asm
    return asm["ptx" if target in NVIDIA else "amdgcn"]


@pytest.mark.parametrize("target", NVIDIA)
def test_fp_fusion_on_nvidia(target):
    assert "fma.rn.f32" in assembly(target)
    text = assembly(target, enable_fp_fusion=False)
    assert "fma" not in text
    # Without `.rn` the assembler would fuse them again.
    assert "mul.rn.f32" in text and "add.rn.f32" in text


@pytest.mark.parametrize("target", AMD)
def test_fp_fusion_on_amd(target):
    assert re.search(r"v_(fma|fmac)_f32", assembly(target))
    text = assembly(target, enable_fp_fusion=False)
    assert not re.search(r"v_(fma|fmac|mad)_", text)
    assert "v_mul_f32" in text and "v_add_f32" in text


def test_fp_fusion_changes_the_rounding():
    x = np.full(128, 1 + 2**-12, np.float32)
    out = np.zeros_like(x)
    multiply_add[(1,)](x, out, enable_fp_fusion=False)
    assert (out == x * x + np.float32(1)).all()


@pytest.mark.parametrize("target", NVIDIA)
def test_maxnreg(target):
    assert re.search(r"^\.maxnreg 64$", assembly(target, maxnreg=64), re.MULTILINE)
    assert "maxnreg" not in assembly(target)


@pytest.mark.parametrize("target", AMD)
def test_waves_per_eu(target):
    def llvm(**options):
        return multiply_add.warmup(gl.float32, gl.float32, target=target, **options).asm["llvm"]

    assert '"amdgpu-waves-per-eu"="2"' in llvm(waves_per_eu=2)
    assert "amdgpu-waves-per-eu" not in llvm()


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
@pytest.mark.parametrize("options", [{"maxnreg": 32}, {"waves_per_eu": np.int64(2)}], ids=repr)
def test_limits_do_not_change_results_and_the_other_vendor_ignores_them(target, options):
    x = np.arange(128, dtype=np.float32)
    out = np.zeros_like(x)
    with hocket.emulator.target(target):
        multiply_add[(1,)](x, out, **options)
    np.testing.assert_array_equal(out, x * x + 1)
    assert assembly(target, **options)


def test_numbers_of_numpy_are_plain_options():
    assert repr(Options(num_warps=np.int64(8))) == repr(Options(num_warps=8))
    assert repr(Options(launch_pdl=np.True_, debug=0)) == repr(Options(launch_pdl=True))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"maxnreg": 0}, "maxnreg must be from 1 to 255, not 0"),
        ({"maxnreg": 256}, "maxnreg must be from 1 to 255, not 256"),
        ({"maxnreg": "many"}, "maxnreg must be an integer, not 'many'"),
        ({"num_warps": 2.0}, "num_warps must be an integer, not 2.0"),
        ({"num_warps": None}, "num_warps must be an integer, not None"),
        ({"waves_per_eu": -1}, "waves_per_eu must not be negative, but is -1"),
        ({"keep_waits": "no"}, "keep_waits must be True or False, not 'no'"),
        ({"launch_pdl": "yes"}, "launch_pdl must be True or False, not 'yes'"),
        ({"launch_cooperative_grid": 132}, "launch_cooperative_grid must be True or False, not 132"),
        ({"num_ctas": 3}, "num_ctas must be a power of two, not 3"),
        ({"num_ctas": 0}, "num_ctas must be a power of two, not 0"),
    ],
    ids=str,
)
def test_mistakes(options, message):
    with pytest.raises(hocket.LaunchError, match=re.escape(message)):
        Options(**options)


@pytest.mark.parametrize(
    "target, num_ctas, message",
    [
        (
            "sm_80",
            2,
            "num_ctas=2 needs clusters, which Hopper (sm_90a) has; this kernel is compiled for sm_80\n"
            "  hint: leave num_ctas out, and use a smaller tile per program",
        ),
        (
            "gfx950",
            4,
            "num_ctas=4 needs clusters, which Hopper (sm_90a) has; this kernel is compiled for gfx950\n"
            "  hint: leave num_ctas out, and use a smaller tile per program",
        ),
        (
            "sm_90a",
            32,
            "num_ctas=32: a cluster on sm_90a has at most 16 blocks\n"
            "  hint: use num_ctas=8; not every GPU can run clusters of more than 8 blocks",
        ),
    ],
)
def test_clusters_that_a_target_does_not_have(target, num_ctas, message):
    with pytest.raises(hocket.LaunchError) as caught:
        multiply_add.warmup(gl.float32, gl.float32, target=target, num_ctas=num_ctas)
    assert str(caught.value) == message


def test_clusters_are_a_fact_of_the_kernel():
    assert multiply_add.warmup(gl.float32, gl.float32, target="sm_90a", num_ctas=4).metadata.num_ctas == 4
