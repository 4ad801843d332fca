"""hocket.kernels over small and odd shapes, drawn at random, against float64: nothing is refused that the documentation
allows, and results are as close as their types allow. Arrays without elements are a LaunchError that says so.
"""

from __future__ import annotations

import functools
import random

import forked
import ml_dtypes
import numpy as np
from campaign import Part
from compared_programs import CPU_SECONDS, try_right

SIZES = (1, 1, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 127, 129, 200)
LONG_SIZES = (1, 255, 257, 384, 500)
TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx950")
ATTENTION_TARGETS = ("sm_90a", "gfx942", "gfx950")


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


class Call:
    """A kernel, the shape that it is called with, and `check`, which calls it."""

    def __init__(self, seed, target):
        self.draw = random.Random(f"{self.NAME} {seed} {target}")
        self.target = target
        self.values = np.random.default_rng(seed)
        self.dtype = self.draw.choice(("float16", "bfloat16"))
        self.describe()

    def size(self, *more, zero=True):
        if zero and self.draw.random() < 0.04:
            return 0
        return self.draw.choice((*SIZES, *more))

    def normal(self, *shape):
        return self.values.standard_normal(shape).astype(dtype_of(self.dtype))

    def check(self):
        import hocket

        with hocket.emulator.target(self.target, seed=self.draw.choice((0, 0, 1, 3))):
            try:
                self.run()
            except hocket.LaunchError as error:
                assert self.is_empty() and ("elements" in str(error) or "at least one" in str(error)), error
            else:
                assert not self.is_empty(), "no error for an array without elements"

    def is_empty(self):
        return 0 in self.shape

    def assert_close(self, result, expected, slack):
        """One rounding of the result, and `slack` for those of the sums."""
        eps = float(ml_dtypes.finfo(result.dtype).eps)
        wrong = ~(np.abs(result.astype(np.float64) - expected) <= np.abs(expected) * eps + slack)
        assert not wrong.any(), f"{self}: {np.argwhere(wrong)[0]}: {result[wrong][0]} instead of {expected[wrong][0]}"

    def __str__(self):
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.NAME} of {self.dtype} on {self.target}, shape {self.shape}, {options}"


class Matmul(Call):
    NAME = "matmul"

    def describe(self):
        self.shape = self.size(*LONG_SIZES), self.size(*LONG_SIZES), self.size(*LONG_SIZES)
        if np.prod(self.shape) > 4e6:
            self.shape = self.shape[0], self.shape[1], self.draw.choice((1, 2, 3))
        kinds = {"sm_90a": ("T", "N"), "sm_80": ("T", "N")}.get(self.target, ("T", "N"))
        self.options = {"a": self.draw.choice(kinds), "b": self.draw.choice(kinds)}
        self.options["bias"] = self.draw.random() < 0.25

    def run(self):
        from hocket.kernels import matmul

        m, n, k = self.shape
        a = self.normal(k, m).T if self.options["a"] == "T" else self.normal(m, k)
        b = self.normal(n, k).T if self.options["b"] == "T" else self.normal(k, n)
        bias = self.normal(n) if self.options["bias"] else None
        result = matmul(a, b, bias=bias)
        a, b = a.astype(np.float64), b.astype(np.float64)
        expected = a @ b + (0 if bias is None else bias.astype(np.float64))
        slack = (np.abs(a) @ np.abs(b) * k + 1) * float(np.finfo(np.float32).eps) * 2
        self.assert_close(result, expected, slack)


class Attention(Call):
    NAME = "attention"

    def describe(self):
        heads = self.draw.choice(((1, 1), (2, 1), (3, 3), (4, 2)))
        self.shape = (
            self.draw.choice((1, 1, 2)),
            *heads,
            self.size(257),
            self.size(257),
            self.draw.choice((64, 128)),
        )
        self.options = {"causal": self.draw.random() < 0.5}

    def run(self):
        from hocket.kernels import attention

        batch, heads, key_heads, queries, keys, width = self.shape
        q = self.normal(batch, heads, queries, width)
        k, v = self.normal(batch, key_heads, keys, width), self.normal(batch, key_heads, keys, width)
        result = attention(q, k, v, **self.options)
        q, k, v = (array.astype(np.float64) for array in (q, k, v))
        k, v = (np.repeat(array, heads // key_heads, axis=1) for array in (k, v))
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(width)
        if self.options["causal"]:
            seen = np.arange(keys)[None, :] <= np.arange(queries)[:, None] + keys - queries
            scores = np.where(seen, scores, -np.inf)
        highest = scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores - np.where(np.isfinite(highest), highest, 0))
        sums = weights.sum(axis=-1, keepdims=True)
        weights = weights / np.where(sums > 0, sums, 1)
        # Probabilities are rounded to the operands' type before they meet v.
        slack = weights @ np.abs(v) * float(ml_dtypes.finfo(dtype_of(self.dtype)).eps) * 2 + 1e-5
        self.assert_close(result, weights @ v, slack)


class Norm(Call):
    NAME = "norms"

    def describe(self):
        self.dtype = self.draw.choice(("float16", "bfloat16", "float32"))
        self.shape = self.size(), self.size(*LONG_SIZES, 1000, 1025)
        self.options = {"layer": self.draw.random() < 0.5, "residual": self.draw.random() < 0.3}

    def run(self):
        from hocket.kernels import norms

        rows, columns = self.shape
        x, weight, bias = self.normal(rows, columns), self.normal(columns), self.normal(columns)
        residual = self.normal(rows, columns) if self.options["residual"] else None
        options = {} if residual is None else {"residual": residual}
        if self.options["layer"]:
            result = norms.layer_norm(x, weight, bias, **options)
        else:
            result = norms.rms_norm(x, weight, **options)
        result = result[0] if isinstance(result, tuple) else result
        x, weight, bias = (array.astype(np.float64) for array in (x, weight, bias))
        if residual is not None:
            x = (x + residual.astype(np.float64)).astype(dtype_of(self.dtype)).astype(np.float64)
        if self.options["layer"]:
            centered = x - x.mean(axis=1, keepdims=True)
            expected = centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + 1e-5) * weight + bias
        else:
            expected = x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6) * weight
        slack = 2e-5 * (1 + np.abs(weight) * 4 + np.abs(bias)) + 1e-3 * np.abs(expected) * (self.dtype != "float32")
        self.assert_close(result, expected, np.broadcast_to(slack, expected.shape))


def try_call(seed, kind, target):
    call = kind(seed, target)
    return try_right(call.check, "")


def describe_call(kind, target, seed):
    return f"seed {seed}: {kind(seed, target)}\n"


def run_batch(kind, target, seeds):
    import hocket  # noqa: F401
    from hocket import kernels  # noqa: F401  children share what is imported

    try_one = functools.partial(try_call, kind=kind, target=target)
    return forked.try_all(seeds, try_one, functools.partial(describe_call, kind, target), CPU_SECONDS)


def part(kind, target, long, quick):
    return Part(
        f"{kind.NAME}-{target}", long=long, quick=quick, batch=5, run=functools.partial(run_batch, kind, target)
    )


PARTS = [
    *(part(Matmul, target, 500, 3) for target in TARGETS),
    *(part(Attention, target, 200, 2) for target in ATTENTION_TARGETS),
    *(part(Norm, target, 300, 3) for target in TARGETS),
]
