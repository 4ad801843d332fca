"""Warp pipelines of two warpgroups: results under many schedules, on the emulator and on a GPU."""

import hopper_pipelines as kernels
import numpy as np
import pytest
from hopper_attention_pipeline import attended
from hopper_pipeline_forms import ATTENTION, PRODUCTS, name_of

import hocket
from hocket import emulator
from hocket import language as gl

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("case", PRODUCTS, ids=name_of)
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_products(hopper, case, steps):
    kernel, options = case
    out, expected = kernels.product(hopper, kernel, steps, **options)
    np.testing.assert_array_equal(out, expected)


def test_a_stage_waits_once_for_all_its_products():
    kernel = kernels.without_waits.warmup(gl.float16, gl.float16, gl.float32, 5, num_warps=8, target="sm_90a")
    waits = [point for point in kernel.sync_report() if point.what == "wait for all wgmmas"]
    assert [point.is_written for point in waits] == [False]
    assert kernel.asm["ptx"].count("wgmma.wait_group") == 1


def test_stages_in_a_straight_line(hopper):
    out, expected = kernels.product(hopper, kernels.straight_line, 2)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("form", ATTENTION)
@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_attention(hopper, blocks, form):
    out, expected = attended(hopper, blocks, **ATTENTION[form])
    np.testing.assert_allclose(out, expected, atol=5e-3)


@pytest.mark.parametrize("case", [*PRODUCTS, (kernels.straight_line, {})], ids=name_of)
def test_no_schedule_changes_a_product(case):
    kernel, options = case
    device = hocket.devices.EmulatedDevice("sm_90a")

    def launch():
        out, expected = kernels.product(device, kernel, 2 if kernel is kernels.straight_line else 4, **options)
        np.testing.assert_array_equal(out, expected)
        return out

    report = hocket.check(launch, target="sm_90a", schedules=200)
    assert report.ok, report
    assert (len(report.schedules), report.results) == (200, 1)


@pytest.mark.parametrize("form", ATTENTION)
def test_no_schedule_changes_attention(form):
    device = hocket.devices.EmulatedDevice("sm_90a")
    report = hocket.check(lambda: attended(device, 4, **ATTENTION[form])[0], target="sm_90a", schedules=200)
    assert report.ok, report
    assert (len(report.schedules), report.results) == (200, 1)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_tensor_cores_of_older_gpus(nvidia_device, steps):
    out, expected = kernels.product(nvidia_device, kernels.by_mma_v2, steps, SLOTS=5)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_the_second_group_enters_a_stage_when_the_first_leaves_it(target):
    """On the emulator's clock, which knows named barriers and the stages around them."""
    device, steps = hocket.devices.EmulatedDevice(target), 6
    with device, emulator.schedule(threads=1), emulator.record_timeline() as recorded:
        kernels.product(device, kernels.by_mma_v2, steps, SLOTS=5)
    stages = [[piece for piece in recorded.slices if piece.kind == "stage" and piece.warp == warp] for warp in range(8)]
    assert [stage.label for stage in stages[0]] == ["read", "multiply"] * steps
    for low, high in zip(stages[:4], stages[4:], strict=True):
        for ahead, behind in zip(low, high, strict=True):
            assert behind.label == ahead.label
            assert behind.begin == ahead.end
