"""Statements of random programs (random_programs.py) that jump: loops with `break` and `continue`, branches, functions
inside the kernel with `return` anywhere, structs of values.

Their source is also valid Python: run on NumPy arrays, it gives the expected result.
"""

import dataclasses
import types

import numpy as np

HEADER = """

@hocket.jit
def largest(x):
    return gl.max(x.ravel(), 0)


@hocket.aggregate
class Pair:
    left: gl.tensor
    right: gl.tensor
    count: gl.tensor

    @hocket.jit
    def swapped(self):
        return hocket.aggregate_replace(self, left=self.right, right=self.left, count=self.count + 1)

    @property
    @hocket.jit
    def larger(self):
        return gl.maximum(self.left, self.right)

    @hocket.jit
    def turned(self, times):
        pair = self
        for k in range(times):
            if (pair.count + k) % 4 == 3:
                return pair
            pair = pair.swapped()
        return pair


@hocket.aggregate
class Marked(Pair):
    mark: gl.constexpr = 3

    @hocket.jit
    def swapped(self):
        return Marked(self.right, self.left, self.count + self.mark, self.mark)
"""

_GL = types.SimpleNamespace(
    where=np.where, maximum=np.maximum, minimum=np.minimum, abs=np.abs, max=np.max, static_range=range,
    tensor=object, constexpr=object,
)  # fmt: skip
_HOCKET = types.SimpleNamespace(
    jit=lambda function: function, aggregate=dataclasses.dataclass, aggregate_replace=dataclasses.replace
)
_NAMES = {"gl": _GL, "hocket": _HOCKET, "one": 1}
exec(HEADER, _NAMES)


def run_as_python(lines, names):
    """The names after `lines`, which begin with `names`."""
    after = {**_NAMES, **names}
    exec("\n".join(lines), after)
    return after


def indented(lines):
    return [f"    {line}" for line in lines]


class State:
    """The variables that a control-flow statement changes, two tiles and a number: three names, or one of a `Pair`."""

    def __init__(self, name, is_struct):
        self.name = name if is_struct else None
        parts = ("left", "right", "count")
        self.left, self.right, self.count = (f"{name}.{part}" if is_struct else f"{name}_{part}" for part in parts)

    def begin(self, left, right, count, kind):
        if self.name:
            return [f"{self.name} = {kind}({left}, {right}, {count})"]
        return [f"{self.left} = {left}", f"{self.right} = {right}", f"{self.count} = {count}"]

    def change(self, **values):
        if self.name:
            fields = ", ".join(f"{part}={value}" for part, value in values.items())
            return [f"{self.name} = hocket.aggregate_replace({self.name}, {fields})"]
        return [f"{', '.join(getattr(self, part) for part in values)} = {', '.join(values.values())}"]

    def names(self):
        return [self.name] if self.name else [self.left, self.right, self.count]


@dataclasses.dataclass(frozen=True)
class Place:
    """Context of a statement: nesting depth, enclosing loops, and True in a function."""

    state: State
    counters: tuple = ()
    depth: int = 0
    is_in_function: bool = False

    def inside(self, *counters):
        return dataclasses.replace(self, counters=(*self.counters, *counters), depth=self.depth + 1)


class ControlStatements:
    """Mixin of `Program`, which has `rng`, `lines`, `tiles`, `pair` and `define`."""

    DEPTH = 2

    def control(self):
        a, left, b, right = self.pair()
        name = f"c{len(self.tiles)}"
        state, kind = State(name, self.rng.random() < 0.4), self.rng.choice(["Pair", "Marked"])
        self.is_float = left.dtype.kind == "f"
        self.lines += [f"{name}_a = {a}", f"{name}_b = {b}"]
        lines = state.begin(f"{name}_a", f"{name}_b", self.rng.choice(["one * 0", "one", "one + 1"]), kind)
        if self.rng.random() < 0.4:
            lines += self.function(name, state)
        else:
            lines += self.block(Place(state))
        ends = f"{name}_left, {name}_right, {name}_count"
        if state.name:
            lines.append(f"{ends} = {state.left}, {state.right}, {state.count}")
        after = run_as_python(lines, {f"{name}_a": left, f"{name}_b": right})
        self.lines += lines
        shape = list(left.shape)
        self.define(f"gl.full({shape}, {name}_count % 16, gl.int32, {name}_left.type.layout)",
                    np.full(shape, after[f"{name}_count"] % 16, np.int32))  # fmt: skip
        for part in ("left", "right"):
            self.define(f"{name}_{part}", after[f"{name}_{part}"])

    def function(self, name, outer):
        """A function inside the kernel, called once or twice. It reads a name from around it."""
        if outer.name:
            parameters, inner = f"{name}_pair", State(f"{name}_pair", True)
        else:
            inner = State(f"{name}_inner", False)
            parameters = ", ".join(inner.names())
        body = self.block(Place(inner, (f"{name}_limit",), is_in_function=True))
        body = [*body, f"return {', '.join(inner.names())}"]
        call = f"{', '.join(outer.names())} = {name}_function({', '.join(outer.names())})"
        calls = [call]
        if self.rng.random() < 0.5:
            calls = [call, f"{name}_limit = {name}_limit + 2", call]
        elif self.rng.random() < 0.3:
            calls = [f"for {name}_call in range(one + 1):", *indented([call])]
        return [f"{name}_limit = one + 1", f"def {name}_function({parameters}):", *indented(body), *calls]

    # Blocks -----------------------------------------------------------------------------------------------------------

    def block(self, place):
        """Statements, of which the last may leave the block."""
        kinds = [self.assign, self.assign, self.count_up, self.choose]
        kinds += [self.repeat, self.repeat, self.jump] if place.depth < self.DEPTH else []
        lines = [line for _ in range(self.rng.randrange(1, 4)) for line in self.rng.choice(kinds)(place)]
        if place.depth == 0 and not any(line.lstrip().startswith(("for", "while")) for line in lines):
            lines += self.repeat(place)
        return lines

    def condition(self, place):
        number = self.rng.choice([*place.counters, place.state.count, "one"])
        simple = [
            f"({number} + {self.rng.randrange(3)}) % {self.rng.choice([2, 3])} == {self.rng.randrange(2)}",
            f"{number} < {self.rng.randrange(5)}",
            f"{self.rng.randrange(2)} <= {number} < {self.rng.randrange(2, 5)}",
            f"{number} != {self.rng.randrange(4)}",
            f"one == {self.rng.randrange(2)}",
        ]
        if self.rng.random() < 0.1:
            return f"largest({place.state.left}) > {self.rng.randrange(8)}"
        if self.rng.random() < 0.2:
            return f"{self.rng.choice(simple)} {self.rng.choice(['and', 'or'])} {self.rng.choice(simple)}"
        return self.rng.choice(simple)

    def assign(self, place):
        left, right = place.state.left, place.state.right
        if self.rng.random() < 0.2:
            return place.state.change(left=right, right=left)
        if place.state.name and self.rng.random() < 0.4:
            pair = place.state.name
            return self.rng.choice([
                [f"{pair} = {pair}.swapped()"],
                [f"{pair} = {pair}.turned({self.rng.choice(['2', 'one + 1', 'one * 5'])})"],
                place.state.change(left=f"{pair}.larger"),
            ])  # fmt: skip
        values = [f"gl.maximum({left}, {right})", f"gl.minimum({right}, {left})"]
        if self.is_float:
            values += [f"gl.where({left} < {right}, {right}, 1 - {left})",
                       f"gl.where(gl.abs({left} - {right}) <= 16, {left} - {right}, {right})"]  # fmt: skip
        else:
            values += [f"gl.where({left} < {right}, {right}, -{left} & 7)", f"({left} + {right}) & 15",
                       f"({left} * 3 - {right}) & 15", f"{left} ^ {right}"]  # fmt: skip
        return place.state.change(**{self.rng.choice(["left", "right"]): self.rng.choice(values)})

    def count_up(self, place):
        count = place.state.count
        step = self.rng.choice([*place.counters, "1", "one"])
        return place.state.change(count=self.rng.choice([f"{count} + {step}", f"({count} * 2 + {step}) % 11"]))

    def choose(self, place):
        lines = [f"if {self.condition(place)}:", *indented(self.assign(place))]
        if self.rng.random() < 0.3:
            lines += [f"elif {self.condition(place)}:", *indented(self.count_up(place))]
        if self.rng.random() < 0.5:
            lines += ["else:", *indented(self.assign(place) if self.rng.random() < 0.7 else ["pass"])]
        return lines

    def jump(self, place):
        """Emits a conditional break, return or continue."""
        ways = ["break", "continue"] * (place.depth > 0)
        ways += [f"return {', '.join(place.state.names())}"] * place.is_in_function
        if not ways:
            return self.choose(place)
        before = self.assign(place) if self.rng.random() < 0.5 else []
        lines = [f"if {self.condition(place)}:", *indented([*before, self.rng.choice(ways)])]
        if self.rng.random() < 0.3:
            lines += ["else:", *indented(self.assign(place))]
        return lines

    def repeat(self, place):
        self.loops = getattr(self, "loops", 0) + 1
        counter = f"k{self.loops}"
        inside = place.inside(counter)
        body = [*self.jump(inside), *self.block(inside)]
        if self.rng.random() < 0.4:
            body = [*body[-1:], *body[:-1]] if not body[-1].startswith((" ", "else", "elif")) else body
        if self.rng.random() < 0.25:
            bound = self.rng.choice(["3", "one + 3"])
            return [f"{counter} = one * 0", f"while {counter} < {bound}:", f"    {counter} = {counter} + 1",
                    *indented(body)]  # fmt: skip
        numbers = self.rng.choice(["range(one + 2)", "range(4)", "range(one, 6, 2)", "range(5, one - 1, -2)",
                                   "range(one - 1)", "gl.static_range(3)", "gl.static_range(1, 6, 2)"])  # fmt: skip
        return [f"for {counter} in {numbers}:", *indented(body)]
