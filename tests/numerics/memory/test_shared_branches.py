"""Masked accesses that share a branch (hocket-share-branches) do what they did each with its own.

The pass runs on AMD's way to a GPU only. Here its result runs on the emulator, which finds accesses outside of arrays
and races too.
"""

import subprocess

import lane_edits
import numpy as np
import pytest
from built_tools import HOCKET_OPT, needs_hocket_opt

import hocket
from hocket import language as gl

# With an installed wheel, as on a machine with a GPU, there is no build; `make test` makes it first.
pytestmark = needs_hocket_opt


@hocket.jit
def masked_kernel(values, mask, out, old, TRIPS: gl.constexpr, ACCESS: gl.constexpr, E: gl.constexpr):
    """Masks off some iterations of each element, and all iterations of some elements."""
    layout: gl.constexpr = gl.row_layout(E)
    size: gl.constexpr = E * gl.num_lanes() * gl.num_warps()
    i = gl.arange(0, size, layout=layout)
    for trip in gl.static_range(TRIPS):
        value = gl.load(values + trip * size + i)
        if ACCESS == "store":
            gl.store(out + trip * size + i, value, mask=gl.load(mask + trip * size + i))
        else:
            before = ACCESS(out + i, value, mask=gl.load(mask + trip * size + i), sem="relaxed")
            gl.store(old + trip * size + i, before)


def share(lane):
    command = [HOCKET_OPT, "-", "--mlir-print-debuginfo", "--hocket-share-branches=above=1"]
    done = subprocess.run(command, input=str(lane), capture_output=True, text=True, check=True)
    assert str(lane).count("cond_br") == 0 and done.stdout.count("cond_br") >= 3
    lane.lines = done.stdout.splitlines()


def run(access, dtype, elements):
    trips, size = 3, elements * 256
    random = np.random.default_rng(0)
    values = random.integers(-100, 100, (trips, size)).astype(dtype)
    mask = random.integers(0, 2, (trips, size)).astype(bool)
    mask[:, :elements] = False  # the first lane has nothing to do
    out, old = random.integers(-100, 100, (trips, size)).astype(dtype), np.zeros((trips, size), dtype)
    before = out.copy()
    kernel = hocket.jit(masked_kernel.fn)  # a new kernel, because compiled ones are not edited
    with lane_edits.edited(share), hocket.emulator.target("gfx942"):
        kernel[(1,)](values, mask, out, old, TRIPS=trips, ACCESS=access, E=elements)
    return values, mask, before, out, old


ATOMICS = {
    "add": (gl.atomic_add, np.add),
    "max": (gl.atomic_max, np.maximum),
    "min": (gl.atomic_min, np.minimum),
    "and": (gl.atomic_and, np.bitwise_and),
    "or": (gl.atomic_or, np.bitwise_or),
    "xor": (gl.atomic_xor, np.bitwise_xor),
}
CASES = [(name, dtype) for name in ATOMICS for dtype in (np.int32, np.uint32, np.int64)]
CASES += [("add", np.float32), ("add", np.float64)]


@pytest.mark.parametrize("elements", [2, 4])
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_atomics(name, dtype, elements):
    function, combine = ATOMICS[name]
    values, mask, expected, out, old = run(function, dtype, elements)
    for trip in range(len(values)):
        np.testing.assert_array_equal(old[trip][mask[trip]], expected[0][mask[trip]])
        expected[0] = np.where(mask[trip], combine(expected[0], values[trip]), expected[0])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("elements", [4, 16])
def test_stores(elements):
    values, mask, before, out, _ = run("store", np.float32, elements)
    np.testing.assert_array_equal(out, np.where(mask, values, before))
