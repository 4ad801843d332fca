"""Facts that kernels promise reach the analysis of addresses, and make accesses wider."""

import re

import pytest

import hocket
from hocket import language as gl


@hocket.jit(do_not_specialize=["stride"])
def copy(x, out, stride, FACT: gl.constexpr):
    i = gl.arange(0, 512, gl.BlockedLayout([4], [32], [4], [0]))
    if FACT == "multiple_of":
        stride = gl.multiple_of(stride, 8)
    elif FACT == "assume":
        gl.assume(stride % 8 == 0)
    elif FACT == "mask":
        gl.assume(stride & 3 == 0)
    elif FACT == "several":
        gl.assume(stride > 0 and stride % 4 == 0)
    elif FACT == "odd":
        gl.assume(stride % 3 == 0)
    elif FACT == "branch":
        if stride > 100:
            gl.assume(stride % 8 == 0)
    elif FACT == "computed":
        half = stride // 2
        gl.assume(half % 4 == 0)
        stride = half
    gl.store(out + i, gl.load(x + stride + i))


def widths_of_loads(fact):
    ptx = copy.warmup(gl.float32, gl.float32, 7, FACT=fact, target="sm_90a").asm["ptx"]
    return {int(width or 1) for width in re.findall(r"ld\.global(?:\.v([24]))?\.b?f?32", ptx)}


@pytest.mark.parametrize("fact", ["multiple_of", "assume", "mask", "several", "computed"])
def test_a_multiple_makes_loads_wider(fact):
    assert widths_of_loads(fact) == {4}


@pytest.mark.parametrize("fact", ["", "odd", "branch"])
def test_without_a_fact_that_always_holds_loads_are_narrow(fact):
    assert widths_of_loads(fact) == {1}
