"""Random kernels whose partitions of warps, or CTAs, release memory to each other while operations are in flight.

A *pipeline* (pipeline_waits.py) has a producer that fills rings (TMA loads, in a cluster also by multicast, stores, or
asynchronous copies), one or two consumers (wgmmas, or loads of the tiles) and relays that pass arrivals on. A consumer
releases the slot of this iteration, or of some iterations before. Another partition may send tiles by bulk stores. A
*cluster* program (cluster_waits.py) is one partition in two CTAs: blocks with branches and loops that load by
multicast, multiply, and wait for the other CTA at the barrier of the cluster. Loops run 0 to 12 times, some end by
`break`.

A kernel is Python as well: release_model.py runs the same text, tells accesses that are not ordered, and waits are
inserted until none is left for any of `RUNS`. So each kernel is right by the waits that it writes, and the totals of
the model are what it must compute, with the waits as they are written, as the compiler relaxes them, and as it places
them.
"""

import itertools
import random

from program_text import Block, Line, is_else, render
from release_kernels import RUNS, WAITS
from release_model import Simulation, TooEarly, Unordered
from release_traces import MODEL, Handle, Trace


class Program:
    """Subclasses set what they draw: `num_ctas`, `slots`, `counts` (arrivals at each mbarrier), `at_first` (those of
    the first CTA alone), `loads`, `filled` and `partitions`."""

    at_first = ()

    def __init__(self, seed):
        self.rng = random.Random(f"{type(self).__name__} {seed}")
        self.is_float = self.rng.random() < 0.5
        self.write()
        self.is_right = self.repair()

    def choose(self, *choices):
        return self.rng.choice(choices)

    def is_drawn(self, probability):
        return self.rng.random() < probability

    # Text -------------------------------------------------------------------------------------------------------------

    def text(self, is_placed=False):
        """The text of the partitions; by number of the line (from 1), its block and index."""
        lines, places = [], []
        for partition in self.partitions:
            lines += ["", "@hocket.jit", f"def {partition.name}({', '.join(partition.parameters)}):"]
            places += [None] * 3
            render(partition.body, 1, lines, places, is_placed)
        return "\n".join(lines) + "\n", places

    def kernel(self, is_placed=False):
        slots = self.slots
        body = [
            "m = gl.minimum(n, stop + 1)",
            *(f"{name} = gl.allocate_shared_memory({how})" for name, how in self.buffers().items()),
        ]
        for name, count in self.counts.items():
            layout = f"mbarrier.MBarrierLayout({[[0]] if name in self.at_first else None})"
            if self.num_ctas == 1:
                layout = "mbarrier.MBarrierLayout()"
            body.append(f"{name} = gl.allocate_shared_memory(gl.int64, [{slots}, 1], {layout})")
            body.append(f"for slot in gl.static_range({slots}):")
            body.append(f"    mbarrier.init({name}.index(slot), count={count})")
        body += self.fills()
        if self.num_ctas > 1:
            body.append("cluster.barrier()")
        body += self.calls()
        if self.num_ctas > 1:
            body.append("cluster.barrier()")
        parameters = "a_desc, b_desc, s_desc, x, out0, out1, n, c0, stop, IS_FLOAT: gl.constexpr"
        return (
            self.text(is_placed)[0]
            + "\n\n@hocket.jit(do_not_specialize=['n', 'c0', 'stop'])\n"
            + f"def program({parameters}):\n"
            + "".join(f"    {line}\n" for line in body)
        )

    def calls(self):
        entries = ", ".join(f"({one.name}, ({', '.join(self.arguments(one))}))" for one in self.partitions)
        warps = [one.warps for one in self.partitions[1:]]
        return [f"gl.warp_specialize([{entries}], {warps})"]

    def arguments(self, partition):
        names = {"IS_FLOAT: gl.constexpr": "IS_FLOAT", "out": f"out{partition.out}"}
        return [names.get(name, name) for name in partition.parameters]

    # Runs on the model ------------------------------------------------------------------------------------------------

    def run(self, code, run):
        """(totals by output and CTA, rows that were sent); raises TooEarly or Unordered."""
        traces, outs = [], []
        for partition, cta in itertools.product(self.partitions, range(self.num_ctas)):
            trace = Trace(cta)
            names = trace.names()
            exec(code, names)
            given = {name: Handle(name) for name in (*self.buffers(), *self.counts)}
            given |= {"a_desc": names["a_desc"], "b_desc": names["b_desc"], "s_desc": names["s_desc"]}
            given |= {**run, "m": min(run["n"], run["stop"] + 1), "x": None, "out": None}
            given |= {"IS_FLOAT: gl.constexpr": self.is_float}
            names |= {"zeros": lambda is_float: "total", "keep": lambda out, total: None}
            names |= {"no_acc": iter_accs().__next__}
            names[partition.name](*[given[name] for name in partition.parameters])
            traces.append(trace)
            outs.append((partition.out, cta))
        simulation = Simulation(
            traces, self.num_ctas, self.counts, self.loads, self.at_first, self.filled, self.is_float
        )
        try:
            simulation.run()
        finally:
            self.executed = simulation.executed()
        totals = {key: agent.total for key, agent in zip(outs, simulation.agents, strict=True) if key[0] is not None}
        return totals, simulation.sent

    def try_runs(self, first=0):
        """Returns (the first run that is wrong, the number of its events that are right, its error), or None. Adds to
        `expected`."""
        code = compile(self.text()[0], MODEL, "exec")
        del self.expected[first:]
        for number, run in enumerate(RUNS[first:], first):
            try:
                self.expected.append(self.run(code, run))
            except (TooEarly, Unordered) as error:
                return number, self.executed, error
        return None

    def repair(self):
        """Inserts waits until all runs are right. More waits leave right what is right."""
        self.expected = []
        wrong = self.try_runs()
        for _ in range(100):
            if wrong is None:
                return True
            if isinstance(wrong[2], Unordered) and not self.can_order(wrong[2]):
                return False
            wrong = self.insert(*wrong)
        return False

    def lines_too_early(self, runs):
        """The lines of accesses, or of arrivals before them, that come too early in `runs`."""
        code, lines = compile(self.text()[0], MODEL, "exec"), set()
        for run in runs:
            try:
                self.run(code, run)
            except (TooEarly, Unordered) as error:
                lines.add(error.line)
        return lines

    def can_order(self, error):
        return False

    def condition(self, loops):
        return "c0 > 0"

    def insert(self, number, executed, error):
        """Inserts what is missing, often elsewhere or under a condition if that helps, and tries again."""
        place = self.text()[1][error.line - 1]
        if isinstance(error, Unordered):
            place[0].insert(place[1], Line("cluster.barrier()"))
            return self.try_runs(number)
        commit = [] if error.is_committed else [Line("async_copy.commit_group()")]
        for _ in range(3):
            lines = [Line(WAITS[error.counter].format(self.choose(0, 0, 1, 2)))]
            at = place
            if self.is_drawn(0.3):
                at = self.rng.choice([known for known in self.text()[1] if known and not is_else(*known)])
            if self.is_drawn(0.4):
                lines = [Line(f"if {self.condition(at[0].loops)}:", Block(lines, at[0].loops))]
            at[0][at[1] : at[1]] = lines
            try:
                wrong = self.try_runs(number)
            except NameError:  # a variable is not yet assigned there
                wrong = number, -1, error
            if wrong is None or wrong[:2] > (number, executed):
                return wrong
            at[0].remove(lines[0])
        place[0][place[1] : place[1]] = [*commit, Line(WAITS[error.counter].format(0))]
        return self.try_runs(number)


def iter_accs():
    return iter(["acc0", "acc1"] * 2)
