"""A model of the hardware that runs the random kernels of random_waits.py as Python: one lane that does all.

Data moves at once. Memory and registers in flight may not be touched: the model raises `TooEarly` at an access that
needs a wait before it.
"""

import re
import sys
import types
from collections import deque

import numpy as np

MODEL = "<model>"  # the file that a program is for Python


class TooEarly(Exception):
    """An access touches memory or registers in flight. `is_committed`: a wait could have finished it."""

    def __init__(self, counter, is_committed):
        super().__init__(f"{counter}, {'committed' if is_committed else 'not committed'}")
        self.counter, self.is_committed = counter, is_committed


class Counter:
    """The operations that one partition has started: (writes, reads) of each, as buffer indices."""

    def __init__(self, name):
        self.name, self.open, self.groups = name, [], deque()

    def commit(self):
        self.groups.append(self.open)
        self.open = []

    def wait(self, outstanding):
        while len(self.groups) > outstanding:
            self.groups.popleft()

    def check(self, place, writes):
        for written, read in self.open:
            if place in written or (writes and place in read):
                raise TooEarly(self.name, False)
        for group in self.groups:
            for written, read in group:
                if place in written or (writes and place in read):
                    raise TooEarly(self.name, True)

    def check_all(self):
        if self.open or any(self.groups):
            raise TooEarly(self.name, not self.open)


def point_of_program():
    """The line of the program's text that is being run, and the counters of loops there, outermost first."""
    frame = sys._getframe()
    while frame.f_code.co_filename != MODEL:
        frame = frame.f_back
    counters = sorted((int(name[1:]), value) for name, value in frame.f_locals.items() if re.fullmatch(r"k\d+", name))
    return frame.f_lineno, dict(counters)


def are_near(earlier, later):
    """Returns True if all loops around both points except the innermost are in the same iteration."""
    *outer, _ = [number for number in later if number in earlier] or [0]
    return all(earlier[number] == later[number] for number in outer)


class Tile:
    def __init__(self, machine, place):
        self.machine, self.place = machine, place

    def index(self, slot):
        return Tile(self.machine, (*self.place, slot))

    def read(self):
        self.machine.check(self.place, writes=False)
        return self.machine.memory[self.place]

    def write(self, data):
        self.machine.check(self.place, writes=True)
        self.machine.memory[self.place] = data


class Acc:
    """An accumulator in registers, which a wgmma writes until it completes."""

    def __init__(self, machine, place, value=0):
        self.machine, self.place, self.value = machine, place, value

    def plus(self, more):
        return Acc(self.machine, self.place, self.value + more)

    def read(self):
        self.machine.check(self.place, writes=False)
        return self.value


class Machine:
    """Runs a kernel's text, one lane that does all. Data moves at once; accesses in flight are tracked."""

    NAMES = ("copies", "stores", "products")

    def __init__(self, elements, rows_sent, only_meets=False):
        self.elements = elements
        self.memory, self.sent = {}, np.zeros((8 * rows_sent, 64), np.int32)
        self.kept = 0
        self.copies, self.stores, self.products = self.counters = [Counter(name) for name in self.NAMES]
        self.launched = []  # counters of the warps that wait for workers
        self.steps = 0  # accesses so far
        self.starts = {}  # by place: (line, whether it writes, counters) of each operation that was started on it
        # (line of a start, line of an access that came after it, the next iteration of the innermost loop at the most),
        # of programs whose waits are not checked
        self.met = set() if only_meets else None

    def check(self, place, writes):
        self.steps += 1
        if self.met is not None:
            line, counters = point_of_program()
            for start, is_write, earlier in self.starts.get(place, ()):
                if (writes or is_write) and are_near(earlier, counters):
                    self.met.add((start, line))
            return
        for counters in (self.counters, self.launched):
            for counter in counters:
                if counter.open or counter.groups:
                    counter.check(place, writes)

    def start(self, counter, writes=(), reads=()):
        if self.met is not None:
            line, counters = point_of_program()
            for places, is_write in ((writes, True), (reads, False)):
                for place in places:
                    self.starts.setdefault(place, []).append((line, is_write, counters))
        counter.open.append((frozenset(writes), frozenset(reads)))

    def copy(self, tile, data):
        tile.write(data)
        self.start(self.copies, writes=[tile.place])

    def store(self, desc, coords, tile):
        self.sent[coords[0] : coords[0] + 8] = tile.read()
        self.start(self.stores, reads=[tile.place])
        self.stores.commit()

    def multiply(self, a, b, acc, is_async):
        product = a.read() * b.read() * 64  # both are full of one number
        self.start(self.products, writes=[acc.place], reads=[a.place, b.place])
        self.products.commit()
        return acc.plus(product)

    def wait_for_products(self, outstanding, deps):
        self.products.wait(outstanding)
        return deps

    def keep(self, out, total):
        self.kept = total

    def ends(self):
        for counter in self.counters if self.met is None else ():
            counter.check_all()

    def specialize(self, functions, warps):
        (default, arguments), (worker, worker_arguments) = functions
        self.launched = self.counters
        self.copies, self.stores, self.products = self.counters = [Counter(name) for name in self.NAMES]
        worker(*worker_arguments)
        self.copies, self.stores, self.products = self.counters = self.launched
        self.launched = []
        return default(*arguments)

    def names(self):
        """The names that the text of a program uses."""
        space = types.SimpleNamespace
        return {
            "__name__": "program",
            "hocket": space(jit=lambda function: function),
            "gl": space(warp_specialize=self.specialize),
            "async_copy": space(
                async_load=self.copy,
                global_load_to_shared=self.copy,
                commit_group=lambda: self.copies.commit(),
                wait_group=lambda outstanding: self.copies.wait(outstanding),
            ),
            "tma": space(async_store=self.store, store_wait=lambda outstanding: self.stores.wait(outstanding)),
            "hopper": space(warpgroup_mma=self.multiply, warpgroup_mma_wait=self.wait_for_products),
            "at": lambda x, k: x.reshape(-1, self.elements)[k % 8],
            "add": lambda total, tile: (total * 3 + tile.read()) & 1023,
            "add_acc": lambda total, acc: (total * 3 + (acc.read() & 1023)) & 1023,
            "fill": lambda tile, k: tile.write(np.full(self.elements, k + 100, np.int32)),
            "fill_rows": lambda tile, k: tile.write(np.full((8, 64), k + 100, np.int32)),
            "fill_square": lambda tile, k: tile.write((k & 3) + 1),
            "zeros": lambda: 0,
            "keep": self.keep,
            "ends": self.ends,
        }
