"""Random programs in which generic stores, bulk copies and wgmma touch the same memory, in one order of all actions.

Actions are of the launch's warps or of workers. Consecutive ones are ordered by the block's barrier, an mbarrier or a
named barrier, so that programs are free of races; which of them need a proxy fence in between, proxy_judge.py decides.

    python tests/robustness/waits/proxy_programs.py [--first N] [--count N]
    python tests/robustness/seeded_torture.py proxies

Of each program: (1) it runs in the emulator; (2) no access lacks a fence, in the judge's opinion; (3) no fence is not
needed; (4) the emulator reports each fence that is taken away whenever the judge misses it. Ends with 1 if one of these
does not hold.
"""

import argparse
import pathlib
import random
import re
import sys
from collections import Counter
from unittest import mock

import numpy as np

sys.path.append(str(pathlib.Path(__file__).parents[1]))
sys.path.append(str(pathlib.Path(__file__).parents[2] / "numerics/support"))

import compared_programs
import forked
import lane_edits
from campaign import Part
from proxy_judge import Judge, unneeded_fences

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import EmulatorError
from hocket.nvidia.hopper import TensorDescriptor

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import named_barrier
from hocket.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
MMA = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]

"""

TILES, ARRAYS, ITERATIONS = 3, 2, 3
CPU_SECONDS = 120  # for one program
#: Not 1, for which kernels are specialized.
FLAGS = (2, 3)
#: kind: the weight with which it is drawn. Capital letters of T: of a tile; G: of a global array.
KINDS = {"store T": 5, "load T": 2, "wgmma T": 4, "bulk store T G": 3, "bulk add T G": 1, "bulk load G T": 4}
GLOBAL_KINDS = {"store G": 3, "load G": 1, "atomic G": 1}


class Action:
    def __init__(self, draw, number, partition, kinds, in_loop):
        self.number, self.partition = number, partition
        self.kind = draw.choices(list(kinds), list(kinds.values()))[0]
        self.tile, self.array = draw.randrange(TILES), draw.randrange(ARRAYS)
        self.other = draw.randrange(TILES)
        may_branch = "bulk load" not in self.kind
        self.branch = draw.choice(["", "", "", "if flag == 2:", "if flag == 3:"]) if may_branch else ""
        self.in_loop = in_loop
        self.fence = None  # "before", "after": one that the kernel writes

    @property
    def is_global(self):
        return "G" in self.kind

    def lines(self):
        tile, array = f"tiles.index({self.tile})", f"g{self.array}"
        phase = "t & 1" if self.in_loop else "0"
        arrival = f"arrivals.index({self.number})"
        body = {
            "store T": [f"{tile}.store(gl.full([64, 64], {self.number + 1}, gl.float16, ROWS))"],
            "load T": [f"val += {tile}.load(ROWS)"],
            "wgmma T": [
                f"acc = warpgroup_mma({tile}, tiles.index({self.other}), acc, is_async=True)",
                "acc = warpgroup_mma_wait(0, deps=[acc])",
            ],
            "bulk store T G": [f"tma.async_store({array}, [0, 0], {tile})", "tma.store_wait(0, read_only=False)"],
            "bulk add T G": [f"tma.async_atomic_add({array}, [0, 0], {tile})", "tma.store_wait(0, read_only=False)"],
            "bulk load G T": [
                f"mbarrier.expect({arrival}, 8192)",
                f"tma.async_load({array}, [0, 0], {arrival}, {tile})",
                f"mbarrier.wait({arrival}, {phase})",
            ],
            "store G": [
                f"gl.store({array}_ptr + places(ROWS), gl.full([64, 64], {self.number + 1}, gl.float16, ROWS))"
            ],
            "load G": [f"val += gl.load({array}_ptr + places(ROWS))"],
            "atomic G": [
                f"gl.atomic_add({array}_ptr + places(ROWS), gl.full([64, 64], 1, gl.float16, ROWS), sem='relaxed')"
            ],
        }[self.kind]
        if self.branch:
            body = [self.branch, *("    " + line for line in body)]
        before = ["fence_async_shared()"] if self.fence == "before" else []
        after = ["fence_async_shared()"] if self.fence == "after" else []
        return before + body + after


class Program:
    """`source` has the function `kernel`."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.seed = seed
        kinds = dict(KINDS)
        if draw.random() < 0.6:
            kinds |= GLOBAL_KINDS
        self.workers = draw.choice([0, 1, 1, 2])
        self.has_loop = draw.random() < 0.6
        partitions = ["main", "first", "second"][: 1 + self.workers]
        self.actions = {}
        number = 0
        for part, least, most in (("before", 0, 2), ("inside", 2, 6), ("after", 0, 2)):
            self.actions[part] = []
            for _ in range(draw.randint(least, most)):
                partition = draw.choice(partitions) if part == "inside" else "main"
                in_loop = part == "inside" and self.has_loop
                self.actions[part].append(Action(draw, number, partition, kinds, in_loop))
                number += 1
        self.has_written_fences = draw.random() < 0.25
        if self.has_written_fences:
            for action in self.all_actions():
                action.fence = draw.choice([None, "before", "after"])
        inside = self.actions["inside"]
        following = inside[1:] + (inside[:1] if self.has_loop else [])
        #: (from, to): by an mbarrier or a named barrier of this number.
        self.edges = [
            (a, b, draw.choice(["mbarrier", "mbarrier", "named"]))
            for a, b in zip(inside, following, strict=False)
            if a.partition != b.partition
        ]
        self.partitions = partitions
        self.source = HEADER + "\n".join(self.functions())

    def all_actions(self):
        return [action for part in self.actions.values() for action in part]

    # Source ----------------------------------------------------------------------------------------------------------

    PARAMETERS = "tiles, arrivals, signals, named, g0_ptr, g0, g1_ptr, g1, val_out, acc_out, n, flag"

    def functions(self):
        for number, partition in enumerate(self.partitions):
            body = list(self.body_of(partition))
            if partition == "main" and not self.workers:
                continue
            yield from self.function(partition, self.PARAMETERS, [*self.beginning(), *body, *self.end(number)])
        yield from self.function("kernel", "g0_ptr, g0, g1_ptr, g1, val_out, acc_out, n, flag", self.kernel())

    @staticmethod
    def function(name, parameters, body):
        return ["", "@hocket.jit", f"def {name}({parameters}):", *("    " + line for line in body), ""]

    @staticmethod
    def beginning():
        return ["val = gl.zeros([64, 64], gl.float16, ROWS)", "acc = gl.zeros([64, 64], gl.float32, MMA)"]

    @staticmethod
    def end(number):
        return [
            f"gl.store(val_out + {number * 4096} + places(ROWS), val)",
            f"gl.store(acc_out + {number * 4096} + places(MMA), acc)",
        ]

    def sequence(self, actions):
        """The lines of one partition, with barriers around accesses of global memory."""
        for i, action in enumerate(actions):
            before = actions[i - 1] if i or action.in_loop else None
            if action.is_global or (before and before.is_global):
                yield "gl.barrier()"
            yield from action.lines()

    def body_of(self, partition):
        own = [action for action in self.actions["inside"] if action.partition == partition]
        lines = []
        for i, action in enumerate(own):
            waits = [(n, kind) for n, (_, b, kind) in enumerate(self.edges) if b is action]
            is_first = self.has_loop and action is self.actions["inside"][0]
            if not is_first:
                lines += [self.wait(n, kind) for n, kind in waits]
            elif waits:
                self.last_wait = [self.wait(n, kind) for n, kind in waits]
            if (action.is_global or ((i or self.has_loop) and own[i - 1].is_global)) and (is_first or not waits):
                lines.append("gl.barrier()")
            lines += action.lines()
            lines += [self.signal(n, kind) for n, (a, _, kind) in enumerate(self.edges) if a is action]
        if own and self.has_loop and own[0] is self.actions["inside"][0]:
            lines += getattr(self, "last_wait", [])
        if own and self.has_loop:
            lines = ["for t in range(n):", *("    " + line for line in lines)]
        return lines

    def signal(self, number, kind):
        if kind == "named":
            return f"named_barrier.arrive(named[{number}])"
        return f"mbarrier.arrive(signals.index({number}), count=1)"

    def wait(self, number, kind):
        if kind == "named":
            return f"named_barrier.arrive_and_wait(named[{number}])"
        return f"mbarrier.wait(signals.index({number}), {'t & 1' if self.has_loop else '0'})"

    def kernel(self):
        edges, count = max(len(self.edges), 1), len(self.all_actions())
        yield f"tiles = gl.allocate_shared_memory(gl.float16, [{TILES}, 64, 64], g0.layout)"
        yield f"arrivals = mbarrier.allocate_mbarrier(batch={count})"
        yield f"signals = mbarrier.allocate_mbarrier(batch={edges})"
        yield f"for b in gl.static_range({count}):"
        yield "    mbarrier.init(arrivals.index(b), count=1)"
        yield f"for b in gl.static_range({edges}):"
        yield "    mbarrier.init(signals.index(b), count=1)"
        named = ["named_barrier.allocate(8)" if kind == "named" else "0" for _, _, kind in self.edges]
        yield f"named = ({', '.join([*named, '0'])})"
        yield from self.beginning()
        yield f"for b in gl.static_range({TILES}):"
        yield "    tiles.index(b).store(gl.zeros([64, 64], gl.float16, ROWS))"
        yield from self.sequence(self.actions["before"])
        if self.actions["before"] and self.actions["before"][-1].is_global:
            yield "gl.barrier()"
        if self.workers:
            entries = ", ".join(f"({name}, ({self.PARAMETERS}))" for name in self.partitions)
            yield f"gl.warp_specialize([{entries}], {[4] * self.workers}, {[152] * self.workers})"
        else:
            yield from self.body_of("main")
        if self.actions["after"] and self.actions["after"][0].is_global:
            yield "gl.barrier()"
        yield from self.sequence(self.actions["after"])
        yield from self.end(len(self.partitions))

    # Running ---------------------------------------------------------------------------------------------------------

    def arguments(self, flag):
        layout = gl.NVMMASharedLayout(128, 16, 2)
        arrays = [np.zeros((64, 64), np.float16) for _ in range(ARRAYS)]
        descs = [TensorDescriptor.from_tensor(array, [64, 64], layout) for array in arrays]
        outs = np.zeros((4, 64, 64), np.float16), np.zeros((4, 64, 64), np.float32)
        return arrays[0], descs[0], arrays[1], descs[1], *outs, ITERATIONS, flag

    def kernel_function(self):
        return compared_programs.load(f"<proxy program {self.seed}>", self.source, {"__name__": "programs"})["kernel"]

    def launch(self, kernel, flag):
        with emulator.target("sm_90a"):
            kernel[(1,)](*self.arguments(flag), num_warps=4)


def parameters_of(text):
    """Returns {parameter: "G0", ...} for arrays of the function in tile IR, and the parameters of `n` and `flag`."""
    found = re.search(r"func.func @\w+\((.*)\) attributes", text)[1]
    names = re.findall(r"(%\w+): (!hk\.ptr|!hk_nv\.tensor_desc|\w+)", found)
    arrays = iter(["G0", "G0", "G1", "G1", "val", "acc"])
    known = {name: next(arrays) for name, kind in names if kind.startswith("!")}
    n, flag = [name for name, kind in names if kind == "i32"][-2:]
    return known, n, flag


def text_of(program, kernel):
    arguments = program.arguments(FLAGS[0])
    return kernel.warmup(*arguments, target="sm_90a", num_warps=4).asm["hk"]


def is_reported(program, kernel, flag):
    """True if the emulator reports that a fence is missing."""
    try:
        with emulator.schedule(seed=flag, completion="late"):
            program.launch(kernel, flag)
    except EmulatorError as error:
        assert "without a proxy fence" in str(error), error
        return True
    return False


def check(seed):
    """Yields a line of text for each finding in the program of this seed."""
    program = Program(seed)
    kernel = program.kernel_function()
    text = text_of(program, kernel)
    arrays, n, flag_name = parameters_of(text)
    launched = runs = [{n: ITERATIONS, flag_name: flag} for flag in FLAGS]
    for values in runs:
        for store, access in Judge(text, arrays, values).missing:
            yield f"lacks a fence between\n      {store.text}\n      {access.text}"
    if not program.has_written_fences:
        runs = runs + [values | {n: count} for values in runs for count in (0, 1)]
        fences = {fence: n for n, fence in enumerate(Judge.fences_of(text))}
        yield from (f"fence {fences[fence]} is not needed" for fence in unneeded_fences(text, arrays, runs))
    for flag in FLAGS:
        try:
            program.launch(kernel, flag)
        except hocket.HocketError as error:
            yield f"is refused: {error}"
            return
    yield from planted(program, text, arrays, launched)


def planted(program, text, arrays, runs):
    """Takes away one fence after the other."""
    numbers = Judge.fences_of(text)
    with mock.patch.object(lane_edits, "LAUNCHERS", ()), lane_edits.editable() as kernels:
        kernel = program.kernel_function()
        program.launch(kernel, FLAGS[0])
        (edited,) = kernels
        lines = [n for n, line in enumerate(edited.lane().lines) if re.match(r"\s*nvvm\.fence\.proxy\b", line)]
        if len(lines) != len(numbers):
            yield f"has {len(numbers)} fences, and {len(lines)} in lane form"
            return
        # Workers may come in another order there.
        missing, reported = Counter(), Counter()
        for line, number in zip(lines, numbers, strict=True):
            lane = edited.lane()
            del lane.lines[line]
            edited.use(lane)
            judged = (bool(Judge(text, arrays, values, without=[number]).missing) for values in runs)
            missing[tuple(judged)] += 1
            reported[tuple(is_reported(program, kernel, flag) for flag in FLAGS)] += 1
        if missing != reported:
            yield f"planted: the judge misses {dict(missing)}, the emulator reports {dict(reported)}"


def try_program(seed):
    findings = "\n".join(check(seed))
    return ("wrong", findings) if findings else None


def run_batch(seeds):
    from hocket import _core  # noqa: F401  children share what is imported

    return forked.try_all(seeds, try_program, lambda seed: Program(seed).source, CPU_SECONDS)


PART = Part("proxies", long=3000, quick=8, batch=20, run=run_batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--source", action="store_true", help="print the program instead")
    chosen = parser.parse_args()
    wrong = 0
    for seed in range(chosen.first, chosen.first + chosen.count):
        if chosen.source:
            print(Program(seed).source)
            continue
        found = list(check(seed))
        wrong += bool(found)
        for line in found:
            print(f"program {seed}: {line}", flush=True)
    print(f"{chosen.count} programs, {wrong} with findings")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
