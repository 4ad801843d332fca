"""Random addresses and masks, each compared with NumPy.

The compiler combines the accesses of a lane to vectors if it can prove that addresses are consecutive and aligned, and
masks equal. Here offsets and masks are random expressions of indices, run-time integers (some multiples of 16) and
constants: a proof that is wrong reads or writes other elements, or is reported as misaligned by the emulator.
"""

import random

import drawn_programs
import numpy as np
import pytest

pytestmark = pytest.mark.slow

PROGRAMS = 80
MEMORY = 4096
OUT = MEMORY + 128

HEADER = """
import hocket
from hocket import language as gl
"""


class Program:
    """`source`: a kernel that copies `memory` at random places to `out` at random places; `expected` is its `out`."""

    def __init__(self, name, seed, lanes):
        self.rng = random.Random(seed)
        self.warps = self.rng.choice([1, 4])
        self.dtype = self.rng.choice([np.int8, np.int16, np.int32, np.int64])
        self.numbers = {name: self.run_time_number() for name in "abc"}
        shape = [1 << self.rng.randrange(2, 7) for _ in range(2)]
        self.memory = np.random.default_rng(seed).integers(-100, 100, MEMORY).astype(self.dtype)

        indices = np.indices(shape, dtype=np.int32)
        layout = self.layout(lanes)
        names = {**self.numbers, "i": indices[0], "j": indices[1]}
        read, read_at = self.offsets(names)
        written, written_at = self.permuted_offsets(shape, indices)
        mask, masked = self.condition(names)
        guard, guarded = self.condition(names)
        self.expected = np.zeros(OUT, self.dtype)
        self.expected[written_at[guarded]] = np.where(masked, self.memory[read_at], self.dtype(-1))[guarded]
        uses_other = self.rng.random() < 0.7
        if not uses_other:
            # Masked-off elements have no value: they are not stored.
            both = guarded & masked
            self.expected = np.zeros(OUT, self.dtype)
            self.expected[written_at[both]] = self.memory[read_at][both]
            guard = f"({guard}) & ({mask})"
        self.source = f"""

@hocket.jit
def {name}(memory, out, a, b, c):
    layout: gl.constexpr = {layout}
    i = gl.arange(0, {shape[0]}, layout=gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, {shape[1]}, layout=gl.SliceLayout(0, layout))[None, :]
    i, j = gl.broadcast(i, j)
    value = gl.load(memory + ({read}), mask={mask}{", other=-1" if uses_other else ""})
    gl.store(out + ({written}), value, mask={guard})
"""

    def run_time_number(self):
        return self.rng.choice([self.rng.randrange(50), 16 * self.rng.randrange(8), 0, 1])

    def layout(self, lanes):
        def split(number):
            first = 1 << self.rng.randrange(number.bit_length())
            return [first, number // first]

        order = self.rng.choice([[0, 1], [1, 0]])
        return (
            f"gl.BlockedLayout({split(self.rng.choice([1, 4, 8, 16]))}, {split(lanes)}, {split(self.warps)}, {order})"
        )

    def term(self, names, depth=0):
        """An integer expression and its value; flat enough not to overflow."""
        choice = self.rng.randrange(7 if depth < 4 else 3)
        name = self.rng.choice(list(names))
        constant = self.rng.choice([1, 2, 3, 4, 8, 16, 32])
        if choice == 0:
            return str(constant), np.int32(constant)
        if choice <= 2:
            return name, names[name]
        left, a = self.term(names, depth + 1)
        if choice == 3:
            return f"({left}) // {constant}", a // constant
        if choice == 4:
            return f"({left}) % {constant}", a % constant
        if choice == 5:
            return f"({left}) * {constant}", a * constant
        right, b = self.term(names, depth + 1)
        return f"({left}) + ({right})", a + b

    def offsets(self, names):
        """Nonnegative and inside the memory; often with the row or the column running along it."""
        text, value = self.term(names)
        fast = self.rng.choice(["i", "j"])
        stride = self.rng.choice([1, 2, 16, 48])
        value = value + names[fast] + names["j" if fast == "i" else "i"] * stride
        text = f"{text} + {fast} + {'j' if fast == 'i' else 'i'} * {stride}"
        if np.max(value) >= MEMORY:
            text, value = f"({text}) % {MEMORY}", value % MEMORY
        return text, np.broadcast_to(value, names["i"].shape)

    def permuted_offsets(self, shape, indices):
        """Returns a permutation of the offsets of all elements."""
        rows, columns = shape
        shift = self.numbers["b"]
        if self.rng.random() < 0.5:
            return f"i * {columns} + j + b", indices[0] * columns + indices[1] + shift
        return f"j * {rows} + ({rows - 1} - i) + b", indices[1] * rows + rows - 1 - indices[0] + shift

    def condition(self, names):
        if self.rng.random() < 0.2:
            return "(i == i)", np.ones(names["i"].shape, bool)
        (left, a), (right, b) = self.term(names), self.term(names)
        comparison = self.rng.choice(["<", ">=", "==", "!="])
        functions = {"<": np.less, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}
        text, value = f"(({left}) * (i * 0 + 1) {comparison} ({right}))", functions[comparison](a, b)
        if self.rng.random() < 0.4:
            other, more = self.condition(names)
            symbol, combine = self.rng.choice([("&", np.logical_and), ("|", np.logical_or)])
            text, value = f"({text} {symbol} {other})", combine(value, more)
        return text, np.broadcast_to(value, names["i"].shape)


@pytest.fixture(scope="module")
def programs_of(tmp_path_factory):
    return drawn_programs.drawn_once(Program, tmp_path_factory.mktemp("random_addresses"), HEADER, PROGRAMS)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_program(device, programs_of, seed):
    module, programs = programs_of(64 if device.name.startswith("gfx") else 32)
    program = programs[seed]
    out = device.to_device(np.zeros(OUT, program.dtype))
    kernel = getattr(module, f"program_{seed}")
    kernel[(1,)](device.to_device(program.memory), out, *program.numbers.values(), num_warps=program.warps)
    np.testing.assert_array_equal(device.to_host(out), program.expected, err_msg=program.source)
