"""Reads what profiled kernels write, word by word (docs/profiling_format.md). Independent of hocket.profiler."""

import contextlib
import struct
from typing import NamedTuple

import numpy as np

from hocket.profiler.facts import ProfileConfig, ProfileFacts
from hocket.runtime import profiling

BEGIN, END, MARK = 0, 1, 2


class Record(NamedTuple):
    kind: int
    name: str
    payload: int
    clock: int


class Unit(NamedTuple):
    count: int
    slot: int
    records: list[Record]  # in the order of their addresses


class Block(NamedTuple):
    magic: int
    version: int
    flags: int
    cta: int
    hw_unit: int
    units: int
    bytes_per_unit: int
    g0: int
    c0: int
    g1: int
    c1: int
    g2: int
    of: list[Unit]


class Launch(NamedTuple):
    facts: ProfileFacts
    raw: bytes
    blocks: list[Block]


def read_unit(raw, facts, number, at):
    count, slot = struct.unpack_from("<II", raw, at + 64 + 8 * number)
    first = at + -(-(64 + 8 * facts.units) // 16) * 16 + number * facts.bytes_per_unit
    capacity = facts.bytes_per_unit // 8
    has_first_index = struct.unpack_from("<I", raw, at + 4)[0] >> 13 & 1
    records = []
    for index in range(min(count, capacity)):
        place = (index + has_first_index) % capacity
        word0, word1 = struct.unpack_from("<II", raw, first + 8 * place)
        payload, clock = word0 & 0xFFFFF, word1
        if facts.clock_bits == 44:
            payload, clock = word0 >> 12 & 0xFF, (word0 & 0xFFF) << 32 | word1
        records.append(Record(word0 >> 30, facts.sites[word0 >> 20 & 0x3FF].name, payload, clock))
    return Unit(count, slot, records)


def read_blocks(raw, facts, blocks):
    found = []
    for block in range(blocks):
        at = block * facts.bytes_per_cta
        magic, word, *numbers = struct.unpack_from("<IIIIIIQQQQQ", raw, at)
        units = [read_unit(raw, facts, number, at) for number in range(facts.units)]
        found.append(Block(magic, word & 0xFF, word & ~0xFF, *numbers, units))
    return found


class Sink:
    """Gives launches memory of `device` that holds 0xCD, and reads it when they are over."""

    def __init__(self, device, config):
        self.device, self.config, self.launches = device, config, []

    def buffer(self, kernel, grid, place, stream, nbytes):
        self.memory = self.device.to_device(np.full(nbytes + 256, 0xCD, np.uint8))
        start = getattr(self.memory, "data_ptr", lambda: self.memory.ctypes.data)()
        self.skipped, self.nbytes = -start % 256, nbytes
        return start + self.skipped

    def launched(self, kernel, grid, place, stream, address):
        raw = self.device.to_host(self.memory)[self.skipped : self.skipped + self.nbytes].tobytes()
        facts = kernel.profile
        blocks = grid[0] * grid[1] * grid[2]
        if facts.origin == "static":
            blocks = min(blocks, facts.max_ctas)
        assert len(raw) == blocks * facts.bytes_per_cta
        self.launches.append(Launch(facts, raw, read_blocks(raw, facts, blocks)))


@contextlib.contextmanager
def recorded(device, **config):
    """Context manager: records the launches inside. Static variables hold the records of 64 blocks."""
    if config.get("space") == "static":
        config.setdefault("max_ctas", 64)
    sink = Sink(device, ProfileConfig(**config))
    choice = profiling.current.set(sink)
    try:
        yield sink.launches
    finally:
        profiling.current.reset(choice)
