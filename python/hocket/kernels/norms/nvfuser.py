"""The rule by which nvFuser chooses the variant of a normalization's backward pass, as a policy.

The rule selects the multi-wave variant for a compute capability below 10, for rows that are not multiples of 16 bytes,
and for few rows per SM. Otherwise it finds warp-specialized parameters by a greedy search, and selects the multi-wave
variant if its criteria reject these parameters.

The rule follows nvFuser's inner-outer persistent scheduler (github.com/NVIDIA/Fuser at 81c4b22fd, April 2026), with its
integer divisions. nvFuser's parameters do not apply to the kernels of this package: `decide` uses only the variant that
the rule selects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ... import next_power_of_2
from .plan import MULTI_WAVE, WARP_SPECIALIZED
from .problem import Machine, Problem

#: `_LEAST_THREADS`, `_MOST_THREADS`: smallest and largest number of threads of a block. `_TMA_THREADS`: number of
#: additional threads that issue TMA copies.
_LEAST_THREADS, _MOST_THREADS, _TMA_THREADS = 128, 512, 128
#: Largest size in bytes of the values that a block keeps in registers across rows: 56 K registers of 4 bytes.
_MOST_SUM_BYTES = 224 << 10
#: Number of registers that a thread needs in addition to the buffers. This number was chosen such that RMSNorm of 6144
#: columns of bfloat16 just fits into 232 registers.
_OTHER_REGISTERS = 112
_LARGEST_REGISTERS = 255
_SHARED_BYTES = 227 << 10
#: Largest number of rows per SM for which nvFuser does not specialize warps, indexed by the number of sums along a row.
_LEAST_WAVES = {1: 4, 2: 16}
_STATIC_SHARED_BYTES = 128


def _up(value: int, step: int) -> int:
    return -(-value // step) * step


def _cdiv(a: int, b: int) -> int:
    return -(-a // b)


def registers_per_thread(threads: int) -> int:
    """Returns the registers per thread if an SM runs `threads` threads."""
    per_partition = _cdiv(_cdiv(threads, 32), 4)
    return min(65536 // 4 // per_partition // 256 * 256 // 32, _LARGEST_REGISTERS)


def share_registers(threads: int) -> tuple[int, int]:
    """Returns the registers per TMA thread and per computing thread after `setmaxnreg`. `threads`: number of computing
    threads."""
    initial = registers_per_thread(threads + _TMA_THREADS)
    computing = initial + (initial - 32) * _TMA_THREADS // threads
    computing -= computing % 8
    return initial - (computing - initial) * threads // _TMA_THREADS, min(computing, _LARGEST_REGISTERS)


@dataclass(frozen=True)
class Shape:
    """A matrix of `rows` x `columns` elements of `bits` bits. `sums`: number of gradients that are sums over rows, 1
    for RMSNorm and 2 for LayerNorm."""

    rows: int
    columns: int
    bits: int
    sums: int

    @property
    def vector(self) -> int:
        return 128 // self.bits

    @property
    def accesses(self) -> int:
        return self.columns // self.vector


@dataclass(frozen=True)
class Specialized:
    """nvFuser's parameters of a warp-specialized kernel. `cached`: True if warps copy a buffer into registers and
    release it at once."""

    threads: int
    groups: int
    rows: int
    stages: int
    cached: bool
    weight_in_registers: bool

    @property
    def registers(self) -> tuple[int, int] | None:
        """Registers per TMA thread and per computing thread. None if each thread gets the maximum number of registers
        without `setmaxnreg`."""
        computing = self.threads * self.groups
        return share_registers(computing) if computing + _TMA_THREADS > 256 else None


class _Search:
    """nvFuser's greedy search for the largest warp-specialized parameters that fit into registers and shared memory.
    `cached` and `weight_in_registers` are fixed."""

    def __init__(self, shape: Shape, cached: bool, weight_in_registers: bool, shared_bytes: int):
        self.shape, self.cached, self.weight = shape, cached, weight_in_registers
        self.shared_bytes = shared_bytes

    def fits_shared(self, threads: int, groups: int, rows: int, stages: int) -> bool:
        row = self.shape.columns * self.shape.bits // 8
        taken = 2 * row * rows * stages + (0 if self.weight else row)
        return taken + _up(8 * stages, 128) + _up(rows * threads * groups * 4, 128) <= self.shared_bytes

    def words(self, bits_per_column: int, threads: int) -> int:
        return bits_per_column * (_cdiv(self.shape.accesses, threads) * self.shape.vector) // 32

    def fits_registers(self, threads: int, groups: int, rows: int) -> bool:
        needed = self.words(32 * self.shape.sums, threads) + _OTHER_REGISTERS
        if self.cached:
            needed += self.words(2 * self.shape.bits, threads) * rows
        if self.weight:
            needed += self.words(self.shape.bits, threads)
        return needed <= share_registers(threads * groups)[1]

    def tail(self, threads: int) -> int:
        return self.shape.accesses % threads or threads

    def grow(self, most_stages: int, most_groups: int, most_rows: int) -> Specialized:
        """Increases one parameter after another while the parameters fit into registers and shared memory."""
        threads, groups, rows, stages = _LEAST_THREADS, 1, 1, 1
        while True:
            before = threads, groups, rows, stages
            if stages * 2 <= most_stages and self.fits_shared(threads, groups, rows, stages * 2):
                stages *= 2
            if (
                threads == _LEAST_THREADS
                and groups * 2 <= most_groups
                and self.fits_registers(threads, groups * 2, rows)
                and self.fits_shared(threads, groups * 2, rows, stages)
            ):
                groups *= 2
            if (
                rows * 2 <= most_rows
                and self.fits_registers(threads, groups, rows * 2)
                and self.fits_shared(threads, groups, rows * 2, stages)
                and self.shape.rows % (rows * 2) == 0
            ):
                rows *= 2
            wider = threads + 128
            if (
                groups == 1
                and wider <= _MOST_THREADS - _TMA_THREADS
                and self.fits_shared(wider, groups, rows, stages)
                and (
                    threads == _LEAST_THREADS
                    or self.tail(wider) >= self.tail(threads)
                    or not self.fits_registers(threads, groups, rows)
                )
            ):
                threads = wider
            if before == (threads, groups, rows, stages):
                return Specialized(threads, groups, rows, stages, self.cached, self.weight)


def specialized(shape: Shape, shared_bytes: int = _SHARED_BYTES) -> tuple[Specialized, bool]:
    """Returns the warp-specialized parameters that nvFuser's search finds, and True if nvFuser accepts these
    parameters."""
    attempts: list[tuple[bool, bool, tuple[int, int, int], Callable[[Specialized], bool]]] = [
        (True, True, (2, 2, 4), lambda found: found.groups == 1),
        (False, True, (2, 2, 1), lambda found: found.groups == 1),
        (False, False, (2, 2, 1), lambda found: found.stages == 1),
        (False, True, (2, 1, 1), lambda found: False),
    ]
    for cached, weight, limits, is_unsatisfying in attempts:
        search = _Search(shape, cached, weight, shared_bytes)
        found = search.grow(*limits)
        if not is_unsatisfying(found):
            break
    stages = found.stages
    while search.fits_shared(found.threads, found.groups, found.rows, stages * 2):
        stages *= 2
    stages -= stages % found.groups
    found = Specialized(found.threads, found.groups, found.rows, stages, found.cached, found.weight_in_registers)
    computing = found.registers[1] if found.registers else _LARGEST_REGISTERS
    left = computing - search.words(shape.bits, found.threads) - search.words(32 * shape.sums, found.threads)
    return found, stages > 1 and not (found.groups == 1 and found.weight_in_registers and left < 64)


@dataclass(frozen=True)
class MultiWave:
    """nvFuser's parameters of a multi-wave kernel: threads of a block, accesses per thread and row, blocks, and
    registers per thread."""

    threads: int
    batch: int
    blocks: int
    registers: int


def multi_wave(shape: Shape, multiprocessors: int, shared_bytes: int = _SHARED_BYTES) -> MultiWave | None:
    """Returns nvFuser's multi-wave parameters, or None if rows are too long for a multi-wave kernel."""
    shared = _multi_wave_shared_bytes(shape, shared_bytes)
    if shared is None:
        return None
    h, rows = shape.columns, shape.rows
    least_batch = 3 if h == 3072 and rows <= 2048 else 4 if h >= 3072 else 2 if h >= 2048 else 1
    least = next_power_of_2(min(128, shape.accesses))
    threads = min(512, next_power_of_2(max(least, _cdiv(shape.accesses, least_batch))))
    candidates = []
    while threads >= least:
        batch = _cdiv(shape.accesses, threads)
        needed = min(_LARGEST_REGISTERS, shape.sums * shape.vector * batch + 40)
        warps = min(65536 // _up(needed * 32, 256) // 4 * 4, 64)
        per_block = _up(_cdiv(threads, 32), 4)
        blocks = min(warps // per_block, shared_bytes // shared)
        most = _up(_cdiv(rows, 8), multiprocessors)
        while blocks > 1 and blocks * multiprocessors > most:
            blocks -= 1
        if blocks:
            resident = blocks * per_block
            granted = registers_per_thread(32 * resident)
            rank = granted <= needed, -resident if resident < 16 else -16, threads
            candidates.append((rank, MultiWave(threads, batch, blocks * multiprocessors, granted)))
        threads //= 2
    return min(candidates, key=lambda pair: pair[0])[1] if candidates else None


def _multi_wave_shared_bytes(shape: Shape, shared_bytes: int) -> int | None:
    """Returns the bytes of shared memory of a block, which holds those of x, dy and the weight that registers do not
    keep. Returns None if a row does not fit into registers and shared memory."""
    widest = max(_cdiv(shape.accesses, threads) * threads for threads in range(128, _MOST_THREADS + 1, 32))
    buffer = _up(widest * 16, 128)
    row = shape.columns * shape.bits // 8
    overhead = _up(_MOST_THREADS * 4, 128) + _STATIC_SHARED_BYTES
    for in_registers in range(4):
        shared = (3 - in_registers) * buffer + overhead
        if shape.sums * shape.columns * 4 + in_registers * row > _MOST_SUM_BYTES:
            return None
        if shared <= shared_bytes:
            return shared
    return None


def schedule_of(
    shape: Shape, multiprocessors: int, arch: int, *, is_aligned: bool = True, forced: bool = False
) -> tuple[str, str]:
    """Returns the variant that nvFuser would choose, and the reason. `arch`: major compute capability. `forced`:
    nvFuser's option that forces warp specialization."""
    if not is_aligned or shape.columns * shape.bits % 128:
        return MULTI_WAVE, "rows are not multiples of 16 bytes"
    if not forced:
        if arch < 10:
            return MULTI_WAVE, f"warps are specialized from compute capability 10 on, and this is {arch}"
        waves, least = _cdiv(shape.rows, multiprocessors), _LEAST_WAVES[shape.sums]
        if waves <= least:
            return MULTI_WAVE, f"{waves} rows per SM, and warps are specialized for more than {least}"
    found, is_good = specialized(shape)
    if not (is_good or forced):
        return MULTI_WAVE, f"warp-specialized parameters are bad: {found.stages} stages, {found.threads} threads"
    return WARP_SPECIALIZED, f"{found.groups} groups of {found.threads} threads, {found.stages} stages"


def decide(problem: Problem, machine: Machine) -> tuple[str, str]:
    """Returns the variant that nvFuser's rule chooses for a problem, and the reason."""
    if not problem.is_backward:
        return MULTI_WAVE, "the rule only covers backward passes"
    if machine.lanes != 32:
        return MULTI_WAVE, f"the rule only covers NVIDIA GPUs, and this is {machine.target}"
    shape = Shape(problem.rows, problem.columns, problem.element_bits, 2 if problem.is_centered else 1)
    arch = int(machine.target.removeprefix("sm_").rstrip("a")) // 10
    return schedule_of(shape, machine.multiprocessors, arch, is_aligned=problem.is_aligned)
