"""Statements of the kernels of legal_waits.py that copy or multiply: as text, and as they are executed in Python.

A machine is a class whose objects execute the statements of one launch. It raises TooEarly for a statement that uses
what an asynchronous operation has not yet finished.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

TILES, SLOTS, TILE, SOURCES = 2, 3, 32, 64

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import fence_async_shared, warpgroup_mma, warpgroup_mma_wait

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [1], [0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
SHARED = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16))
ACC = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
BLOCKED = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
"""


class TooEarly(Exception):
    """`node` needs a wait that leaves at most `wait` groups pending (None: a commit, too). `values`: its variables."""

    def __init__(self, node, wait, values):
        self.node, self.wait, self.values = node, wait, values


@dataclass
class Node:
    """A statement: `text`, or a head with bodies."""

    kind: str
    what: tuple = ()
    bodies: list[list[Node]] = field(default_factory=list)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other


def evaluate(text, values):
    return eval(text, {}, values)


class Copies:
    """Asynchronous copies into two tiles and a ring; groups end at commits."""

    NUM_WARPS = 1

    def __init__(self, values):
        self.values = values
        self.content = {}
        self.uncommitted, self.groups = [], []
        self.total = np.zeros(TILE, np.int64)

    # Statements -----------------------------------------------------------------------------------------------------

    @staticmethod
    def statement(draw, variables):
        place = "tile", str(draw.randrange(TILES))
        if draw.random() < 0.5:
            index = draw.choice([*variables, "0"]) + f" + {draw.randrange(SLOTS)}"
            place = "ring", f"({index}) % {SLOTS}"
        kind = draw.choice(("copy", "copy", "copy", "use", "use", "use", "store", "commit", "commit", "wait"))
        if kind == "copy":
            return Node(
                "copy", (*place, f"({draw.choice([*variables, '0'])} * 5 + {draw.randrange(SOURCES)}) % {SOURCES}")
            )
        if kind in ("use", "store"):
            return Node(kind, place)
        return Node("commit") if kind == "commit" else Node("wait", (draw.randrange(3),))

    @staticmethod
    def repair(wait):
        return [Node("wait", (wait,))] if wait is not None else [Node("commit"), Node("wait", (0,))]

    @staticmethod
    def text(node):
        handle = ""
        if node.kind in ("copy", "use", "store"):
            buffer, index = node.what[:2]
            handle = f"{'tiles' if buffer == 'tile' else 'ring'}.index({index})"
        return {
            "copy": lambda: f"async_copy.async_load({handle}, x + ({node.what[2]}) * {TILE} + i)",
            "use": lambda: f"total = total * 3 + {handle}.load(LINE)",
            "store": lambda: f"{handle}.store(i * 7)",
            "commit": lambda: "async_copy.commit_group()",
            "wait": lambda: f"async_copy.wait_group({node.what[0]})",
        }[node.kind]()

    PARAMETERS = "x, tiles, ring, i, total"
    RESULT = "total"
    PROLOGUE = (
        f"i = gl.arange(0, {TILE}, LINE)",
        f"tiles = gl.allocate_shared_memory(gl.int32, [{TILES}, {TILE}], PLAIN)",
        f"ring = gl.allocate_shared_memory(gl.int32, [{SLOTS}, {TILE}], PLAIN)",
        *(f"tiles.index({index}).store(i)" for index in range(TILES)),
        *(f"ring.index({index}).store(i)" for index in range(SLOTS)),
        "total = i * 0",
    )
    EPILOGUE = ("async_copy.commit_group()", "async_copy.wait_group(0)", "gl.store(out + i, total)")

    # Execution ------------------------------------------------------------------------------------------------------

    def place(self, node):
        return node.what[0], evaluate(node.what[1], self.values)

    def check(self, node, place):
        if place in self.uncommitted:
            raise TooEarly(node, None, dict(self.values))
        for age, group in enumerate(reversed(self.groups)):
            if place in group:
                raise TooEarly(node, age, dict(self.values))

    def execute(self, node, x):
        if node.kind == "commit":
            self.groups.append(self.uncommitted)
            self.uncommitted = []
        elif node.kind == "wait":
            del self.groups[: max(len(self.groups) - node.what[0], 0)]
        else:
            place = self.place(node)
            self.check(node, place)
            if node.kind == "copy":
                self.uncommitted.append(place)
                source = evaluate(node.what[2], self.values)
                self.content[place] = x[source].astype(np.int64)
            elif node.kind == "store":
                self.content[place] = np.arange(TILE) * 7
            else:
                self.total = self.total * 3 + self.content.get(place, np.arange(TILE))

    @staticmethod
    def inputs():
        return np.random.default_rng(0).integers(-1000, 1000, (SOURCES, TILE)).astype(np.int32)

    def result(self):
        return self.total.astype(np.int32)


class Products:
    """Products by a warpgroup on two accumulators, each of one group; tiles hold small integers, so sums are exact."""

    NUM_WARPS = 4

    def __init__(self, values):
        self.values = values
        self.number = [1, 2]  # in all elements of a tile
        self.sums = [0.0, 0.0]
        self.groups = []  # (accumulator, tile)
        self.total = 0.0

    @staticmethod
    def statement(draw, variables):
        kind = draw.choice(("multiply", "multiply", "multiply", "use", "use", "store", "wait"))
        if kind == "multiply":
            use_acc = draw.choice(("True", "True", "False", *(f"{name} > 0" for name in variables)))
            return Node("multiply", (draw.randrange(2), draw.randrange(2), use_acc))
        if kind == "use":
            return Node("use", (draw.randrange(2),))
        if kind == "store":
            return Node("store", (draw.randrange(2), draw.choice((1, 2, 3))))
        return Node("wait", (draw.randrange(3),))

    @staticmethod
    def repair(wait):
        return [Node("wait", (min(wait, 7),))]  # the most that the instruction may leave

    @staticmethod
    def text(node):
        if node.kind == "multiply":
            acc, tile, use_acc = node.what
            return f"a{acc} = warpgroup_mma(t{tile}, t{tile}, a{acc}, use_acc={use_acc}, is_async=True)"
        if node.kind == "use":
            return f"total = total * 0.5 + gl.max(gl.max(a{node.what[0]}, 1), 0)"
        if node.kind == "store":
            return f"t{node.what[0]}.store(gl.full([64, 64], {node.what[1]}, gl.float16, BLOCKED))"
        return f"a0, a1 = warpgroup_mma_wait({node.what[0]}, deps=[a0, a1])"

    PARAMETERS = "t0, t1, a0, a1, total"
    RESULT = "a0, a1, total"
    PROLOGUE = (
        "t0 = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.full([64, 64], 1, gl.float16, BLOCKED))",
        "t1 = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED, gl.full([64, 64], 2, gl.float16, BLOCKED))",
        "a0 = gl.zeros([64, 64], gl.float32, ACC)",
        "a1 = gl.zeros([64, 64], gl.float32, ACC)",
        "total = 0.0",
    )
    EPILOGUE = (
        "a0, a1 = warpgroup_mma_wait(0, deps=[a0, a1])",
        "gl.store(out, total + gl.max(gl.max(a0, 1), 0) + gl.max(gl.max(a1, 1), 0))",
    )

    def execute(self, node, x):
        if node.kind == "wait":
            del self.groups[: max(len(self.groups) - node.what[0], 0)]
        elif node.kind == "multiply":
            acc, tile, use_acc = node.what
            # A result that is overwritten while it is in flight is one in other registers.
            number = float(np.float32(64.0 * self.number[tile] ** 2))
            self.sums[acc] = float(np.float32((self.sums[acc] if evaluate(use_acc, self.values) else 0) + number))
            self.groups.append((acc, tile))
        else:
            which = node.what[0]
            for age, (acc, tile) in enumerate(reversed(self.groups)):
                if which == (acc if node.kind == "use" else tile):
                    raise TooEarly(node, age, dict(self.values))
            if node.kind == "store":
                self.number[which] = node.what[1]
            else:
                self.total = float(np.float32(np.float32(self.total * 0.5) + np.float32(self.sums[which])))

    @staticmethod
    def inputs():
        return np.zeros(1, np.float32)

    def result(self):
        return np.float32(np.float32(self.total + self.sums[0]) + self.sums[1]).reshape(1)
