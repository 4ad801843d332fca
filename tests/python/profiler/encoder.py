"""Encodes profiles as kernels write them, by docs/profiling_format.md. It shares no code with the decoder."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np

BEGIN, END, MARK, EXT = range(4)


def records_offset(units: int) -> int:
    return -(-(64 + 8 * units) // 16) * 16


@dataclass
class Site:
    id: int
    name: str
    kind: str = "scope"
    parent: int = -1
    file: str = "kernel.py"
    line: int = 0
    stage: int = -1
    payload: bool = False
    exclusive: bool = False


@dataclass
class Facts:
    sites: list[Site]
    unit_warps: list[int]
    bytes_per_unit: int = 1 << 16
    group_of_warp: list[int] = field(default_factory=list)
    partition_of_warp: list[str] = field(default_factory=list)
    steady_ns: float = 1.0
    space: str = "device"
    note: str = ""

    def __post_init__(self):
        warps = max(self.unit_warps) + 1
        self.group_of_warp = self.group_of_warp or [warp // 4 for warp in range(warps)]
        self.partition_of_warp = self.partition_of_warp or [""] * warps

    @property
    def bytes_per_cta(self) -> int:
        units = len(self.unit_warps)
        return -(-(records_offset(units) + units * self.bytes_per_unit) // 128) * 128


class Encoder:
    """One launch. `write` appends a record to a unit, as a kernel does."""

    def __init__(self, facts: Facts, blocks: int = 1, clock_bits: int = 32, keep_first: bool = False):
        self.facts, self.clock_bits, self.keep_first = facts, clock_bits, keep_first
        self.memory = bytearray(facts.bytes_per_cta * blocks)
        self.counts = [[0] * len(facts.unit_warps) for _ in range(blocks)]
        for block in range(blocks):
            self.header(block)

    def header(self, block, *, start=(0, 0), end=(10**6, 10**6), flushed=None, hw_unit=0):
        """`start`, `end`: the steady and the cycle clock."""
        flags = 2 | (self.clock_bits == 44) << 8 | self.keep_first << 9
        words = (0x46504B48, flags, block, hw_unit, len(self.facts.unit_warps), self.facts.bytes_per_unit)
        packed = struct.pack("<6I5Q", *words, *start, *end, flushed or end[0])
        place = block * self.facts.bytes_per_cta
        self.memory[place : place + 64] = packed

    def write(self, unit, kind, site, clock, payload=0, block=0):
        if self.clock_bits == 44:
            word0 = kind << 30 | site << 20 | (payload & 0xFF) << 12 | clock >> 32 & 0xFFF
        else:
            word0 = kind << 30 | site << 20 | payload & 0xFFFFF
        self.words(unit, word0, clock & 0xFFFFFFFF, block)

    def words(self, unit, word0, word1, block=0):
        number = self.counts[block][unit]
        self.counts[block][unit] = number + 1
        base = block * self.facts.bytes_per_cta
        struct.pack_into("<II", self.memory, base + 64 + 8 * unit, number + 1, unit)
        capacity = self.facts.bytes_per_unit // 8
        if number >= capacity and self.keep_first:
            return
        data = base + records_offset(len(self.facts.unit_warps)) + unit * self.facts.bytes_per_unit
        struct.pack_into("<II", self.memory, data + number % capacity * 8, word0, word1)

    def span(self, unit, site, begin, end, payload=0, block=0):
        """Only for spans that hold no others."""
        self.write(unit, BEGIN, site, begin, payload, block)
        self.write(unit, END, site, end, payload, block)

    @property
    def array(self) -> np.ndarray:
        return np.frombuffer(bytes(self.memory), np.uint8)
