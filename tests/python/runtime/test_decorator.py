"""Wrong uses of `@hocket.jit`."""

import functools

import numpy as np
import pytest

import hocket
from hocket import language as gl


def kernel(x):
    pass


def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def message_of(decorate):
    with pytest.raises(TypeError) as caught:
        decorate()
    return str(caught.value)


def test_a_wrapper_of_another_decorator():
    place = f"{hocket.errors.shown_path(__file__)}:{traced.__code__.co_firstlineno + 1}"
    assert message_of(lambda: hocket.jit(traced(kernel))) == (
        f"hocket.jit would compile the wrapper that another decorator has put around kernel ({place} in "
        "wrapper)\n  hint: put @hocket.jit directly above `def`, below the other decorators"
    )


def test_unknown_option():
    for decorate in (lambda: hocket.jit(kernel, debgu=True), lambda: hocket.jit(debgu=True)):
        assert message_of(decorate) == (
            "hocket.jit has no option `debgu`\n  hint: it takes version, repr, launch_metadata, do_not_specialize, "
            "do_not_specialize_on_alignment, debug, noinline, num_warps, num_ctas, num_stages, "
            "warp_pipeline, stage_choice, maxnreg, enable_fp_fusion, keep_waits, skip_passes, sanitize_overflow, "
            "waves_per_eu, launch_cooperative_grid, launch_pdl, profile"
        )


@hocket.jit(num_warps=8, num_stages=3)
def with_defaults(out, N: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    gl.store(out + gl.arange(0, N, layout), gl.num_warps())


def test_defaults_of_launch_options():
    assert with_defaults.warmup(gl.int32, 1024, target="sm_90a").num_warps == 8
    assert with_defaults.warmup(gl.int32, 1024, target="sm_90a", num_warps=2).num_warps == 2
    assert with_defaults.options_for({}).num_stages == 3
    assert with_defaults.options_for({"num_stages": None}).num_stages is None


def test_grids_and_kernels_get_the_defaults():
    out, seen = np.zeros(1024, np.int32), []
    with_defaults[lambda meta: (seen.append(meta["num_warps"]), 1)[1:]](out, 1024)
    assert seen == [8] and (out == 8).all()
    with_defaults[(1,)](out, 1024, num_warps=4)
    assert (out == 4).all()


def test_defaults_are_checked():
    with pytest.raises(hocket.LaunchError, match="num_warps must be a power of two or 12, not 3"):
        hocket.jit(kernel, num_warps=3)

    def own_parameter(x, num_warps: gl.constexpr):
        pass

    assert message_of(lambda: hocket.jit(own_parameter, num_warps=8)) == (
        "own_parameter has a parameter `num_warps`, so hocket.jit cannot set the launch option\n"
        "  hint: pass num_warps=... at each launch, which sets both, or rename the parameter"
    )


def test_noinline_warns():
    with pytest.warns(hocket.CompileWarning, match="kernel: noinline=True has no effect, because kernels contain"):
        hocket.jit(kernel, noinline=True)


def name_by_block(specialization):
    signature = specialization.signature
    return f"fill_{signature['out'].strip('*')}_{signature['n']}_{specialization.constants['BLOCK']}"


@hocket.jit(repr=name_by_block)
def fill(out, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, gl.row_layout())
    gl.store(out + i, i, mask=i < n)


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_names_of_compiled_kernels(target):
    compiled = fill.warmup(gl.int32, 100, 512, target=target)
    assert compiled.name == "fill_i32_i32_512"
    assert "fill_i32_i32_512" in compiled.asm["ptx" if target == "sm_90a" else "amdgcn"]
    with hocket.emulator.target(target):
        out = np.zeros(128, np.int32)
        assert fill[(1,)](out, 100, BLOCK=128).name == "fill_i32_i32_128"
    assert out.tolist() == [*range(100), *[0] * 28]


def test_names_that_are_invalid():
    named = hocket.jit(repr=lambda specialization: "8 warps")(kernel)
    with pytest.raises(TypeError) as caught:
        named.warmup(gl.int32, target="sm_90a")
    assert str(caught.value) == (
        "repr of kernel returns '8 warps'\n"
        "  hint: the name of a kernel consists of letters, digits and _, and does not begin with a digit"
    )


def test_decorated_twice():
    assert message_of(lambda: hocket.jit(hocket.jit(kernel))) == "kernel is decorated with hocket.jit twice"


def test_static_method():
    assert message_of(lambda: hocket.jit(staticmethod(kernel))) == (
        "hocket.jit takes a function, not a staticmethod\n  hint: write @staticmethod above @hocket.jit"
    )


def test_class():
    assert message_of(lambda: hocket.jit(int)) == ("hocket.jit takes a function defined with `def`, not <class 'int'>")


def test_kernel_launched_as_a_method():
    class Model:
        @hocket.jit
        def kernel(self, x, n):
            pass

    with pytest.raises(hocket.LaunchError) as caught:
        Model().kernel[(1,)](1, 2)
    assert str(caught.value) == (
        "kernel() is missing 1 argument: `n`\n  hint: a kernel is launched without an object: make it a function of "
        "the module, or drop `self`"
    )
