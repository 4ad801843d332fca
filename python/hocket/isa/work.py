"""The resources of a compute unit that an AMD instruction occupies, for the performance model.

    v_mfma_f32_32x32x16_f16 ...    matrix core for 32 clocks
    v_exp_f32 ...                  VALU for 8 or 16 clocks
    ds_read_b128 ...               LDS for 4 clocks, 8 with 2-way bank conflicts
    buffer_load_dwordx4 ... lds    8 cache lines of global memory, 16 if rows fill half a line

The costs are in the target's cost table (csrc/target/CostTable.cpp).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from .. import _core
from .units import matrix_clocks_of, unit_of

#: Cost table of a target: the value of each constant by name.
Costs = dict[str, int]


@dataclass(frozen=True)
class InstructionCost:
    """The resources that an instruction occupies in the performance model.

    Attributes:
        kind: "matrix", "vector", "packed" (pairs of float32), "scalar", "shared", "memory", "wait", "barrier",
            "priority", "nop" or "branch".
        clocks: number of clocks for which the instruction occupies its unit. For "branch", number of clocks until the
            next instruction. For "shared", number of clocks if all four SIMDs make the same access at once.
        ahead: for "matrix", number of clocks before `clocks` in which the MFMA fetches scales.
        lines: for "memory", number of cache lines that the instruction touches.
        left: for "wait", number of operations that may be pending after the wait, by kind ("shared", "memory").
        priority: for "priority", new priority of the wave.
        activity: name of the instruction's activity in timelines.
    """

    kind: str
    clocks: int = 0
    ahead: int = 0
    lines: int = 0
    left: dict[str, int] = field(default_factory=dict, hash=False)
    priority: int = 0
    activity: str = "arithmetic"


_COUNT = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
_PACKED = re.compile(r"v_pk_(fma|mul|add|mov)_(f32|b32)")
_DS = re.compile(r"ds_(?:read|write|load|store)(2?)(?:st64)?_(?:b|u|i|f)(\d+)")
_GLOBAL = re.compile(r"dwordx([234])|(dword)|(short|b16)|(byte|b8)|_(?:b|f|i|u)?(32|64|96|128)\b")
_KINDS_OF_COUNTERS = {"vmcnt": "memory", "lgkmcnt": "shared"}
_ACTIVITIES = {
    "shared_reads": "shared load",
    "shared_writes": "shared store",
    "exchanges": "shuffle",
    "loads": "global load",
    "stores": "global store",
    "copies": "copy",
    "scratch": "global load",
}


@lru_cache
def costs_of(target: str) -> Costs:
    """Returns the cost table of a target."""
    return _core.costs(target)


def lane_bytes(instruction: str) -> int:
    """Returns the number of bytes that an access moves per lane, from the mnemonic of the instruction."""
    if match := _DS.match(instruction):
        return int(match[2]) // 8 * (2 if match[1] else 1)
    match = _GLOBAL.search(instruction.split()[0])
    if match is None:
        return 4
    words, word, short, byte, bits = match.groups()
    return 4 * int(words) if words else 4 if word else 2 if short else 1 if byte else int(bits) // 8


def work_of(instruction: str, target: str, conflicts: float = 1.0, line_use: float = 1.0) -> InstructionCost:
    """Returns the resources that `instruction` occupies, and for how long.

    Args:
        conflicts: time of an access of shared memory, relative to an access without bank conflicts.
        line_use: bytes of the cache lines that an access of global memory touches, divided by the requested bytes.
    """
    costs, unit, name = costs_of(target), unit_of(instruction, "amd"), instruction.split()[0]
    if unit == "matrix":
        ahead = costs["matrix_scales"] if name.startswith("v_mfma_scale_") else 0
        return InstructionCost("matrix", matrix_clocks_of(target)(instruction), ahead, activity="matrix")
    if unit == "transcendental":
        return InstructionCost("vector", costs["transcendental"])
    if unit == "vector":
        return InstructionCost("packed" if _PACKED.match(name) else "vector", costs["vector"])
    if unit in ("shared_reads", "shared_writes", "exchanges"):
        clocks = _core.shared_clocks(target, unit == "shared_writes", lane_bytes(instruction))
        return InstructionCost("shared", round(clocks * conflicts * costs["simds"]), activity=_ACTIVITIES[unit])
    if name.startswith(("s_load", "s_buffer_load")):
        return InstructionCost("shared", 0, activity="global load")
    if unit in _ACTIVITIES:
        lines = 64 * lane_bytes(instruction) * line_use / costs["line_bytes"]
        return InstructionCost("memory", lines=max(1, round(lines)), activity=_ACTIVITIES[unit])
    return _control(instruction, name, unit, costs)


def _control(instruction: str, name: str, unit: str, costs: Costs) -> InstructionCost:
    operand = re.search(r"\s(\d+)$", instruction)
    number = int(operand[1]) if operand else 0
    if unit == "waits":
        left = {_KINDS_OF_COUNTERS[counter]: int(count) for counter, count in _COUNT.findall(instruction)}
        return InstructionCost("wait", left=left, activity="wait")
    if unit == "barriers":
        return InstructionCost("barrier", activity="barrier")
    if name == "s_setprio":
        return InstructionCost("priority", priority=number)
    if name == "s_nop":
        return InstructionCost("nop", costs["issue"] * (number + 1))
    if name.startswith(("s_branch", "s_cbranch")):
        return InstructionCost("branch", costs["issue"])
    return InstructionCost("scalar", costs["issue"])
