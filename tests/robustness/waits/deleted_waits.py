"""Random kernels that load tiles by TMA, right as they are written, and the same kernels without one of their waits.

A kernel loads one or two tiles for each step into rings, with an mbarrier for each tile or one for both, and adds them
up: in one partition, some steps ahead, or as a producer and a consumer. As it stands the compiler must accept it, and
the result must be right. Then each `mbarrier.wait` is deleted in turn: the compiler must refuse the kernel at a line of
the kernel and name `mbarrier.wait`, or the emulator must notice. Where nothing else waits for the mbarrier, the
compiler must refuse.
"""

from __future__ import annotations

import functools
import random

import forked
import numpy as np
from campaign import Part
from compared_programs import CPU_SECONDS, load

ROWS, COLUMNS = 16, 64
SCHEDULES = ((0, "late"), (1, "random"), (2, "now"), (3, "late"), (4, "random"))

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma

LAYOUT = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
"""


def indented(lines, depth=1):
    return ["    " * depth + line for line in lines]


class Program:
    def __init__(self, seed):
        draw = random.Random(f"deleted waits {seed}")
        self.slots = draw.choice((1, 2, 2, 3))
        self.tiles = draw.choice((1, 2))
        self.shares_barrier = self.tiles == 1 or draw.random() < 0.5
        self.is_specialized = draw.random() < 0.6
        self.ahead = draw.randrange(self.slots + 1)
        self.n = 2 * self.slots + draw.randrange(1, 4)
        self.trips = draw.choice(("n", str(self.n)))
        self.source = "\n".join(self.lines()) + "\n"

    def barriers(self):
        return range(1 if self.shares_barrier else self.tiles)

    def tiles_of(self, barrier):
        return range(self.tiles) if self.shares_barrier else (barrier,)

    def loads(self, step, pred="True"):
        lines = []
        for barrier in self.barriers():
            tiles = self.tiles_of(barrier)
            full = f"full{barrier}.index(({step}) % {self.slots})"
            lines.append(f"mbarrier.expect({full}, {len(tiles)} * desc.nbytes_per_cta, pred={pred})")
            for tile in tiles:
                row = f"(({step}) * {self.tiles} + {tile}) * {ROWS}"
                slot = f"ring{tile}.index(({step}) % {self.slots})"
                lines.append(f"tma.async_load(desc, [{row}, 0], {full}, {slot}, pred={pred})")
        return lines

    def waits(self, name, phase):
        return [f"mbarrier.wait({name}{b}.index(k % {self.slots}), {phase})" for b in self.barriers()]

    def adds(self):
        return [f"total += ring{t}.index(k % {self.slots}).load(LAYOUT) * {t + 1}" for t in range(self.tiles)]

    def arrivals(self):
        return [f"mbarrier.arrive(empty{b}.index(k % {self.slots}))" for b in self.barriers()]

    def handles(self):
        rings = [f"ring{t}" for t in range(self.tiles)]
        return ", ".join([*rings, *(f"{kind}{b}" for kind in ("full", "empty") for b in self.barriers())])

    def lines(self):
        filled, ready = f"k // {self.slots} & 1", f"k // {self.slots} & 1 ^ 1"
        zeros = f"total = gl.zeros([{ROWS}, {COLUMNS}], gl.float16, LAYOUT)"
        consume = [zeros, f"for k in range({self.trips}):"]
        functions = []
        if self.is_specialized:
            consume += indented([*self.waits("full", filled), *self.adds(), *self.arrivals()])
            produce = [f"for k in range({self.trips}):", *indented([*self.waits("empty", ready), *self.loads("k")])]
            functions = [
                "@hocket.jit",
                f"def consume({self.handles()}, n):",
                *indented([*consume, "return total"]),
                "@hocket.jit",
                f"def produce(desc, {self.handles()}, n):",
                *indented(produce),
            ]
            body = [
                f"total = gl.warp_specialize([(consume, ({self.handles()}, n)), "
                f"(produce, (desc, {self.handles()}, n))], [1])"
            ]
        else:
            ahead = f"k + {self.ahead}"
            loads = self.loads(ahead, f"{ahead} < {self.trips}" if self.ahead else "True")
            waits = self.waits("full", filled)
            consume += indented([*waits, *self.adds(), *loads] if self.ahead else [*loads, *waits, *self.adds()])
            prologue = [line for step in range(self.ahead) for line in self.loads(str(step))]
            body = [*prologue, *consume]
        allocations = [
            f"ring{t} = gl.allocate_shared_memory(gl.float16, [{self.slots}, {ROWS}, {COLUMNS}], desc.layout)"
            for t in range(self.tiles)
        ]
        kinds = ("full", "empty") if self.is_specialized else ("full",)
        for name in [f"{kind}{b}" for kind in kinds for b in self.barriers()]:
            allocations.append(f"{name} = mbarrier.allocate_mbarrier(batch={self.slots})")
            allocations += [f"mbarrier.init({name}.index({slot}), count=1)" for slot in range(self.slots)]
        store = [
            f"row = gl.arange(0, {ROWS}, layout=gl.SliceLayout(1, LAYOUT))[:, None]",
            f"column = gl.arange(0, {COLUMNS}, layout=gl.SliceLayout(0, LAYOUT))[None, :]",
            f"gl.store(out + row * {COLUMNS} + column, total)",
        ]
        kernel = ["@hocket.jit", "def kernel(desc, out, n):", *indented([*allocations, *body, *store])]
        return [*functions, *kernel]

    def wait_lines(self):
        """Lines of the waits that are needed: the consumer arrives at all `empty` mbarriers after its last read."""
        lines = enumerate(self.source.splitlines())
        return [n for n, line in lines if "wait(full" in line or ("wait(empty" in line and self.shares_barrier)]

    def without(self, number):
        lines = self.source.splitlines()
        lines[number] = lines[number].split("mbarrier.wait(")[0] + "pass"
        return "\n".join(lines) + "\n"

    def is_refused_without(self, number):
        """True if only that line waits for the mbarrier, with which tiles that are read complete."""
        line = self.source.splitlines()[number]
        return "(full" in line

    def run(self, text, schedules):
        """Compiles and runs `text`; AssertionError for a wrong result."""
        import hocket
        from hocket.nvidia.hopper import TensorDescriptor

        kernel = load(f"<deleted waits {hash(text)}>", text, header())["kernel"]
        values = np.random.default_rng(self.n).integers(-4, 5, (self.n, self.tiles, ROWS, COLUMNS)).astype(np.float16)
        expected = sum(values[:, tile].sum(axis=0) * (tile + 1) for tile in range(self.tiles))
        layout = hocket.language.NVMMASharedLayout(128, 16, 2)
        desc = TensorDescriptor.from_tensor(values.reshape(-1, COLUMNS), [ROWS, COLUMNS], layout)
        for seed, completion in schedules:
            out = np.zeros((ROWS, COLUMNS), np.float16)
            with hocket.emulator.target("sm_90a", seed=seed, completion=completion):
                kernel[(1,)](desc, out, self.n, num_warps=4)
            np.testing.assert_array_equal(out, expected)


@functools.cache
def header():
    return load("<header of deleted waits>", HEADER, {"__name__": "deleted_waits"})


def judge(program, number):
    """Returns "refused", "noticed" or a complaint for the program without the wait in line `number`."""
    import hocket

    try:
        program.run(program.without(number), SCHEDULES)
    except hocket.CompileError as error:
        lines = f"{error}".splitlines()
        if "mbarrier.wait(" not in f"{error}" or "<deleted waits" not in lines[0]:
            return f"the error does not name the wait: {error}"
        return "refused"
    except (hocket.errors.EmulatorError, AssertionError) as error:
        return f"not refused, but {error}" if program.is_refused_without(number) else "noticed"
    return "nothing notices that the wait is missing"


def try_program(seed):
    import hocket

    program = Program(seed)
    try:
        program.run(program.source, SCHEDULES[:3])
    except (hocket.CompileError, hocket.errors.EmulatorError, AssertionError) as error:
        return "wrong", f"the program with all waits: {error}"
    for number in program.wait_lines():
        if (said := judge(program, number)) not in ("refused", "noticed"):
            return "wrong", f"without line {number + 1}: {said}"
    return None


def source_of(seed):
    return f"# deleted waits, seed {seed}\n{Program(seed).source}\n"


def run_batch(seeds):
    import hocket  # noqa: F401
    from hocket import _core  # noqa: F401  children share what is imported

    header()
    return forked.try_all(seeds, try_program, source_of, CPU_SECONDS)


PARTS = [Part("deleted-waits", long=2_000, quick=6, batch=10, run=run_batch)]
