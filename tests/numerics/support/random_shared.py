"""Statements of random programs (random_programs.py) on shared memory: trips through it in any layout, parts and
permutations of buffers, elements that indices select, atomics."""

import numpy as np

#: Size of a tile in a ring of three: padding may more than triple it, and gfx942 has 64 KiB.
MOST_BYTES_OF_A_SLOT = 4096
COMBINED = {"add": np.add, "max": np.maximum, "min": np.minimum}
BITS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


class SharedStatements:
    """Mixin of `Program`, which has `rng`, `layouts`, `tiles`, `lines`, `any_tile`, `small`, `define` and `bounded`."""

    def allocate(self, tile, array, ring=0):
        """The name of a new buffer in the shape of `array`, or of a slot of a ring of these."""
        buffer = f"s{len(self.tiles)}"
        layout = self.layouts.shared(array.shape, array.itemsize * 8)
        ring = ring if array.nbytes <= MOST_BYTES_OF_A_SLOT else 0
        shape = [ring, *array.shape] if ring else list(array.shape)
        self.lines.append(f"{buffer} = gl.allocate_shared_memory({tile}.dtype, {shape}, {layout})")
        if ring:
            self.lines.append(f"{buffer} = {buffer}.index(one + {self.rng.randrange(ring - 1)})")
        return buffer

    def through_shared(self):
        tile, array = self.any_tile()
        buffer = self.allocate(tile, array, ring=self.rng.choice([0, 0, 3]))
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

    def gather_shared(self):
        tile, array = self.any_tile()
        buffer = self.allocate(tile, array)
        self.lines.append(f"{buffer}.store({tile})")
        axis = self.rng.randrange(array.ndim)
        places, index = self.indices(array, axis)
        self.define(f"{buffer}.gather({places}, {axis})", np.take_along_axis(array, index, axis))

    def scatter_shared(self):
        """Permutes each line along the axis: the index is multiplied by an odd number, modulo a power of two."""
        tile, array = self.any_tile()
        buffer, axis = self.allocate(tile, array), self.rng.randrange(array.ndim)
        size, stride = array.shape[axis], int(np.prod(array.shape[axis + 1 :]))
        factor, first = self.rng.choice([1, 3, 5, 7]), self.rng.randrange(size)
        along = f"offsets({list(array.shape)}, {tile}.type.layout) // {stride} % {size}"
        self.lines.append(f"{buffer}.scatter({tile}, ({along} * {factor} + {first}) % {size}, {axis})")
        index = (np.arange(array.size).reshape(array.shape) // stride % size * factor + first) % size
        result = np.empty_like(array)
        np.put_along_axis(result, index, array, axis)
        self.define(f"{buffer}.load({self.layouts.distributed(array.shape)})", result)

    def combine_shared(self):
        """Atomics, on elements that several may name."""
        tile, array = self.small()
        name, axis = f"v{len(self.tiles)}", self.rng.randrange(array.ndim)
        self.lines.append(f"{name} = {tile}")
        buffer = self.allocate(name, array)
        operations = COMBINED if array.dtype.kind == "f" else {**COMBINED, **BITS}
        operation = self.rng.choice(list(operations))
        size, factor = array.shape[axis], self.rng.choice([1, 2, 3, 8])
        places = f"p{len(self.tiles)}"
        self.lines += [
            f"{places} = offsets({list(array.shape)}, {name}.type.layout) * {factor} % {size}",
            f"{buffer}.store({name})",
        ]
        index = np.arange(array.size).reshape(array.shape) * factor % size
        mask, taken = "", np.ones(array.shape, bool)
        if self.rng.random() < 0.4:
            mask, taken = f", mask={places} % 2 == 0", index % 2 == 0
        self.lines.append(f"{buffer}.atomic_scatter_{operation}({name}, {places}, {axis}{mask})")
        result, at = array.copy(), list(np.indices(array.shape))
        at[axis] = index
        operations[operation].at(result, tuple(part[taken] for part in at), array[taken])
        self.bounded(f"{buffer}.load({self.layouts.distributed(array.shape)})", result)
