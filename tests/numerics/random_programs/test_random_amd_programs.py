"""Random programs with MFMAs, buffer accesses and direct copies to LDS, compared with NumPy.

The programs are those of random_programs.py with other statements. All values are exact. Copies complete late, at
random times, or at once.
"""

import drawn_programs
import matrix_cases as cases
import ml_dtypes
import numpy as np
import pytest
import random_layouts
import random_programs as portable

from hocket import emulator

pytestmark = [pytest.mark.usefixtures("unoptimized"), pytest.mark.slow]

PROGRAMS = 15
STATEMENTS = 7
#: Elements of a tile per warp; more are right as well, but take long to compile.
MOST_PER_WARP = 256

HEADER = f"""{portable.HEADER}
from hocket.language import amd
from hocket.language.amd import cdna3
from hocket.language.amd.cdna4 import async_copy
"""

NAMES = {
    ml_dtypes.float8_e4m3fn: "float8e4nv",
    ml_dtypes.float8_e5m2: "float8e5",
    ml_dtypes.float8_e4m3fnuz: "float8e4b8",
    ml_dtypes.float8_e5m2fnuz: "float8e5b16",
}


def name_of(dtype):
    return NAMES.get(dtype, np.dtype(dtype).name)


class Layouts(random_layouts.Layouts):
    def copied(self, shape, item_bytes):
        """Layouts of a copy into LDS, its lanes along the memory of the tile, and of the tile: a pair."""
        width = self.rng.choice([4] if self.target == "gfx942" else [4, 16])
        bits = [[1 << b if d == dim else 0 for d in range(len(shape))]
                for dim in reversed(range(len(shape))) for b in range(shape[dim].bit_length() - 1)]  # fmt: skip
        registers = (width // item_bytes).bit_length() - 1
        piece, others = bits[:registers], bits[registers + 6 :]
        self.rng.shuffle(others)
        warps = [others.pop() if others and self.rng.random() < 0.8 else [0] * len(shape)
                 for _ in range(self.warps.bit_length() - 1)]  # fmt: skip
        lanes = bits[registers : registers + 6]
        layout = f"gl.DistributedLinearLayout({piece + others}, {lanes}, {warps}, [], {list(shape)})"
        order = list(reversed(range(len(shape))))
        if self.rng.random() < 0.5:
            return layout, f"gl.SwizzledSharedLayout(1, 1, 1, {order})"
        pair = [64 * width // item_bytes * self.rng.choice([1, 2]), self.rng.choice([16, 32, 64]) // item_bytes]
        return layout, f"gl.PaddedSharedLayout.with_identity_for([{pair}], {list(shape)}, {order})"


class Program(portable.Program):
    """`outputs`: what the arrays that the kernel writes hold before it."""

    KINDS = (
        "product", "product", "copy", "ring", "atomic", "load_like", "combine", "cast", "reduce", "convert",
        "through_shared", "permute", "control", "branch", "carry_handles",
    )  # fmt: skip

    def __init__(self, name, seed, target):
        self.begin(seed, target)
        for _ in range(STATEMENTS):
            getattr(self, self.rng.choice(self.KINDS))()
        results = self.tiles[-3:]
        for i, (tile, array) in enumerate(results):
            self.lines.append(f"cdna3.buffer_store({tile}, out{i}, offsets({list(array.shape)}, {tile}.type.layout))")
        self.expected = [array for _, array in results] + [after for _, after in self.atomics]
        self.outputs = [np.zeros_like(array, order="C") for _, array in results] + [
            before for before, _ in self.atomics
        ]
        self.finish(
            name, [*(f"out{i}" for i in range(len(results))), *(f"counts{i}" for i in range(len(self.atomics)))]
        )

    def begin(self, seed, target):
        self.atomics = []
        super().begin(seed, target)

    def make_layouts(self, target):
        return Layouts(self.rng, target, self.warps)

    def random_shape(self):
        shape = super().random_shape()
        while np.prod(shape) > MOST_PER_WARP * self.warps:
            shape = super().random_shape()
        return shape

    def load(self, shape):
        dtype = self.rng.choice(portable.DTYPES)
        array = self.numpy.integers(0, 5, shape).astype(dtype)
        source, offsets = self.input(array), f"o{len(self.tiles)}"
        self.lines.append(f"{offsets} = offsets({list(shape)}, {self.layouts.distributed(shape)})")
        end, other = self.rng.randrange(1, array.size + 1), self.rng.choice([None, 0, 3])
        self.define(
            f"cdna3.buffer_load({source}, {offsets}, mask={offsets} < {end} * one, other={other})",
            np.where(np.arange(array.size).reshape(shape) < end, array, other or 0).astype(dtype),
        )

    # Products ---------------------------------------------------------------------------------------------------------

    def product(self):
        instruction = self.rng.choice(self.layouts.instructions)
        _, dtype, shape, per_lane = instruction
        groups = {(64, 4): 1, (4, 64): 1, (32, 32): 2}.get(shape[:2], 64 // shape[0])
        width = self.rng.choice([1, 2, per_lane, per_lane])
        m, n, k = self.rng.choice([8, 16, 32]), self.rng.choice([4, 16, 64]), max(groups * max(width, per_lane), 16)
        layout, name = self.layouts.accumulators(instruction=instruction), f"t{len(self.tiles)}"
        a, b = (self.numpy.integers(-2, 3, size).astype(dtype) for size in ((m, k), (k, n)))
        for i, array in enumerate((a, b)):
            self.lines.append(f"operand{i} = {self.operand(i, array, f'gl.DotOperandLayout({i}, {layout}, {width})')}")
        result = np.dtype(cases.accumulator_of(dtype)).name
        self.lines += [
            f"{name} = gl.full([{m}, {n}], 1, gl.{result}, {layout})",
            self.rng.choice(["for k in range(one + 1):", "for k in gl.static_range(2):"]),
            f"    {name} = cdna3.mfma(operand0, operand1, {name})",
        ]
        self.bounded(name, (2 * (a.astype(np.float64) @ b.astype(np.float64)) + 1).astype(result))

    def operand(self, index, array, layout):
        """Source text of `array` as an operand: straight from memory, or through LDS in one way or another."""
        source, shape, dtype = self.input(array), list(array.shape), name_of(array.dtype.type)
        way = self.rng.choice(["direct", "converted", "shared", "permuted", "sliced"])
        if way == "direct":
            return f"cdna3.buffer_load({source}, offsets({shape}, {layout}))"
        loaded = f"gl.load({source} + offsets({shape}, {self.layouts.distributed(shape)}))"
        if way == "converted":
            return f"gl.convert_layout({loaded}, {layout})"
        tile, view = f"operand{index}_{len(self.tiles)}", ""
        if way == "permuted":
            shape, loaded, view = shape[::-1], f"{loaded}.permute([1, 0])", ".permute([1, 0])"
        part = ""
        if way == "sliced":
            dim, half = self.rng.randrange(2), self.rng.randrange(2)
            part = f".slice({half * shape[dim]}, {shape[dim]}, {dim})"
            shape[dim] *= 2
        self.lines += [
            f"{tile} = gl.allocate_shared_memory(gl.{dtype}, {shape}, {self.layouts.shared(shape)})",
            f"{tile}{part}.store({loaded})",
        ]
        return f"{tile}{part}{view}.load({layout})"

    # Copies into LDS --------------------------------------------------------------------------------------------------

    def copied_tile(self, count):
        """`count` tiles in global memory and, of one: shape, dtype, layouts of the copy and of the tile in LDS."""
        shape = self.rng.choice([[16, 64], [32, 32], [1024], [4, 16, 32]])
        dtype = self.rng.choice(["int8", "float16", "float32"])
        array = self.numpy.integers(-1, 2, (count, *shape)).astype(dtype)
        return array, shape, dtype, *self.layouts.copied(shape, array.itemsize)

    def copy(self):
        array, shape, dtype, layout, shared = self.copied_tile(1)
        source, tile, offsets = self.input(array), f"s{len(self.tiles)}", f"offsets({shape}, {layout})"
        taken, other = self.rng.randrange(2), self.rng.choice([0, 3])
        address = self.rng.choice([f"buffer_load_to_shared({tile}, {source}, {offsets}",
                                   f"global_load_to_shared({tile}, {source} + {offsets}"])  # fmt: skip
        self.lines += [
            f"{tile} = gl.allocate_shared_memory(gl.{dtype}, {shape}, {shared})",
            f"async_copy.{address}, mask=one == {taken}, other={other})",
            "async_copy.commit_group()",
            "async_copy.wait_group(0)",
        ]
        array = array[0] if taken else np.full(shape, other, dtype)
        order = self.rng.sample(range(len(shape)), len(shape))
        array = array.transpose(order)
        self.define(f"{tile}.permute({order}).load({self.layouts.distributed(array.shape)})", array)

    def ring(self):
        """Sums tiles of which all slots but one are on their way."""
        slots, steps = self.rng.choice([2, 3, 4]), self.rng.choice([1, 3, 6])
        array, shape, dtype, layout, shared = self.copied_tile(steps)
        source, size, number = self.input(array), int(np.prod(shape)), len(self.tiles)
        ring, total, read = f"s{number}", f"t{number}", self.layouts.distributed(shape)

        def copy_of(step):
            return [f"    async_copy.buffer_load_to_shared({ring}.index(({step}) % {slots}), {source}, "
                    f"offsets({shape}, {layout}) + ({step}) * {size}, mask=({step}) < {steps} * one)",
                    "    async_copy.commit_group()"]  # fmt: skip

        sum_up = [f"    {total} += {ring}.index(step % {slots}).load({read})"]
        following = copy_of(f"step + {slots - 1}")
        waits_first = self.rng.random() < 0.5
        wait = [f"    async_copy.wait_group({slots - 2 if waits_first else slots - 1})"]
        self.lines += [
            f"{ring} = gl.allocate_shared_memory(gl.{dtype}, {[slots, *shape]}, {shared})",
            f"{total} = gl.zeros({shape}, gl.{dtype}, {read})",
            f"for step in gl.static_range({slots - 1}):",
            *copy_of("step"),
            f"for step in range({steps} * one):",
            *(wait + sum_up + following if waits_first else following + wait + sum_up),
            "async_copy.wait_group(0)",
        ]
        self.tiles.append((total, array.sum(0).astype(dtype)))

    # Atomics ----------------------------------------------------------------------------------------------------------

    def atomic(self):
        tile, array = self.any_tile()
        if array.itemsize < 4:
            return
        names = {"add": np.add, "max": np.maximum, "min": np.minimum}
        if array.dtype.kind != "f":
            names.update({"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor})
        name = self.rng.choice([*names, "xchg"])
        before, number = self.numpy.integers(0, 5, array.shape).astype(array.dtype), len(self.atomics)
        is_below = np.arange(array.size).reshape(array.shape) < (end := self.rng.randrange(array.size + 1))
        offsets = f"offsets({list(array.shape)}, {tile}.type.layout)"
        self.lines.append(
            f"old{number} = cdna3.buffer_atomic_{name}(counts{number}, {offsets}, {tile}, mask={offsets} < {end})"
        )
        with np.errstate(over="ignore"):
            after = array if name == "xchg" else names[name](before, array)
        self.atomics.append((before, np.where(is_below, after, before)))
        self.define(f"gl.where({offsets} < {end}, old{number}, 0)", np.where(is_below, before, 0).astype(array.dtype))


@pytest.mark.parametrize("seed", range(PROGRAMS))
@pytest.mark.parametrize("target", cases.VERSIONS)
def test_program(tmp_path, target, seed):
    program = Program("program", seed, target)
    module = drawn_programs.load(tmp_path / f"{target}_{seed}.py", HEADER + program.source)
    for order, completion in ((0, "late"), (1, "random"), (2, "now")):
        with emulator.target(target, seed=order, completion=completion):
            kernel = program.check(module.program)
    assert kernel.asm["hsaco"]
