"""Warp pipelines of two warpgroups: results under many schedules, on the emulator and on a GPU."""

import hopper_pipelines as kernels
import numpy as np
import pytest

import hocket

PRODUCTS = [
    (kernels.through_registers, {"GAP": 1, "FENCE": False}),
    (kernels.through_registers, {"GAP": 1, "FENCE": True}),
    (kernels.through_registers, {"GAP": 2, "FENCE": False}),
    (kernels.by_turns, {}),
    (kernels.by_copies, {"SLOTS": 4}),
    (kernels.by_tma, {"SLOTS": 4, "AHEAD": 2, "EXCLUSIVE": False}),
    (kernels.by_tma, {"SLOTS": 3, "AHEAD": 1, "EXCLUSIVE": False}),
    (kernels.by_tma, {"SLOTS": 4, "AHEAD": 2, "EXCLUSIVE": True}),
    (kernels.products_in_flight, {"SLOTS": 4, "AHEAD": 2}),
    (kernels.specialized, {"SLOTS": 3, "IN_WORKER": False, "EXCLUSIVE": False}),
    (kernels.specialized, {"SLOTS": 2, "IN_WORKER": True, "EXCLUSIVE": False}),
    (kernels.specialized, {"SLOTS": 2, "IN_WORKER": False, "EXCLUSIVE": True}),
    (kernels.specialized, {"SLOTS": 3, "IN_WORKER": True, "EXCLUSIVE": True}),
]


def name_of(case):
    kernel, options = case
    return "-".join([kernel.fn.__name__, *(f"{name}{value}" for name, value in options.items())])


@pytest.mark.parametrize("case", PRODUCTS, ids=name_of)
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_products(hopper, case, steps):
    kernel, options = case
    out, expected = kernels.product(hopper, kernel, steps, **options)
    np.testing.assert_array_equal(out, expected)


def test_stages_in_a_straight_line(hopper):
    out, expected = kernels.product(hopper, kernels.straight_line, 2)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("staged, exclusive", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_attention(hopper, blocks, staged, exclusive):
    out, expected = kernels.attended(hopper, blocks, SLOTS=3, STAGED=staged, EXCLUSIVE=exclusive)
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


@pytest.mark.parametrize("exclusive", [False, True])
def test_no_schedule_changes_attention(exclusive):
    device = hocket.devices.EmulatedDevice("sm_90a")
    report = hocket.check(
        lambda: kernels.attended(device, 4, SLOTS=3, STAGED=True, EXCLUSIVE=exclusive)[0],
        target="sm_90a",
        schedules=200,
    )
    assert report.ok, report
    assert (len(report.schedules), report.results) == (200, 1)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_tensor_cores_of_older_gpus(nvidia_device, steps):
    out, expected = kernels.product(nvidia_device, kernels.by_mma_v2, steps, SLOTS=5)
    np.testing.assert_array_equal(out, expected)
