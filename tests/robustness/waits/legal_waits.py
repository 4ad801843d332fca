"""Random kernels whose waits for copies or products are right as they are written: none may be refused.

A kernel copies tiles into buffers (or multiplies them), commits, waits and uses them, in loops of known and unknown
trip counts, loops that run once or never, branches on the iteration or an argument, called functions, and loops with
jumps that are dead at compile time. It is executed here first, statement by statement, for some launches; where
something would come too early a wait is inserted, often under the very condition that holds there, until all launches
are right. So it is known that the waits are enough, though often not visible to an analysis. The compiler must accept
it, unless it is wrong for other arguments, and the emulator must compute what is computed here, with copies as late as
the waits allow.

An access may be refused that is too early as soon as a loop of unknown trip count runs often enough. So such a loop
runs more often than a ring has slots in one of the launches, or never.
"""

from __future__ import annotations

import functools
import itertools
import random
import re

import forked
import numpy as np
from campaign import Part
from compared_programs import CPU_SECONDS, load, try_right
from legal_statements import HEADER, SLOTS, Copies, Node, Products, TooEarly, evaluate

MOST_REPAIRS = 60
TRIED = ((0, "late"), (1, "random"), (3, "late"))


class Break(Exception):
    pass


class Return(Exception):
    pass


class Kernel:
    """`source`, and the `launches` for which it is right: values of n, m and c."""

    def __init__(self, seed, machine):
        self.machine = machine
        self.keeps_waits = seed % 2 == 0  # else they may go, or leave more
        for attempt in range(100):
            self.draw = random.Random(f"{seed} {attempt} {machine.__name__}")
            self.count = 0
            self.body = self.block([], 0)
            if self.make_legal():
                break
        else:
            raise RuntimeError(f"seed {seed}: nothing became legal")
        self.functions = []
        lines = self.lines(self.body, [])
        head = "@hocket.jit\ndef kernel(x, out, n, m, c, DEAD: gl.constexpr, LIVE: gl.constexpr):\n"
        body = [*machine.PROLOGUE, *lines, *machine.EPILOGUE]
        self.source = "\n".join([*self.functions, head + "".join(f"    {line}\n" for line in body)])

    # Drawing --------------------------------------------------------------------------------------------------------

    def block(self, variables, depth):
        return [self.node(variables, depth) for _ in range(self.draw.randint(1, 5 if depth else 7))]

    def node(self, variables, depth):
        kind = self.draw.random()
        if depth < 3 and kind < 0.2:
            return self.loop(variables, depth)
        if depth < 3 and kind < 0.32:
            bodies = [self.block(variables, depth + 1)]
            if self.draw.random() < 0.4:
                bodies.append(self.block(variables, depth + 1))
            return Node("if", (self.condition(variables),), bodies)
        if depth < 3 and kind < 0.38:
            return Node("call", (tuple(variables),), [self.block(variables, depth + 1)])
        return self.machine.statement(self.draw, variables)

    def condition(self, variables):
        choices = ["c > 0", "c == 0", "n > 1", "LIVE", "DEAD"]
        for name in variables:
            choices += [
                f"{name} > 0",
                f"{name} > 0",
                f"{name} == 0",
                f"{name} % 2 == 0",
                f"{name} == {self.draw.randrange(3)}",
            ]
        return self.draw.choice(choices)

    def loop(self, variables, depth):
        name = f"k{self.count}"
        self.count += 1
        trips = self.draw.choice(("n", "n", "m", "n - 1", "0", "1", "1", "2", "3", "4", *variables))
        body = self.block([*variables, name], depth + 1)
        jump = self.draw.random()
        if jump < 0.25:
            dead = self.draw.choice(("break", "continue", "return"))
            body.insert(self.draw.randrange(len(body) + 1), Node("jump", (dead, "DEAD")))
        elif jump < 0.35 and depth == 0:
            body.append(Node("jump", ("break", f"{name} == {self.draw.randrange(4)}")))
        return Node("for", (name, trips), [body])

    # Execution ------------------------------------------------------------------------------------------------------

    def make_legal(self):
        launches = (((1, 4),), ((2, 4), (5, 1), (3, 2)), ((0, 2), (1, 1), (5, 4)), ((1, 0), (1, 5)))
        c = self.draw.randrange(2)
        self.launches = [{"n": n, "m": m, "c": c} for n, m in self.draw.choice(launches)]
        for _ in range(MOST_REPAIRS):
            try:
                self.executed, self.most_trips = set(), {}
                for launch in self.launches:
                    self.expected(launch)
            except TooEarly as early:
                self.insert_wait(early)
                continue
            self.drop_what_never_runs(self.body)
            return all(trips > SLOTS for trips in self.most_trips.values())
        return False

    def drop_what_never_runs(self, block):
        """Removes statements that are never executed: their waits may be wrong. Those that the compiler drops stay."""
        block[:] = [node for node in block if node in self.executed or node.kind == "jump"]
        for node in block:
            is_dropped = [node.what in (("DEAD",), ("LIVE",)) and (node.what == ("LIVE",)) == bool(i) for i in (0, 1)]
            is_dropped[0] |= node.kind == "for" and node.what[1] == "0" and not self.may_break(node.bodies[0])
            for number, body in enumerate(node.bodies):
                if not is_dropped[number]:
                    self.drop_what_never_runs(body)

    def may_break(self, block):
        """True if a jump of the loop is not dead: the compiler keeps such a loop even if it never runs."""
        jumps = [node.what[1] != "DEAD" for node in block if node.kind == "jump"]
        return any(jumps) or any(self.may_break(body) for node in block if node.kind == "if" for body in node.bodies)

    def expected(self, launch):
        machine = self.machine({**launch, "DEAD": False, "LIVE": True})
        try:
            self.execute(self.body, machine, self.machine.inputs())
        except Return:
            raise RuntimeError("a dead return was executed") from None
        return machine.result()

    def is_wrong_elsewhere(self):
        """True if something comes too early in a launch with other arguments."""
        for n, m, c in itertools.product((2, 3, 1, 0, 5), (2, 1, 0, 4), (0, 1, 2)):
            try:
                self.expected({"n": n, "m": m, "c": c})
            except TooEarly:
                return True
        return False

    def execute(self, block, machine, x):
        values = machine.values
        for node in block:
            self.executed.add(node)
            if node.kind == "for":
                name, trips = node.what
                count = evaluate(trips, values)
                if count > 0 and not trips.isdigit() and not (trips == "n" and self.launches[0]["n"] == 1):
                    self.most_trips[node] = max(count, self.most_trips.get(node, 0))
                for trip in range(count):
                    values[name] = trip
                    try:
                        self.execute(node.bodies[0], machine, x)
                    except Break:
                        break
                values.pop(name, None)
            elif node.kind == "if":
                taken = 0 if evaluate(node.what[0], values) else 1
                if taken < len(node.bodies):
                    self.execute(node.bodies[taken], machine, x)
            elif node.kind == "call":
                self.execute(node.bodies[0], machine, x)
            elif node.kind == "jump":
                if evaluate(node.what[1], values):
                    raise Break
            else:
                machine.execute(node, x)

    def insert_wait(self, early):
        """Before what comes too early: there, before a block around it, or under a condition that holds."""
        path = self.find(early.node, self.body)
        block, index = path[-1]
        repair = self.machine.repair(early.wait)
        if self.draw.random() < 0.4:
            variables = [name for name in early.values if name.startswith("k")]
            holds = [self.condition(variables) for _ in range(8)]
            holds = [text for text in holds if evaluate(text, early.values)]
            if holds:
                repair = [Node("if", (holds[0],), [repair])]
        elif self.draw.random() < 0.3 and len(path) > 1:
            block, index = self.draw.choice(path)
        if self.draw.random() < 0.2:
            name = f"k{self.count}"
            self.count += 1
            repair = [Node("for", (name, self.draw.choice(("1", "2", "n"))), [repair])]
        block[index:index] = repair

    def find(self, wanted, block):
        """(block, index) of all that is around `wanted`, and of itself."""
        for index, node in enumerate(block):
            if node is wanted:
                return [(block, index)]
            for body in node.bodies:
                if found := self.find(wanted, body):
                    return [(block, index), *found]
        return None

    # Text -----------------------------------------------------------------------------------------------------------

    def lines(self, block, variables, in_function=False):
        lines = []
        for node in block:
            bodies = [self.lines(body, variables, in_function) for body in node.bodies if node.kind != "call"]
            if node.kind == "for":
                lines += [f"for {node.what[0]} in range({node.what[1]}):", *indented(bodies[0])]
            elif node.kind == "if":
                lines += [f"if {node.what[0]}:", *indented(bodies[0])]
                if len(bodies) > 1:
                    lines += ["else:", *indented(bodies[1])]
            elif node.kind == "call":
                lines.append(self.call(node))
            elif node.kind == "jump":
                jump, condition = node.what
                jump = f"return {self.machine.RESULT}" if jump == "return" and in_function else jump
                lines += [f"if {condition}:", f"    {jump}"]
            else:
                lines.append(self.machine.text(node))
        return lines or ["pass"]

    def call(self, node):
        name = f"part{len(self.functions)}"
        self.functions.append("")  # reserves the name
        place = len(self.functions) - 1
        arguments = ", ".join([self.machine.PARAMETERS, "n, m, c", *node.what[0], "DEAD", "LIVE"])
        parameters = arguments.replace("DEAD", "DEAD: gl.constexpr").replace("LIVE", "LIVE: gl.constexpr")
        body = [*self.lines(node.bodies[0], list(node.what[0]), True), f"return {self.machine.RESULT}"]
        self.functions[place] = f"@hocket.jit\ndef {name}({parameters}):\n" + "".join(f"    {line}\n" for line in body)
        return f"{self.machine.RESULT} = {name}({arguments})"

    def check(self, kernel):
        from hocket import emulator

        x = self.machine.inputs()
        for launch in self.launches:
            expected = self.expected(launch)
            for seed, completion in TRIED:
                out = np.zeros_like(expected)
                with emulator.target("sm_90a", seed=seed, completion=completion):
                    kernel[(1,)](
                        x,
                        out,
                        *launch.values(),
                        DEAD=False,
                        LIVE=True,
                        num_warps=self.machine.NUM_WARPS,
                        keep_waits=self.keeps_waits,
                    )
                np.testing.assert_array_equal(out, expected, err_msg=f"{self.source}with {launch}")


def indented(lines):
    return [f"    {line}" for line in lines]


@functools.cache
def header():
    return load("<header of legal waits>", HEADER, {"__name__": "legal_waits"})


def try_kernel(seed, machine):
    kernel = Kernel(seed, machine)
    compiled = load(f"<{machine.__name__} {seed}>", kernel.source, header())["kernel"]
    found = try_right(lambda: kernel.check(compiled), kernel.source)
    is_early = found and re.search("no wait before it finishes|nothing has committed", found[1])
    return None if is_early and kernel.is_wrong_elsewhere() else found


def source_of(machine, seed):
    kernel = Kernel(seed, machine)
    return f"# {machine.__name__}, seed {seed}: {kernel.launches}\n{kernel.source}\n"


def run_batch(machine, seeds):
    import hocket  # noqa: F401
    from hocket import _core  # noqa: F401  children share what is imported

    header()
    try_one = functools.partial(try_kernel, machine=machine)
    return forked.try_all(seeds, try_one, functools.partial(source_of, machine), CPU_SECONDS)


PARTS = [
    Part("legal-copies", long=5_000, quick=12, batch=20, run=functools.partial(run_batch, Copies)),
    Part("legal-products", long=2_000, quick=6, batch=10, run=functools.partial(run_batch, Products)),
]
