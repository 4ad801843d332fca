"""Random pipelines whose partitions release slots of rings to each other, for released_waits.py."""

from program_text import Block, Line
from release_kernels import SCALARS, Partition
from released_waits import Program


class Pipeline(Program):
    """A producer, consumers, relays, and perhaps a partition that sends tiles by bulk stores."""

    def write(self):
        self.num_ctas = 1
        self.slots = self.choose(2, 2, 3, 4)
        self.lag = self.rng.randrange(self.slots)
        self.producer = self.choose("loads", "loads", "stores", "copies")
        self.write_partitions()

    def write_partitions(self):
        self.num_consumers = self.choose(1, 1, 2)
        self.has_sender = self.is_drawn(0.3)
        self.relays = self.choose(0, 1, 1, 2) if self.num_ctas == 1 else 1
        self.loads = {"full": 2}
        self.counts = {"full": 1, "empty": self.num_consumers}
        self.filled = {}
        self.chain = ["empty"]  # mbarriers from the consumers' to the one that the producer waits for
        if self.relays:
            self.chain = [f"done{number}" for number in range(self.relays)] + ["empty"]
            self.counts |= dict.fromkeys(self.chain, 1)
            self.counts[self.chain[0]] = self.num_consumers * self.num_ctas
        if self.has_sender:
            self.counts |= {"ready": 1, "free": 1}
        partitions = [self.consumer(number) for number in range(self.num_consumers)]
        partitions += [self.produce(), *(self.relay(number) for number in range(self.relays))]
        if self.has_sender:
            partitions.append(self.sender())
        default = self.rng.choice([one for one in partitions if one.warps == 4])
        partitions.remove(default)
        self.rng.shuffle(partitions)
        self.partitions = [default, *partitions]

    def buffers(self):
        rows = 64 * self.num_ctas
        buffers = {"ra": f"gl.float16, [{self.slots}, {rows}, 64], a_desc.layout",
                   "rb": f"gl.float16, [{self.slots}, 64, 64], b_desc.layout"}  # fmt: skip
        if self.producer == "copies":
            buffers["ri"] = f"gl.int32, [{self.slots}, 128], FLAT"
        if self.has_sender:
            buffers["st"] = "gl.int32, [2, 8, 64], s_desc.layout"
        return buffers

    def fills(self):
        return []

    def loop(self, body, count="m"):
        """`body` for each iteration k of `count`."""
        form = self.choose("for", "for", "while", "break", "break while")
        if form == "for" or count != "m":
            return [Line(f"for k in range({count}):", body)]
        leave = Line("if k == stop:", Block([Line("break")], body.loops))
        if form == "break":
            body.append(leave)
            return [Line("for k in range(n):", body)]
        body.append(Line("k = k + 1"))
        if form == "break while":
            body.insert(-1, leave)
        return [Line("k = n * 0"), Line(f"while k < {'n' if form == 'break while' else 'm'}:", body)]

    def slot(self, before=0):
        return f"(k + {self.slots - before}) % {self.slots}" if before else f"k % {self.slots}"

    def phase(self, more=0):
        return f"(k // {self.slots}{f' + {more}' if more else ''}) & 1"

    def arrival(self, barrier, before):
        """Lines that arrive for the iteration `before` this one, where there was one."""
        if not before:
            return [Line(f"mbarrier.arrive({barrier}.index({self.slot()}))")]
        arrive = f"mbarrier.arrive({barrier}.index({self.slot(before)})"
        if self.is_drawn(0.4):
            return [Line(f"{arrive}, pred=k >= {before})")]
        return [Line(f"if k >= {before}:", Block([Line(arrive + ")")], ("k",)))]

    def condition(self, loops):
        choices = ["c0 > 0", "c0 == 0", "n > 1", "n > 5", "stop > 2"]
        if loops:
            choices += ["k > 0", "k % 2 == 0", "(k + c0) % 2 == 0", "k + 1 < m", "k == 1", "k > 2"]
        return self.rng.choice(choices)

    # Partitions -------------------------------------------------------------------------------------------------------

    def consumer(self, number):
        body = Block(loops=("k",))
        body.append(Line(f"mbarrier.wait(full.index({self.slot()}), {self.phase()})"))
        if self.has_sender and number == 0:
            self.sent_at = self.choose("first", "last")
        is_sending = self.has_sender and number == 0
        fill = [
            Line(f"mbarrier.wait(free.index(k % 2), {'(k // 2 + 1) & 1'})"),
            Line("fill_rows(st.index(k % 2), k)"),
            Line("mbarrier.arrive(ready.index(k % 2))"),
        ]
        body += fill if is_sending and self.sent_at == "first" else []
        for _ in range(self.choose(1, 2, 3)):
            body += self.work(self.lag + 1)
        body += self.arrival(self.chain[0], self.lag)
        for _ in range(self.choose(0, 0, 1, 2)):
            body += self.work(self.lag)
        body += fill if is_sending and self.sent_at == "last" else []
        before = ["total = zeros(IS_FLOAT)", "acc0 = no_acc()", "acc1 = no_acc()"]
        lines = Block([*(Line(text) for text in before), *self.loop(body)])
        for _ in range(self.choose(0, 1, 2)):
            lines.append(Line(f"total = add_acc(total, {self.choose('acc0', 'acc1')})"))
        lines.append(Line("keep(out, total)"))
        handles = ["ra", "rb", "full", self.chain[0]]
        if self.producer == "copies":
            handles.append("ri")
        if is_sending:
            handles += ["st", "free", "ready"]
        parameters = [*handles, "out", *SCALARS, "IS_FLOAT: gl.constexpr"]
        return Partition(f"consume{number}", parameters, lines, 4, number)

    def work(self, reach):
        """Something with the tiles of the last `reach` iterations, or with what wgmmas have left."""

        def tile(ring, before):
            return f"{ring}.index({self.slot(before)})"

        acc = self.choose("acc0", "acc1")
        kind = self.choose("multiply", "multiply", "multiply", "tile", "acc") if reach else "acc"
        before, other = (self.rng.randrange(reach) if self.is_drawn(0.5) else 0 for _ in "ab") if reach else (0, 0)
        if kind == "acc":
            lines = [Line(f"total = add_acc(total, {acc})")]
        elif self.producer == "copies":
            lines = [Line(f"total = add_tile(total, {tile('ri', before)})")]
        elif kind == "tile":
            lines = [Line(f"total = add_tile(total, {tile('ra', before)})")]
        else:
            a, b = tile("ra", before), tile("rb", other)
            lines = [Line(f"{acc} = hopper.warpgroup_mma({a}, {b}, {acc}, is_async=True)")]
        if most := max(before, other) if kind != "acc" else 0:
            return [Line(f"if k >= {most}:", Block(lines, ("k",)))]
        if self.is_drawn(0.3):
            return [Line(f"if {self.condition(('k',))}:", Block(lines, ("k",)))]
        return lines

    def produce(self):
        body = Block(loops=("k",))
        body += self.wait_for_slot()
        full, ra, rb = (f"{name}.index({self.slot()})" for name in ("full", "ra", "rb"))
        after, warps = [], 1
        if self.producer == "loads":
            body += self.bulk_loads(full, ra, rb)
        elif self.producer == "stores":
            body += [Line(f"fill({ra}, k)"), Line(f"fill({rb}, k + 1)"), Line(f"mbarrier.arrive({full})")]
            warps = 4
        else:
            lag = self.rng.randrange(self.slots - self.lag)
            body += [Line(f"async_copy.async_load(ri.index({self.slot()}), at(x, k))")]
            body += [Line("async_copy.commit_group()"), *self.arrival("full", lag)]
            if lag:
                last = Block([Line(f"mbarrier.arrive(full.index(j % {self.slots}))")])
                after = [Line(f"for j in range(gl.maximum(m - {lag}, 0), m):", last)]
        handles = ["ra", "rb", "full", "a_desc", "b_desc", "x", *self.handles_of_producer()]
        if self.producer == "copies":
            handles.append("ri")
        return Partition("produce", [*handles, *SCALARS], Block([*self.loop(body), *after]), warps)

    def handles_of_producer(self):
        return ["empty"]

    def wait_for_slot(self):
        return [Line(f"mbarrier.wait(empty.index({self.slot()}), {self.phase(1)})")]

    def bulk_loads(self, full, ra, rb):
        return [
            Line(f"mbarrier.expect({full}, a_desc.nbytes_per_cta + b_desc.nbytes_per_cta)"),
            Line(f"tma.async_load(a_desc, [0, k % 16 * 64], {full}, {ra})"),
            Line(f"tma.async_load(b_desc, [k % 16 * 64, 0], {full}, {rb})"),
        ]

    def relay(self, number):
        source, target = self.chain[number : number + 2]
        body = Block(loops=("k",))
        body.append(Line(f"mbarrier.wait({source}.index({self.slot()}), {self.phase()})"))
        body.append(Line(f"mbarrier.arrive({target}.index({self.slot()}))"))
        lines = self.loop(body, f"m - {self.lag}" if self.lag else "m")
        return Partition(f"relay{number}", [source, target, *SCALARS], Block(lines), 1)

    def sender(self):
        lag = self.choose(0, 0, 1)
        body = Block(loops=("k",))
        body.append(Line("mbarrier.wait(ready.index(k % 2), k // 2 & 1)"))
        body.append(Line("tma.async_store(s_desc, [k * 8, 0], st.index(k % 2))"))
        if lag:
            arrive = Line("mbarrier.arrive(free.index((k + 1) % 2))")
            body.append(Line("if k > 0:", Block([arrive], ("k",))))
        else:
            body.append(Line("mbarrier.arrive(free.index(k % 2))"))
        lines = Block([*self.loop(body), Line("tma.store_wait(0)")])
        return Partition("send", ["st", "ready", "free", "s_desc", *SCALARS], lines, 1)


class ClusterPipeline(Pipeline):
    """A pipeline in two CTAs: b arrives by multicast, a relay in the first CTA collects the arrivals of both."""

    def write(self):
        self.num_ctas = 2
        self.at_first = ("done0",)
        self.slots = self.choose(2, 2, 3)
        self.lag = self.rng.randrange(self.slots)
        self.producer = "loads"
        self.write_partitions()

    def relay(self, number):
        body = Block(loops=("k",))
        rank = "pred=cluster.cta_rank() == 0"
        body.append(Line(f"mbarrier.wait(done0.index({self.slot()}), {self.phase()}, {rank})"))
        body.append(Line(f"mbarrier.arrive(empty.index({self.slot()}), from_cta=0)"))
        lines = self.loop(body, f"m - {self.lag}" if self.lag else "m")
        return Partition("relay0", ["done0", "empty", *SCALARS], Block(lines), 1)

    def bulk_loads(self, full, ra, rb):
        lines = super().bulk_loads(full, ra, rb)
        lines[-1] = Line(lines[-1].text[:-1] + ", multicast=True)")
        return lines
