"""expect_zero: the value itself, and a check of what its author expects where checks are on."""

import numpy as np
import pytest

import hocket
from hocket import language as gl


@hocket.jit
def kernel(x, out, n):
    i = gl.arange(0, 128, gl.row_layout())
    value = gl.expect_zero(gl.load(x + i), i >= n)
    gl.store(out + i, value)
    gl.store(out + 128, gl.expect_zero(gl.load(x + 127), n < 128))


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_the_value_is_returned(every_device, dtype):
    x = np.where(np.arange(128) < 100, np.arange(128), 0).astype(dtype)
    out = every_device.to_device(np.zeros(129, dtype))
    kernel[(1,)](every_device.to_device(x), out, 100)
    np.testing.assert_array_equal(every_device.to_host(out), np.append(x, 0))


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "gfx942", "gfx950"])
def test_the_emulator_checks_it(target):
    with hocket.emulator.target(target):
        with pytest.raises(hocket.EmulatorError, match="expect_zero: a value is not zero where its condition holds"):
            kernel[(1,)](np.ones(128, np.float32), np.zeros(129, np.float32), 100)


@pytest.mark.parametrize("target, form", [("sm_90a", "ptx"), ("gfx950", "amdgcn")])
def test_it_costs_nothing_where_nothing_is_checked(target, form):
    arguments = np.ones(128, np.float32), np.zeros(129, np.float32), 100
    usual, checking = (kernel.warmup(*arguments, target=target, debug=debug).asm[form] for debug in (False, True))
    assert len(checking) > 1.2 * len(usual)
    assert "expect_zero: a value" not in usual
