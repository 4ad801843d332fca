"""Judges the proxy fences of a compiled kernel, from its tile IR: which are missing, and which are not needed.

It shares no code and no method with the pass that inserts fences. It runs the program of each partition step by step,
with two lanes for all of its lanes, and keeps a vector clock for each: lane 0 starts bulk copies and arrives at
mbarriers, lane 1 represents the lanes that do neither. For each access through the async proxy it finds the generic
stores that happened before it. Each needs a proxy fence of the storing lane, after the store, that also happened before
the access.

PTX ISA 9.0, "Memory Consistency Model", "Proxy-preserved Base Causality Order", "Async proxy". As CUTLASS does, the
judge wants the fence from the lane that has stored.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field

from tile_ir import Op, parse, walk

BYTES = {"f16": 2, "f32": 4, "i64": 8}


@dataclass(frozen=True)
class Place:
    """A part of shared memory, or an array in global memory."""

    owner: str
    begin: int = 0
    end: int = 1

    @property
    def is_global(self):
        return self.owner.startswith("array ")

    def meets(self, other):
        if self.is_global or other.is_global:
            return self.owner == other.owner
        return self.begin < other.end and other.begin < self.end

    def covers(self, other):
        if self.is_global or other.is_global:
            return self.owner == other.owner
        return self.begin <= other.begin and other.end <= self.end


@dataclass
class Write:
    place: Place
    lane: str
    time: int
    op: Op
    is_generic: bool


class Lane:
    def __init__(self, name, clock=()):
        self.name, self.clock, self.start = name, dict(clock), dict(clock)

    def tick(self):
        self.clock[self.name] = self.clock.get(self.name, 0) + 1
        return self.clock[self.name]

    def join(self, clock):
        for name, time in clock.items():
            self.clock[name] = max(self.clock.get(name, 0), time)

    def knows(self, lane, time):
        return self.clock.get(lane, 0) >= time


@dataclass
class Mbarrier:
    count: int
    arrived: int = 0
    bytes: int = 0
    clock: dict = field(default_factory=dict)
    phases: list = field(default_factory=list)

    def step(self, lane, arrivals, tx):
        merge(self.clock, lane.clock)
        self.arrived += arrivals
        self.bytes += tx
        if self.arrived == self.count and self.bytes == 0:
            self.phases.append(self.clock)
            self.clock, self.arrived = {}, 0


def merge(clock, more):
    for name, time in more.items():
        clock[name] = max(clock.get(name, 0), time)


class Missing(Exception):
    pass


class Judge:
    """Runs the program once. `arrays`: what kernel parameters point to or describe; `values`: integers passed.

    `without`: numbers of fences that are taken away. `coarse`: any two accesses of one buffer may meet, and a bulk copy
    by a descriptor and a store through any pointer, as for the compiler: that decides which fences are needed.
    """

    def __init__(self, text, arrays, values, without=(), coarse=False):
        self.ops = parse(text)
        self.arrays, self.without, self.coarse = arrays, set(without), coarse
        self.values = dict(values)
        self.handles, self.roots = {}, {}
        self.mbarriers, self.named = {}, defaultdict(lambda: {"arrived": 0, "clock": {}, "rounds": []})
        self.writes, self.fences = [], defaultdict(list)
        self.bulk_stores = []  # [lane, place, time, completed]
        self.waits = defaultdict(int)
        self.missing, self.in_flight = [], []
        launch = [Lane("launch.0"), Lane("launch.1")]
        for _ in self.run(self.ops, launch, "launch"):
            raise Missing("the launch's warps wait forever")

    @staticmethod
    def fences_of(text):
        return [op.number for op in walk(parse(text)) if op.name == "hk.proxy_fence"]

    # Values and places -----------------------------------------------------------------------------------------------

    def value(self, name):
        if re.fullmatch(r"-?\d+", name):
            return int(name)
        if name == "%true":
            return 1
        return self.values.get(name)

    def scalar(self, op):
        if op.name == "arith.constant":
            found = re.search(r"arith.constant (-?\d+|true|false)\b", op.text)
            self.values[op.results[0]] = {"true": 1, "false": 0}.get(found[1]) if found[1].isalpha() else int(found[1])
            return
        a, b = (self.value(name) for name in re.findall(r"%\w+", op.text.split("=", 1)[1])[:2])
        if a is None or b is None:
            return
        kind = op.name.split(".")[1]
        if kind == "cmpi":
            kind = re.search(r"cmpi (\w+),", op.text)[1]
        compute = {
            "addi": lambda: a + b,
            "subi": lambda: a - b,
            "muli": lambda: a * b,
            "andi": lambda: a & b,
            "xori": lambda: a ^ b,
            "remsi": lambda: a % b,
            "eq": lambda: int(a == b),
            "ne": lambda: int(a != b),
            "slt": lambda: int(a < b),
            "sgt": lambda: int(a > b),
        }.get(kind)
        if compute:
            self.values[op.results[0]] = compute()

    def handle(self, op):
        if op.name == "hk.local_alloc":
            offset = int(re.search(r"offset = (\d+)", op.text)[1])
            self.handles[op.results[0]] = Place(op.results[0], offset, offset + size_of(op.text))
        elif op.name == "hk.memdesc_index":
            source, index = re.findall(r"%\w+", op.text.split("=", 1)[1])[:2]
            place, size = self.handles[source], size_of(op.text)
            begin = place.begin + self.value(index) * size
            self.handles[op.results[0]] = Place(place.owner, begin, begin + size)
        elif op.results:
            sources = re.findall(r"%\w+", op.text.split("=", 1)[1])
            if op.name in ("hk.splat", "hk.addptr", "hk.broadcast", "hk.expand_dims") and sources:
                self.roots[op.results[0]] = self.roots.get(sources[0], sources[0])

    def array(self, name):
        root = self.roots.get(name, name)
        return Place("array " + self.arrays.get(root, root))

    # Accesses --------------------------------------------------------------------------------------------------------

    def store(self, op, place, lanes):
        for lane in lanes:
            self.check_in_flight(op, place, lane)
            self.writes.append(Write(place, lane.name, lane.tick(), op, True))

    def meet(self, store, place, writes):
        if not self.coarse:
            return store.place.meets(place)
        if store.place.is_global or place.is_global:
            return store.place.is_global == place.is_global
        is_same = store.place.owner == place.owner
        return is_same or (writes and store.place.meets(place))

    def async_access(self, op, place, lane, writes=False):
        lane.tick()
        self.check_in_flight(op, place, lane)
        memory = "global" if place.is_global else "shared"
        for store in self.writes:
            if not store.is_generic or not self.meet(store, place, writes) or not lane.knows(store.lane, store.time):
                continue
            # For the compiler, a worker may access at once all that was stored before it began.
            is_earlier = self.coarse and lane.start.get(store.lane, 0) >= store.time
            known = (lane.start if is_earlier else lane.clock).get(store.lane, 0)
            if not any(store.time < time <= known for time in self.fences[store.lane, memory]):
                self.missing.append((store.op, op))
        if writes and not self.coarse:  # a bulk copy overwrites earlier stores
            self.writes = [
                w for w in self.writes if not (place.covers(w.place) and lane.knows(w.lane, w.time)) or place.is_global
            ]

    def check_in_flight(self, op, place, lane):
        for store in self.bulk_stores:
            starter, written, time, completed, reduces = store
            if not written.meets(place) or (reduces and "reduction" in op.text):
                continue
            if lane.knows(starter, time) and not (completed and lane.knows(starter, completed)):
                self.in_flight.append(op)

    # Running ---------------------------------------------------------------------------------------------------------

    def run(self, ops, lanes, partition):
        """Yields where the partition has to wait for others."""
        for op in ops:
            yield from self.run_op(op, lanes, partition)

    def run_op(self, op, lanes, partition):
        names = re.findall(r"%\w+", op.text.split(" = ", 1)[-1])
        kind = op.name
        if kind.startswith("arith."):
            if (op.results and " : i32" in op.text) or " : i1" in op.text or "true" in op.text:
                self.scalar(op)
        elif kind == "scf.for":
            yield from self.loop(op, lanes, partition)
        elif kind == "scf.if":
            taken = self.value(names[0])
            assert taken is not None, op.text
            if taken:
                yield from self.run(op.regions[0], lanes, partition)
            elif len(op.regions) > 1:
                yield from self.run(op.regions[1], lanes, partition)
        elif kind == "hk.warp_specialize":
            self.partitions(op, lanes)
        elif kind == "hk.barrier":
            self.barrier(lanes)
        elif kind == "hk.proxy_fence":
            if op.number not in self.without:
                memory = "global" if "proxy_fence global" in op.text else "shared"
                for lane in lanes:
                    self.fences[lane.name, memory].append(lane.tick())
        elif kind == "hk.local_store":
            self.store(op, self.handles[names[1]], lanes)
        elif kind == "hk.local_alloc" or kind == "hk.memdesc_index":
            self.handle(op)
            if kind == "hk.local_alloc" and ": () ->" not in op.text:
                self.store(op, self.handles[op.results[0]], lanes)
        elif kind in ("hk.store", "hk.atomic_rmw"):
            self.store(op, self.array(names[0]), lanes)
        elif kind == "hk.load":
            for lane in lanes:
                self.check_in_flight(op, self.array(names[0]), lane)
        elif kind == "hk_nv.warpgroup_mma":
            for name in names[:2]:
                if name in self.handles:
                    for lane in lanes:
                        self.async_access(op, self.handles[name], lane)
        elif kind == "hk_nv.tma_store":
            self.async_access(op, self.handles[names[0]], lanes[0])
            array = self.array(names[1])
            self.async_access(op, array, lanes[0], writes=True)
            self.bulk_stores.append([lanes[0].name, array, lanes[0].tick(), None, "reduction" in op.text])
        elif kind == "hk_nv.tma_store_wait":
            if "read_only" not in op.text:
                assert "outstanding = 0" in op.text
                for store in self.bulk_stores:
                    if store[0] == lanes[0].name and store[3] is None:
                        store[3] = lanes[0].tick()
        elif kind == "hk_nv.tma_load":
            desc, (tile, barrier) = names[0], [name for name in names if name in self.handles][:2]
            self.async_access(op, self.array(desc), lanes[0])
            self.async_access(op, self.handles[tile], lanes[0], writes=True)
            place = self.handles[tile]
            self.mbarriers[self.handles[barrier]].step(lanes[0], 0, place.begin - place.end)
        elif kind == "hk_nv.mbarrier_init":
            self.mbarriers[self.handles[names[0]]] = Mbarrier(int(re.search(r", (\d+) :", op.text)[1]))
        elif kind == "hk_nv.mbarrier_expect":
            lanes[0].tick()
            self.mbarriers[self.handles[names[0]]].step(lanes[0], 1, int(re.search(r", (\d+) ", op.text)[1]))
        elif kind == "hk_nv.mbarrier_arrive":
            lanes[0].tick()
            self.mbarriers[self.handles[names[0]]].step(lanes[0], int(re.search(r", (\d+) ", op.text)[1]), 0)
        elif kind == "hk_nv.mbarrier_wait":
            place = self.handles[names[0]]
            phase = self.waits[partition, place]
            self.waits[partition, place] += 1
            while len(self.mbarriers[place].phases) <= phase:
                yield op
            for lane in lanes:
                lane.join(self.mbarriers[place].phases[phase])
        elif kind.startswith("hk_nv.named_barrier_"):
            yield from self.named_barrier(op, lanes)
        else:
            self.handle(op)

    def loop(self, op, lanes, partition):
        variable, begin, end, step = re.match(r".*?scf.for (%\w+) = (%\w+) to (%\w+) step (%\w+)", op.text).groups()
        for i in range(self.value(begin), self.value(end), self.value(step)):
            self.values[variable] = i
            yield from self.run(op.regions[0], lanes, partition)

    def barrier(self, lanes):
        together = {}
        for lane in lanes:
            lane.tick()
            merge(together, lane.clock)
        for lane in lanes:
            lane.join(together)

    def named_barrier(self, op, lanes):
        number, warps = (int(n) for n in re.search(r" (\d+) num_warps = (\d+)", op.text).groups())
        barrier = self.named[number]
        for lane in lanes:
            lane.tick()
            merge(barrier["clock"], lane.clock)
        barrier["arrived"] += 4  # each partition has four warps
        this = len(barrier["rounds"])
        if barrier["arrived"] == warps:
            barrier["rounds"].append(barrier["clock"])
            barrier["arrived"], barrier["clock"] = 0, {}
        if op.name.endswith("_wait"):
            while len(barrier["rounds"]) <= this:
                yield op
            for lane in lanes:
                lane.join(barrier["rounds"][this])

    def partitions(self, op, lanes):
        self.barrier(lanes)
        runs, everyone = [self.run(op.regions[0], lanes, "launch")], list(lanes)
        for worker in op.regions[1]:
            name = re.search(r'hk.worker "(\w+)"', worker.text)[1]
            captured = re.findall(r"%\w+", re.search(r'"\w+"\((.*?) :', worker.text)[1]) if worker.arguments else []
            for argument, source in zip(worker.arguments, captured, strict=True):
                if source in self.handles:
                    self.handles[argument] = self.handles[source]
                self.roots[argument] = self.roots.get(source, source)
                self.values[argument] = self.value(source)
            own = [Lane(f"{name}.{i}", lanes[0].clock) for i in range(2)]
            everyone += own
            runs.append(self.run(worker.regions[0], own, name))
        waiting = dict.fromkeys(range(len(runs)))
        while waiting:
            progress = False
            for i in list(waiting):
                before = len(self.writes), sum(len(b.phases) for b in self.mbarriers.values()), self.rounds()
                at = next(runs[i], None)
                if at is None:
                    del waiting[i]
                after = len(self.writes), sum(len(b.phases) for b in self.mbarriers.values()), self.rounds()
                progress |= at is None or before != after or waiting.get(i) is not at
                if i in waiting:
                    waiting[i] = at
            if not progress:
                raise Missing(f"partitions wait forever: {[op and op.text for op in waiting.values()]}")
        self.barrier(everyone)

    def rounds(self):
        return sum(len(barrier["rounds"]) for barrier in self.named.values())


def size_of(text):
    shape = re.findall(r"!hk.memdesc<([\dx]+)x(\w+),", text)[-1]
    size = BYTES[shape[1]]
    for extent in shape[0].split("x"):
        size *= int(extent)
    return size


def unneeded_fences(text, arrays, runs):
    """Numbers of the fences without each of which no access lacks one, in none of the `runs`: values of parameters."""
    return [
        fence
        for fence in Judge.fences_of(text)
        if not any(Judge(text, arrays, values, without=[fence], coarse=True).missing for values in runs)
    ]
