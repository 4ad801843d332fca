"""Random programs over random layouts, with their results as NumPy computes them.

A program is a chain of statements on tiles: loads, elementwise operations, casts, reductions, layout conversions,
reshapes, permutations, broadcasts and those of random_elements.py, random_shared.py, random_control.py and
random_handles.py. `Program` writes the kernel's source and computes with NumPy what each tile must hold, in step. All
values are integers (also in the floats), so results are exact. A program depends on its seed and its target alone.
"""

import random

import numpy as np
import random_control
import random_elements
import random_handles
import random_layouts
import random_shared

LENGTHS = (2, 4, 6, 10)
#: Most elements of a tile. Code is generated for each that a lane holds, so large tiles take long.
SIZES = (32, 128, 128, 512, 2048)
WARPS = (1, 1, 2, 4, 4, 8, 16)

HEADER = """
import hocket
from hocket import language as gl


@hocket.jit
def offsets(SHAPE: gl.constexpr, layout: gl.constexpr):
    if len(SHAPE) == 1:
        return gl.arange(0, SHAPE[0], layout=layout)
    elif len(SHAPE) == 2:
        i = gl.arange(0, SHAPE[0], layout=gl.SliceLayout(1, layout))
        j = gl.arange(0, SHAPE[1], layout=gl.SliceLayout(0, layout))
        return i[:, None] * SHAPE[1] + j[None, :]
    else:
        i = gl.arange(0, SHAPE[0], layout=gl.SliceLayout(1, gl.SliceLayout(2, layout)))
        j = gl.arange(0, SHAPE[1], layout=gl.SliceLayout(0, gl.SliceLayout(2, layout)))
        k = gl.arange(0, SHAPE[2], layout=gl.SliceLayout(0, gl.SliceLayout(1, layout)))
        return (i[:, None, None] * SHAPE[1] + j[None, :, None]) * SHAPE[2] + k[None, None, :]


@hocket.jit
def offsets_of_found(SHAPE: gl.constexpr, layout: gl.constexpr):
    if len(SHAPE) == 1:
        return gl.arange(0, SHAPE[0], layout=layout)
    i, j = gl.arange(0, SHAPE[0], layout=layout), gl.arange(0, SHAPE[1], layout=layout)
    if len(SHAPE) == 2:
        return i[:, None] * SHAPE[1] + j[None, :]
    k = gl.arange(0, SHAPE[2], layout=layout)
    return (i[:, None, None] * SHAPE[1] + j[None, :, None]) * SHAPE[2] + k[None, None, :]


@hocket.jit
def smaller_first(a, i, b, j):
    is_first = (a < b) | ((a == b) & (i < j))
    return gl.where(is_first, a, b), gl.where(is_first, i, j)


@hocket.jit
def larger(a, b):
    if a > b:
        return a
    return b
"""
HEADER += random_elements.HEADER + random_control.HEADER + random_handles.HEADER

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint32", "float16", "float32", "float64"]


class Program(random_elements.ElementStatements, random_shared.SharedStatements, random_control.ControlStatements):
    """`source`: a kernel of `name`; `inputs`, `expected`: its arguments and what it must store.

    Programs differ in length, in the size of their tiles and in which kinds of statements they have.
    """

    KINDS = (
        "load_like", "load_found", "combine", "cast", "select", "reduce", "argmin", "convert", "convert", "reshape",
        "permute", "expand_and_broadcast", "branch", "control", "control", "carry_handles", "through_shared",
        "gather_shared", "scatter_shared", "combine_shared", "scan", "recurrence", "gather", "histogram",
        "join_and_split", "map_function",
    )  # fmt: skip

    def __init__(self, name, seed, target):
        self.begin(seed, target)
        kinds = self.rng.sample(self.KINDS, self.rng.choice([2, 5, 10, len(self.KINDS)]))
        for _ in range(self.rng.choice(LENGTHS)):
            getattr(self, self.rng.choice(kinds))()
        results = self.tiles[-3:]
        self.expected = [array for _, array in results]
        self.outputs = [np.zeros_like(array, order="C") for array in self.expected]
        for i, (tile, array) in enumerate(results):
            self.lines.append(f"gl.store(out{i} + offsets({list(array.shape)}, {tile}.type.layout), {tile})")
        self.finish(name, [f"out{i}" for i in range(len(results))])

    def begin(self, seed, target):
        # Each target has programs of its own.
        self.rng = random.Random(f"{target} {seed}")
        self.numpy = np.random.default_rng(self.rng.randrange(1 << 32))
        self.warps, self.most = self.rng.choice(WARPS), self.rng.choice(SIZES)
        self.layouts = self.make_layouts(target)
        self.lines, self.tiles, self.inputs = [], [], []
        self.load(self.random_shape())

    def make_layouts(self, target):
        return random_layouts.Layouts(self.rng, target, self.warps)

    def finish(self, name, outputs):
        arguments = [*(f"in{i}" for i in range(len(self.inputs))), *outputs, "one"]
        body = "".join(f"    {line}\n" for line in self.lines)
        self.source = f"\n\n@hocket.jit(do_not_specialize=['one'])\ndef {name}({', '.join(arguments)}):\n{body}"

    def random_shape(self):
        shape = [1 << self.rng.randrange(8) for _ in range(self.rng.choice([1, 2, 2, 3]))]
        while np.prod(shape) > self.most:
            shape[self.rng.randrange(len(shape))] = 1
        return tuple(shape)

    def define(self, expression, array):
        name = f"t{len(self.tiles)}"
        self.lines.append(f"{name} = {expression}")
        self.tiles.append((name, array))

    def any_tile(self):
        return self.rng.choice(self.tiles[-4:])

    def any_array(self, shape):
        dtype = self.rng.choice(DTYPES)
        array = self.numpy.integers(0, 9, shape).astype(dtype)
        if dtype[0] != "u":
            array -= np.array(4, dtype)
        return array

    def input(self, array):
        self.inputs.append(array)
        return f"in{len(self.inputs) - 1}"

    def load(self, shape):
        array = self.any_array(shape)
        place = f"offsets({list(shape)}, {self.layouts.distributed(shape)})"
        self.define(f"gl.load({self.input(array)} + {place})", array)

    def load_like(self):
        self.load(self.any_tile()[1].shape)

    def load_found(self):
        """A tile in a layout that the compiler finds, and what is computed of it before one is named."""
        shape = self.random_shape()
        array, source = self.any_array(shape), f"f{len(self.tiles)}"
        kind = self.rng.choice(["gl.AutoLayout()", "gl.AutoLayout()", "gl.CoalescedLayout()"])
        self.lines.append(f"{source}_place = offsets_of_found({list(shape)}, {kind})")
        end = self.rng.randrange(1, array.size + 1)
        mask = self.rng.choice(["", f", mask={source}_place < {end}, other=0"])
        self.lines.append(f"{source} = gl.load({self.input(array)} + {source}_place{mask})")
        numbers = np.arange(array.size).reshape(shape)
        if mask:
            array = np.where(numbers < end, array, 0).astype(array.dtype)
        if self.rng.random() < 0.5:
            self.lines.append(f"{source} = gl.where({source}_place % 3 == 0, {source}, 1)")
            array = np.where(numbers % 3 == 0, array, 1).astype(array.dtype)
        if array.ndim > 1 and self.rng.random() < 0.3:
            axis = self.rng.randrange(array.ndim)
            self.lines.append(f"{source} = gl.max({source}, {axis}).to(gl.{array.dtype})")
            array = array.max(axis)
        name = self.rng.choice(["set_auto_layout", "set_auto_layout", "convert_layout"])
        self.define(f"gl.{name}({source}, {self.layouts.distributed(array.shape)})", array)

    def pair(self):
        """Two tiles of one shape and dtype, as source text in the layout of the first, and their contents."""
        a, left = self.any_tile()
        b, right = self.rng.choice([tile for tile in self.tiles if tile[1].shape == left.shape])
        cast, right = self.cast_of(f"gl.convert_layout({b}, {a}.type.layout)", right, left.dtype)
        return a, left, cast, right

    @staticmethod
    def cast_of(expression, array, dtype):
        # A negative float has no unsigned integer; other values are in range, and integers wrap here as in NumPy.
        if array.dtype.kind == "f" and np.dtype(dtype).kind == "u":
            expression, array = f"gl.abs({expression})", np.abs(array)
        # Unsigned integers that wrapped are out of the range of float16.
        if array.dtype.kind == "u" and np.dtype(dtype).kind == "f":
            expression, array = f"({expression} & 15)", array & np.array(15, array.dtype)
        return f"{expression}.to(gl.{dtype})", array.astype(dtype)

    def bounded(self, expression, array):
        """Bounds the values, so that later operations are exact in floats and do not overflow."""
        if array.dtype.kind == "f":
            self.define(
                f"gl.where(gl.abs({expression}) <= 16, {expression}, 1)",
                np.where(np.abs(array) <= 16, array, 1).astype(array.dtype),
            )
        else:
            self.define(f"({expression}) & 15", array & np.array(15, array.dtype))

    def combine(self):
        a, left, b, right = self.pair()
        operator = self.rng.choice(["+", "-", "*", "maximum", "minimum"] + ["&", "|", "^"] * (left.dtype.kind != "f"))
        with np.errstate(over="ignore"):
            if operator in ("maximum", "minimum"):
                self.define(f"gl.{operator}({a}, {b})", getattr(np, operator)(left, right))
            else:
                functions = {"+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and, "|": np.bitwise_or,
                             "^": np.bitwise_xor}  # fmt: skip
                self.bounded(f"{a} {operator} {b}", functions[operator](left, right))

    def cast(self):
        tile, array = self.any_tile()
        self.define(*self.cast_of(tile, array, self.rng.choice(DTYPES)))

    def select(self):
        a, left, b, right = self.pair()
        comparison = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        functions = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
                     "!=": np.not_equal}  # fmt: skip
        self.define(
            f"gl.where({a} {comparison} {b}, {a}, {b})", np.where(functions[comparison](left, right), left, right)
        )

    def reduce(self):
        tile, array = self.any_tile()
        axis = self.rng.randrange(array.ndim)
        kind = self.rng.choice(["sum", "max", "min", "larger"])
        small, wide = (tile, array) if array.itemsize >= 4 else (f"{tile}.to(gl.int32)", array.astype(np.int32))
        keep = array.ndim == 1 or self.rng.random() < 0.5
        function = {"sum": np.sum, "max": np.max, "min": np.min, "larger": np.max}[kind]
        call = (
            f"gl.reduce({small}, {axis}, larger, keep_dims={keep})"
            if kind == "larger"
            else f"gl.{kind}({small}, {axis}, keep_dims={keep})"
        )
        self.bounded(call, function(wide, axis=axis, keepdims=keep).astype(wide.dtype))

    def argmin(self):
        tile, array = self.any_tile()
        axis = self.rng.randrange(array.ndim)
        if array.ndim == 1:
            return
        stride = int(np.prod(array.shape[axis + 1 :]))
        place = f"(offsets({list(array.shape)}, {tile}.type.layout) // {stride} % {array.shape[axis]}).to(gl.int16)"
        self.define(f"gl.reduce(({tile}, {place}), {axis}, smaller_first)[1]", array.argmin(axis=axis).astype(np.int16))

    def convert(self):
        tile, array = self.any_tile()
        self.define(f"gl.convert_layout({tile}, {self.layouts.distributed(array.shape)})", array)

    def reshape(self):
        tile, array = self.any_tile()
        shape = self.layouts.split(array.size, self.rng.choice([1, 2, 3]))
        self.define(f"{tile}.reshape({shape})", array.reshape(shape))

    def permute(self):
        tile, array = self.any_tile()
        order = self.rng.sample(range(array.ndim), array.ndim)
        self.define(f"{tile}.permute({order})", array.transpose(order))

    def expand_and_broadcast(self):
        tile, array = self.any_tile()
        if array.ndim == 3 or array.size > self.most // 4:
            return
        axis = self.rng.randrange(array.ndim + 1)
        shape = list(array.shape)
        shape.insert(axis, 4)
        parent = self.layouts.blocked(array.ndim + 1)
        sliced = f"gl.convert_layout({tile}, gl.SliceLayout({axis}, {parent}))"
        self.define(
            f"gl.expand_dims({sliced}, {axis}).broadcast_to({shape})",
            np.broadcast_to(np.expand_dims(array, axis), shape),
        )

    def carry_handles(self):
        made = random_handles.Handles(self.rng, self.layouts, f"c{len(self.tiles)}_", 2, max(self.most // 2, 64))
        self.lines += made.lines
        for total, array in made.sums.items():
            self.bounded(total, array)

    def branch(self):
        a, left, b, right = self.pair()
        name, taken = f"t{len(self.tiles)}", self.rng.randrange(2)
        self.lines += [f"if one == {taken}:", f"    {name} = {a}", "else:", f"    {name} = {b}"]
        self.tiles.append((name, left if taken == 1 else right))

    # Running ----------------------------------------------------------------------------------------------------------

    def check(self, kernel, to_device=np.copy, to_host=np.asarray):
        """Launches `kernel`, made of `source`, and compares what it stores; the compiled kernel."""
        inputs, outputs = [[to_device(array) for array in arrays] for arrays in (self.inputs, self.outputs)]
        compiled = kernel[(1,)](*inputs, *outputs, 1, num_warps=self.warps)
        for actual, expected in zip(outputs, self.expected, strict=True):
            np.testing.assert_array_equal(to_host(actual), expected, err_msg=self.source)
        return compiled
