"""Operations without a machine instruction are expanded, and compile for every target without a library call."""

import re

import pytest

import hocket
from hocket import language as gl
from hocket.language.extra import libdevice

TARGETS = ["sm_80", "sm_90a", "gfx942", "gfx950"]
FLOAT64_FUNCTIONS = ["exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf", "sqrt", "rsqrt"]
CALL = r"^\s*(call|s_swappc)"


@hocket.jit
def unary_kernel(x, out, function: gl.constexpr):
    i = gl.arange(0, 256, layout=gl.row_layout())
    gl.store(out + i, function(gl.load(x + i)))


@hocket.jit
def cast_kernel(x, out):
    i = gl.arange(0, 1024, layout=gl.row_layout(4))
    gl.store(out + i, gl.load(x + i).to(out.dtype.element_ty))


def assembly(kernel, *args, target, **kwargs):
    asm = kernel.warmup(*args, target=target, **kwargs).asm
    return asm["ptx" if target.startswith("sm_") else "amdgcn"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FLOAT64_FUNCTIONS)
def test_float64_functions(name, target):
    text = assembly(unary_kernel, gl.float64, gl.float64, getattr(gl, name), target=target)
    assert not re.search(CALL, text, re.MULTILINE)
    if target.startswith("sm_"):
        assert "fma.rn.f64" in text or name in ("sqrt", "rsqrt")
        # Two roundings where the formula has two operations: with `.rn` not even the assembler fuses them.
        assert "add.f64" not in text and "mul.f64" not in text


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("wide", [gl.float16, gl.bfloat16, gl.float32, gl.float64, gl.int32], ids=str)
@pytest.mark.parametrize("narrow", [gl.float8e5, gl.float8e4nv], ids=str)
def test_float8(narrow, wide, target):
    for source, result in [(narrow, wide), (wide, narrow)]:
        text = assembly(cast_kernel, source, result, target=target)
        assert not re.search(CALL, text, re.MULTILINE)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["log1p", "cbrt", "asinh", "tan", "rint", "popc", "clz"])
def test_libdevice(name, target):
    dtype = gl.int32 if name in ("popc", "clz") else gl.float32
    text = assembly(unary_kernel, dtype, dtype, getattr(libdevice, name), target=target)
    assert not re.search(CALL, text, re.MULTILINE)


@hocket.jit
def poll_kernel(x, n, budget):
    i = gl.arange(0, 256, layout=gl.row_layout())
    gl.atomic_poll(x + i, n, timeout_ns=budget)
    gl.atomic_poll(x, n, sem="relaxed", scope="sys")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [gl.int16, gl.int32, gl.uint64], ids=str)
def test_waiting_for_values(dtype, target):
    text = assembly(poll_kernel, dtype, 5, 1000, target=target)
    assert ("%globaltimer" if target.startswith("sm_") else "s_memrealtime") in text
    # LLVM turns atomics that change nothing into plain loads if it can keep their memory order.
    assert re.search(r"atom\.|_atomic_|global_load_dword.* sc1", text)


@hocket.jit
def simple_poll_kernel(x, n):
    i = gl.arange(0, 256, layout=gl.row_layout())
    gl.atomic_poll(x + i, n)


@pytest.mark.parametrize("target", TARGETS)
def test_waiting_keeps_the_block_together(target):
    """One loop with the two barriers of one reduction: lanes whose value is there do not wait elsewhere."""
    text = assembly(simple_poll_kernel, gl.int32, 5, target=target)
    assert len(re.findall(r"s_barrier|bar(?:rier)?\.sync", text)) == 2
