"""Random kernels whose asynchronous operations and waits stand under correlated conditions.

A kernel starts copies into shared memory, bulk stores out of it or wgmmas on it, and waits for them in branches: under
the condition under which they were started, under one that it implies, under a flag or a count that a branch set. Loops
end early, counters of rings are advanced in branches, functions return early, and a part may run in two partitions of
warps.

A kernel is Python as well. `Program` runs the same text on a model of the hardware (wait_model.py), for every
combination of the arguments that decide about conditions, and inserts waits until no run touches memory or registers in
flight. So each kernel is right by the waits that it writes, and the results of the model are what it must compute,
whatever the compiler makes of these waits. `Program.kernel(is_placed=True)` is the same kernel without a commit or a
wait.
"""

import random

import numpy as np
from program_text import Block, Line, is_else, render
from wait_kernels import EPILOGUES, PARAMETERS, PROLOGUES, RESULTS, ROWS_SENT, SLOTS, elements, inputs
from wait_model import MODEL, Acc, Machine, Tile, TooEarly

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx950")

#: The arguments of each run: conditions (0 or 1) and the trip count of loops.
RUNS = [{"c0": c0, "c1": c1, "n": n} for n in (0, 1, 2, 5) for c0 in (0, 1) for c1 in (0, 1)]


CONDITIONS = [
    ["c0 > 0", "c0 != 0", "c0 == 1", "c0 + 1 > 1", "c0 > 0 or c1 > 0", "c0 == 0", "c0 > 0 and c1 > 0", "f0 > 0"],
    ["c1 > 0", "c1 != 0", "c1 == 1", "c0 + c1 > c0", "c1 > 0 or c0 > 0", "c1 == 0", "c1 > 0 and n > 0", "f0 > 0"],
    ["cnt > 0", "cnt != 0", "cnt >= 1", "cnt == 0", "f0 > 0", "cnt > 0 and c0 > 0"],
    ["n > 1", "n >= 2", "n - 1 > 0", "n > 0", "n < 2", "n > 1 and c0 > 0"],
    ["cnt % 2 == 1", "cnt % 2 != 0", "cnt % 2 == 0", "cnt % 2 == c0"],
]
LOOP_CONDITIONS = [
    "({k} + c0) % 2 == 0",
    "({k} + c0) % 2 != 1",
    "({k} + c0) % 2 == 1",
    "{k} > 0",
    "{k} + 1 < n",
    "{k} == c1",
]

WAITS = {
    "copies": "async_copy.wait_group({})",
    "stores": "tma.store_wait({})",
    "products": "acc0, acc1 = hopper.warpgroup_mma_wait({}, deps=[acc0, acc1])",
}


def line_of(error):
    """The line of the program's text that an exception comes from."""
    trace, number = error.__traceback__, 0
    while trace:
        if trace.tb_frame.f_code.co_filename == MODEL:
            number = trace.tb_lineno
        trace = trace.tb_next
    return number


class Program:
    """`kernel()`: the text of `program(.., out, c0, c1, n, one)`; `expected[i]`: what it leaves in run i of `RUNS`.

    `is_right` is False if no waits were found that make it right.
    """

    def __init__(self, seed, target):
        self.rng = random.Random(f"waits {target} {seed}")
        self.target = target
        self.kind = "copies"
        if target == "sm_90a":
            self.kind = self.rng.choice(["copies", "copies", "stores", "products", "products"])
        self.themes = self.rng.sample(CONDITIONS, 2)
        self.loops = 0
        self.functions = []  # (signature, block)
        self.is_partitioned = self.kind == "copies" and target.startswith("sm_") and self.rng.random() < 0.2
        self.body = self.write_body()
        self.is_right = self.repair()

    # Text -------------------------------------------------------------------------------------------------------------

    def write_body(self):
        kind = self.kind
        length = self.rng.choice([2, 3, 4, 5])
        block = self.block((), length, 0, None)
        if not any(line.body for line in block):
            block += self.loop((), 0, None)
        if self.is_partitioned:
            block = self.partitioned(block)
        if kind == "stores":  # no store may read shared memory when the block ends
            block.append(Line("ends()"))
        block.append(Line(f"return {', '.join(RESULTS[kind])}"))
        self.functions.append((f"def body({', '.join(PARAMETERS[kind])}):", block))
        return block

    def partitioned(self, before):
        """The block, then two partitions on buffers of their own, then a few more lines."""
        main = self.block((), self.rng.choice([2, 3]), 0, None)
        work = self.block((), self.rng.choice([2, 3]), 0, None)
        for block, name, results in ((main, "main", RESULTS["copies"]), (work, "work", [])):
            if name == "work":
                block += [Line("keep(other, total)"), Line("ends()")]
            parameters = list(PARAMETERS["copies"])
            if name == "work":
                parameters = ["other", "x", "a", "b", "ring", "c0", "c1", "n"]
                block[:0] = [Line("total = zeros()"), Line("cnt = n * 0"), Line("f0 = n * 0")]
            else:
                block.append(Line(f"return {', '.join(results)}"))
            self.functions.append((f"def {name}({', '.join(parameters)}):", block))
        call = (
            "total, cnt, f0 = gl.warp_specialize([(main, (x, a, b, ring, total, cnt, f0, c0, c1, n)), "
            "(work, (other, x, wa, wb, wring, c0, c1, n))], [1])"
        )
        early = [Line(self.copy("wa", "n + 5")), Line("async_copy.commit_group()")]
        if self.rng.random() < 0.6:
            early = [Line(f"if {self.condition(())}:", Block(early))]
        at = self.index_in(before)
        after = self.block((), self.rng.choice([1, 2]), 0, None)
        if self.rng.random() < 0.5:
            after.append(Line("total = add(total, wa)"))
            early.insert(0, Line("fill(wa, n)"))
        return Block([*before[:at], *early, *before[at:], Line(call), *after])

    def kernel(self, is_placed=False):
        """The text of the functions and of a kernel that calls `body`."""
        kind, more = self.kind, {"copies": ["x"], "stores": ["x", "desc"], "products": []}[self.kind]
        prologue = PROLOGUES[kind] + "    cnt = n * 0\n    f0 = n * 0\n"
        if self.is_partitioned:
            more = ["other", *more]
            prologue += "".join(
                f"    w{name} = gl.allocate_shared_memory(gl.int32, [{'3, ' * (name == 'ring')}T], FLAT)\n"
                for name in ("a", "b", "ring")
            )
            prologue += "    fill(wa, 0)\n    fill(wb, 0)\n    for slot in gl.static_range(3):\n"
            prologue += "        fill(wring.index(slot), 0)\n"
        parameters = ", ".join(self.body_parameters())
        text = self.text(is_placed)[0]
        return (
            text + f"\n\n@hocket.jit(do_not_specialize=['c0', 'c1', 'n', 'one'])\n"
            f"def program({', '.join([*more, 'out', 'c0', 'c1', 'n', 'one'])}):\n" + prologue
            + f"    {', '.join(RESULTS[kind])} = body({parameters})\n" + EPILOGUES[kind]
        )  # fmt: skip

    def body_parameters(self):
        extra = ["other", "wa", "wb", "wring"] if self.is_partitioned else []
        return [*extra, *PARAMETERS[self.kind]]

    def text(self, is_placed=False):
        """The text of the functions; by number of the line (from 1), its block and index."""
        lines, places = [], []
        for signature, block in self.functions:
            if signature.startswith("def body("):
                signature = f"def body({', '.join(self.body_parameters())}):"
            lines += ["", "@hocket.jit", signature]
            places += [None] * 3
            render(block, 1, lines, places, is_placed)
        return "\n".join(lines) + "\n", places

    # Statements -------------------------------------------------------------------------------------------------------

    def block(self, loops, length, depth, returns):
        """`returns`: what a jump out of the function is; None where there is none."""
        block = Block(loops=loops)
        kinds = [self.work] * 5 + [self.branch] * 3 + [self.count, self.flag]
        if depth < 2:
            kinds += [self.loop] * 2
        if depth == 0:
            kinds += [self.call]
        for _ in range(length):
            made = self.rng.choice(kinds)(loops, depth, returns)
            block += made if isinstance(made, list) else [made]
        return block

    def index_in(self, block):
        return self.rng.choice([index for index in range(len(block) + 1) if not is_else(block, index)])

    def condition(self, loops):
        if loops and self.rng.random() < 0.4:
            return self.rng.choice(LOOP_CONDITIONS).format(k=self.rng.choice(loops))
        return self.rng.choice(self.rng.choice(self.themes))

    def number(self, loops):
        return self.rng.choice([*loops, *loops, "cnt", "cnt", "n"]) + self.rng.choice(["", " + 1", " + 2"])

    def slot(self, loops, count=3):
        if self.rng.random() < 0.2:
            return str(self.rng.randrange(count))
        return f"({self.number(loops)}) % {count}"

    def copy(self, tile, number):
        name = "async_load" if self.target.startswith("sm_") else "global_load_to_shared"
        return f"async_copy.{name}({tile}, at(x, {number}))"

    def work(self, loops, depth, returns):
        return getattr(self, f"work_{self.kind}")(loops)

    def work_copies(self, loops):
        def tile():
            return self.rng.choice(["a", "b", f"ring.index({self.slot(loops)})", f"ring.index({self.slot(loops)})"])

        commit = [Line("async_copy.commit_group()")] * (self.rng.random() < 0.85)
        return self.rng.choice([
            [Line(self.copy(tile(), self.number(loops))), *commit],
            [Line(self.copy(tile(), self.number(loops))), *commit],
            [Line(f"total = add(total, {tile()})")],
            [Line(f"total = add(total, {tile()})")],
            [Line(f"fill({tile()}, {self.number(loops)})")],
        ])  # fmt: skip

    def work_stores(self, loops):
        tile = f"s.index({self.slot(loops, 2)})"
        send = [Line(f"tma.async_store(desc, [srow % {ROWS_SENT} * 8, 0], {tile})"), Line("srow = srow + 1")]
        copy = [Line(self.copy("a", self.number(loops))), Line("async_copy.commit_group()")]
        fill = [Line(f"fill_rows({tile}, {self.number(loops)})")]
        return self.rng.choice([send, send, fill, fill, copy, [Line("total = add(total, a)")]])

    def work_products(self, loops):
        which = self.rng.choice(["acc0", "acc1"])
        tile = f"pa.index({self.slot(loops)})"
        product = [Line(f"{which} = hopper.warpgroup_mma({tile}, pb, {which}, is_async=True)")]
        fill = [Line(f"fill_square({tile}, {self.number(loops)})")]
        return self.rng.choice([product, product, product, fill, fill, [Line(f"total = add_acc(total, {which})")]])

    def branch(self, loops, depth, returns):
        if depth > 2:
            return self.work(loops, depth, returns)
        lines = [
            Line(f"if {self.condition(loops)}:", self.block(loops, self.rng.choice([1, 1, 2]), depth + 1, returns))
        ]
        if self.rng.random() < 0.4:
            lines.append(Line("else:", self.block(loops, 1, depth + 1, returns)))
        return lines

    def count(self, loops, depth, returns):
        count = Line("cnt = cnt + 1")
        if self.rng.random() < 0.5:
            return Line(f"if {self.condition(loops)}:", Block([count], loops))
        return count

    def flag(self, loops, depth, returns):
        value = self.rng.choice(["1", "1", "0"])
        return Line(f"if {self.condition(loops)}:", Block([Line(f"f0 = n * 0 + {value}")], loops))

    def jump(self, loops, returns):
        ways = ["break", "continue"] + [returns] * (2 if returns else 0)
        return Line(f"if {self.condition(loops)}:", Block([Line(self.rng.choice(ways))], loops))

    def loop(self, loops, depth, returns):
        self.loops += 1
        k = f"k{self.loops}"
        inside = (*loops, k)
        body = self.block(inside, self.rng.choice([2, 3]), depth + 1, returns)
        if self.rng.random() < 0.5:
            body.insert(self.index_in(body), self.jump(inside, returns))
        if body and self.rng.random() < 0.5:
            body.insert(self.index_in(body), Line("cnt = cnt + 1"))
        if self.rng.random() < 0.3:
            body.insert(0, Line(f"{k} = {k} + 1"))
            bound = self.rng.choice(["n", "n + 1", f"n and ({self.condition(loops)})"])
            return [Line(f"{k} = n * 0"), Line(f"while {k} < {bound}:", body)]
        return [Line(f"for {k} in range({self.rng.choice(['n', 'n', 'n + 1', '4', '2'])}):", body)]

    def call(self, loops, depth, returns):
        if self.is_partitioned:
            return self.branch(loops, depth, returns)
        name = f"step{len(self.functions)}"
        results = ", ".join(RESULTS[self.kind])
        signature = f"def {name}({', '.join(PARAMETERS[self.kind])}):"
        body = self.block((), self.rng.choice([1, 2]), 1, f"return {results}")
        body += self.loop((), 1, f"return {results}")
        if self.rng.random() < 0.4:
            body.insert(0, Line(f"if {self.condition(())}:", Block([Line(f"return {results}")])))
        body.append(Line(f"return {results}"))
        self.functions.append((signature, body))
        call = Line(f"{results} = {name}({', '.join(PARAMETERS[self.kind])})")
        again = self.rng.random()
        if again < 0.3:
            return [call, Line("cnt = cnt + 1"), Line(call.text)]
        if again < 0.5:
            return [Line(f"if {self.condition(loops)}:", Block([call], loops))]
        return [call]

    # Runs on the model ------------------------------------------------------------------------------------------------

    def met(self, is_placed):
        """(line of a start, line of an access of the same after it, in one run of the loops around the innermost)."""
        code, met = compile(self.text(is_placed)[0], MODEL, "exec"), set()
        for run in RUNS:
            machine = self.machine(only_meets=True)
            self.run(code, run, machine)
            met |= machine.met
        return met

    def machine(self, only_meets=False):
        return Machine(elements(self.target), ROWS_SENT * (self.kind == "stores"), only_meets)

    def run(self, code, run, machine):
        """(what it leaves, None), or (how far it came, the exception)."""
        names = machine.names()
        exec(code, names)
        filled = np.full(machine.elements, 100, np.int32)
        for number in range(SLOTS):
            machine.memory["pa", number] = number + 1
            machine.memory["ring", number] = machine.memory["wring", number] = filled
            machine.memory["s", number] = np.full((8, 64), 100, np.int32)
        for name in ("a", "b", "wa", "wb"):
            machine.memory[(name,)] = filled
        machine.memory[("pb",)] = 2
        given = {name: Tile(machine, (name,)) for name in ("a", "b", "ring", "s", "pa", "pb", "wa", "wb", "wring")}
        given |= {"acc0": Acc(machine, "acc0"), "acc1": Acc(machine, "acc1"), "x": inputs(self.target), "desc": None}
        given |= {"total": 0, "cnt": 0, "f0": 0, "srow": 0, "other": None, **run}
        try:
            results = names["body"](*[given[name] for name in self.body_parameters()])
        except TooEarly as error:
            return machine.steps, error
        except NameError as error:  # a condition is inserted before its variable is assigned
            return -1_000_000_000, error
        left = {"total": dict(zip(RESULTS[self.kind], results, strict=True))["total"], "sent": machine.sent}
        return left | {"other": machine.kept}, None

    def try_runs(self):
        """None if all runs are right; otherwise (the first that is wrong and how far it comes, the line of the program
        there, its exception). Sets `expected`."""
        text, places = self.text()
        try:
            code = compile(text, MODEL, "exec")
        except SyntaxError:
            raise AssertionError(text) from None
        self.expected = []
        for number, run in enumerate(RUNS):
            left, error = self.run(code, run, self.machine())
            if error:
                return (number, left), places[line_of(error) - 1], error
            self.expected.append(left)
        return None

    def lines_too_early(self, runs):
        """The lines of accesses that come too early in `runs`."""
        code = compile(self.text()[0], MODEL, "exec")
        errors = (self.run(code, run, self.machine())[1] for run in runs)
        return {line_of(error) for error in errors if isinstance(error, TooEarly)}

    def repair(self):
        wrong = self.try_runs()
        for _ in range(60):
            if wrong is None:
                return True
            for attempt in range(6):
                is_further, now = self.try_insert(*wrong, is_plain=attempt == 5)
                if is_further:
                    wrong = now
                    break
            else:
                return False
        return False

    def try_insert(self, far, place, error, is_plain):
        """Inserts a wait, or a commit where there is none, if runs come further then. (Whether they do, what is wrong
        then.)"""
        if not is_plain and self.rng.random() < 0.6:
            _, places = self.text()
            place = self.rng.choice([known for known in places if known and not is_else(*known)])
        outstanding = 0 if is_plain else self.rng.choice([0, 0, 0, 1, 1, 2])
        line = Line(WAITS[error.counter].format(outstanding))
        lines = [line]
        if not is_plain and self.rng.random() < 0.7:
            lines = [Line(f"if {self.condition(place[0].loops)}:", Block(lines, place[0].loops))]
        if not error.is_committed:
            commit = Line("async_copy.commit_group()")
            lines = [commit, *lines] if is_plain else [commit]
        place[0][place[1] : place[1]] = lines
        wrong = self.try_runs()
        if wrong is None or wrong[0] > far:
            return True, wrong
        for line in lines:
            place[0].remove(line)
        return False, wrong
