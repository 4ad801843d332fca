"""The events of partitions, for release_model.py: each partition of a program runs as Python, on handles of buffers."""

import sys
import types

MODEL = "<model>"  # the file that a program is for Python


def line_of_program():
    frame = sys._getframe()
    while frame.f_code.co_filename != MODEL:
        frame = frame.f_back
    return frame.f_lineno


class Handle:
    """A buffer, a ring or one slot of it: in shared memory, or of mbarriers."""

    def __init__(self, name, slot=0):
        self.name, self.slot = name, slot

    def index(self, slot):
        assert slot >= 0
        return Handle(self.name, slot)


class Trace:
    """The events of one partition in one CTA: (line, name of a method of Simulation, its arguments)."""

    def __init__(self, cta):
        self.cta, self.events = cta, []

    def add(self, name, *arguments):
        self.events.append((line_of_program(), name, arguments))

    def load(self, desc, coords, barrier, tile, pred=True, multicast=False):
        if pred and (not multicast or self.cta == 0):
            self.add("load", desc, max(coords) // 64, barrier, tile, multicast)

    def store(self, desc, coords, tile):
        self.add("store", coords[0] // 8, tile)
        self.add("commit", "stores")

    def copy(self, tile, number):
        self.add("copy", tile, number)

    def multiply(self, a, b, acc, is_async=True):
        self.add("multiply", a, b, acc)
        self.add("commit", "products")
        return acc

    def wait_for_products(self, outstanding, deps):
        self.add("wait", "products", outstanding)
        return deps

    def add_acc(self, total, acc):
        self.add("add_acc", acc)
        return total

    def add_tile(self, total, tile):
        self.add("add_tile", tile)
        return total

    def arrive(self, barrier, pred=True, from_cta=None):
        if pred and (from_cta is None or self.cta == from_cta):
            self.add("arrive", barrier, from_cta is not None)

    def expect(self, barrier, bytes_per_cta, pred=True):
        if pred:
            self.add("expect", barrier)

    def wait(self, barrier, phase, pred=True):
        if pred:
            self.add("wait_for_phase", barrier, phase & 1)

    def cluster_barrier(self):
        self.add("arrive_at_cluster")
        self.add("wait_for_cluster")

    def names(self):
        """The names that the text of a program uses."""
        space = types.SimpleNamespace
        descs = {name: space(name=name, nbytes_per_cta=0) for name in ("a_desc", "b_desc", "s_desc")}
        waits = {"copies": "wait_group", "stores": "store_wait"}
        wait = {
            word: lambda outstanding, counter=counter: self.add("wait", counter, outstanding)
            for counter, word in waits.items()
        }
        return descs | {
            "__name__": "program",
            "hocket": space(jit=lambda function: function),
            "gl": space(minimum=min, maximum=max, constexpr=None),
            "async_copy": space(
                async_load=self.copy,
                commit_group=lambda: self.add("commit", "copies"),
                wait_group=wait["wait_group"],
            ),
            "tma": space(async_load=self.load, async_store=self.store, store_wait=wait["store_wait"]),
            "hopper": space(warpgroup_mma=self.multiply, warpgroup_mma_wait=self.wait_for_products),
            "mbarrier": space(arrive=self.arrive, expect=self.expect, wait=self.wait),
            "cluster": space(
                barrier=self.cluster_barrier,
                arrive=lambda: self.add("arrive_at_cluster"),
                wait=lambda: self.add("wait_for_cluster"),
                cta_rank=lambda: self.cta,
            ),
            "at": lambda x, k: k % 16,
            "add_acc": self.add_acc,
            "add_tile": self.add_tile,
            "fill": lambda tile, k: self.add("fill", tile, (k & 3) + 1),
            "fill_rows": lambda tile, k: self.add("fill", tile, k + 100),
        }
