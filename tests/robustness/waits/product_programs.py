"""Random kernels of wgmma without a written wait, and what ptxas says about the waits that the compiler places.

    python tests/robustness/waits/product_programs.py [--first N] [--count N]

ptxas warns (C7510 to C7517) where it cannot keep wgmmas in flight, and makes them wait for each other. Each such
warning costs time that a profile does not explain. Counts them by code, with the programs; ends with 1 if there is one
that docs/asynchronous_waits.md ("What ptxas must not see") does not explain: one of EXPLAINED.
"""

import argparse
import collections
import pathlib
import random
import re
import sys

import numpy as np

sys.path += [str(folder) for folder in pathlib.Path(__file__).parents[1:3]]

import compared_programs
import ptxas

import hocket
from hocket import language as gl

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import warpgroup_mma

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
MMA = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
LEFT = gl.constexpr(gl.DotOperandLayout(0, MMA, 2))


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def kernel(x, out, n, flag, SHARED: gl.constexpr):
    tiles = gl.allocate_shared_memory(gl.float16, [4, 64, 64], SHARED)
    for b in gl.static_range(4):
        tiles.index(b).store(gl.load(x + b * 4096 + places(ROWS)))
    a0 = gl.zeros([64, 64], gl.float32, MMA)
    a1 = gl.zeros([64, 64], gl.float32, MMA)
    p = gl.zeros([64, 64], gl.float16, LEFT)
    total = gl.zeros([64, 64], gl.float32, MMA)
"""

#: Warnings whose cause is the program's control flow or its size, as docs/asynchronous_waits.md says.
EXPLAINED = ("C7511", "C7513", "C7514", "C7515", "C7517")


class Program:
    def __init__(self, seed):
        self.seed, self.draw = seed, random.Random(seed)
        body = self.block(depth=0, least=2)
        self.source = HEADER + "".join(
            f"    {line}\n"
            for line in [
                *body,
                *(f"gl.store(out + {i * 4096} + places(MMA), {a})" for i, a in enumerate(["a0", "a1", "total"])),
            ]
        )

    def tile(self):
        return f"tiles.index({self.draw.randrange(4)})"

    def statement(self, depth):
        draw = self.draw
        acc = draw.choice(["a0", "a1"])
        kinds = ["product"] * 6 + ["left"] * 2 + ["use", "use", "gate", "fresh", "store"]
        kinds += ["loop", "loop", "if"] if depth < 2 else []
        kind = draw.choice(kinds)
        if kind == "product":
            return [f"{acc} = warpgroup_mma({self.tile()}, {self.tile()}, {acc})"]
        if kind == "left":
            return [f"{acc} = warpgroup_mma(p, {self.tile()}, {acc})"]
        if kind == "use":
            return [f"total += {acc}"]
        if kind == "gate":
            return [f"p = gl.convert_layout({acc}.to(gl.float16), LEFT)"]
        if kind == "fresh":
            return [f"{acc} = warpgroup_mma({self.tile()}, {self.tile()}, {acc}, use_acc=False)"]
        if kind == "store":
            return [f"{self.tile()}.store(gl.full([64, 64], 2, gl.float16, ROWS))"]
        inside = ["    " + line for line in self.block(depth + 1)]
        if kind == "loop":
            return [f"for t{depth} in range(n):", *inside]
        other = ["else:", *("    " + line for line in self.block(depth + 1))] if draw.random() < 0.4 else []
        return ["if flag == 2:", *inside, *other]

    def block(self, depth, least=1):
        lines = []
        for _ in range(self.draw.randint(least, 4)):
            lines += self.statement(depth)
        return lines

    def ptx(self):
        kernel = compared_programs.load(f"<product program {self.seed}>", self.source, {"__name__": "programs"})[
            "kernel"
        ]
        x, out = np.zeros((4, 64, 64), np.float16), np.zeros((3, 64, 64), np.float32)
        tile = gl.NVMMASharedLayout(128, 16, 2)
        return kernel.warmup(x, out, 5, 2 + 5, tile, target="sm_90a", num_warps=4).asm["ptx"]


def warnings_of(ptx):
    """The codes of ptxas's warnings about products: {"C7515": number of them}."""
    said = ptxas.messages(ptx)
    assert "registers" in said
    return collections.Counter(re.findall(r"\b(C75\d\d)\b", said))


def has_products(ptx):
    return "wgmma.mma_async" in ptx


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=150)
    chosen = parser.parse_args()
    if ptxas.PATH is None:
        sys.exit("needs ptxas")
    programs, found, refused, unexplained = 0, collections.defaultdict(list), 0, 0
    for seed in range(chosen.first, chosen.first + chosen.count):
        try:
            ptx = Program(seed).ptx()
        except hocket.CompileError as error:
            refused += 1
            print(f"program {seed} is refused: {error}", flush=True)
            continue
        if not has_products(ptx):
            continue
        programs += 1
        for code in warnings_of(ptx):
            found[code].append(seed)
            unexplained += code not in EXPLAINED
    for code, seeds in sorted(found.items()):
        print(f"{code}: {len(seeds)} programs: {seeds}")
    print(f"{programs} programs with products, {refused} refused, {sum(map(len, found.values()))} warnings")
    return unexplained + refused > 0


if __name__ == "__main__":
    sys.exit(main())
