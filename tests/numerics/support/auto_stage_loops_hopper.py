"""Random loops with warp_pipeline="auto" for Hopper: TMA loads into a ring buffer, mbarriers, wgmma.

Each value depends on the order of what came before. Factors are powers of two, so the results do not depend on whether
a multiplication and an addition are contracted.
"""

import random
import re

import numpy as np

from hocket import emulator
from hocket.language import NVMMASharedLayout, float16
from hocket.nvidia.hopper import TensorDescriptor

TARGETS = ["sm_90a"]
TRIPS = [1, 2, 5]
TILES = 5
REASONS = re.compile(
    r"the expected gain is below the model's error"
    r"|no division into stages keeps the order of its accesses of shared memory"
    r"|an operation passes values between warps, which waits for all of them"
    r"|the loop contains a barrier"
    r"|the loop contains an asynchronous MMA in a branch"
    r"|two accesses of the same memory cannot be in one stage"
    r"|this warp pipeline races"
)

HEADER = """
import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import tma, warpgroup_mma, warpgroup_mma_wait


@hocket.jit
def fill(producer, desc, k, n):
    slot = producer.acquire(k, k < n)
    tma.async_load(desc, [k * 64, 0], slot.full, slot.buffer, k < n)


@hocket.jit
def bounded(x):
    return gl.minimum(gl.maximum(x, -4.0), 4.0)


@hocket.jit
def places(rows: gl.constexpr, layout: gl.constexpr):
    row = gl.arange(0, rows, layout=gl.SliceLayout(1, layout))
    return row[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]


"""

PROLOGUE = """
    ACC: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 64, 16])
    LANES: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [8, 1], [1, 0])
    P: gl.constexpr = gl.DotOperandLayout(0, ACC, 2)
    left = gl.allocate_shared_memory(gl.float16, [128, 64], desc.layout, gl.load(x + places(128, LANES)))
    zeros = gl.zeros([128, 64], gl.float32, ACC)
    acc, scores, total = zeros + 1, zeros + 2, gl.full([64, 64], 3, gl.float32, LANES)
    p = gl.zeros([128, 64], gl.float16, P)
"""


class Loop:
    """Draws the body, statement by statement."""

    def __init__(self, seed, target):
        self.rng = random.Random(f"{target} {seed}")
        # An iteration may also read the tile of the iteration before.
        self.reads_previous = self.rng.random() < 0.4
        self.slots = self.rng.randint(2 + self.reads_previous, 4)
        self.has_waits = self.rng.random() < 0.25
        drawn = [self.multiply, self.multiply, self.softmax, self.softmax, self.rescale, self.read, self.extra]
        body = [statement for _ in range(self.rng.randint(2, 6)) for statement in [self.rng.choice(drawn)()]]
        # The refill comes before or after the reads of the tiles.
        is_late = self.rng.random() < 0.6
        self.ahead = max(1, self.slots - 1 - self.reads_previous + is_late - self.rng.choice([0, 0, 1]))
        refill = self.refill()
        body = [["slot = consumer.wait(k)"], *body, refill] if is_late else [refill, ["slot = consumer.wait(k)"], *body]
        if is_late and self.rng.random() < 0.4:
            body.append(self.softmax())
        self.source = self.write(f"loop_{seed}", body)

    def refill(self):
        if self.rng.random() < 0.3:
            return [f"if k + {self.ahead} < n:", f"    fill(producer, desc, k + {self.ahead}, n)"]
        return [f"fill(producer, desc, k + {self.ahead}, n)"]

    def tile(self):
        return "consumer.slot(k - 1).buffer" if self.reads_previous and self.rng.random() < 0.5 else "slot.buffer"

    def multiply(self):
        tile = self.tile() + self.rng.choice(["", ".permute([1, 0])"])
        a = self.rng.choice(["left", "left", "p"])
        name, acc = self.rng.choice([("acc", "acc"), ("scores", "zeros")])
        if self.has_waits:
            return [
                f"{name} = warpgroup_mma({a}, {tile}, {acc}, is_async=True)",
                f"{name} = warpgroup_mma_wait(0, deps=[{name}])",
            ]
        return [f"{name} = warpgroup_mma({a}, {tile}, {acc}, is_async={self.rng.random() < 0.7})"]

    def softmax(self):
        """Arithmetic that takes longer than an MMA, or not."""
        times = self.rng.choice([1, 2, 6])
        lines = [
            f"for j in gl.static_range({times}):",
            "    scores = gl.exp2(bounded(scores * -0.25)) + bounded(acc * 0.5)",
        ]
        if self.rng.random() < 0.5:
            lines.append("scores = scores - gl.max(scores, 1)[:, None]")
        return [*lines, "p = gl.convert_layout(scores.to(gl.float16), P)"]

    def rescale(self):
        return ["acc = acc * 0.5 + gl.sum(scores, 1)[:, None]"]

    def read(self):
        return [f"total = total * 0.5 + {self.tile()}.load(LANES).to(gl.float32)"]

    def extra(self):
        return self.rng.choice(
            [
                ["acc = acc + gl.max(scores, 0)[None, :]"],
                ["gl.store(out + 20480 + k * 4096 + places(64, LANES), total)"],
                ["if k % 2 == 0:", "    acc += 1"],
                ["gl.barrier()"],
                ["left.store(gl.load(x + k * 4096 + places(128, LANES)))"],
            ]
        )

    def write(self, name, body):
        first = int(self.reads_previous)
        lines = [
            f"tiles = gl.allocate_shared_memory(gl.float16, [{self.slots}, 64, 64], desc.layout)",
            "ring = gl.RingBuffer(tiles, consumers=0)",
            "producer, consumer = ring.producer(), ring.consumer()",
            f"for k in gl.static_range({self.ahead + first}):",
            "    fill(producer, desc, k, n)",
        ]
        if self.reads_previous:
            lines += ["slot = consumer.wait(0)"]
        lines += [f"for k in gl.range({first}, n, warp_pipeline=HOW):"]
        lines += [f"    {line}" for statement in body for line in statement]
        if self.has_waits:
            lines += ["acc = warpgroup_mma_wait(0, deps=[acc])"]
        lines += [
            "gl.store(out + places(128, ACC), acc)",
            "gl.store(out + 8192 + places(128, ACC), scores)",
            "gl.store(out + 16384 + places(64, LANES), total)",
        ]
        text = "".join(f"    {line}\n" for line in lines)
        head = f"@hocket.jit(do_not_specialize=['n'])\ndef {name}(desc, x, out, n, HOW: gl.constexpr):"
        return f"{HEADER}{head}{PROLOGUE}{text}"


def _arguments():
    x = np.random.default_rng(0).integers(-2, 3, (TILES + 2) * 4096).astype(np.float16)
    tiles = x[: TILES * 4096].reshape(TILES * 64, 64)
    layout = NVMMASharedLayout.get_default_for([64, 64], float16)
    return TensorDescriptor.from_tensor(tiles, [64, 64], layout), x


def results(kernel, target, how, schedules):
    """Runs loops of all lengths under all schedules."""
    desc, x = _arguments()
    outs = []
    for n in TRIPS:
        for seed, completion in schedules:
            out = np.zeros(20480 + TILES * 4096, np.float32)
            with emulator.target(target, seed=seed, completion=completion):
                kernel[(1,)](desc, x, out, n, HOW=how, num_warps=8)
            outs.append(out)
    return outs


def decisions(kernel, target):
    desc, x = _arguments()
    return kernel.warmup(desc, x, x.astype(np.float32), 4, HOW="auto", num_warps=8, target=target).explain_schedule()
