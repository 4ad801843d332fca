"""Plans of normalizations: all parameters of a launch, and the compile-time parameters of its kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ... import language as gl
from ... import next_power_of_2
from .._common.cached_hash import cached_hash, canonical
from .problem import Machine, Problem, box_columns

MULTI_WAVE = "multi-wave"
WARP_SPECIALIZED = "warp-specialized"
STREAMING = "streaming"
CLUSTER = "cluster"
STAGED = "staged"
#: Variant of operations without reductions: all elements are independent. Norms do not have this variant.
ELEMENTWISE = "elementwise"
#: Variant of group norm, with two launches. `rms_norm` and `layer_norm` do not have this variant.
SPLIT = "split"

SCHEDULES = (MULTI_WAVE, WARP_SPECIALIZED, CLUSTER, STAGED, STREAMING)
#: Maps other spellings of variants that callers may pass to the names of the variants.
SPELLINGS = {"warp-specialised": WARP_SPECIALIZED}


@cached_hash
@dataclass(frozen=True)
class Plan:
    """All parameters of a launch. `explain()` returns the parameters and the reasons for the choice."""

    problem: Problem
    machine: Machine
    schedule: str
    #: Number of warps that compute a tile of rows: the warps of a block or, in the warp-specialized variant, of a
    #: consumer group.
    num_warps: int
    #: Number of warps that share each row.
    warps_per_row: int
    rows_per_tile: int
    #: Number of columns of a tile, a power of two. `pieces` is the number of tiles of a row.
    block: int
    #: Number of elements per access of a lane.
    vector: int
    #: Number of elements per lane, in all tiles of a row.
    elements: int
    #: True if the next tile is loaded into registers (or copied, in the staged variant) while the current tile is
    #: computed.
    prefetches: bool
    #: True if rows are read twice, from shared memory or L1, because registers cannot hold both a row and the sums over
    #: rows.
    rereads: bool
    #: `groups`: in the warp-specialized variant, the number of groups of consumer warps, each of which computes
    #: separate tiles. `stages`: number of stages of a ring buffer, in the variants that have ring buffers. Each stage
    #: holds a tile.
    groups: int
    stages: int
    blocks_per_multiprocessor: int
    #: Number of blocks that the launch starts.
    blocks: int
    #: Largest number of registers per lane. In the warp-specialized variant, this is the limit of the consumer warps.
    registers: int
    #: Estimated number of registers per lane that the kernel needs.
    registers_needed: int
    shared_bytes: int
    #: Predicted time of the launch in seconds.
    seconds: float = 0.0
    #: Streaming variant: True if shared memory holds the sums over rows.
    keeps_sums: bool = False
    #: Number of blocks of a cluster, which share each row (cluster variant). `blocks` is then the number of clusters.
    num_ctas: int = 1
    #: True if accesses of rows have the evict-first policy, because rows are not read again.
    streams: bool = False
    pieces: int = 1
    reasons: tuple[str, ...] = field(default=(), compare=False)

    @property
    def limit(self) -> int | None:
        """Register limit per lane that is passed to the compiler. None on CDNA, and in the warp-specialized variant,
        whose kernel sets the registers of its warps by `setmaxnreg`."""
        return self.registers if self.schedule != WARP_SPECIALIZED and self.machine.lanes == 32 else None

    def explain(self) -> str:
        """Returns sentences that describe the plan and the reasons for the choice."""
        problem, machine = self.problem, self.machine
        head = (
            f"{problem.operation} of {problem.rows} x {problem.columns} {problem.dtype} on {machine.target} with "
            f"{machine.multiprocessors} {machine.processor}s: {self.schedule}"
        )
        return "\n".join([head, *(f"- {line}" for line in (*self._parts(), *self.reasons))])

    def _parts(self) -> list[str]:
        rows = f"{self.rows_per_tile} rows" if self.rows_per_tile > 1 else "a row"
        spread = (
            f"each row on {self.warps_per_row} warps"
            if self.warps_per_row > 1
            else f"each row within a warp, {self.problem.columns} columns"
        )
        if self.schedule in (ELEMENTWISE, SPLIT):
            spread = f"{self.block} columns"
        elif self.schedule == STREAMING:
            spread += f", {self.block} columns at a time"
        lines = [
            f"{self.blocks} blocks, {self.blocks_per_multiprocessor} per {self.machine.processor}; tiles of {rows} "
            f"on {self.num_warps} warps, {spread}, {self.elements} elements in each lane, {self.vector} per access"
        ]
        if self.schedule == WARP_SPECIALIZED and not self.problem.is_backward:
            lines.append(
                f"producer warps copy parts of rows into a ring buffer of {self.stages} stages: "
                f"{self.shared_bytes} bytes of shared memory"
            )
        elif self.schedule == WARP_SPECIALIZED:
            lines.append(
                f"a producer warp copies rows by TMA into ring buffers of {self.stages} stages, one for each of "
                f"{self.groups} groups of {self.num_warps} consumer warps: {self.shared_bytes} bytes of shared memory"
            )
        elif self.schedule == CLUSTER:
            lines.append(
                f"{self.num_ctas} blocks of a cluster share each row, {self.problem.columns // self.num_ctas} columns "
                "each, and exchange its sums through distributed shared memory"
            )
            lines.append(
                f"each block copies its parts of rows by TMA into a ring buffer of {self.stages} stages: "
                f"{self.shared_bytes} bytes of shared memory"
            )
        elif self.schedule == MULTI_WAVE:
            lines.append(
                "the next tile is loaded into registers while one is computed"
                if self.prefetches
                else "other blocks load while one computes; no tile is loaded ahead"
            )
        elif self.schedule == STAGED:
            when = "while one is computed" if self.prefetches else "while other blocks compute"
            lines.append(f"tiles are copied asynchronously into shared memory {when}: {self.shared_bytes} bytes")
        elif self.schedule == ELEMENTWISE:
            lines.append(
                "elements are independent, so blocks have parts of rows, and other blocks load while one computes"
            )
        elif self.schedule == SPLIT:
            lines.append("blocks have parts of rows: a launch computes their statistics, and a second one the result")
        else:
            lines.append(
                "rows are not kept on chip: they are read once for their sums, and again for the result"
                if self.problem.repeated_reads
                else "rows are not kept on chip: they are read once"
            )
            if self.keeps_sums:
                lines.append(f"sums over rows are kept in shared memory: {self.shared_bytes} bytes")
        if self.pieces > 1:
            is_copied = self.schedule in (STAGED, WARP_SPECIALIZED)
            why = "" if is_copied else ", because a single tile would be padded to a power of two"
            lines.append(f"rows are {self.pieces} tiles of {self.block} columns{why}")
        if self.rereads:
            lines.append(self._where_read_again())
        lines.append(f"about {self.registers_needed} registers per lane are needed, {self.registers} are available")
        return lines

    def _where_read_again(self) -> str:
        if not self.problem.is_backward:
            return "rows are read from shared memory for each use, because they do not fit into registers"
        source = "shared memory" if self.schedule == WARP_SPECIALIZED else "L1 or L2"
        return f"rows are read from {source} twice, for the sums and for dx, because registers hold the sums over rows"


@cached_hash
@dataclass(frozen=True)
class NormConfig:
    """Compile-time parameters of a kernel that processes rows."""

    rows_per_tile: int
    block: int
    pieces: int
    vector: int
    #: True if the number of columns of a row is a multiple of `block`, so columns need no mask.
    is_whole: bool
    #: Granularity of the mask: an aligned group of this number of columns is either all inside a row, or all outside.
    together: int
    is_centered: bool
    has_weight: bool
    has_bias: bool
    has_residual: bool
    stores_statistics: bool
    prefetches: bool
    rereads: bool
    #: Number of blocks of a cluster, and number of columns of a row that each block handles.
    num_ctas: int
    share: int
    #: Eviction policy of accesses of rows.
    eviction: str
    #: True if rows are accessed by buffer instructions (CDNA), whose bounds checks replace branches.
    buffers: bool
    #: Streaming variant: number of tiles of a row if shared memory holds the sums over rows. 0 if global memory holds
    #: these sums.
    kept_pieces: int
    #: Number of columns that the first pass reads at once in kernels that read rows twice (`rereads`): one access per
    #: lane.
    piece: int
    gradients: int
    #: Value that is added to the weight: 1 for models that store weight - 1.
    weight_offset: float
    groups: int
    stages: int
    #: Registers per lane of consumer warps, if warps reallocate registers by `setmaxnreg`.
    registers: int
    tile: Any
    #: Layout of a tile as the ring buffer of a cluster stores it: [rows, blocks, boxes, columns of a box].
    slot: Any
    #: Layout of the sums that the blocks of a cluster exchange, [rows, blocks, warps], as each block reads them.
    exchange: Any
    #: `sums` and `sums_shape`: layout and shape of a tile of partial sums.
    sums: Any
    sums_shape: tuple[int, int]


#: Largest size in bytes of an array that buffer instructions can access, because their offsets have 32 bits.
MOST_BUFFER_OFFSET = 1 << 31

#: `_SUM_COLUMNS`: smallest and largest number of columns of partial sums that a block adds up at once. `_SUM_ELEMENTS`,
#: `_SUM_VECTOR`: elements per lane of a tile of partial sums, and per access. With these values, enough loads are in
#: flight to hide the latency of the L2.
_SUM_COLUMNS = (16, 256)
_SUM_ELEMENTS = 16
_SUM_VECTOR = 4


def divided_columns(num_ctas: int, rank: int) -> list[list[int]]:
    """Returns the `cga_layout` of tiles whose second dimension is divided among the blocks of a cluster."""
    return [[0, 1 << bit, *[0] * (rank - 2)] for bit in range(num_ctas.bit_length() - 1)]


def _layout_of_slot(plan: Plan) -> gl.DistributedLinearLayout:
    """Returns the layout `NormConfig.slot`: the layout of a tile whose column index is split into the block of the
    cluster, the TMA box, and the column within the box."""
    part = plan.block // plan.num_ctas
    width = box_columns(plan.problem.columns // plan.num_ctas)

    def base(column: int) -> list[int]:
        return [0, column // part, column % part // width, column % width]

    # The bits of the column index select, from the lowest bit on: the element of an access, the lane, the warp, the
    # access, and the block.
    columns = [base(1 << bit) for bit in range(plan.block.bit_length() - 1)]
    access = plan.vector.bit_length() - 1
    lanes = access + plan.machine.lanes.bit_length() - 1
    warps = lanes + plan.warps_per_row.bit_length() - 1
    end = part.bit_length() - 1
    rows = [[1 << bit, 0, 0, 0] for bit in range(plan.rows_per_tile.bit_length() - 1)]
    return gl.DistributedLinearLayout(
        columns[:access] + columns[warps:end],
        columns[access:lanes],
        columns[lanes:warps] + rows,
        columns[end:],
        [plan.rows_per_tile, plan.num_ctas, part // width, width],
    )


def _layout_of_exchange(plan: Plan) -> gl.DistributedLinearLayout:
    """Returns the layout `NormConfig.exchange`: each warp has all sums of its row, one or several in each lane."""
    shape = [plan.rows_per_tile, plan.num_ctas, plan.warps_per_row]
    sums = [
        [1 << bit if d == dim else 0 for d in range(3)] for dim in (2, 1) for bit in range(shape[dim].bit_length() - 1)
    ]
    lanes = plan.machine.lanes.bit_length() - 1
    copies = [[0, 0, 0]]
    of_lanes = sums[:lanes]
    rows = [[1 << bit, 0, 0] for bit in range(plan.rows_per_tile.bit_length() - 1)]
    return gl.DistributedLinearLayout(
        sums[lanes:],
        of_lanes + copies * (lanes - len(of_lanes)),
        copies * (plan.warps_per_row.bit_length() - 1) + rows,
        copies * (plan.num_ctas.bit_length() - 1),
        shape,
    )


def config_of(
    plan: Plan, stores_statistics: bool = True, stride: int | None = None, weight_offset: float = 0.0
) -> NormConfig:
    """Returns the compile-time parameters of a plan. `stride`: the largest row stride, if rows are not contiguous."""
    problem, lanes = plan.problem, plan.machine.lanes
    lanes_per_row = max(plan.block * plan.pieces // plan.num_ctas // plan.elements, 1)
    if plan.schedule == STREAMING:
        lanes_per_row = lanes
    across = min(lanes_per_row, lanes)
    tile = gl.BlockedLayout(
        [1, plan.vector],
        [lanes // across, across],
        [plan.num_warps // plan.warps_per_row, plan.warps_per_row],
        [1, 0],
        divided_columns(plan.num_ctas, 2),
    )
    least, most = _SUM_COLUMNS
    columns = min(max(next_power_of_2(-(-problem.columns // (plan.blocks * plan.num_ctas))), least), most)
    lanes_across = min(columns // _SUM_VECTOR, lanes)
    sums = gl.BlockedLayout(
        [1, _SUM_VECTOR],
        [lanes // lanes_across, lanes_across],
        [plan.num_warps, 1],
        [1, 0],
        divided_columns(plan.num_ctas, 2),
    )
    return canonical(
        NormConfig(
            rows_per_tile=plan.rows_per_tile,
            block=plan.block,
            pieces=plan.pieces,
            vector=plan.vector,
            is_whole=problem.columns % plan.block == 0,
            together=plan.vector if problem.columns % plan.vector == 0 else 1,
            is_centered=problem.is_centered,
            has_weight=problem.has_weight,
            has_bias=problem.is_centered and problem.has_bias,
            has_residual=problem.has_residual,
            stores_statistics=stores_statistics,
            prefetches=plan.prefetches,
            rereads=plan.rereads,
            num_ctas=plan.num_ctas,
            share=problem.columns // plan.num_ctas,
            buffers=lanes == 64 and problem.rows * (stride or problem.columns) < MOST_BUFFER_OFFSET // 4,
            eviction="evict_first" if plan.streams else "",
            kept_pieces=-(-problem.columns // plan.block) if plan.keeps_sums else 0,
            piece=plan.num_warps * lanes * plan.vector,
            gradients=problem.gradients,
            weight_offset=weight_offset,
            groups=plan.groups,
            stages=plan.stages,
            registers=plan.registers,
            tile=tile,
            slot=_layout_of_slot(plan) if plan.schedule == CLUSTER and problem.is_backward else None,
            exchange=_layout_of_exchange(plan) if plan.schedule == CLUSTER else None,
            sums=sums,
            sums_shape=(max(_SUM_ELEMENTS * lanes * plan.num_warps // columns, 1), columns * plan.num_ctas),
        )
    )
