"""Compiling without launching, and what a CompiledKernel tells."""

import copy
import pickle

import numpy as np
import pytest

import hocket
from hocket import language as gl


@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)


ASSEMBLY = {"sm_80": "ptx", "sm_90a": "ptx", "gfx942": "amdgcn", "gfx950": "amdgcn"}


@pytest.mark.parametrize("target", ASSEMBLY)
def test_for_a_target(target):
    kernel = add.warmup(gl.float32, gl.float32, gl.float32, 1024, BLOCK=256, num_warps=2, target=target)
    assert kernel.metadata.target == kernel.target == target
    assert (kernel.name, kernel.num_warps, kernel.metadata.shared) == ("add", 2, 0)
    assert kernel.metadata.warp_size == (32 if target.startswith("sm") else 64)
    assert target in kernel.asm[ASSEMBLY[target]]
    if target.startswith("gfx"):
        assert 4 < kernel.n_regs < 64 and kernel.n_spills == 0
    else:
        assert kernel.n_regs is kernel.n_spills is None
    assert kernel.n_max_threads is None


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("float32"), gl.float32], ids=repr)
def test_element_types_stand_for_arrays(dtype):
    kernel = add.warmup(dtype, dtype, dtype, 1024, BLOCK=256, target="sm_90a")
    assert "!hk.ptr<f32> {hk.divisibility = 16 : i32}" in kernel.asm["hk"]


def test_is_the_kernel_that_a_launch_uses():
    x = np.ones(64, np.float32)
    out = np.zeros_like(x)
    kernel = add.warmup(x, x, out, 64, BLOCK=64)
    assert out.sum() == 0
    assert add[(1,)](x, x, out, 64, BLOCK=64) is kernel
    assert out.sum() == 128


def test_unknown_target():
    with pytest.raises(hocket.LaunchError, match="unknown target 'sm_1'; hocket compiles for sm_80"):
        add.warmup(gl.float32, gl.float32, gl.float32, 1024, BLOCK=256, target="sm_1")


def test_jit_wants_a_function():
    with pytest.raises(TypeError, match="takes a function defined with `def`"):
        hocket.jit(5)


def test_jit_keeps_the_functions_face():
    assert (add.__name__, add.__module__) == ("add", __name__)
    assert repr(add) == f"JITFunction({__name__}.add)"


def test_jit_is_pickled_and_copied_as_functions_are():
    assert pickle.loads(pickle.dumps(add)) is add
    assert copy.deepcopy(add) is add
