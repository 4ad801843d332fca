"""Random statements on handles of shared memory, and what NumPy says they do.

Loops, branches and while loops carry handles (exchanged, rotated, chosen, of another slot each time), make views of
what they carry and views of these, carry views, and load and store through all of them:

    for i0 in range(one + 2):
        v1 = h0.permute([1, 0])
        sum2 = (sum2 * 3 + v1.load(...).to(gl.int32)) & 1023 h1.store(filled([16, 32], ..., 5, i0).to(gl.int16)) h0, h1
        = h1, h0

Each statement is text and a function that does the same to `Handle`s; loops run it as often as the kernel would.
"""

import dataclasses
import itertools

import numpy as np

HEADER = """

@hocket.jit
def filled(SHAPE: gl.constexpr, layout: gl.constexpr, factor, first):
    return (offsets(SHAPE, layout) * factor + first) & 63
"""

DTYPES = ["int8", "int16", "int32", "float32"]
#: Elements of a tile.
MOST_ELEMENTS = 1024
STATEMENTS = 7
DEPTH = 3


@dataclasses.dataclass(frozen=True)
class Type:
    """Properties that handles must have in common to be assigned to one variable.

    `made` says how the type came about: the layout as source text and the views since. `order` is that of a tile whose
    elements lie in memory one after the other, which can be shown in other shapes and dtypes; None for other tiles.
    """

    dtype: str
    shape: tuple
    made: tuple
    slots: int = 0
    order: tuple | None = None


@dataclasses.dataclass(frozen=True)
class Handle:
    """`places`: the first byte of each element in `buffer`."""

    buffer: np.ndarray
    places: np.ndarray
    dtype: str

    def bytes(self):
        return self.places[..., None] + np.arange(np.dtype(self.dtype).itemsize)

    def load(self):
        return self.buffer[self.bytes()].view(self.dtype)[..., 0]

    def store(self, array):
        self.buffer[self.bytes()] = np.ascontiguousarray(array.astype(self.dtype))[..., None].view(np.uint8)


def places_of(shape, order, size):
    """Bytes from the start of a tile whose dimension order[0] is the fastest."""
    strides, stride = [0] * len(shape), size
    for dim in order:
        strides[dim] = stride
        stride *= shape[dim]
    return sum(
        (np.arange(n) * s).reshape([-1 if d == dim else 1 for d in range(len(shape))])
        for dim, (n, s) in enumerate(zip(shape, strides, strict=True))
    )


def filled(shape, factor, first):
    return (np.arange(np.prod(shape)).reshape(shape) * factor + first) & 63


class Handles:
    """Writes statements for a program with `rng` and `layouts`. `lines`: their text. `sums`: name -> array."""

    def __init__(self, rng, layouts, prefix="", statements=STATEMENTS, most=MOST_ELEMENTS):
        self.rng, self.layouts, self.prefix, self.most = rng, layouts, prefix, most
        self.numbers = itertools.count()
        self.prologue, self.sums, self.types, self.loops = [], {}, {}, []
        self.values = {"one": 1}
        self.lines = [line for _ in range(rng.choice([1, 1, 2])) for line in self.allocate()]
        body = self.block(statements, 0, must_loop=True)
        last = [self.add_up(name) for name, kind in list(self.types.items()) if not kind.slots]
        for lines, run in [*body, *last]:
            self.lines += lines
            run()
        self.lines = self.prologue + self.lines
        self.sums = {name: self.values[name] for name in self.sums}

    def name(self, kind):
        return f"{self.prefix}{kind}{next(self.numbers)}"

    # Buffers ----------------------------------------------------------------------------------------------------------

    def random_shape(self):
        rank = self.rng.choice([1, 2, 2, 2, 3])
        shape = [1 << self.rng.randrange(2, 7) for _ in range(rank)]
        while np.prod(shape) > self.most:
            shape[self.rng.randrange(rank)] //= 2
        return tuple(max(size, 1) for size in shape)

    def allocate(self):
        """Two or three tiles of one type, or slots of one ring, or both."""
        shape, dtype, order = self.random_shape(), self.rng.choice(DTYPES), None
        layout = self.layouts.shared(shape)
        if self.rng.random() < 0.4:
            order = tuple(self.rng.sample(range(len(shape)), len(shape)))
            layout = f"gl.SwizzledSharedLayout(1, 1, 1, {list(order)})"
        if dtype == "float32":
            order = None
        tile = Type(dtype, shape, (layout,), 0, order)
        lines, tiles = [], self.rng.choice([0, 1, 2, 3])
        registers = self.layouts.distributed(shape)
        size = np.dtype(dtype).itemsize
        places = places_of(shape, order or tuple(reversed(range(len(shape)))), size)
        for _ in range(tiles):
            name, first = self.name("h"), self.rng.randrange(64)
            value = f"filled({list(shape)}, {registers}, 5, {first} * one).to(gl.{dtype})"
            lines.append(f"{name} = gl.allocate_shared_memory(gl.{dtype}, {list(shape)}, {layout}, {value})")
            handle = Handle(np.zeros(places.size * size, np.uint8), places, dtype)
            handle.store(filled(shape, 5, first))
            self.types[name], self.values[name] = tile, handle
        if tiles < 2:
            slots, ring = self.rng.choice([2, 3, 4]), self.name("ring")
            self.types[ring] = dataclasses.replace(tile, shape=(slots, *shape), slots=1, made=(layout, slots))
            buffer = np.zeros(slots * places.size * size, np.uint8)
            where = np.arange(slots).reshape([-1] + [1] * len(shape)) * places.size * size + places
            self.values[ring] = Handle(buffer, where, dtype)
            self.values[ring].store(np.stack([filled(shape, 3, slot) for slot in range(slots)]))
            lines += [
                f"{ring} = gl.allocate_shared_memory(gl.{dtype}, {[slots, *shape]}, {layout})",
                f"for slot in gl.static_range({slots}):",
                f"    {ring}.index(slot).store(filled({list(shape)}, {registers}, 3, slot * one).to(gl.{dtype}))",
            ]
            for slot in range(2):
                name = self.name("h")
                lines.append(f"{name} = {ring}.index({slot}{self.rng.choice(['', ' * one'])})")
                self.types[name] = tile
                self.values[name] = Handle(buffer, where[slot], dtype)
        return lines

    # Statements -------------------------------------------------------------------------------------------------------

    def block(self, count, depth, must_loop=False):
        """Statements whose new names are forgotten after them; those of depth 0 stay."""
        known = dict(self.types)
        kinds = [self.load, self.load, self.store, self.store, self.copy, self.view, self.view, self.exchange,
                 self.exchange, self.choose, self.point, self.point, self.branch]  # fmt: skip
        statements = []
        for number in range(count):
            kind = self.rng.choice(kinds)
            if depth < DEPTH and (self.rng.random() < 0.2 or (must_loop and number == count // 2)):
                kind = self.rng.choice([self.loop, self.loop, self.while_loop])
            statement = kind(depth)
            if statement:
                statements.append(statement)
        if depth:
            self.types = known
        return statements or [(["pass"], lambda: None)]

    def inside(self, header, block):
        return [header, *(f"    {line}" for lines, _ in block for line in lines)]

    def any_handle(self, is_tile=True):
        return self.rng.choice([name for name, kind in self.types.items() if not (is_tile and kind.slots)])

    def number(self, bound):
        """Returns an expression below `bound` and its operands, run-time values or constants."""
        variables = [*self.loops, "one"]
        return self.rng.choice(
            [f"({self.rng.choice(variables)} + {self.rng.randrange(3)}) % {bound}", str(self.rng.randrange(bound))]
        )

    def condition(self):
        return f"({self.rng.choice([*self.loops, 'one'])} + {self.rng.randrange(2)}) % 2 == 0"

    def evaluate(self, expression):
        return eval(expression, {}, self.values)

    def add_up(self, name, depth=0):
        kind, total = self.types[name], self.name("sum")
        fitting = [known for known, (shape, _) in self.sums.items() if shape == kind.shape]
        if fitting and self.rng.random() < 0.5:
            total = self.rng.choice(fitting)
        if total not in self.sums:
            registers = self.layouts.distributed(kind.shape)
            self.sums[total] = (kind.shape, registers)
            self.prologue.append(f"{total} = gl.zeros({list(kind.shape)}, gl.int32, {registers})")
            self.values[total] = np.zeros(kind.shape, np.int32)

        def run():
            self.values[total] = (self.values[total] * 3 + self.values[name].load().astype(np.int32)) & 1023

        registers = self.sums[total][1]
        return [f"{total} = ({total} * 3 + {name}.load({registers}).to(gl.int32)) & 1023"], run

    def load(self, depth):
        return self.add_up(self.any_handle())

    def store(self, depth):
        name = self.any_handle()
        kind, factor = self.types[name], self.rng.choice([1, 5, 7])
        first = self.rng.choice([*self.loops, "one", str(self.rng.randrange(64))])
        registers = self.layouts.distributed(kind.shape)
        if self.sums and self.rng.random() < 0.7:
            registers = self.rng.choice([r for shape, r in self.sums.values() if shape == kind.shape] or [registers])

        def run():
            self.values[name].store(filled(kind.shape, factor, self.evaluate(first)))

        value = f"filled({list(kind.shape)}, {registers}, {factor}, {first}).to(gl.{kind.dtype})"
        return [f"{name}.store({value})"], run

    def copy(self, depth):
        source = self.any_handle()
        kind = self.types[source]
        alike = [n for n, k in self.types.items() if (k.shape, k.dtype) == (kind.shape, kind.dtype) and not k.slots]
        target = self.rng.choice(alike)  # a whole ring has the layout of its slots only
        registers = self.layouts.distributed(kind.shape)
        return [f"{target}.store({source}.load({registers}))"], lambda: self.values[target].store(
            self.values[source].load()
        )

    def exchange(self, depth):
        """a, b = b, a, or three in turn."""
        kind = self.types[self.any_handle(is_tile=False)]
        names = [name for name, other in self.types.items() if other == kind]
        names = self.rng.sample(names, min(len(names), self.rng.choice([2, 2, 3])))
        if len(names) < 2:
            return None
        turned = names[1:] + names[:1]

        def run():
            self.values.update(zip(names, [self.values[name] for name in turned], strict=True))

        return [f"{', '.join(names)} = {', '.join(turned)}"], run

    def choose(self, depth):
        target = self.any_handle(is_tile=False)
        fitting = [name for name, kind in self.types.items() if kind == self.types[target]]
        first, second, condition = self.rng.choice(fitting), self.rng.choice(fitting), self.condition()

        def run():
            self.values[target] = self.values[first if self.evaluate(condition) else second]

        if self.rng.random() < 0.5:
            return [f"{target} = {first} if {condition} else {second}"], run
        return [f"if {condition}:", f"    {target} = {first}", "else:", f"    {target} = {second}"], run

    def point(self, depth):
        """A variable gets another view: of the type that it has."""
        target = self.any_handle(is_tile=False)
        for _ in range(12):
            text, kind, function = self.random_view()
            if kind == self.types[target]:
                return self.assign(target, text, function)
        return None

    def view(self, depth):
        text, kind, function = self.random_view()
        name = self.name("v")
        self.types[name] = kind
        return self.assign(name, text, function)

    def assign(self, name, text, function):
        def run():
            self.values[name] = function()

        return [f"{name} = {text}"], run

    def branch(self, depth):
        if depth >= DEPTH:
            return None
        condition = self.condition()
        then, otherwise = self.block(2, depth + 1), self.block(self.rng.choice([0, 1]), depth + 1)

        def run():
            for _, step in then if self.evaluate(condition) else otherwise:
                step()

        return [*self.inside(f"if {condition}:", then), *self.inside("else:", otherwise)], run

    # Loops ------------------------------------------------------------------------------------------------------------

    def loop(self, depth):
        variable, trips = self.name("i"), self.rng.choice(["one + 2", "3", "3", "one * 4", "one * 4", "one", "one - 1"])
        self.loops.append(variable)
        body = self.block(self.rng.choice([3, 5]), depth + 1)
        self.loops.pop()

        def run():
            for number in range(self.evaluate(trips)):
                self.values[variable] = number
                for _, step in body:
                    step()

        return self.inside(f"for {variable} in range({trips}):", body), run

    def while_loop(self, depth):
        variable, trips = self.name("w"), self.rng.choice(["one + 1", "one + 2", "3", "one - 1"])
        self.loops.append(variable)
        body = self.block(self.rng.choice([3, 5]), depth + 1)
        self.loops.pop()

        def run():
            self.values[variable] = 0
            while self.values[variable] < self.evaluate(trips):
                for _, step in body:
                    step()
                self.values[variable] += 1

        loop = self.inside(f"while {variable} < {trips}:", body)
        return [f"{variable} = one * 0", *loop, f"    {variable} += 1"], run

    # Views ------------------------------------------------------------------------------------------------------------

    def random_view(self):
        """Source text, type, and a function that makes the handle."""
        name = self.any_handle(is_tile=False)
        kind = self.types[name]
        ways = [self.permuted, self.sliced]
        ways += [self.indexed] * 3 if kind.slots else [self.reinterpreted] * bool(kind.order)
        is_row_major = kind.order == tuple(reversed(range(len(kind.shape) - kind.slots)))
        ways += [self.reshaped] * is_row_major
        text, made, places, dtype = self.rng.choice(ways)(kind)

        def function():
            handle = self.values[name]
            return Handle(handle.buffer, places(handle.places), dtype)

        return f"{name}{text}", made, function

    def permuted(self, kind):
        tile = range(kind.slots, len(kind.shape))
        order = [*range(kind.slots), *self.rng.sample(tile, len(tile))]
        shape, made = tuple(kind.shape[dim] for dim in order), kind.made
        if order != sorted(order):
            made = (*made, "permute", *order)
        new_order = kind.order and tuple(order.index(dim + kind.slots) - kind.slots for dim in kind.order)
        made = dataclasses.replace(kind, shape=shape, made=made, order=new_order)
        return f".permute({order})", made, lambda places: places.transpose(order), kind.dtype

    def sliced(self, kind):
        dim = self.rng.randrange(len(kind.shape))
        size = kind.shape[dim]
        if dim < kind.slots:
            start = self.rng.randrange(size)
            length = self.rng.randrange(1, size - start + 1)
        else:
            length = max(size // self.rng.choice([1, 2, 4]), 1)
            start = self.rng.randrange(size // length) * length
        shape = (*kind.shape[:dim], length, *kind.shape[dim + 1 :])
        made = kind if length == size else Type(kind.dtype, shape, (*kind.made, "slice", dim, length), kind.slots)
        return (
            f".slice({start}, {length}, {dim})",
            made,
            lambda places: places.take(range(start, start + length), dim),
            kind.dtype,
        )

    def indexed(self, kind):
        slot = self.number(kind.shape[0])
        layout, *views = kind.made
        # Slots of a ring are tiles like those that are allocated alone.
        made = tuple([layout, *views[1:]]) if views and isinstance(views[0], int) else (*kind.made, "index")
        made = Type(kind.dtype, kind.shape[1:], made, 0, kind.order)
        return f".index({slot})", made, lambda places: places[self.evaluate(slot)], kind.dtype

    def reshaped(self, kind):
        tile = self.layouts.split(int(np.prod(kind.shape[kind.slots :])), self.rng.choice([1, 2, 3]))
        shape = (*kind.shape[: kind.slots], *tile)
        made = Type(kind.dtype, shape, (*kind.made, "reshape", *tile), kind.slots, tuple(reversed(range(len(tile)))))
        return f".reshape({list(shape)})", made, lambda places: places.reshape(shape), kind.dtype

    def reinterpreted(self, kind):
        dtype = self.rng.choice([name for name in DTYPES if name != "float32"])
        size = np.dtype(dtype).itemsize
        elements = int(np.prod(kind.shape)) * np.dtype(kind.dtype).itemsize // size
        shape = tuple(self.layouts.split(elements, self.rng.choice([1, 2])))
        order = tuple(self.rng.sample(range(len(shape)), len(shape)))
        layout = f"gl.SwizzledSharedLayout(1, 1, 1, {list(order)})"
        made = Type(dtype, shape, ("reinterpret", layout), 0, order)
        text = f"._reinterpret(gl.{dtype}, {list(shape)}, {layout})"
        return text, made, lambda places: places.min() + places_of(shape, order, size), dtype
