"""A model of partitions of warps in one or two CTAs, which tells accesses that are ordered from those that are not.

The text of a kernel is run as Python once for each partition and CTA: no condition depends on what others do, so each
of these *agents* has one list of events (`Trace`). `Simulation` executes the lists interleaved and keeps, for each
agent, which events of other agents happened before: those before an arrival that it has waited for. An asynchronous
operation happens between its start and its completion. A completion happened before an event if the agent has waited
for the operation by then, or for the mbarrier of a bulk load.

Two accesses of the same memory, one of which writes, must be ordered. If the earlier one is asynchronous and a wait
could have completed it, the model raises `TooEarly` with the line before which this wait is missing: the access itself,
or the arrival that lets another agent make the access. Otherwise it raises `Unordered`.
"""

from collections import deque

import numpy as np

WRAP = 1 << 32


class TooEarly(Exception):
    """`line`: the line before which a wait for `counter` is missing."""

    def __init__(self, counter, is_committed, line, start):
        super().__init__(f"{counter} of line {start}, before line {line}")
        self.counter, self.is_committed, self.line = counter, is_committed, line


class Unordered(Exception):
    """`line`: of the later access; `is_started`: the earlier one is asynchronous."""

    def __init__(self, what, line, is_started=False):
        super().__init__(f"{what}, line {line}")
        self.line, self.is_started = line, is_started


class Access:
    """An access of memory or registers. `bit`: of an asynchronous one; 0 otherwise."""

    def __init__(self, agent, writes, bit=0, counter=None, line=None):
        self.agent, self.at, self.writes = agent, agent.at, writes
        self.bit, self.counter, self.line = bit, counter, line
        self.is_committed = False


class Agent:
    def __init__(self, number, trace, count):
        self.number, self.cta, self.events = number, trace.cta, trace.events
        self.at = 0  # number of events executed
        self.clock = [0] * count  # numbers of events of the others that happened before
        self.completed = 0  # bits of the asynchronous operations that did
        self.open = {name: [] for name in ("copies", "stores", "products")}
        self.groups = {name: deque() for name in self.open}
        self.accs, self.total = {"acc0": 0, "acc1": 0}, 0
        self.cluster_phase = 0
        self.waited = {}  # by mbarrier: number of phases that it has waited for
        self.arrivals = []  # (at, line) of arrivals

    def learn(self, clock, completed):
        self.clock = [max(mine, other) for mine, other in zip(self.clock, clock, strict=True)]
        self.completed |= completed


class Barrier:
    """An mbarrier of one CTA, or the barrier of the cluster."""

    def __init__(self, count, num_agents):
        self.count, self.pending, self.loads, self.phase = count, count, 0, 0
        self.nothing = ([0] * num_agents, 0)
        self.clock, self.completed = self.nothing
        self.phases = []  # (clock, completed) at the end of each

    def learn(self, clock, completed):
        self.clock = [max(mine, other) for mine, other in zip(self.clock, clock, strict=True)]
        self.completed |= completed

    def end_phase_if_complete(self):
        if self.pending == 0 and self.loads == 0:
            self.phases.append((self.clock, self.completed))
            self.pending, self.phase = self.count, self.phase + 1
            self.clock, self.completed = self.nothing


class Simulation:
    """`counts`: arrivals for each phase, by name of the mbarriers; `at_first`: names whose mbarriers all CTAs share in
    the first CTA; `loads`: bulk loads in each phase, by name. `filled`: numbers of tiles at the beginning, by name."""

    def __init__(self, traces, num_ctas, counts, loads, at_first, filled, is_float):
        self.num_ctas, self.at_first, self.loads, self.filled = num_ctas, at_first, loads, filled
        self.is_float = is_float
        self.agents = [Agent(number, trace, len(traces)) for number, trace in enumerate(traces)]
        self.counts, self.barriers = counts, {}
        self.memory, self.sent = {}, {}
        self.accesses = {}  # by place: those that a later one may conflict with
        self.next_bit = 1
        self.loading = 0  # bits of bulk loads

    def run(self):
        left = list(self.agents)
        while left:
            before = self.executed()
            for agent in left:
                while agent.at < len(agent.events) and self.step(agent):
                    pass
            left = [agent for agent in left if agent.at < len(agent.events)]
            if left and self.executed() == before:
                raise Unordered("deadlock", left[0].events[left[0].at][0])
        for agent in self.agents:
            self.line = agent.events[-1][0] if agent.events else 0
            for name in ("copies", "stores"):  # none may be in flight at the end
                for access in [*agent.open[name], *(one for group in agent.groups[name] for one in group)]:
                    raise TooEarly(name, access.is_committed, self.line, access.line)
            self.loading &= ~agent.completed
        if self.loading:
            raise Unordered("a bulk load in flight at the end", self.line)

    def executed(self):
        """Returns the number of events that were executed."""
        return sum(agent.at for agent in self.agents)

    def step(self, agent):
        self.line, name, arguments = agent.events[agent.at]
        agent.at += 1
        agent.clock[agent.number] = agent.at
        if getattr(self, name)(agent, *arguments) is False:
            agent.at -= 1
            agent.clock[agent.number] = agent.at
            return False
        return True

    # Accesses ---------------------------------------------------------------------------------------------------------

    def is_before(self, earlier, agent):
        if earlier.bit:
            return bool(agent.completed & earlier.bit)
        return agent.clock[earlier.agent.number] >= earlier.at

    def touch(self, agent, place, access):
        earlier = self.accesses.setdefault(place, [])
        for one in earlier:
            if (one.writes or access.writes) and not self.is_before(one, agent):
                self.complain(one, agent, place)
        if access.writes:
            earlier.clear()
        earlier.append(access)

    def complain(self, earlier, agent, place):
        if earlier.counter is None:
            raise Unordered(f"{place} of line {earlier.line}", self.line, bool(earlier.bit))
        mine = earlier.agent
        if agent is mine:
            raise TooEarly(earlier.counter, earlier.is_committed, self.line, earlier.line)
        known = agent.clock[mine.number]
        between = [line for at, line in mine.arrivals if earlier.at < at <= known]
        if not between:
            raise Unordered(f"{place} of line {earlier.line}", self.line, True)
        raise TooEarly(earlier.counter, earlier.is_committed, between[-1], earlier.line)

    def read(self, agent, cta, tile):
        place = cta, tile.name, tile.slot
        self.touch(agent, place, Access(agent, False, line=self.line))
        return self.number(place)

    def number(self, place):
        return self.memory.get(place, self.filled.get(place[1], lambda slot: 100)(place[2]))

    def begin(self, agent, counter, writes=(), reads=()):
        """Starts an asynchronous operation."""
        access = [Access(agent, is_write, self.next_bit, counter, self.line) for is_write in (True, False)]
        self.next_bit *= 2
        for places, one in zip((writes, reads), access, strict=True):
            for place in places:
                self.touch(agent, place, one)
        if counter:
            agent.open[counter] += access
        return access[0].bit

    # Events -----------------------------------------------------------------------------------------------------------

    def fill(self, agent, tile, number):
        place = agent.cta, tile.name, tile.slot
        self.touch(agent, place, Access(agent, True, line=self.line))
        self.memory[place] = number

    def add_tile(self, agent, tile):
        self.add_to_total(agent, self.read(agent, agent.cta, tile))

    def add_acc(self, agent, acc):
        self.touch(agent, (agent.number, acc), Access(agent, False, line=self.line))
        self.add_to_total(agent, agent.accs[acc])

    def add_to_total(self, agent, number):
        if self.is_float:
            agent.total = float(np.float32(np.float32(agent.total * 0.5) + np.float32(number)))
        else:
            agent.total = (agent.total * 3 + int(number)) % WRAP

    def multiply(self, agent, a, b, acc):
        places = [(agent.cta, tile.name, tile.slot) for tile in (a, b)]
        registers = agent.number, acc
        # wgmmas on the same accumulator are executed in order.
        mine = [one for one in self.accesses.get(registers, ()) if one.counter == "products"]
        self.accesses[registers] = [one for one in self.accesses.get(registers, ()) if one not in mine]
        self.begin(agent, "products", writes=[registers], reads=places)
        self.accesses[registers] += mine
        agent.accs[acc] += 64 * self.number(places[0]) * self.number(places[1])

    def copy(self, agent, tile, number):
        place = agent.cta, tile.name, tile.slot
        self.begin(agent, "copies", writes=[place])
        self.memory[place] = number + 1

    def store(self, agent, row, tile):
        place = agent.cta, tile.name, tile.slot
        self.begin(agent, "stores", reads=[place])
        self.sent[row] = self.number(place)

    def load(self, agent, desc, step, barrier, tile, multicast):
        for cta in range(self.num_ctas) if multicast else [agent.cta]:
            place = cta, tile.name, tile.slot
            bit = self.begin(agent, None, writes=[place])
            self.loading |= bit
            self.memory[place] = number_loaded(desc.name, step, cta)
            one = self.barrier(cta, barrier)
            one.learn([0] * len(self.agents), bit)
            one.loads -= 1
            one.end_phase_if_complete()

    def commit(self, agent, counter):
        for access in agent.open[counter]:
            access.is_committed = True
        agent.groups[counter].append(agent.open[counter])
        agent.open[counter] = []

    def wait(self, agent, counter, outstanding):
        groups = agent.groups[counter]
        while len(groups) > outstanding:
            for access in groups.popleft():
                agent.completed |= access.bit

    # Barriers ---------------------------------------------------------------------------------------------------------

    def barrier(self, cta, handle):
        cta = 0 if handle.name in self.at_first else cta
        key = cta, handle.name, handle.slot
        if key not in self.barriers:
            self.barriers[key] = Barrier(self.counts[handle.name], len(self.agents))
        return self.barriers[key]

    def arrive(self, agent, handle, at_all):
        agent.arrivals.append((agent.at, self.line))
        for cta in range(self.num_ctas) if at_all else [agent.cta]:
            barrier = self.barrier(cta, handle)
            barrier.learn(agent.clock, agent.completed)
            barrier.pending -= 1
            if barrier.pending < 0:
                raise Unordered(f"too many arrivals at {handle.name}", self.line)
            barrier.end_phase_if_complete()

    def expect(self, agent, handle):
        barrier = self.barrier(agent.cta, handle)
        if barrier.phases and barrier.phases[-1][1] & ~agent.completed:
            raise Unordered(f"the last phase of {handle.name}", self.line)
        barrier.loads += self.loads[handle.name]
        barrier.learn(agent.clock, agent.completed)
        barrier.pending -= 1
        barrier.end_phase_if_complete()

    def wait_for_phase(self, agent, handle, parity):
        barrier = self.barrier(agent.cta, handle)
        number = agent.waited.get(barrier, 0)  # the first phase that may not have ended
        if number % 2 != parity:
            return True
        if barrier.phase <= number:
            return False
        agent.learn(*barrier.phases[number])
        agent.waited[barrier] = number + 1
        return True

    def arrive_at_cluster(self, agent):
        agent.arrivals.append((agent.at, self.line))
        barrier = self.cluster()
        barrier.learn(agent.clock, agent.completed)
        barrier.pending -= 1
        agent.cluster_phase = barrier.phase
        barrier.end_phase_if_complete()

    def wait_for_cluster(self, agent):
        barrier = self.cluster()
        if barrier.phase == agent.cluster_phase:
            return False
        agent.learn(*barrier.phases[agent.cluster_phase])
        return True

    def cluster(self):
        return self.barriers.setdefault("cluster", Barrier(self.num_ctas, len(self.agents)))


def number_loaded(desc, step, cta):
    """Returns the value of all elements of a tile that a bulk load brings."""
    step %= 16
    return (step * 3 + 2 * cta) % 4 + 1 if desc == "a_desc" else step * 5 % 3 + 1
