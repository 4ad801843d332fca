"""Statements of random programs (random_programs.py) whose elements depend on others: scans, gathers, histograms,
pairs, and functions of scalars. Each appends source and computes with NumPy what its result must hold."""

import itertools

import numpy as np

HEADER = """

@hocket.jit
def last_odd(a, b):
    if b % 2 != 0:
        return b
    return a


@hocket.jit
def after(a, b, c, d):
    return (a * c) & 15, (b * c + d) & 15


@hocket.jit
def ordered(a, b):
    if a < b:
        low, high = a, b
    else:
        low, high = b, a
    return low, high


@hocket.jit
def thirds(a):
    n = 0
    while a > 2:
        a = a - 3
        n += 1
    return n
"""


def scanned(arrays, axis, reverse, combine):
    """`combine`: two tuples of arrays to one."""
    flip = (lambda array: np.flip(array, axis)) if reverse else np.asarray
    steps = zip(*(np.moveaxis(flip(array), axis, 0) for array in arrays), strict=True)
    results = zip(*itertools.accumulate(steps, combine), strict=True)
    return [flip(np.moveaxis(np.stack(parts), 0, axis)) for parts in results]


class ElementStatements:
    """Mixin of `Program`, which has `rng`, `most`, `layouts`, `any_tile`, `pair`, `define` and `bounded`."""

    def small(self):
        """Returns a tile of small integers or floats, whose sums cannot overflow, and its values."""
        self.bounded(*self.any_tile())
        tile, array = self.tiles[-1]
        wide = array.dtype if array.itemsize >= 4 else np.dtype(np.float32 if array.dtype.kind == "f" else np.int32)
        return f"{tile}.to(gl.{wide})", array.astype(wide)

    def scan(self):
        tile, array = self.small()
        axis, reverse = self.rng.randrange(array.ndim), self.rng.random() < 0.5
        kind = self.rng.choice(["cumsum", "larger"] + ["last_odd"] * (array.dtype.kind != "f"))
        functions = {
            "cumsum": lambda a, b: (a[0] + b[0],),
            "larger": lambda a, b: (np.maximum(a[0], b[0]),),
            "last_odd": lambda a, b: (np.where(b[0] % 2 != 0, b[0], a[0]),),
        }
        call = (
            f"gl.cumsum({tile}, {axis}, {reverse})"
            if kind == "cumsum"
            else f"gl.associative_scan({tile}, {axis - array.ndim}, {kind}, reverse={reverse})"
        )
        self.bounded(call, scanned([array], axis, reverse, functions[kind])[0].astype(array.dtype))

    def recurrence(self):
        """Emits a scan that computes y[i] = (a[i] y[i-1] + b[i]) & 15 and the cumulative products of a."""
        tile, array = self.small()
        if array.dtype.kind == "f":
            return
        axis, reverse = self.rng.randrange(array.ndim), self.rng.random() < 0.5
        fifteen = np.array(15, array.dtype)
        results = scanned(
            [array & fifteen, array & fifteen], axis, reverse,
            lambda x, y: ((x[0] * y[0]) & fifteen, (x[1] * y[0] + y[1]) & fifteen),
        )  # fmt: skip
        kept = self.rng.randrange(2)
        value = f"({tile} & 15)"
        self.define(f"gl.associative_scan(({value}, {value}), {axis}, after, {reverse})[{kept}]", results[kept])

    def indices(self, array, axis):
        """Returns source text of indices into `array` along an axis, with another size along it, and their values."""
        size, others = array.shape[axis], array.size // array.shape[axis]
        shape = list(array.shape)
        shape[axis] = min(1 << self.rng.randrange(9), max(1, self.most // others))
        factor, offset = self.rng.randrange(1, 50), self.rng.randrange(50)
        layout = self.layouts.distributed(tuple(shape))
        dtype = self.rng.choice(["int32", "int16", "uint32", "int64"])
        places = f"((offsets({shape}, {layout}) * {factor} + {offset}) % {size}).to(gl.{dtype})"
        return places, (np.arange(np.prod(shape)).reshape(shape) * factor + offset) % size

    def gather(self):
        tile, array = self.any_tile()
        axis = self.rng.randrange(array.ndim)
        places, index = self.indices(array, axis)
        self.define(f"gl.gather({tile}, {places}, {axis})", np.take_along_axis(array, index, axis))

    def histogram(self):
        tile, array = self.small()
        bins = self.rng.choice([1, 8, 64])
        layout = self.layouts.distributed((bins,))
        flat = array.ravel().astype(np.int32)
        mask = ""
        if self.rng.random() < 0.5:
            mask, flat = f", mask={tile}.ravel() != 3", flat[flat != 3]
        counts = np.bincount(flat[(flat >= 0) & (flat < bins)], minlength=bins).astype(np.int32)
        self.bounded(f"gl.histogram({tile}.ravel().to(gl.int32), {bins}{mask}, layout={layout})", counts)

    def join_and_split(self):
        a, left, b, right = self.pair()
        if left.ndim < 3 and left.size <= self.most // 2 and self.rng.random() < 0.5:
            self.define(f"gl.join({a}, {b})", np.stack([left, right], -1))
        elif left.ndim < 5:
            half = self.rng.randrange(2)
            self.define(f"gl.split(gl.join({a}, {b}))[{half}]", (left, right)[half])

    def map_function(self):
        if self.rng.random() < 0.5:
            a, left, b, right = self.pair()
            high = self.rng.randrange(2)
            expected = (np.maximum if high else np.minimum)(left, right)
            self.define(f"gl.map_elementwise(ordered, {a}, {b})[{high}]", expected)
        else:
            tile, array = self.small()
            steps = np.maximum(0, np.ceil((array.astype(np.float64) - 2) / 3)).astype(np.int32)
            self.define(f"gl.map_elementwise(thirds, {tile})", steps)
