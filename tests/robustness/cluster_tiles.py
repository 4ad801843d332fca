"""Random kernels on tiles in shared memory that are split among the CTAs of a cluster, compared with NumPy.

A kernel draws a shared layout with a cga_layout (2 to 16 CTAs, 1 to 3 dimensions), fills the tile, and accesses views
of it: loads, stores, gathers, scatters, atomics and asynchronous copies. The model is one array: a view selects
elements of it, whichever CTA they lie in.

    python tests/robustness/cluster_tiles.py --first 0 --count 1000
"""

import argparse
import functools
import os
import pathlib
import random
import re
import sys

import campaign
import forked
import numpy as np
from campaign import Part
from compared_programs import load

sys.path.append(str(pathlib.Path(__file__).parents[1] / "numerics/support"))

import random_layouts
import random_programs

TARGET = "sm_90a"
MOST_WARPS = 64  # of a cluster; in those of more than 32 the emulator does not look for races
MOST_BYTES = 16 << 10  # of a tile
CPU_SECONDS = 60
DTYPES = {"int8": np.int8, "int32": np.int32, "int64": np.int64, "float16": np.float16, "float32": np.float32}

#: Errors of unsupported accesses. Any other CompileError of a drawn kernel is a finding.
NOT_SUPPORTED = [
    r"asynchronous copies cannot write to the shared memory of another CTA",
    r"its layout has padding, and in a tile of shape .* would hold parts that are not boxes",
    r"the result of an atomic operation on elements that several blocks of a cluster hold cannot reach",
]

HEADER = (
    random_programs.HEADER
    + """
from hocket.language.nvidia import ampere, hopper
from hocket.language.nvidia.hopper import cluster, mbarrier, tma
"""
)


def unit(rank, dim, value):
    return [value if d == dim else 0 for d in range(rank)]


class Views:
    """Expressions of views of a tile, and which elements of it they show."""

    def __init__(self, rng, name, shape):
        self.rng, self.expression = rng, name
        self.where = np.arange(int(np.prod(shape))).reshape(shape)
        self.is_whole = True

    def draw(self, count):
        for _ in range(count):
            getattr(self, self.rng.choice(["slice", "slice", "permute", "reshape"]))()
        return self

    def slice(self):
        dims = [dim for dim, size in enumerate(self.where.shape) if size > 1]
        if not dims:
            return
        dim = self.rng.choice(dims)
        size = self.where.shape[dim] >> self.rng.choice([1, 1, 2])
        if size == 0:
            return
        start = size * self.rng.randrange(self.where.shape[dim] // size)
        self.expression += f".slice({start}, {size}, {dim})"
        self.where = self.where.take(range(start, start + size), dim)
        self.is_whole = False

    def permute(self):
        order = self.rng.sample(range(self.where.ndim), self.where.ndim)
        self.expression += f".permute({order})"
        self.where = self.where.transpose(order)

    def reshape(self):
        if not self.is_whole:
            return
        shape, bits = [1] * self.rng.choice([1, 2, 3]), self.where.size.bit_length() - 1
        for _ in range(bits):
            shape[self.rng.randrange(len(shape))] *= 2
        self.expression += f".reshape({shape})"
        self.where = self.where.reshape(shape)


class Kernel:
    """`source`, its arguments, and what it must store."""

    ACCESSES = ("load", "load", "store", "store", "gather", "scatter", "add", "copy")

    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random(f"cluster tiles {seed}")
        self.numpy = np.random.default_rng(self.rng.randrange(1 << 32))
        self.bits = self.rng.choice([1, 1, 1, 2, 2, 2, 3, 4])
        self.num_ctas = 1 << self.bits
        self.num_warps = self.rng.choice([w for w in (1, 2, 4, 8) if w * self.num_ctas <= MOST_WARPS])
        self.layouts = random_layouts.Layouts(self.rng, TARGET, self.num_warps)
        self.lines, self.inputs, self.outputs, self.expected = [], [], [], []
        self.has_barriers = self.rng.random() < 0.3
        self.dtype = self.rng.choice(list(DTYPES))
        self.allocate()
        for _ in range(self.rng.choice([1, 2, 3])):
            self.separate()
            getattr(self, self.rng.choice(self.ACCESSES))()
        self.separate()
        self.load(Views(self.rng, "tile", self.shape))
        self.separate()
        arguments = [f"in{i}" for i in range(len(self.inputs))] + [f"out{i}" for i in range(len(self.expected))]
        body = "".join(f"    {line}\n" for line in self.lines)
        self.source = (
            f"\n\n@hocket.jit(do_not_specialize=['one'])\ndef program({', '.join([*arguments, 'one'])}):\n{body}"
        )

    # Layouts ----------------------------------------------------------------------------------------------------------

    def rows(self, rank):
        """Draws the rows of a cga_layout."""
        following, rows = [1] * rank, []
        for _ in range(self.bits):
            row, dim = [0] * rank, self.rng.randrange(rank + 1)
            if dim < rank:
                row[dim] = following[dim]
                following[dim] *= 2
            rows.append(row)
        return rows if any(map(any, rows)) or self.rng.random() < 0.5 else []

    def registers(self, shape):
        if self.rng.random() < 0.3:
            text = self.layouts.linear(shape)
            rows = [self.rng.choice([[0] * len(shape), *random_layouts.unit_bits(shape)]) for _ in range(self.bits)]
            return f"{text.removesuffix(f', [], {list(shape)})')}, {rows}, {list(shape)})"
        return f"{self.layouts.blocked(len(shape))[:-1]}, {self.rows(len(shape))})"

    def shared(self, shape):
        rank = len(shape)
        kinds = ["swizzled", "swizzled", "padded", "linear", "linear"] + ["nvmma"] * (rank > 1)
        kind = self.rng.choice(kinds)
        order = self.rng.sample(range(rank), rank)
        rows = self.rows(rank)
        if kind == "padded":
            return f"gl.PaddedSharedLayout.with_identity_for([[16, 4]], {list(shape)}, {order}, {rows})"
        if kind == "linear":
            return self.linear(shape)
        if kind == "nvmma" and (layout := self.layouts.tensor_core_tile(self.part(shape, rows), self.itemsize * 8)):
            return f"{layout[:-1]}, False, {rows})"
        vec, per_phase, max_phase = (self.rng.choice([1, 2, 4, 8]) for _ in range(3))
        return f"gl.SwizzledSharedLayout({vec}, {per_phase}, {max_phase}, {order}, {rows})"

    def linear(self, shape):
        """Draws a layout that splits any bits of the coordinates among CTAs, or none for those that hold copies."""
        bits = random_layouts.unit_bits(shape)
        self.rng.shuffle(bits)
        self.layouts.mix(bits)
        blocks = []
        for _ in range(self.bits):
            blocks.append(bits.pop() if self.rng.random() < 0.7 and len(bits) > 1 else [0] * len(shape))
        return f"gl.SharedLinearLayout({bits}, {blocks})"

    @staticmethod
    def part(shape, rows):
        part = list(shape)
        for row in rows:
            for dim, entry in enumerate(row):
                if entry and part[dim] > 1:
                    part[dim] //= 2
        return tuple(part)

    # Statements -------------------------------------------------------------------------------------------------------

    @property
    def itemsize(self):
        return np.dtype(DTYPES[self.dtype]).itemsize

    def numbers(self, shape):
        return self.numpy.integers(0, 100, shape).astype(DTYPES[self.dtype])

    def given(self, array):
        self.inputs.append(array)
        return f"in{len(self.inputs) - 1}"

    def loaded(self, array, layout):
        return f"gl.load({self.given(array)} + offsets({list(array.shape)}, {layout}))"

    def wanted(self, array, layout, expression):
        name = f"out{len(self.expected)}"
        self.expected.append(array)
        self.outputs.append(np.full_like(array, 101))
        self.lines.append(f"gl.store({name} + offsets({list(array.shape)}, {layout}), {expression})")

    def separate(self):
        """Some kernels leave the barriers to the compiler."""
        if self.has_barriers:
            self.lines.append("gl.barrier(cluster=True)")

    def allocate(self):
        rank = self.rng.choice([1, 2, 2, 3])
        shape = [1] * rank
        for _ in range(self.rng.randrange(max(self.bits, 4), 13)):
            dim = self.rng.randrange(rank)
            if np.prod(shape) * 2 * self.itemsize <= MOST_BYTES:
                shape[dim] *= 2
        self.shape, ring = tuple(shape), self.rng.choice([0, 0, 3])
        sizes = [ring, *shape] if ring else shape
        self.lines.append(f"tile = gl.allocate_shared_memory(gl.{self.dtype}, {sizes}, {self.shared(self.shape)})")
        if ring:
            self.lines.append(f"tile = tile.index(one + {self.rng.randrange(2)})")
        self.memory = self.numbers(self.shape).reshape(-1)
        layout = self.registers(self.shape)
        self.lines.append(f"tile.store({self.loaded(self.memory.reshape(self.shape).copy(), layout)})")

    def view(self):
        return Views(self.rng, "tile", self.shape).draw(self.rng.choice([0, 1, 1, 2, 3]))

    def load(self, view=None):
        view = view or self.view()
        layout = self.registers(view.where.shape)
        self.wanted(self.memory[view.where], layout, f"{view.expression}.load({layout})")

    def store(self):
        view = self.view()
        values = self.numbers(view.where.shape)
        self.memory[view.where] = values
        self.lines.append(f"{view.expression}.store({self.loaded(values, self.registers(values.shape))})")

    def indexed(self, view):
        """(axis, shape of the indices)."""
        shape = list(view.where.shape)
        axis = self.rng.randrange(len(shape))
        for dim in range(len(shape)):
            if dim != axis and self.rng.random() < 0.2:
                shape[dim] = max(shape[dim] // 2, 1)
        return axis, shape

    @staticmethod
    def narrowed(where, axis, shape):
        return where[tuple(slice(None) if d == axis else slice(size) for d, size in enumerate(shape))]

    def gather(self):
        view = self.view()
        axis, shape = self.indexed(view)
        shape[axis] = self.rng.choice([1, 8, 32])
        index = self.numpy.integers(0, view.where.shape[axis], shape).astype(np.int32)
        where = np.take_along_axis(self.narrowed(view.where, axis, shape), index.astype(np.int64), axis)
        layout = self.registers(shape)
        self.wanted(self.memory[where], layout, f"{view.expression}.gather({self.loaded(index, layout)}, {axis})")

    def scatter(self):
        view = self.view()
        axis, shape = self.indexed(view)
        order = self.numpy.random(shape).argsort(axis).astype(np.int32)
        values, layout = self.numbers(shape), self.registers(shape)
        where = np.take_along_axis(self.narrowed(view.where, axis, shape), order.astype(np.int64), axis)
        self.memory[where] = values
        self.lines.append(
            f"{view.expression}.scatter({self.loaded(values, layout)}, {self.loaded(order, layout)}, {axis})"
        )

    def add(self):
        if self.dtype not in ("int32", "int64"):
            return self.scatter()
        view = self.view()
        axis, shape = self.indexed(view)
        shape[axis] = self.rng.choice([1, 8, 32])
        index = self.numpy.integers(0, view.where.shape[axis], shape).astype(np.int32)
        values, layout = self.numbers(shape), self.registers(shape)
        where = np.take_along_axis(self.narrowed(view.where, axis, shape), index.astype(np.int64), axis)
        np.add.at(self.memory, where, values)
        self.lines.append(
            f"{view.expression}.atomic_scatter_add({self.loaded(values, layout)}, {self.loaded(index, layout)}, {axis})"
        )

    def copy(self):
        if self.itemsize < 4:
            return self.store()
        view = self.view()
        values = self.numbers(view.where.shape)
        self.memory[view.where] = values
        place = f"{self.given(values)} + offsets({list(values.shape)}, {self.registers(values.shape)})"
        self.lines += [
            f"ampere.async_copy.async_copy_global_to_shared({view.expression}, {place})",
            "ampere.async_copy.commit_group()",
            "ampere.async_copy.wait_group(0)",
        ]

    # Running ----------------------------------------------------------------------------------------------------------

    def check(self, kernel):
        outputs = [array.copy() for array in self.outputs]
        kernel[(1,)](*self.inputs, *outputs, 1, num_ctas=self.num_ctas, num_warps=self.num_warps)
        for number, (output, expected) in enumerate(zip(outputs, self.expected, strict=True)):
            np.testing.assert_array_equal(output, expected, f"out{number}")


def run(number):
    """None, or (kind, what); kind "refused" for kernels with an unsupported access."""
    import hocket
    from hocket import emulator

    program = Kernel(number)
    kernel = load(f"<cluster tiles {number}>", program.source, header())["program"]
    try:
        with emulator.target(TARGET, seed=number, completion=("late", "random", "now")[number % 3]):
            program.check(kernel)
    except AssertionError as error:
        return "wrong", f"another result than NumPy's: {str(error).strip()[:400]}"
    except hocket.InternalError as error:
        return "crashed", f"InternalError: {error}"
    except hocket.CompileError as error:
        is_known = any(re.search(pattern, str(error)) for pattern in NOT_SUPPORTED)
        return "refused" if is_known else "wrong", f"CompileError: {error}"
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {error}"
    return None


def try_program(number):
    finding = run(number)
    return None if finding and finding[0] == "refused" else finding


@functools.cache
def header():
    return load("<header of cluster tiles>", HEADER, {"__name__": "cluster_tiles"})


def describe(number):
    program = Kernel(number)
    return f"# seed {number}: num_ctas={program.num_ctas}, num_warps={program.num_warps}\n{program.source}\n"


def run_batch(numbers):
    import hocket  # noqa: F401
    from hocket import _core  # noqa: F401  children share what is imported

    header()
    os.environ["HOCKET_EMULATOR_OPTIMIZE"] = "0"
    return forked.try_all(numbers, try_program, describe, CPU_SECONDS)


PART = Part("cluster-tiles", long=5000, quick=40, batch=20, run=run_batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=PART.long)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    tally = campaign.run_part(PART, options.count, options.jobs, options.first, campaign.show_progress)
    for finding in tally.findings:
        print(f"\n== {finding.kind}: {finding.what}\n{finding.input}")
    print(f"{tally.tried} tried, {len(tally.findings)} findings")
    return bool(tally.findings)


if __name__ == "__main__":
    sys.exit(main())
