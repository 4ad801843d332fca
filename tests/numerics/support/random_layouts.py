"""Layouts drawn at random, of every class that a target has, as source text."""

import matrix_cases as cases
import numpy as np

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx950")


def unit_bits(shape):
    """For each bit of each coordinate, the row of a linear layout that sets it."""
    return [[1 << bit if d == dim else 0 for d in range(len(shape))]
            for dim, size in enumerate(shape) for bit in range(size.bit_length() - 1)]  # fmt: skip


class Layouts:
    def __init__(self, rng, target, warps):
        self.rng, self.target, self.warps = rng, target, warps
        self.is_amd = target.startswith("gfx")
        self.lanes = 64 if self.is_amd else 32
        self.instructions = [case for case in cases.INSTRUCTIONS if case[0] == target]

    def split(self, number, parts):
        """Factorizes `number`, a power of two, into `parts` factors."""
        factors = [1] * parts
        while number > 1:
            factors[self.rng.randrange(parts)] *= 2
            number //= 2
        return factors

    def mix(self, rows):
        """Adds rows to others, in place: the rows together reach what they did."""
        for _ in range(self.rng.choice([0, 1, 3]) if len(rows) > 1 else 0):
            source, target = self.rng.sample(range(len(rows)), 2)
            rows[target] = [a ^ b for a, b in zip(rows[source], rows[target], strict=True)]

    # Distributed ------------------------------------------------------------------------------------------------------

    def distributed(self, shape):
        rank = len(shape)
        kinds = ["blocked", "blocked", "slice", "linear", "linear", "operand", "matrix", "matrix"]
        kind = self.rng.choice(kinds)
        if kind == "slice" and rank < 3:
            return f"gl.SliceLayout({self.rng.randrange(rank + 1)}, {self.blocked(rank + 1)})"
        if kind == "operand" and rank == 2:
            return f"gl.DotOperandLayout({self.rng.randrange(2)}, {self.blocked(2)}, 0)"
        if kind == "matrix" and rank == 1:
            return f"gl.SliceLayout({self.rng.randrange(2)}, {self.matrix(2)})"
        if kind == "matrix" and rank <= 3:
            return self.matrix(rank)
        return self.linear(shape) if kind == "linear" else self.blocked(rank)

    def blocked(self, rank):
        order = self.rng.sample(range(rank), rank)
        per_thread = self.split(self.rng.choice([1, 2, 4, 8]), rank)
        return (
            f"gl.BlockedLayout({per_thread}, {self.split(self.lanes, rank)}, {self.split(self.warps, rank)}, {order})"
        )

    def linear(self, shape):
        """Assigns the bits of the coordinates to bits of registers, lanes and warps at random; other bits hold copies.
        Rows may be sums of others."""
        bits = unit_bits(shape)
        self.rng.shuffle(bits)
        zero = [0] * len(shape)
        lanes, warps = self.lanes.bit_length() - 1, self.warps.bit_length() - 1
        rows, registers = [zero] * (lanes + warps), []
        for bit in bits:
            free = [place for place, row in enumerate(rows) if row == zero]
            if free and self.rng.random() < 0.8:
                rows[self.rng.choice(free)] = bit
            else:
                registers.append(bit)
        rows += registers
        self.mix(rows)
        parts = f"{rows[lanes + warps :]}, {rows[:lanes]}, {rows[lanes : lanes + warps]}"
        return f"gl.DistributedLinearLayout({parts}, [], {list(shape)})"

    def matrix(self, rank):
        """Returns a layout of an MMA: that of an accumulator or an operand."""
        layout = self.accumulators(rank)
        if self.rng.random() < 0.5:
            return layout
        # wgmma reads its other operand from shared memory.
        index = 0 if "Layout([3, 0]" in layout else self.rng.randrange(2)
        return f"gl.DotOperandLayout({index}, {layout}, {self.rng.choice([1, 2, 4, 8, 16])})"

    def accumulators(self, rank=2, instruction=None):
        if self.is_amd:
            _, dtype, shape, _ = instruction or self.rng.choice(self.instructions)
            tiles = self.rng.choice([None, None, [2, 1], [1, 2], [2, 2]])
            if tiles and rank == 3:
                tiles = [1, *tiles]
            warps, bits = self.split(self.warps, rank), 64 if dtype is np.float64 else 32
            transposed = self.rng.random() < 0.5
            version = cases.VERSIONS[self.target]
            return f"gl.amd.AMDMFMALayout({version}, {list(shape)}, {transposed}, {warps}, {bits}, {tiles})"
        warps = self.split(self.warps, rank)
        if self.target == "sm_90a" and self.rng.random() < 0.5:
            shape = [16, self.rng.choice([8, 16, 32, 64]), self.rng.choice([8, 16, 32])]
            return f"gl.NVMMADistributedLayout([3, 0], {warps}, {shape})"
        shape = [1] * (rank - 2) + [16, 8]
        return f"gl.NVMMADistributedLayout([2, {self.rng.choice([0, 0, 1])}], {warps}, {shape})"

    # Shared -----------------------------------------------------------------------------------------------------------

    def shared(self, shape, bits=None):
        """For a tile of elements of `bits`; without these, layouts that any type may have."""
        kind = self.rng.choice(["swizzled", "swizzled", "padded", "linear"] + ["nvmma"] * (bits is not None))
        order = self.rng.sample(range(len(shape)), len(shape))
        if kind == "padded":
            intervals = self.rng.sample([4, 16, 64], self.rng.choice([1, 1, 2]))
            pairs = [[interval, self.rng.choice([1, 2, 4, 8])] for interval in sorted(intervals)]
            return f"gl.PaddedSharedLayout.with_identity_for({pairs}, {list(shape)}, {order})"
        if kind == "linear" and np.prod(shape) > 1:
            rows = unit_bits(shape)
            self.rng.shuffle(rows)
            self.mix(rows)
            return f"gl.SharedLinearLayout({rows})"
        if kind == "nvmma" and (layout := self.tensor_core_tile(shape, bits)):
            return layout
        vec, per_phase, max_phase = (self.rng.choice([1, 2, 4, 8]) for _ in range(3))
        return f"gl.SwizzledSharedLayout({vec}, {per_phase}, {max_phase}, {order})"

    def tensor_core_tile(self, shape, bits):
        """Returns a shared layout of TMA and wgmma, with a swizzle that fits the tile, or None."""
        is_transposed = len(shape) == 2 and self.rng.random() < 0.3
        sizes = list(reversed(shape)) if is_transposed else list(shape)
        rows, row_bytes = int(np.prod(sizes[:-1])), sizes[-1] * bits // 8
        widths = [width for width in (32, 64, 128) if len(shape) > 1 and rows >= 8 and row_bytes >= width]
        if not widths:
            return None
        return f"gl.NVMMASharedLayout({self.rng.choice([0, *widths])}, {bits}, {len(shape)}, {is_transposed})"
