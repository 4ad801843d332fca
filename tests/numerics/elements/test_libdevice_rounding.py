"""Functions of libdevice that are exact: directed rounding, conversions, remainders, exponents, adjacent floats,
integers. All are compared with Python's fractions and integers and with NumPy, on all targets."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from libdevice_calls import N, numbers, run

import hocket
from hocket import language as gl
from hocket.language.extra import libdevice

pytestmark = pytest.mark.usefixtures("unoptimized")

LARGEST = float(np.finfo(np.float32).max)


def rounded(exact, mode, dtype=np.float32):
    """Rounds a fraction to a float by `mode`: the greatest float below, the least above, ..."""
    with np.errstate(over="ignore"):
        near = dtype(min(max(exact, -(Fraction(2) ** 1000)), Fraction(2) ** 1000))  # which may have been rounded twice
    around = [np.nextafter(near, dtype(-np.inf)), near, np.nextafter(near, dtype(np.inf))]
    below, above = (max(f for f in around if f <= exact), min(f for f in around if f >= exact))
    if mode in ("rd", "ru") or below == above:
        return below if mode == "rd" else above
    if mode == "rz":
        return below if exact > 0 else above
    # The nearest. What would be next, had floats no end, is infinity.
    end = Fraction(2) ** (128 if dtype == np.float32 else 1024)
    down, up = (Fraction(float(f)) if np.isfinite(f) else end * (1 if f > 0 else -1) for f in (below, above))
    if exact - down == up - exact:
        return below if int(below.view(f"i{below.itemsize}")) % 2 == 0 else above
    return below if exact - down < up - exact else above


def wide_numbers(seed):
    """Returns numbers of all magnitudes, some of one magnitude, so that sums cancel."""
    rng = np.random.default_rng(seed)
    x = (rng.standard_normal(N) * 2.0 ** rng.integers(-40, 40, N)).astype(np.float32)
    x[:64] = (rng.uniform(1, 2, 64) * rng.choice([-1, 1], 64) * 2.0 ** rng.integers(-149, -120, 64)).astype(np.float32)
    x[64:128] = (rng.uniform(0.5, 1, 64) * LARGEST).astype(np.float32)
    return x


@hocket.jit
def three_kernel(x, y, z, out, FUNCTION: gl.constexpr):
    i = gl.arange(0, 512, gl.row_layout())
    gl.store(out + i, FUNCTION(gl.load(x + i), gl.load(y + i), gl.load(z + i)))


def run_three(device, name, dtype, *inputs):
    out = device.to_device(np.zeros(N, dtype))
    three_kernel[(1,)](*map(device.to_device, inputs), out, getattr(libdevice, name))
    return device.to_host(out)


def fractions(x):
    return [Fraction(float(value)) for value in x]


BINARY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b
}  # fmt: skip


@pytest.mark.parametrize("mode", ["rn", "rz", "rd", "ru"])
def test_arithmetic_in_a_direction(every_device, mode):
    x, y, z = wide_numbers(1), wide_numbers(2), wide_numbers(3)
    y[200:300] = x[200:300] * np.float32(-1 - 2**-20)
    z[300:400] = (-x[300:400].astype(np.float64) * y[300:400]).astype(np.float32)
    for name, function in BINARY.items():
        expected = [rounded(function(a, b), mode) for a, b in zip(fractions(x), fractions(y), strict=True)]
        np.testing.assert_array_equal(run(every_device, f"{name}_{mode}", np.float32, x, y), expected, name)
    expected = [rounded(a * b + c, mode) for a, b, c in zip(*map(fractions, (x, y, z)), strict=True)]
    np.testing.assert_array_equal(run_three(every_device, f"fma_{mode}", np.float32, x, y, z), expected)
    expected = [rounded(1 / a, mode) for a in fractions(x)]
    np.testing.assert_array_equal(run(every_device, f"rcp_{mode}", np.float32, x), expected)


@hocket.jit
def product_and_sum(x, y, z, out, SUM: gl.constexpr):
    i = gl.arange(0, 512, gl.row_layout())
    gl.store(out + i, SUM(libdevice.mul_rn(gl.load(x + i), gl.load(y + i)), gl.load(z + i)))


@pytest.mark.parametrize("name", ["add", "sub"])
def test_products_and_sums_to_the_nearest_are_not_fused(every_device, name):
    x, y = numbers(20, special=False), numbers(21, special=False)
    z = x * y if name == "sub" else -(x * y)
    out = every_device.to_device(np.ones(N, np.float32))
    product_and_sum[(1,)](*map(every_device.to_device, (x, y, z)), out, getattr(libdevice, f"{name}_rn"))
    assert not every_device.to_host(out).any()


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("name", ["add", "sub"])
def test_nvidias_assembler_is_told_how_to_round(name, target):
    """It may fuse `mul.f32` and `add.f32`, but neither `mul.rn.f32` nor `add.rn.f32`."""
    compiled = product_and_sum.warmup(*[gl.float32] * 4, getattr(libdevice, f"{name}_rn"), target=target)
    operations = set(re.findall(r"\b(?:add|sub|mul|fma|mad)\.(?:\w+\.)*f\d+", compiled.asm["ptx"]))
    assert operations == {"mul.rn.f32", f"{name}.rn.f32"}


@pytest.mark.parametrize("mode", ["rz", "rd", "ru"])
def test_roots_in_a_direction(every_device, mode):
    x = np.abs(wide_numbers(4))
    x[:100] = np.arange(100) ** 2
    root = run(every_device, f"sqrt_{mode}", np.float32, x)
    above, below = (np.nextafter(root, np.float32(to)) for to in (np.inf, -np.inf))
    for a, r, up, down in zip(*map(fractions, (x, root, above, below)), strict=True):
        assert r * r == a or (down * down < a <= r * r if mode == "ru" and r > 0 else r * r <= a < up * up)


@np.errstate(all="ignore")
def test_what_has_no_direction(every_device):
    """Zeros, infinities and NaN."""
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, LARGEST], np.float32)
    x, y = np.resize(np.repeat(special, 8), N), np.resize(np.tile(special, 8), N)
    for name, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}.items():
        nearest = function(x, y)
        for mode in ("rn", "rz", "rd", "ru"):
            result = run(every_device, f"{name}_{mode}", np.float32, x, y)
            same = np.isnan(nearest) | np.isinf(x) | np.isinf(y) | (y == 0) & (name == "div")
            np.testing.assert_array_equal(result[same], nearest[same], f"{name}_{mode}")
    sums = run(every_device, "add_rd", np.float32, np.ones(N, np.float32), -np.ones(N, np.float32))
    assert np.signbit(sums).all() and not sums.any()
    assert not np.signbit(
        run(every_device, "add_rz", np.float32, np.ones(N, np.float32), -np.ones(N, np.float32))
    ).any()


TO_WHOLE = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
WHOLE = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}


@pytest.mark.parametrize("kind", WHOLE)
def test_to_whole_numbers(every_device, kind):
    low = 0 if kind[0] == "u" else -1000
    for source, name in ((np.float32, "float"), (np.float64, "double")):
        x = numbers(5, low, 1000, special=False).astype(source)
        x[:200] = np.arange(200) / 2
        for mode, function in TO_WHOLE.items():
            result = run(every_device, f"{name}2{kind}_{mode}", WHOLE[kind], x)
            np.testing.assert_array_equal(result, function(x).astype(WHOLE[kind]), f"{name}2{kind}_{mode}")


@pytest.mark.parametrize("mode", ["rn", "rz", "rd", "ru"])
def test_to_floats(every_device, mode):
    rng = np.random.default_rng(6)
    for kind, dtype in WHOLE.items():
        bounds = np.iinfo(dtype)
        x = rng.integers(bounds.min, bounds.max, N, dtype=dtype) >> rng.integers(0, bounds.bits, N, dtype=dtype)
        x[:4] = [bounds.max, bounds.min, bounds.max - 1, 0]
        for name, result in (("float", np.float32), ("double", np.float64)):
            if name == "double" and bounds.bits == 32 and mode != "rn":
                continue  # always exact
            expected = [rounded(Fraction(int(value)), mode, result) for value in x]
            np.testing.assert_array_equal(run(every_device, f"{kind}2{name}_{mode}", result, x), expected, kind)
    x = rng.standard_normal(N) * 2.0 ** rng.integers(-150, 128, N)
    expected = [rounded(value, mode) for value in fractions(x)]
    np.testing.assert_array_equal(run(every_device, f"double2float_{mode}", np.float32, x), expected)


@np.errstate(all="ignore")
def test_remainders(every_device):
    x, y = wide_numbers(7), wide_numbers(8)
    y[400:] = (x[400:] / np.random.default_rng(9).integers(1, 9, 112)).astype(np.float32)
    x[:8], y[:8] = [0.0, -0.0, 1.0, np.inf, np.nan, 5.0, -5.0, 7.0], [1.0, 1.0, 0.0, 1.0, 1.0, np.inf, 2.0, -2.0]
    for name, function in {"fmod": math.fmod, "remainder": math.remainder}.items():

        def one(a, b):
            try:
                return function(a, b)  # noqa: B023
            except ValueError:
                return math.nan

        expected = np.array([one(float(a), float(b)) for a, b in zip(x, y, strict=True)], np.float32)
        result = run(every_device, name, np.float32, x, y)
        np.testing.assert_array_equal(result, expected)
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(result)[known], np.signbit(expected)[known])


@np.errstate(all="ignore")
def test_lengths(every_device):
    x, y, z, w = (wide_numbers(seed) for seed in range(10, 14))
    x[:2], y[:2] = [np.inf, np.nan], [np.nan, -np.inf]
    wide = [v.astype(np.float64) for v in (x, y, z, w)]
    for name, inputs in {"hypot": (x, y), "norm3d": (x, y, z)}.items():
        expected = np.sqrt(sum(v * v for v in wide[: len(inputs)]))
        expected[:2] = np.inf
        for reciprocal in (False, True):
            given = f"r{name}" if reciprocal else name
            runs = run if len(inputs) == 2 else run_three
            answer = (1 / expected if reciprocal else expected).astype(np.float32)
            np.testing.assert_allclose(
                runs(every_device, given, np.float32, *inputs), answer, rtol=2**-23, atol=2.0**-149
            )


@np.errstate(all="ignore")
def test_exponents_and_neighbors(every_device):
    x, y = wide_numbers(15), wide_numbers(16)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan]
    x[:5] = special
    np.testing.assert_array_equal(
        run(every_device, "nextafter", np.float32, x, y), np.nextafter(x, y).astype(np.float32)
    )
    n = np.random.default_rng(17).integers(-300, 300, N).astype(np.int32)
    for name in ("ldexp", "scalbn"):
        np.testing.assert_array_equal(run(every_device, name, np.float32, x, n), np.ldexp(x, n))
    exponents = np.frexp(x.astype(np.float64))[1] - 1
    for name, dtype, at in (
        ("ilogb", np.int32, [-(2**31)] * 2 + [2**31 - 1] * 2 + [-(2**31)]),
        ("logb", np.float32, [-np.inf, -np.inf, np.inf, np.inf, np.nan]),
    ):
        result = run(every_device, name, dtype, x)
        np.testing.assert_array_equal(result[:5], np.array(at, dtype))
        np.testing.assert_array_equal(result[5:], exponents[5:])
    halves = np.arange(N, dtype=np.float32) / 2 - 100
    np.testing.assert_array_equal(run(every_device, "llrint", np.int64, halves), np.rint(halves))
    np.testing.assert_array_equal(
        run(every_device, "llround", np.int64, halves), np.trunc(halves + np.copysign(0.5, halves))
    )


def test_integers(every_device):
    rng = np.random.default_rng(18)
    x, y, z = (rng.integers(-(2**31), 2**31, N).astype(np.int32) for _ in range(3))
    a, b = x.view(np.uint32), y.view(np.uint32)
    wide = [(int(p), int(q)) for p, q in zip(x, y, strict=True)]
    reversed_bits = [int(f"{int(p):032b}"[::-1], 2) for p in a]
    np.testing.assert_array_equal(run(every_device, "brev", np.uint32, a), np.array(reversed_bits, np.uint32))
    long = rng.integers(-(2**63), 2**63, N)
    expected = [int(f"{int(p) & (2**64 - 1):064b}"[::-1], 2) for p in long]
    np.testing.assert_array_equal(
        run(every_device, "brev", np.int64, long).view(np.uint64), np.array(expected, np.uint64)
    )
    np.testing.assert_array_equal(run(every_device, "hadd", np.int32, x, y), [(p + q) >> 1 for p, q in wide])
    np.testing.assert_array_equal(run(every_device, "rhadd", np.int32, x, y), [(p + q + 1) >> 1 for p, q in wide])
    low = [((p << 8 & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000 >> 8 for p in x.tolist()]
    other = [((p << 8 & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000 >> 8 for p in y.tolist()]
    expected = np.array([(p * q) & 0xFFFFFFFF for p, q in zip(low, other, strict=True)], np.uint32).view(np.int32)
    np.testing.assert_array_equal(run(every_device, "mul24", np.int32, x, y), expected)
    sums = [(abs(p - q) + int(r)) & 0xFFFFFFFF for (p, q), r in zip(wide, z.view(np.uint32), strict=True)]
    given = run_three(every_device, "sad", np.uint32, x, y, z.view(np.uint32))
    np.testing.assert_array_equal(given, np.array(sums, np.uint32))
    selectors = z & 0x7777
    both = [(int(q) << 32) | int(p) for p, q in zip(a, b, strict=True)]
    chosen = [
        sum((v >> ((int(s) >> (4 * k) & 7) * 8) & 255) << (8 * k) for k in range(4))
        for v, s in zip(both, selectors, strict=True)
    ]
    expected = np.array(chosen, np.uint32).view(np.int32)
    np.testing.assert_array_equal(run_three(every_device, "byte_perm", np.int32, x, y, selectors), expected)


def test_halves_of_float64(every_device):
    x = np.random.default_rng(19).standard_normal(N)
    high, low = (x.view(np.int64) >> 32).astype(np.int32), x.view(np.int64).astype(np.int32)
    np.testing.assert_array_equal(run(every_device, "double2hiint", np.int32, x), high)
    np.testing.assert_array_equal(run(every_device, "double2loint", np.int32, x), low)
    np.testing.assert_array_equal(run(every_device, "hiloint2double", np.float64, high, low), x)
    np.testing.assert_allclose(run(every_device, "rcp64h", np.float64, x), 1 / x, rtol=2**-20)
    assert not (run(every_device, "rcp64h", np.float64, x).view(np.int64) & 0xFFFFFFFF).any()
