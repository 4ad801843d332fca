"""Decodes the memory of a profiled launch into arrays; csrc/profiler/Decode.h documents the structures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core
from ..errors import LaunchError

if TYPE_CHECKING:
    from .facts import ProfileFacts


def structure(size: int, **fields: tuple[int, str]) -> np.dtype:
    """Returns a structured NumPy dtype with the given fields: (offset, type) by name."""
    offsets, formats = zip(*fields.values(), strict=True)
    return np.dtype({"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": size})


#: A record. `cycle` is the value of the cycle counter that the warp has read.
RAW_RECORD = structure(
    40,
    cycle=(0, "i8"),
    ns=(8, "f8"),
    launch=(16, "u4"),
    cta=(20, "u4"),
    payload=(24, "u4"),
    unit=(28, "u2"),
    warp=(30, "u2"),
    site=(32, "u2"),
    kind=(34, "u1"),
)
BLOCK = structure(
    88,
    cta=(0, "u4"),
    hardware=(4, "u4"),
    flags=(12, "u4"),
    steady_start=(32, "u8"),
    cycles_start=(40, "u8"),
    steady_end=(48, "u8"),
    cycles_end=(56, "u8"),
    steady_flushed=(64, "u8"),
    cycles_per_ns=(72, "f8"),
    source=(80, "u1"),
)
UNIT = structure(
    32, cta=(0, "u4"), unit=(4, "u2"), warp=(6, "u2"), slot=(8, "u4"), written=(16, "u8"), dropped=(24, "u8")
)

BEGIN, END, MARK = range(3)
KINDS = ("begin", "end", "mark")

#: Names of the sources of the clock frequency; BLOCK["source"] is an index into this tuple.
FREQUENCY_SOURCES = ("measured in the block", "measured over the launch", "as the device says", "unknown")


class Decoded(NamedTuple):
    """The decoded memory of one launch.

    Attributes:
        records: sorted by block and unit, in program order (RAW_RECORD).
        blocks: the blocks that have completed (BLOCK).
        units: the recording units of these blocks (UNIT).
        missing_blocks: number of blocks that have not completed.
        steady_origin: ticks of the steady clock at the start of the first block, where `ns` is 0.
    """

    records: np.ndarray
    blocks: np.ndarray
    units: np.ndarray
    missing_blocks: int
    steady_origin: int


def decode(
    memory: Any,
    facts: ProfileFacts,
    blocks: int,
    *,
    launch: int = 0,
    cycles_per_ns: float = 0.0,
    steady_ns: float | None = None,
) -> Decoded:
    """Decodes the records in `memory`, which a launch of `blocks` blocks has written.

    `cycles_per_ns`: clock frequency for launches that are too short for a measurement; 0 if unknown. `steady_ns`:
    length of a tick of the steady clock in nanoseconds; with None, the value in the kernel's properties is used.
    Errors: LaunchError if the memory does not contain records of a launch.
    """
    wanted = _core.ProfileFacts(
        blocks=blocks,
        bytes_per_unit=facts.bytes_per_unit,
        warps=list(facts.unit_warps),
        sites=len(facts.sites),
        launch=launch,
        steady_ns_per_tick=facts.steady_ns if steady_ns is None else steady_ns,
        cycles_per_ns=cycles_per_ns,
    )
    try:
        records, found, units, missing, origin = _core.decode_profile(memory, wanted)
    except ValueError as error:
        raise LaunchError(str(error)) from None
    arrays = np.frombuffer(records, RAW_RECORD), np.frombuffer(found, BLOCK), np.frombuffer(units, UNIT)
    return Decoded(*arrays, missing, origin)
