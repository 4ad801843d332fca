"""Examples that README.md names: the wgmma GEMM on the emulator and on a GPU, and profiles of the other GEMM."""

import pathlib

import numpy as np
import profiled_gemm
import pytest
import wgmma_gemm

import hocket
from hocket import profiler


def operands(m, n, k):
    rng = np.random.default_rng(m + n + k)
    return rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)


@pytest.mark.parametrize("size, stages", [((128, 128, 64), 4), ((256, 384, 448), 4), ((128, 256, 320), 2)])
def test_wgmma_gemm(nvidia_device, size, stages):
    if nvidia_device.name.startswith("sm_80"):
        pytest.skip("needs Hopper")
    a, b = operands(*size)
    arrays = [nvidia_device.to_device(x) for x in (a, b, np.zeros(size[:2], np.float16))]
    wgmma_gemm.matmul(*arrays, stages=stages)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(nvidia_device.to_host(arrays[2]), expected, atol=0.05, rtol=2e-3)


def test_wgmma_gemm_under_every_schedule():
    a, b = operands(128, 128, 384)

    def launch():
        c = np.zeros((128, 128), np.float16)
        wgmma_gemm.matmul(a, b, c)
        return c

    report = hocket.check(launch, target="sm_90a", schedules=12)
    assert report.ok, report


def test_wgmma_gemm_is_as_short_as_it_says():
    lines = pathlib.Path(wgmma_gemm.__file__).read_text().splitlines()
    kernel = lines[lines.index("import hocket") : next(i for i, line in enumerate(lines) if "def matmul" in line)]
    assert len([line for line in kernel if line]) <= 30


def explained(function):
    with hocket.emulator.target("sm_90a"), profiler.session("gemm") as session:
        function()
    return session.explain()


def test_profiles_name_what_bounds_each_form():
    slow, fast = explained(profiled_gemm.blocking_loads), explained(profiled_gemm.async_copies)
    assert (slow.bound, slow.bound_actor) == ("load tiles", "produce")
    assert fast.bound == "MMA"
    assert fast.cycles < slow.cycles / 2
    assert slow.is_reliable and fast.is_reliable
