"""Random programs over random layouts, each compared with NumPy.

A program is a chain of statements on tiles: loads, elementwise operations, casts, reductions, layout conversions, trips
through shared memory, reshapes, permutations, broadcasts, loops and branches, and those of random_elements.py.
`Program` writes the kernel's source and computes with NumPy what each tile must hold, in step. All values are integers
(also in the floats), so results are exact.
"""

import random

import drawn_programs
import numpy as np
import pytest
import random_elements
import random_handles

PROGRAMS = 40
STATEMENTS = 10
MAX_ELEMENTS = 2048

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
def smaller_first(a, i, b, j):
    is_first = (a < b) | ((a == b) & (i < j))
    return gl.where(is_first, a, b), gl.where(is_first, i, j)


@hocket.jit
def larger(a, b):
    if a > b:
        return a
    return b
"""
HEADER += random_elements.HEADER + random_handles.HEADER

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint32", "float16", "float32", "float64"]


class Layouts:
    """Random layouts, as source text."""

    def __init__(self, rng, lanes, warps):
        self.rng, self.lanes, self.warps = rng, lanes, warps

    def split(self, number, parts):
        """`number`, a power of two, as a product of `parts` factors."""
        factors = [1] * parts
        while number > 1:
            factors[self.rng.randrange(parts)] *= 2
            number //= 2
        return factors

    def blocked(self, rank):
        order = self.rng.sample(range(rank), rank)
        per_thread = self.split(self.rng.choice([1, 2, 4, 8]), rank)
        return (
            f"gl.BlockedLayout({per_thread}, {self.split(self.lanes, rank)}, {self.split(self.warps, rank)}, {order})"
        )

    def linear(self, shape):
        """The bits of the coordinates dealt to registers, lanes and warps at random; what gets none holds copies."""
        bits = [[1 << b if d == dim else 0 for d in range(len(shape))]
                for dim, size in enumerate(shape) for b in range(size.bit_length() - 1)]  # fmt: skip
        self.rng.shuffle(bits)
        zero = [0] * len(shape)
        parts = {"lane": [zero] * (self.lanes.bit_length() - 1), "warp": [zero] * (self.warps.bit_length() - 1)}
        registers = []
        for bit in bits:
            free = [(name, i) for name, bases in parts.items() for i, base in enumerate(bases) if base == zero]
            if free and self.rng.random() < 0.8:
                name, i = self.rng.choice(free)
                parts[name][i] = bit
            else:
                registers.append(bit)
        return f"gl.DistributedLinearLayout({registers}, {parts['lane']}, {parts['warp']}, [], {list(shape)})"

    def distributed(self, shape):
        rank = len(shape)
        kind = self.rng.choice(["blocked", "blocked", "slice", "linear", "operand"])
        if kind == "slice" and rank < 3:
            return f"gl.SliceLayout({self.rng.randrange(rank + 1)}, {self.blocked(rank + 1)})"
        if kind == "operand" and rank == 2:
            return f"gl.DotOperandLayout({self.rng.randrange(2)}, {self.blocked(2)}, 0)"
        return self.linear(shape) if kind == "linear" else self.blocked(rank)

    def shared(self, shape):
        order = self.rng.sample(range(len(shape)), len(shape))
        if self.rng.random() < 0.3:
            pairs = [[self.rng.choice([4, 16, 64]), self.rng.choice([1, 2, 4, 8])]]
            return f"gl.PaddedSharedLayout.with_identity_for({pairs}, {list(shape)}, {order})"
        vec, per_phase, max_phase = (self.rng.choice([1, 2, 4, 8]) for _ in range(3))
        return f"gl.SwizzledSharedLayout({vec}, {per_phase}, {max_phase}, {order})"


class Program(random_elements.ElementStatements):
    """`source`: a kernel of `name`; `inputs`, `expected`: its arguments and what it must store."""

    def __init__(self, name, seed, lanes):
        self.rng = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.warps = self.rng.choice([1, 2, 4, 8])
        self.layouts = Layouts(self.rng, lanes, self.warps)
        self.lines, self.tiles, self.inputs = [], [], []
        self.load(self.random_shape())
        for _ in range(STATEMENTS):
            self.rng.choice(
                [self.load_like, self.combine, self.combine, self.cast, self.select, self.reduce, self.argmin,
                 self.convert, self.convert, self.through_shared, self.reshape, self.permute, self.loop, self.branch,
                 self.expand_and_broadcast, self.carry_handles, self.scan, self.scan, self.recurrence, self.gather,
                 self.gather, self.histogram, self.join_and_split, self.map_function]
            )()  # fmt: skip
        self.expected = []
        for i, (tile, array) in enumerate(self.tiles[-3:]):
            self.lines.append(f"gl.store(out{i} + offsets({list(array.shape)}, {tile}.type.layout), {tile})")
            self.expected.append(array)
        arguments = [f"in{i}" for i in range(len(self.inputs))] + [f"out{i}" for i in range(len(self.expected))]
        body = "".join(f"    {line}\n" for line in self.lines)
        self.source = f"\n\n@hocket.jit(do_not_specialize=['one'])\ndef {name}({', '.join(arguments)}, one):\n{body}"

    def random_shape(self):
        shape = [1 << self.rng.randrange(8) for _ in range(self.rng.choice([1, 2, 2, 3]))]
        while np.prod(shape) > MAX_ELEMENTS:
            shape[self.rng.randrange(len(shape))] = 1
        return tuple(shape)

    def define(self, expression, array):
        name = f"t{len(self.tiles)}"
        self.lines.append(f"{name} = {expression}")
        self.tiles.append((name, array))

    def any_tile(self):
        return self.rng.choice(self.tiles[-4:])

    def load(self, shape):
        dtype = self.rng.choice(DTYPES)
        array = self.numpy.integers(0, 9, shape).astype(dtype)
        if dtype[0] != "u":
            array -= np.array(4, dtype)
        self.define(f"gl.load(in{len(self.inputs)} + offsets({list(shape)}, {self.layouts.distributed(shape)}))", array)
        self.inputs.append(array)

    def load_like(self):
        self.load(self.any_tile()[1].shape)

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
        # What wrapped to a large unsigned integer is beyond float16.
        if array.dtype.kind == "u" and np.dtype(dtype).kind == "f":
            expression, array = f"({expression} & 15)", array & np.array(15, array.dtype)
        return f"{expression}.to(gl.{dtype})", array.astype(dtype)

    def bounded(self, expression, array):
        """Keeps values small, so that no later operation leaves the exact range of a float or overflows."""
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

    def through_shared(self):
        tile, array = self.any_tile()
        ring = self.rng.choice([0, 0, 3])
        shape = [ring, *array.shape] if ring else list(array.shape)
        buffer = f"s{len(self.tiles)}"
        self.lines.append(
            f"{buffer} = gl.allocate_shared_memory({tile}.dtype, {shape}, {self.layouts.shared(array.shape)})"
        )
        if ring:
            self.lines.append(f"{buffer} = {buffer}.index(one + {self.rng.randrange(ring - 1)})")
        self.lines.append(f"{buffer}.store({tile})")
        if self.rng.random() < 0.5:
            order = self.rng.sample(range(array.ndim), array.ndim)
            buffer, array = f"{buffer}.permute({order})", array.transpose(order)
        for dim in range(array.ndim):
            if array.shape[dim] > 1 and self.rng.random() < 0.3:
                half, start = array.shape[dim] // 2, self.rng.randrange(2)
                buffer = f"{buffer}.slice({start * half}, {half}, {dim})"
                array = array.take(range(start * half, start * half + half), dim)
        self.define(f"{buffer}.load({self.layouts.distributed(array.shape)})", array)

    def carry_handles(self):
        made = random_handles.Handles(self.rng, self.layouts, f"c{len(self.tiles)}_", statements=2)
        self.lines += made.lines
        for total, array in made.sums.items():
            self.bounded(total, array)

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
        if array.ndim == 3 or array.size > MAX_ELEMENTS // 4:
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

    def loop(self):
        a, left, b, right = self.pair()
        name = f"t{len(self.tiles)}"
        is_float = left.dtype.kind == "f"
        one, seven = np.array(1, left.dtype), np.array(7, left.dtype)
        self.lines += [
            f"{name} = {a}",
            f"for k in range({self.rng.choice(['one + 2', '3'])}):",
            f"    {name} = gl.where({name} < {b}, {b}, {f'1 - {name}' if is_float else f'-{name} & 7'})",
        ]
        for _ in range(3):
            left = np.where(left < right, right, one - left if is_float else -left & seven)
        self.tiles.append((name, left))

    def branch(self):
        a, left, b, right = self.pair()
        name, taken = f"t{len(self.tiles)}", self.rng.randrange(2)
        self.lines += [f"if one == {taken}:", f"    {name} = {a}", "else:", f"    {name} = {b}"]
        self.tiles.append((name, left if taken == 1 else right))


@pytest.fixture(scope="module")
def programs_of(tmp_path_factory):
    return drawn_programs.by_lanes(Program, tmp_path_factory.mktemp("random_programs"), HEADER, PROGRAMS)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_program(device, programs_of, seed):
    module, programs = programs_of(64 if device.name.startswith("gfx") else 32)
    program = programs[seed]
    inputs = [device.to_device(array) for array in program.inputs]
    outputs = [device.to_device(np.zeros_like(array, order="C")) for array in program.expected]
    kernel = getattr(module, f"program_{seed}")
    kernel[(1,)](*inputs, *outputs, 1, num_warps=program.warps)
    for actual, expected in zip(outputs, program.expected, strict=True):
        np.testing.assert_array_equal(device.to_host(actual), expected, err_msg=program.source)
