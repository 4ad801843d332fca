"""The problem of a normalization (operation, sizes, dtype), and the properties of the GPU that solves it."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from ...errors import LaunchError
from .._common.cached_hash import cached_hash

#: Operations by name, with two flags: whether the operation subtracts the mean, and whether it computes gradients.
OPERATIONS = {
    "rms_norm": (False, False),
    "layer_norm": (True, False),
    "rms_norm_backward": (False, True),
    "layer_norm_backward": (True, True),
}

ELEMENT_BITS = {"float32": 32, "float16": 16, "bfloat16": 16}

MOST_COLUMNS = 1 << 16

#: Largest number of elements of a TMA box along one dimension.
BOX = 256


@cached_hash
@dataclass(frozen=True)
class Machine:
    """Properties of a GPU. Numbers of registers (of 32 bits), bytes of shared memory, and threads are per SM or compute
    unit."""

    target: str
    multiprocessors: int
    lanes: int
    registers: int
    registers_per_lane: int
    shared_bytes: int
    threads: int
    #: Memory bandwidth in bytes per second, from the data sheet.
    bytes_per_second: float
    #: True if the GPU has TMA, and warps can reallocate registers (`setmaxnreg`).
    specializes: bool = False
    #: True if asynchronous copies into shared memory bypass registers, with 16 bytes per lane.
    copies_by_16_bytes: bool = True
    #: Largest total number of warps of a cluster's blocks. The limit is lower in the emulator.
    cluster_warps: int = 16 * 64

    @property
    def processor(self) -> str:
        """Vendor's name of the processor that runs blocks."""
        return "SM" if self.lanes == 32 else "compute unit"


#: Properties of the GPUs A100, H200, MI300X and MI355X. The shared memory is the maximum that one block can have.
MACHINES = {
    machine.target: machine
    for machine in (
        Machine("sm_80", 108, 32, 65536, 255, 163 << 10, 2048, 2.0e12),
        Machine("sm_90a", 132, 32, 65536, 255, 227 << 10, 2048, 4.8e12, specializes=True),
        Machine("gfx942", 304, 64, 131072, 256, 64 << 10, 2048, 5.3e12, copies_by_16_bytes=False),
        Machine("gfx950", 256, 64, 131072, 256, 160 << 10, 2048, 8.0e12),
    )
}


#: Largest number of warps in all blocks of a cluster in the emulator.
_EMULATED_CLUSTER_WARPS = 32


@functools.cache
def emulated(machine: Machine) -> Machine:
    """Returns `machine` with the limits of the emulator."""
    return replace(machine, cluster_warps=_EMULATED_CLUSTER_WARPS)


def machine_of(target: str, multiprocessors: int | None = None) -> Machine:
    """Returns the Machine of a target, with `multiprocessors` SMs if the argument is not None."""
    machine = MACHINES[target]
    if multiprocessors is None or multiprocessors == machine.multiprocessors:
        return machine
    return _resized(machine, multiprocessors)


@functools.cache
def _resized(machine: Machine, multiprocessors: int) -> Machine:
    return replace(machine, multiprocessors=multiprocessors)


@cached_hash
@dataclass(frozen=True)
class Problem:
    """A normalization of rows, forward or backward. On the same machine, equal problems get equal plans."""

    operation: str
    rows: int
    columns: int
    dtype: str
    has_weight: bool = True
    has_bias: bool = True
    #: True if the forward pass adds a second matrix to x before the normalization, or the backward pass adds a matrix
    #: to dx.
    has_residual: bool = False
    #: True if rows of all matrices begin at multiples of 16 bytes, as wide accesses and TMA require.
    is_aligned: bool = True

    @property
    def is_centered(self) -> bool:
        """True if the mean is subtracted (LayerNorm), False for RMSNorm."""
        return OPERATIONS[self.operation][0]

    @property
    def is_backward(self) -> bool:
        """True if gradients are computed."""
        return OPERATIONS[self.operation][1]

    @property
    def element_bits(self) -> int:
        """Number of bits of one element of a row."""
        return ELEMENT_BITS[self.dtype]

    @property
    def gradients(self) -> int:
        """Number of gradients that are sums over all rows: weight and bias."""
        return (self.has_weight + (self.is_centered and self.has_bias)) if self.is_backward else 0

    @property
    def matrices_read(self) -> int:
        """Number of [rows, columns] arrays that the kernel reads."""
        return 1 + self.is_backward + self.has_residual

    @property
    def matrices_written(self) -> int:
        """Number of [rows, columns] arrays that the kernel writes."""
        return 1 + (self.has_residual and not self.is_backward)

    @property
    def repeated_reads(self) -> int:
        """Number of times that the streaming variant reads each row again."""
        return 1

    @property
    def more_instructions(self) -> float:
        """Number of instructions per element in addition to the instructions of a norm. The unit is the time of one
        FMA."""
        return 0.0

    @property
    def bytes_moved(self) -> int:
        """Bytes of all matrices that are read or written, each counted once."""
        return (self.matrices_read + self.matrices_written) * self.rows * self.columns * self.element_bits // 8


def checked_problem(operation: str, rows: int, columns: int, dtype: str, **facts: bool) -> Problem:
    """Returns the Problem with these fields. Raises a LaunchError if no kernel solves the problem."""
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
    """Returns the number of columns of a TMA box: the largest power of two that divides the number of columns, up to
    TMA's limit."""
    return min(columns & -columns, BOX)
