"""Random programs of one partition in two CTAs, with loads by multicast, for released_waits.py."""

from program_text import Block, Line, is_else
from release_kernels import SCALARS, Partition
from released_waits import Program


class Cluster(Program):
    """One partition in two CTAs: branches and loops, loads of b by multicast, barriers of the cluster."""

    slots = 2

    def write(self):
        self.num_ctas = 2
        self.counts, self.loads = {"bar": 1}, {"bar": 1}
        self.filled = {"ra": lambda slot: slot % 4 + 1, "rb": lambda slot: slot % 4 + 1}
        self.loops = 0
        body = Block([Line(text) for text in ("total = zeros(IS_FLOAT)", "acc0 = no_acc()", "acc1 = no_acc()")])
        body += [Line("p0 = n * 0"), Line("p1 = n * 0")]
        body += self.block((), self.choose(2, 3, 4), 0)
        body += self.loop((), 0)
        body += [Line(f"total = add_acc(total, {acc})") for acc in ("acc0", "acc1") if self.is_drawn(0.6)]
        body.append(Line("keep(out, total)"))
        parameters = ["ra", "rb", "bar", "b_desc", "out", *SCALARS, "IS_FLOAT: gl.constexpr"]
        self.partitions = [Partition("body", parameters, body, 4, 0)]

    def buffers(self):
        return {"ra": "gl.float16, [2, 128, 64], a_desc.layout", "rb": "gl.float16, [2, 64, 64], b_desc.layout"}

    def fills(self):
        return [f"fill({ring}.index({slot}), {slot} + n * 0)" for ring in ("ra", "rb") for slot in range(2)]

    def calls(self):
        return [f"body({', '.join(self.arguments(self.partitions[0]))})"]

    def can_order(self, error):
        return error.is_started

    def condition(self, loops):
        choices = ["c0 > 0", "c0 == 0", "n > 1", "n > 5", "n < 2", "p0 > 0", "p0 > p1", "p1 % 2 == 1"]
        for k in loops:
            choices += [f"{k} > 0", f"{k} % 2 == 0", f"({k} + c0) % 2 == 0", f"{k} + 1 < n", f"{k} == 1"]
        return self.rng.choice(choices)

    def block(self, loops, length, depth):
        block = Block(loops=loops)
        for _ in range(length):
            kinds = [self.work] * 5 + [self.branch] * 2 + [self.loop] * (depth < 2)
            block += self.rng.choice(kinds)(loops, depth)
        return block

    def branch(self, loops, depth):
        if depth > 2:
            return self.work(loops, depth)
        lines = [Line(f"if {self.condition(loops)}:", self.block(loops, self.choose(1, 2), depth + 1))]
        if self.is_drawn(0.3):
            lines.append(Line("else:", self.block(loops, 1, depth + 1)))
        return lines

    def loop(self, loops, depth):
        self.loops += 1
        k = f"k{self.loops}"
        inside = (*loops, k)
        body = self.block(inside, self.choose(2, 3, 4), depth + 1)
        if self.is_drawn(0.3):
            at = self.rng.choice([index for index in range(len(body) + 1) if not is_else(body, index)])
            jump = Line(self.choose("break", "break", "continue"))
            body.insert(at, Line(f"if {self.choose(self.condition(inside), f'{k} == stop')}:", Block([jump], inside)))
        bound = self.choose("n", "n", "2", "c0") if depth else self.choose("n", "n", "m", "4", "n + 1")
        if self.is_drawn(0.25):
            body.insert(0, Line(f"{k} = {k} + 1"))
            return [Line(f"{k} = n * 0"), Line(f"while {k} < {bound}:", body)]
        return [Line(f"for {k} in range({bound}):", body)]

    def work(self, loops, depth):
        acc, slot, own = self.choose("acc0", "acc1"), self.choose(0, 1), self.choose(0, 1)
        number = self.rng.choice([*loops, "n", "p0"])
        if self.is_drawn(0.3) and loops:
            own = f"{loops[-1]} % 2"
        multiply = [Line(f"{acc} = hopper.warpgroup_mma(ra.index({own}), rb.index({slot}), {acc}, is_async=True)")]
        start = [
            Line(f"mbarrier.expect(bar.index({slot}), b_desc.nbytes_per_cta)"),
            Line(
                f"tma.async_load(b_desc, [{number} % 16 * 64, 0], bar.index({slot}), rb.index({slot}), multicast=True)"
            ),
        ]
        finish = [Line(f"mbarrier.wait(bar.index({slot}), p{slot} & 1)"), Line(f"p{slot} = p{slot} + 1")]
        between = self.choose([], [], multiply_other(slot, own, acc), [Line(f"total = add_acc(total, {acc})")])
        sync = [Line("cluster.barrier()")]
        if self.is_drawn(0.4):
            sync = [Line("cluster.arrive()"), *multiply_other(slot, own, acc), Line("cluster.wait()")]
        return self.choose(
            multiply, multiply, multiply,
            [*start, *between, *finish], [*start, *between, *finish, *multiply],
            [Line(f"total = add_acc(total, {acc})")],
            [Line(f"fill(ra.index({own}), {number})")],
            sync,
        )  # fmt: skip


def multiply_other(slot, own, acc):
    return [Line(f"{acc} = hopper.warpgroup_mma(ra.index({own}), rb.index({1 - slot}), {acc}, is_async=True)")]
