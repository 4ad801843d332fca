"""How a normalisation is computed: every parameter of a launch, and the compile-time side of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ... import language as gl
from ... import next_power_of_2
from ..hashed_once import hashed_once
from .problem import Machine, Problem, box_columns

MULTI_WAVE = "multi-wave"
WARP_SPECIALISED = "warp-specialised"
STREAMING = "streaming"
CLUSTER = "cluster"
STAGED = "staged"

SCHEDULES = (MULTI_WAVE, WARP_SPECIALISED, CLUSTER, STAGED, STREAMING)


@hashed_once
@dataclass(frozen=True)
class Plan:
    """Every parameter of a launch. `explain()` says why."""

    problem: Problem
    machine: Machine
    schedule: str
    #: Warps that compute on one tile of rows: of a block; if warp-specialised, of a group.
    num_warps: int
    #: Of these, as many have a part of each row.
    warps_per_row: int
    rows_per_tile: int
    #: Columns of a tile: a power of two. Rows that one tile does not suit are several tiles, `pieces` of them.
    block: int
    #: Elements that a lane moves at once.
    vector: int
    #: Elements of all pieces of a tile in each lane.
    elements: int
    #: Multi-wave: whether the next tile is loaded into registers while this one is computed on.
    prefetches: bool
    #: Whether rows are read twice, from shared memory or the L1, since registers cannot hold them beside the sums.
    rereads: bool
    #: Warp-specialised: groups of warps with tiles of their own, and slots of the ring of each. Staged: slots.
    groups: int
    stages: int
    blocks_per_multiprocessor: int
    #: Of the launch.
    blocks: int
    #: Per lane, at most; if warp-specialised, of the lanes that compute.
    registers: int
    #: By the estimate that `feasible` makes.
    registers_needed: int
    shared_bytes: int
    #: What `choose` found: seconds by the model, the rule that fired, and what it compared.
    seconds: float = 0.0
    #: Streaming: whether shared memory holds the sums over rows.
    keeps_sums: bool = False
    #: Cluster: blocks that share each row. `blocks` counts clusters then.
    num_ctas: int = 1
    #: Whether rows are the first to leave the L2: nobody reads them again.
    streams: bool = False
    pieces: int = 1
    reasons: tuple[str, ...] = field(default=(), compare=False)

    @property
    def limit(self) -> int | None:
        """Registers that the compiler is held to. Where they are moved between warps, each knows its own."""
        return self.registers if self.schedule != WARP_SPECIALISED and self.machine.lanes == 32 else None

    def explain(self) -> str:
        """The plan and its reasons, in sentences."""
        problem, machine = self.problem, self.machine
        head = (
            f"{problem.operation} of {problem.rows} x {problem.columns} {problem.dtype} on {machine.target} with "
            f"{machine.multiprocessors} multiprocessors: {self.schedule}"
        )
        return "\n".join([head, *(f"- {line}" for line in (*self._parts(), *self.reasons))])

    def _parts(self) -> list[str]:
        rows = f"{self.rows_per_tile} rows" if self.rows_per_tile > 1 else "a row"
        spread = (
            f"each row on {self.warps_per_row} warps"
            if self.warps_per_row > 1
            else f"each row within a warp, {self.problem.columns} columns"
        )
        if self.schedule == STREAMING:
            spread += f", {self.block} columns at a time"
        lines = [
            f"{self.blocks} blocks, {self.blocks_per_multiprocessor} on a multiprocessor; tiles of {rows} on "
            f"{self.num_warps} warps, {spread}, {self.elements} elements in each lane, {self.vector} per access"
        ]
        if self.schedule == WARP_SPECIALISED:
            lines.append(
                f"a warp copies rows by TMA into rings of {self.stages} slots, one ring for each of {self.groups} "
                f"groups of {self.num_warps} warps that compute: {self.shared_bytes} bytes of shared memory"
            )
        elif self.schedule == CLUSTER:
            lines.append(
                f"{self.num_ctas} blocks of a cluster share each row, {self.problem.columns // self.num_ctas} columns "
                "each, and exchange its sums through distributed shared memory"
            )
            lines.append(
                f"each block copies its parts of rows by TMA into a ring of {self.stages} slots: "
                f"{self.shared_bytes} bytes of shared memory"
            )
        elif self.schedule == MULTI_WAVE:
            lines.append(
                "the next tile is loaded into registers while one is computed on"
                if self.prefetches
                else "other blocks load while one computes; no tile is loaded ahead"
            )
        elif self.schedule == STAGED:
            when = "while one is computed on" if self.prefetches else "while other blocks compute"
            lines.append(f"tiles are copied into shared memory, past the registers, {when}: {self.shared_bytes} bytes")
        else:
            lines.append("rows are not kept: they are read once for their sums and again for the result")
            if self.keeps_sums:
                lines.append(f"sums over rows are kept in shared memory: {self.shared_bytes} bytes")
        if self.pieces > 1:
            why = "" if self.schedule == STAGED else ", since one would be a power of two"
            lines.append(f"rows are {self.pieces} tiles of {self.block} columns{why}")
        if self.rereads:
            lines.append(self._where_read_again())
        lines.append(f"about {self.registers_needed} registers per lane needed, {self.registers} granted")
        return lines

    def _where_read_again(self) -> str:
        if not self.problem.is_backward:
            return "rows are read from shared memory for each use of them: registers hold none of them in between"
        place = "their slot" if self.schedule == WARP_SPECIALISED else "the L1 or L2"
        return f"rows are read from {place} twice, for the sums and for dx: registers hold the other sums"


@hashed_once
@dataclass(frozen=True)
class NormConfig:
    """What a kernel knows when it is compiled."""

    rows_per_tile: int
    block: int
    pieces: int
    vector: int
    #: Whether tiles end where rows do.
    is_whole: bool
    #: Columns from a multiple of so many on that are all in a row or none.
    together: int
    is_centred: bool
    has_weight: bool
    has_bias: bool
    has_residual: bool
    stores_statistics: bool
    prefetches: bool
    rereads: bool
    #: Blocks of a cluster, and columns of each.
    num_ctas: int
    share: int
    #: Policy of accesses of rows.
    eviction: str
    #: CDNA: whether rows are accessed by buffer operations, whose bounds take the place of branches.
    buffers: bool
    #: Streaming: slots of shared memory for each gradient's sums over rows, one for each piece; 0 if there are none.
    kept_pieces: int
    #: Columns of the pieces in which rows are read first if cfg.rereads: one access of each lane.
    piece: int
    gradients: int
    #: What is added to the weight: 1 where it is stored as the difference from 1.
    weight_offset: float
    groups: int
    stages: int
    #: Registers of the lanes that compute, if registers are moved.
    registers: int
    tile: Any
    #: The same as a slot of a cluster's ring has them: [rows, blocks, boxes, columns of a box].
    slot: Any
    #: Layout of two sums for each row, from each block of a cluster.
    pairs: Any
    #: Layout and shape of tiles of partial sums.
    sums: Any
    sums_shape: tuple[int, int]


#: Bytes from the first element of a buffer to the last, whose offsets are of 32 bits.
MOST_BUFFER_OFFSET = 1 << 31

#: Columns of partial sums that a block adds up at a time, and how many elements of these a lane has: enough loads in
#: flight for the L2's latency.
_SUM_COLUMNS = (16, 256)
_SUM_ELEMENTS = 16
_SUM_VECTOR = 4


def dealt_columns(num_ctas: int, rank: int) -> list[list[int]]:
    """`cga_layout` of tiles of which each block has a part of the second dimension."""
    return [[0, 1 << bit, *[0] * (rank - 2)] for bit in range(num_ctas.bit_length() - 1)]


def _layout_of_slot(plan: Plan) -> gl.DistributedLinearLayout:
    """The tile's layout, with columns taken apart."""
    part = plan.block // plan.num_ctas
    width = box_columns(plan.problem.columns // plan.num_ctas)

    def base(column: int) -> list[int]:
        return [0, column // part, column % part // width, column % width]

    # From the least column on: those of an access, of lanes, of warps, of further accesses, of blocks.
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


def config_of(
    plan: Plan, stores_statistics: bool = True, stride: int | None = None, weight_offset: float = 0.0
) -> NormConfig:
    """The compile-time side of a plan. `stride`: the largest distance of a row to the next, if they are apart."""
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
        dealt_columns(plan.num_ctas, 2),
    )
    least, most = _SUM_COLUMNS
    columns = min(max(next_power_of_2(-(-problem.columns // (plan.blocks * plan.num_ctas))), least), most)
    lanes_across = min(columns // _SUM_VECTOR, lanes)
    sums = gl.BlockedLayout(
        [1, _SUM_VECTOR],
        [lanes // lanes_across, lanes_across],
        [plan.num_warps, 1],
        [1, 0],
        dealt_columns(plan.num_ctas, 2),
    )
    return NormConfig(
        rows_per_tile=plan.rows_per_tile,
        block=plan.block,
        pieces=plan.pieces,
        vector=plan.vector,
        is_whole=problem.columns % plan.block == 0,
        together=plan.vector if problem.columns % plan.vector == 0 else 1,
        is_centred=problem.is_centred,
        has_weight=problem.has_weight,
        has_bias=problem.is_centred and problem.has_bias,
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
        pairs=gl.BlockedLayout(
            [1, 1, 2], [1, 1, lanes], [plan.num_warps, 1, 1], [2, 1, 0], dealt_columns(plan.num_ctas, 3)
        ),
        sums=sums,
        sums_shape=(max(_SUM_ELEMENTS * lanes * plan.num_warps // columns, 1), columns * plan.num_ctas),
    )
