"""Writes python/hocket/language/extra/_fits.py: polynomials that approximate functions of libdevice.

    pip install mpmath; python tools/fit_libdevice.py

Each polynomial is a Chebyshev interpolant of a smooth function on an interval. The variable s is -1 at the start of the
interval, and 1 at its end. The coefficient of the highest power comes first. The script prints the largest error of
each polynomial, evaluated by Horner's scheme in float64: the relative error, or the absolute error for functions with
zeros. The functions are defined as in chapters 7 and 9 of Abramowitz and Stegun.
"""

import pathlib

import mpmath
from mpmath import besseli, besselj, bessely, cos, erfc, erfinv, exp, log, mpf, pi, sin, sqrt

TARGET = pathlib.Path(__file__).parents[1] / "python/hocket/language/extra/_fits.py"
mpmath.mp.dps = 60
TINY = mpf(10) ** -25


def powers_of(chebyshev):
    """Returns the coefficients of s^0, s^1, ... of a sum of Chebyshev polynomials."""
    before, current = [mpf(1)], [mpf(0), mpf(1)]
    sums = [mpf(0)] * len(chebyshev)
    for coefficient in chebyshev:
        for power, factor in enumerate(before):
            sums[power] += coefficient * factor
        doubled = [mpf(0), *(2 * factor for factor in current)]
        following = [a - (before[i] if i < len(before) else 0) for i, a in enumerate(doubled)]
        before, current = current, following
    return sums


def fit(function, low, high, degree):
    """Returns the coefficients of a polynomial as floats, the highest power first."""
    low, high, count = mpf(low), mpf(high), degree + 1
    angles = [pi * (k + mpf(1) / 2) / count for k in range(count)]
    values = [function((high - low) / 2 * cos(angle) + (high + low) / 2) for angle in angles]
    sums = [2 / mpf(count) * sum(v * cos(j * a) for v, a in zip(values, angles, strict=True)) for j in range(count)]
    sums[0] /= 2
    return [float(power) for power in reversed(powers_of(sums))]


def largest_error(coefficients, function, low, high, relative, steps=100):
    worst = mpf(0)
    for step in range(steps + 1):
        s = -1 + 2 * step / steps
        expected = function((mpf(high) - low) / 2 * mpf(s) + (mpf(high) + low) / 2)
        value = 0.0
        for coefficient in coefficients:
            value = value * s + coefficient
        worst = max(worst, abs((value - expected) / (expected if relative else 1)))
    return float(worst)


def of_square(function):
    """Returns the function f(x^2) = function(x)."""
    return lambda square: function(sqrt(max(square, TINY * TINY)))


def scaled_erfc(t):
    """Returns erfc(x) e^(x^2) / t for x = 3 / t - 3."""
    x = 3 / max(t, mpf("1e-3")) - 3
    if t < mpf("1e-3"):  # its expansion for large x
        x = 3 / max(t, TINY) - 3
        return (1 - 1 / (2 * x**2) + 3 / (4 * x**4) - 15 / (8 * x**6)) / (sqrt(pi) * x * max(t, TINY))
    return erfc(x) * exp(x * x) / t


def erfinv_factor(w):
    """Returns erfinv(x) / x for w = -log(1 - x^2)."""
    if w < TINY:
        return sqrt(pi) / 2
    x = sqrt(1 - exp(-w))
    return erfinv(x) / x


def erfcinv_tail(root):
    """Returns erfcinv(y) for root = sqrt(-log(y (2 - y))), by Newton's method."""
    w = root * root
    y = 1 - sqrt(1 - exp(-w)) if w < 40 else exp(-w) / 2 * (1 + exp(-w) / 4)
    value = root
    for _ in range(60):
        value += (erfc(value) - y) * sqrt(pi) / 2 * exp(value * value)
    return value


def far(order, of_phase, factor):
    """Returns a factor of Hankel's expansion for x >= 8 as a function of (8 / x)^2: the factor of the cosine, or x
    times the factor of the sine, of x - (2 order + 1) pi / 4."""

    def function(square):
        x = 8 / sqrt(max(square, mpf("1e-16")))
        phase = x - (2 * order + 1) * pi / 4
        return sqrt(pi * x / 2) * of_phase(besselj(order, x), bessely(order, x), cos(phase), sin(phase)) * factor(x)

    return function


def modulus(order):
    return far(order, lambda j, y, c, s: j * c + y * s, lambda x: 1)


def lag(order):
    return far(order, lambda j, y, c, s: y * c - j * s, lambda x: x)


def regular_y(order):
    """Returns the regular part of Y for x < 8, divided by x^order: Y without its logarithm and its pole."""

    def function(x):
        pole = 1 / x if order else 0
        return (bessely(order, x) - 2 / pi * (log(x) * besselj(order, x) - pole)) / x**order

    return function


def far_i(order):
    """Returns sqrt(x) e^-x I(x) as a function of 8 / x."""

    def function(t):
        x = 8 / max(t, mpf("1e-3"))
        return (
            sqrt(x) * exp(-x) * besseli(order, x)
            if t > mpf("1e-3")
            else 1 / sqrt(2 * pi) * (1 - (4 * order**2 - 1) * t / 64)
        )

    return function


#: name: (description, function, ends of the interval, degree, True if the error is relative)
FITS = {
    "ATAN": (
        "atan(x) / x as a function of x^2",
        of_square(lambda x: mpmath.atan(x) / x),
        0,
        mpmath.tan(pi / 8) ** 2,
        11,
        True,
    ),
    "ERFCX": ("erfc(x) exp(x^2) / t as a function of t = 3 / (x + 3)", scaled_erfc, 0, 1, 20, True),
    "ERFINV": ("erfinv(x) / x as a function of -log(1 - x^2)", erfinv_factor, 0, 6.25, 16, True),
    "ERFCINV": ("erfcinv(y) as a function of sqrt(-log(y (2 - y)))", erfcinv_tail, 2.5, 10.3, 20, True),
}
for order in (0, 1):
    near = [lambda x, n=order: besselj(n, x) / x**n, lambda x, n=order: besseli(n, x) / x**n]
    divided = " / x" if order else ""
    FITS |= {
        f"J{order}": (f"J{order}(x){divided} as a function of x^2", of_square(near[0]), 0, 64, 16, False),
        f"Y{order}": (
            f"the regular part of Y{order}(x){divided} as a function of x^2",
            of_square(regular_y(order)),
            0,
            64,
            16,
            False,
        ),
        f"I{order}": (f"I{order}(x){divided} as a function of x^2", of_square(near[1]), 0, 64, 15, True),
        f"FAR_COSINE_{order}": (
            f"factor of the cosine as a function of (8 / x)^2, order {order}",
            modulus(order),
            0,
            1,
            8,
            True,
        ),
        f"FAR_SINE_{order}": (
            f"x times the factor of the sine as a function of (8 / x)^2, order {order}",
            lag(order),
            0,
            1,
            8,
            True,
        ),
        f"FAR_I{order}": (f"I{order}(x) exp(-x) sqrt(x) as a function of 8 / x", far_i(order), 0, 1, 12, True),
    }


def main():
    lines = ['"""Written by tools/fit_libdevice.py: polynomials in s on [-1, 1], the highest power first."""', ""]
    for name, (what, function, low, high, degree, relative) in FITS.items():
        coefficients = fit(function, low, high, degree)
        error = largest_error(coefficients, function, low, high, relative)
        print(f"{name:14} degree {degree}: {error:.1e}")
        lines += [f"#: {what}, on [{mpmath.nstr(mpf(low), 6)}, {mpmath.nstr(mpf(high), 6)}]", f"{name} = ("]
        lines += [f"    {coefficient!r}," for coefficient in coefficients]
        lines += [")", ""]
    TARGET.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
