"""Random expressions of maximum, minimum, clamp, comparisons and where, over NaN, infinities, zeros of both signs and
subnormal numbers, on each emulated target, compared with NumPy.

All of them move numbers and change signs, so results are exact and the same in every type. What is defined
(docs/language.md): maximum and minimum give the number where one side is NaN, or NaN with PropagateNan.ALL, and -0 is
less than 0; clamp is a maximum and then a minimum.
"""

import functools
import os
import random

import forked
import ml_dtypes
import numpy as np
from campaign import Part
from compared_programs import CPU_SECONDS, load, try_right

STATEMENTS = 8
DTYPES = ("float16", "bfloat16", "float32", "float64")
CONSTANTS = ("0.0", "-0.0", "1.0", "-1.0", "0.5", "INF", "-INF", "NAN")
RANGES = (("-1.0", "1.0"), ("0.0", "1.0"), ("-0.0", "0.0"), ("-INF", "0.5"), ("0.5", "INF"), ("-INF", "INF"))
HEADER = """
import hocket
from hocket import language as gl

NAN = gl.constexpr(float("nan"))
INF = gl.constexpr(float("inf"))
"""
KERNEL = """
@hocket.jit
def expressions(inputs, out, N: gl.constexpr, LANES: gl.constexpr):
    i = gl.arange(0, N, gl.BlockedLayout([1], [LANES], [4], [0]))
    x, y, z = gl.load(inputs + i), gl.load(inputs + N + i), gl.load(inputs + 2 * N + i)
"""


def inputs_of(kind):
    """Rows x, y and z: all pairs of special numbers, the third of another order."""
    info = ml_dtypes.finfo(kind)
    numbers = [np.nan, np.inf, 0.0, 1.0, 0.5, 2.0, float(info.max), float(info.smallest_subnormal)]
    numbers = [sign * number for number in numbers for sign in (1, -1)]
    pairs = np.array([(x, y, numbers[(i + 3 * j) % 16]) for i, x in enumerate(numbers) for j, y in enumerate(numbers)])
    return np.ascontiguousarray(pairs.T).astype(kind)


class Reference:
    """The functions of the language, on arrays of NumPy."""

    class PropagateNan:
        ALL = True

    @staticmethod
    def extremum(x, y, isLess, propagate_nan):
        x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        both = np.where(
            isLess(x, y) | ((x == y) & isLess(-np.signbit(x).astype(int), -np.signbit(y).astype(int))), y, x
        )
        if propagate_nan:
            return np.where(np.isnan(x) | np.isnan(y), np.nan, both)
        return np.where(np.isnan(x), y, np.where(np.isnan(y), x, both))

    @staticmethod
    def maximum(x, y, propagate_nan=None):
        return Reference.extremum(x, y, np.less, propagate_nan)

    @staticmethod
    def minimum(x, y, propagate_nan=None):
        return Reference.extremum(x, y, np.greater, propagate_nan)

    @staticmethod
    def clamp(x, low, high, propagate_nan=None):
        return Reference.minimum(Reference.maximum(x, low, propagate_nan), high, propagate_nan)

    where = staticmethod(np.where)
    abs = staticmethod(np.abs)


class Expressions:
    """`source`: a kernel; `statements`: what it computes, which NumPy executes, too."""

    def __init__(self, seed, target):
        self.random = random.Random(f"{seed} {target}")
        self.lanes = 32 if target.startswith("sm_") else 64
        self.dtype = self.random.choice(DTYPES)
        self.names = ["x", "y", "z"]
        self.statements = []
        for number in range(STATEMENTS):
            self.statements.append(f"v{number} = {self.expression()}")
            self.names.append(f"v{number}")
        stores = [f"gl.store(out + {number} * N + i, v{number})" for number in range(STATEMENTS)]
        self.source = KERNEL + "".join(f"    {line}\n" for line in self.statements + stores)

    def operand(self):
        if self.random.random() < 0.2:
            return self.random.choice(CONSTANTS)
        return self.random.choice(self.names[-5:] if self.random.random() < 0.7 else self.names[:3])

    def condition(self):
        comparison = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        compared = f"({self.random.choice(self.names)} {comparison} {self.operand()})"
        kind = self.random.randrange(6)
        if kind == 0:
            return f"~{compared}"
        return f"({compared} {self.random.choice('&|')} {self.condition()})" if kind == 1 else compared

    def expression(self):
        nan = self.random.choice(("", "", ", propagate_nan=gl.PropagateNan.ALL"))
        name = self.random.choice(self.names[-4:])
        kind = self.random.randrange(10)
        if kind < 5:
            operands = [name, self.operand()]
            self.random.shuffle(operands)
            return f"gl.{self.random.choice(('maximum', 'minimum'))}({', '.join(operands)}{nan})"
        if kind < 7:
            low, high = self.random.choice(RANGES)
            if self.random.random() < 0.3:
                one, other = self.operand(), self.random.choice(self.names)
                low, high = f"gl.minimum({one}, {other})", f"gl.maximum({one}, {other})"
            return f"gl.clamp({name}, {low}, {high}{nan})"
        if kind < 9:
            return f"gl.where({self.condition()}, {name}, {self.operand()})"
        return self.random.choice((f"-{name}", f"gl.abs({name})"))

    def expected(self, inputs):
        x, y, z = inputs.astype(np.float64)
        names = {"gl": Reference, "NAN": np.nan, "INF": np.inf, "x": x, "y": y, "z": z}
        for statement in self.statements:
            exec(statement, names)
        return np.array([np.broadcast_to(names[f"v{number}"], x.shape) for number in range(STATEMENTS)])

    def check(self, kernel):
        inputs = inputs_of(np.dtype(getattr(ml_dtypes, self.dtype, self.dtype)))
        count = inputs.shape[1]
        out = np.zeros((STATEMENTS, count), inputs.dtype)
        kernel[(1,)](inputs, out, N=count, LANES=self.lanes)
        expected = self.expected(inputs)
        result = out.astype(np.float64)
        wrong = ~(
            (np.isnan(result) & np.isnan(expected))
            | (result == expected) & (np.signbit(result) == np.signbit(expected))
        )
        assert not wrong.any(), self.describe(inputs, result, expected, *np.argwhere(wrong)[0])

    def describe(self, inputs, result, expected, number, element):
        x, y, z = inputs[:, element]
        return (
            f"{self.statements[number]} is {result[number, element]}, not {expected[number, element]}, of {self.dtype} "
            f"x = {x}, y = {y}, z = {z}"
        )


@functools.cache
def header():
    return load("<header of extrema>", HEADER, {"__name__": "extrema"})


def run_expressions(expressions, kernel, seed, target):
    from hocket import emulator

    os.environ["HOCKET_EMULATOR_OPTIMIZE"] = str(int(seed % 4 != 0))  # as the host's compiler makes minima otherwise
    with emulator.target(target):
        expressions.check(kernel)


def try_expressions(seed, target):
    expressions = Expressions(seed, target)
    kernel = load(f"<extrema {seed}>", expressions.source, header())["expressions"]
    return try_right(lambda: run_expressions(expressions, kernel, seed, target), expressions.source)


def source_of(target, seed):
    return f"# {target}, seed {seed}\n{Expressions(seed, target).source}\n"


def run_batch(target, seeds):
    import hocket  # noqa: F401
    from hocket import _core  # noqa: F401  children share what is imported

    header()
    try_one = functools.partial(try_expressions, target=target)
    return forked.try_all(seeds, try_one, functools.partial(source_of, target), CPU_SECONDS)


PARTS = [
    Part(f"extrema-{target}", long=2_000, quick=6, batch=20, run=functools.partial(run_batch, target))
    for target in ("sm_80", "sm_90a", "gfx942", "gfx950")
]
