"""What is to be computed, and the machine it is computed on."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from ...errors import LaunchError
from ..hashed_once import hashed_once

#: (normalises around the mean, is a gradient) by name.
OPERATIONS = {
    "rms_norm": (False, False),
    "layer_norm": (True, False),
    "rms_norm_backward": (False, True),
    "layer_norm_backward": (True, True),
}

ELEMENT_BITS = {"float32": 32, "float16": 16, "bfloat16": 16}

MOST_COLUMNS = 1 << 16

#: TMA: the most elements of a box along one dimension.
BOX = 256


@hashed_once
@dataclass(frozen=True)
class Machine:
    """Facts of a GPU. Per multiprocessor (compute unit): registers of 32 bits, shared memory, threads."""

    target: str
    multiprocessors: int
    lanes: int
    registers: int
    registers_per_lane: int
    shared_bytes: int
    threads: int
    #: Of the memory, by datasheet.
    bytes_per_second: float
    #: Warps that copy by TMA, and registers that move between warps.
    specialises: bool = False
    #: Asynchronous copies into shared memory that pass no register, 16 bytes of each lane.
    copies_by_16_bytes: bool = True
    #: Warps of all blocks of a cluster, at most: the emulator has a limit.
    cluster_warps: int = 16 * 64


#: A100, H200, MI300X, MI355X. Shared memory is what one block can have.
MACHINES = {
    machine.target: machine
    for machine in (
        Machine("sm_80", 108, 32, 65536, 255, 163 << 10, 2048, 2.0e12),
        Machine("sm_90a", 132, 32, 65536, 255, 227 << 10, 2048, 4.8e12, specialises=True),
        Machine("gfx942", 304, 64, 131072, 256, 64 << 10, 2048, 5.3e12, copies_by_16_bytes=False),
        Machine("gfx950", 256, 64, 131072, 256, 160 << 10, 2048, 8.0e12),
    )
}


#: Warps of a cluster that the emulator runs.
_EMULATED_CLUSTER_WARPS = 32


@functools.cache
def emulated(machine: Machine) -> Machine:
    """The machine as the emulator has it."""
    return replace(machine, cluster_warps=_EMULATED_CLUSTER_WARPS)


def machine_of(target: str, multiprocessors: int | None = None) -> Machine:
    """The machine of a target, with as many multiprocessors as the GPU at hand has."""
    machine = MACHINES[target]
    if multiprocessors is None or multiprocessors == machine.multiprocessors:
        return machine
    return _resized(machine, multiprocessors)


@functools.cache
def _resized(machine: Machine, multiprocessors: int) -> Machine:
    return replace(machine, multiprocessors=multiprocessors)


@hashed_once
@dataclass(frozen=True)
class Problem:
    """A normalisation of rows, forward or backward. Equal problems get equal plans."""

    operation: str
    rows: int
    columns: int
    dtype: str
    has_weight: bool = True
    has_bias: bool = True
    #: Forward: another matrix is added to x first. Backward: to dx at the end.
    has_residual: bool = False
    #: Whether rows of all matrices are at multiples of 16 bytes, so that accesses can be that wide, and TMA used.
    is_aligned: bool = True

    @property
    def is_centred(self) -> bool:
        """Whether the mean is subtracted: LayerNorm, not RMSNorm."""
        return OPERATIONS[self.operation][0]

    @property
    def is_backward(self) -> bool:
        """Whether gradients are computed."""
        return OPERATIONS[self.operation][1]

    @property
    def element_bits(self) -> int:
        """Bits of one element of the rows."""
        return ELEMENT_BITS[self.dtype]

    @property
    def gradients(self) -> int:
        """Sums over all rows: of the weight, and of the bias."""
        return (self.has_weight + (self.is_centred and self.has_bias)) if self.is_backward else 0

    @property
    def matrices_read(self) -> int:
        """How many matrices of the rows' shape are read."""
        return 1 + self.is_backward + self.has_residual

    @property
    def matrices_written(self) -> int:
        """How many matrices of the rows' shape are written."""
        return 1 + (self.has_residual and not self.is_backward)

    @property
    def bytes_moved(self) -> int:
        """Each matrix once."""
        return (self.matrices_read + self.matrices_written) * self.rows * self.columns * self.element_bits // 8


def checked_problem(operation: str, rows: int, columns: int, dtype: str, **facts: bool) -> Problem:
    """Raises a LaunchError for what there are no kernels for."""
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise LaunchError(f"norms: op is one of {', '.join(OPERATIONS)}, not {operation!r}")
    if not isinstance(dtype, str) or dtype not in ELEMENT_BITS:
        raise LaunchError(
            f"{operation}: elements are {', '.join(ELEMENT_BITS)}, not {dtype}\n  hint: convert x first; sums are "
            "in float32 whatever the elements are"
        )
    for name, size in (("row", rows), ("column", columns)):
        if isinstance(size, bool) or not isinstance(size, int):
            raise LaunchError(f"{operation}: {name}s must be an integer, not {size!r}")
        if size < 1:
            raise LaunchError(f"{operation}: x needs at least one {name}, but its shape is [{rows}, {columns}]")
    if columns > MOST_COLUMNS:
        raise LaunchError(f"{operation}: rows have at most {MOST_COLUMNS} columns, but x has {columns}")
    return Problem(operation, rows, columns, dtype, **facts)


def box_columns(columns: int) -> int:
    """Columns of a box's innermost dimension: the largest power of two that divides the columns, up to TMA's limit."""
    return min(columns & -columns, BOX)
