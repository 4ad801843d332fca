"""GEMM on Hopper: a persistent, warp-specialized kernel with TMA, wgmma and a ring buffer of k-tiles.

Roles of the warps of a CTA, which computes tiles of C, one after another:

    warps                    count                  work
    producer warp            1                      copies k-tiles of A and B into the ring buffer (TMA)
    consumer warpgroups      1 or 2                 multiply k-tiles (wgmma); store C through shared memory (TMA, or
                                                    lanes if TMA cannot address C)

Barriers, and the number of arrivals that complete a phase:

    ring, `cfg.stages` stages   full: 1, and the bytes of TMA      empty: 1 per warp that reads the stage
    ping_pong.next_tile         a named barrier per warpgroup, of 8 warps, 4 of which wait: it may start its next tile
    ping_pong.staging           an mbarrier per warpgroup, 1 arrival: it may write the staging buffers

The ring buffer continues from tile to tile: the k-tiles of the next tile arrive while the consumers still convert and
store results of the previous tile. `cfg.ping_pong` selects how two warpgroups divide the work:

    False (cooperative)     each warpgroup multiplies half of the rows of every tile; both read the k-tile of B
    True (ping-pong)        each warpgroup computes every second tile: one multiplies while the other one stores. Both
                            share the staging buffers, which leaves shared memory for another stage

Timeline of ping-pong, with tiles 0, 1, 2, ... of the CTA:

    producer         copy k-tiles of 0 | of 1           | of 2           | of 3           | ...
    warpgroup 0      multiply 0        | store 0        | multiply 2     | store 2        | ...
    warpgroup 1                        | multiply 1     | store 1        | multiply 3     | ...

Tile sizes are powers of two, so a warpgroup with 192 columns has three accumulators of 64. The compiler merges the
wgmmas of these accumulators into one wgmma of 192 columns, because the corresponding parts of B are adjacent in the
ring buffer.

With `cfg.divides_k`, for few tiles and a large K, several CTAs share the k-tiles of a tile of C (`split_k_hopper`). The
work number w denotes split w % splits of tile w // splits.

TMA handles edges: elements outside A and B are read as 0, and elements outside C are not written. `matmul_simple` is a
plain version of this kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import mbarrier, named_barrier, tma
from .._common.cached_hash import cached_hash
from .._epilogue.function import Epilogue
from .._epilogue.outputs_hopper import HopperOutput
from .epilogue_hopper import bias_of, finish
from .split_k_hopper import combine_splits


@cached_hash
@dataclass(frozen=True)
class HopperConfig:
    """Compile-time parameters of the Hopper GEMM kernel."""

    block_m: int
    block_n: int
    block_k: int
    #: Number of stages of the ring buffer.
    stages: int
    #: Number of consumer warpgroups, and number of parts into which these warpgroups divide the rows of a tile.
    consumers: int
    parts: int
    ping_pong: bool
    #: True if an SM executes several CTAs at the same time, so warps have no register budgets, and few registers.
    shares_sm: bool
    #: True if several CTAs share the k-tiles of a tile of C (split-K).
    divides_k: bool
    group_rows: int
    staged_rows: int
    staged_columns: int
    staging_buffers: int
    is_transposed_a: bool
    is_transposed_b: bool
    has_bias: bool
    #: True if the bias has one number per row of C, because the kernel computes the transposed GEMM.
    has_bias_of_rows: bool
    activation: str
    #: Number of accumulators of a warpgroup, and number of columns of each accumulator. The accumulators cover adjacent
    #: columns of the tile.
    accs: int
    acc_n: int
    #: Number of bytes that the TMA copies write to a stage of the ring buffer.
    stage_bytes: int
    #: Layout of an accumulator, and layout of an epilogue subtile.
    acc: gl.NVMMADistributedLayout
    subtile: gl.NVMMADistributedLayout
    #: Layout of a staging buffer.
    staging: gl.NVMMASharedLayout
    #: Layout in which lanes store an epilogue subtile to C; None if TMA stores it.
    by_lanes: gl.BlockedLayout | None
    #: Outputs of the user's function; empty if there is none. A staging buffer then consists of bytes, in this shape.
    outputs: tuple[HopperOutput, ...] = ()
    staging_shape: tuple[int, ...] = ()
    #: True if the kernel computes the transpose of C, for the user's function.
    is_transposed: bool = False
    #: 0, or the multiple of which the number of rows or columns is one, if a tile has rows or columns past the end.
    clamped_rows: int = 0
    clamped_columns: int = 0


@aggregate
class Sizes:
    """Sizes of the GEMM, number of splits of a tile, total number of splits of all tiles of the batch, and the strides
    of C's batch, rows and columns, if lanes store C. With a function of the user: a tuple of the strides of each
    output."""

    M: gl.tensor
    N: gl.tensor
    K: gl.tensor
    splits: gl.tensor
    works: gl.tensor
    c_strides: tuple | None


@aggregate
class Memory:
    """Shared memory: `cfg.parts` tiles of A and `cfg.accs` tiles of B per stage, and staging buffers for C."""

    a: gl.shared_memory_descriptor
    b: gl.shared_memory_descriptor
    staging: gl.shared_memory_descriptor

    @jit
    def a_tile(self, stage, part: gl.constexpr, cfg: gl.constexpr):
        """Returns the buffer that holds the rows of A for part `part` of the tile."""
        return self.a.index(stage * cfg.parts + part)

    @jit
    def b_tile(self, stage, side: gl.constexpr, cfg: gl.constexpr):
        """Returns the buffer that holds the columns of B for accumulator number `side`."""
        return self.b.index(stage * cfg.accs + side)


@aggregate
class PingPong:
    """Barriers of two warpgroups that alternate (ping-pong). The fields are empty if the warpgroups cooperate."""

    next_tile: tuple
    staging: gl.shared_memory_descriptor | None

    @jit
    def wait_for_next_tile(self, warpgroup: gl.constexpr):
        """Waits until the other warpgroup has issued the wgmmas of its tile."""
        named_barrier.arrive_and_wait(self.next_tile[warpgroup])

    @jit
    def start_other(self, warpgroup: gl.constexpr):
        """Lets the other warpgroup start its next tile."""
        named_barrier.arrive(self.next_tile[1 - warpgroup])

    @jit
    def wait_for_staging(self, warpgroup: gl.constexpr, number):
        """Waits until the other warpgroup's stores have read the staging buffers. `number`: index of the tile among the
        tiles of this CTA."""
        mbarrier.wait(self.staging.index(warpgroup), number // 2 & 1 ^ warpgroup ^ 1)

    @jit
    def pass_staging(self, warpgroup: gl.constexpr):
        """Waits until TMA has read the staging buffers, then lets the other warpgroup write these buffers."""
        tma.store_wait(0)
        mbarrier.arrive(self.staging.index(1 - warpgroup))


@jit
def position_of_tile(tile, sizes, cfg: gl.constexpr):
    """Returns the batch index, the first row and the first column of a tile. Tiles that run at the same time share
    k-tiles of A or B."""
    tiles_m = gl.cdiv(sizes.M, cfg.block_m)
    tiles_n = gl.cdiv(sizes.N, cfg.block_n)
    matrix = tile // (tiles_m * tiles_n)
    in_matrix = tile % (tiles_m * tiles_n)
    tiles_per_group = cfg.group_rows * tiles_n
    first_row = in_matrix // tiles_per_group * cfg.group_rows
    rows = gl.minimum(tiles_m - first_row, cfg.group_rows)
    in_group = in_matrix % tiles_per_group
    return matrix, (first_row + in_group % rows) * cfg.block_m, in_group // rows * cfg.block_n


@jit
def tile_and_steps(work, sizes, cfg: gl.constexpr):
    """Returns the tile of C and the split that work number `work` denotes, and the range of the split's k-tiles: the
    first index, and the index after the last one."""
    steps = gl.cdiv(sizes.K, cfg.block_k)
    tile = work
    split = 0
    begin = 0
    end = steps
    if cfg.divides_k:
        tile = work // sizes.splits
        split = work % sizes.splits
        begin = split * steps // sizes.splits
        end = (split + 1) * steps // sizes.splits
    return tile, split, begin, end


@jit
def load_block(desc, matrix, row, column, bar, result, transposed: gl.constexpr):
    """Starts the TMA copy of the block at (row, column) of a matrix. If `transposed`, memory holds the transpose of the
    matrix."""
    if transposed:
        row, column = column, row
    if len(desc.block_shape) == 3:
        tma.async_load(desc, [matrix, row, column], bar, result)
    else:
        tma.async_load(desc, [row, column], bar, result)


@jit
def as_matrix(tile, transposed: gl.constexpr):
    """Views a buffer of the ring buffer as [M, K] (A) or [K, N] (B)."""
    matrix = tile
    if len(tile.shape) > 2:  # other dimensions have size 1
        matrix = tile.reshape([tile.shape[-2], tile.shape[-1]])
    if transposed:
        matrix = matrix.permute([1, 0])
    return matrix


@jit
def copy_tiles(a_desc, b_desc, memory, ring, sizes, cfg: gl.constexpr):
    """The producer warp copies the k-tiles of all tiles of the CTA, and runs ahead of the consumers while stages are
    empty."""
    position = ring.position(0)
    for work in range(gl.program_id(0), sizes.works, gl.num_programs(0)):
        tile, _, begin, end = tile_and_steps(work, sizes, cfg)
        matrix, row, column = position_of_tile(tile, sizes, cfg)
        for step in range(begin, end):
            slot = ring.acquire(position)
            k = step * cfg.block_k
            for part in gl.static_range(cfg.parts):
                part_row = row + part * (cfg.block_m // cfg.parts)
                a_tile = memory.a_tile(slot.index, part, cfg)
                load_block(a_desc, matrix, part_row, k, slot.full, a_tile, cfg.is_transposed_a)
            for side in gl.static_range(cfg.accs):
                left = column + side * cfg.acc_n
                b_tile = memory.b_tile(slot.index, side, cfg)
                load_block(b_desc, matrix, k, left, slot.full, b_tile, cfg.is_transposed_b)
            position = position.next()


@jit
def multiply_stage(memory, stage, part: gl.constexpr, accs, use_acc, cfg: gl.constexpr):
    """Starts the wgmmas of one part of A with each part of B in a stage of the ring buffer. Each part of B has its own
    accumulator."""
    a = as_matrix(memory.a_tile(stage, part, cfg), cfg.is_transposed_a)
    bs = [as_matrix(memory.b_tile(stage, side, cfg), cfg.is_transposed_b) for side in range(cfg.accs)]
    return [hopper.warpgroup_mma(a, bs[side], accs[side], use_acc=use_acc, is_async=True) for side in range(cfg.accs)]


@jit
def wait_for_mma(outstanding: gl.constexpr, accs):
    """Waits until at most `outstanding` wgmmas are pending, and returns the accumulators."""
    done = hopper.warpgroup_mma_wait(outstanding, deps=accs)
    if len(accs) == 1:
        done = [done]
    return done


@jit
def multiply_tiles(
    warpgroup: gl.constexpr, memory, ring, ping_pong, c, bias, sizes, workspace, epilogue, cfg: gl.constexpr
):  # fmt: skip
    """A consumer warpgroup computes its rows of every tile; with ping-pong, all rows of every second tile.

    workspace: the partial sums of divided tiles, and the number of arrived splits of each divided tile. epilogue: the
    function of the user, or None.
    """
    rows: gl.constexpr = cfg.block_m // cfg.parts
    part: gl.constexpr = warpgroup % cfg.parts
    alternating: gl.constexpr = 2 if cfg.ping_pong else 1
    first_subtile: gl.constexpr = 0 if cfg.ping_pong else warpgroup * cfg.staging_buffers
    steps = gl.cdiv(sizes.K, cfg.block_k)
    number = warpgroup % alternating  # index of the tile among the tiles of this CTA
    first = gl.program_id(0)
    stride = gl.num_programs(0)
    accs = [gl.zeros([rows, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    position = ring.position(0)
    for work in range(first + number * stride, sizes.works, alternating * stride):
        if cfg.ping_pong:
            # This wait keeps the warpgroups within one phase of each other in the ring buffer. Otherwise an mbarrier
            # wait could succeed for an earlier phase with the same parity.
            if work != first:
                ping_pong.wait_for_next_tile(warpgroup)
        tile, split, begin, end = tile_and_steps(work, sizes, cfg)
        matrix, row, column = position_of_tile(tile, sizes, cfg)
        if not cfg.divides_k:
            position = ring.position(number * steps)
        previous = position
        for step in range(begin, end):
            ring.wait(position)
            accs = multiply_stage(memory, position.index, part, accs, step > begin, cfg)
            accs = wait_for_mma(cfg.accs, accs)
            ring.release(previous, pred=step > begin)
            previous = position
            position = position.next()
        if cfg.ping_pong:
            if work + stride < sizes.works:
                ping_pong.start_other(warpgroup)
        first_bias = 0.0
        if cfg.has_bias and not cfg.has_bias_of_rows:
            first_bias = bias_of(bias, column, sizes.N, cfg.subtile, cfg.staged_columns)
        accs = wait_for_mma(0, accs)
        ring.release(previous)
        if cfg.ping_pong:
            ping_pong.wait_for_staging(warpgroup, number)
        is_complete = True
        if cfg.divides_k:
            is_complete, accs = combine_splits(accs, workspace, tile, split, sizes.splits, part, cfg)
        if is_complete:
            top = row + part * rows
            finish(accs, first_bias, memory.staging, first_subtile, c, bias, matrix, top, column, sizes, cfg, epilogue)
        if cfg.ping_pong:
            ping_pong.pass_staging(warpgroup)
        number += alternating
    tma.store_wait(0)


@jit
def make_ping_pong(cfg: gl.constexpr):
    """Returns the barriers of two warpgroups that alternate."""
    if cfg.ping_pong:
        # Eight warps arrive at each named barrier: the four warps that wait, and the four warps that let these warps
        # start.
        next_tile = named_barrier.allocate(num_warps=8), named_barrier.allocate(num_warps=8)
        staging = mbarrier.allocate_mbarrier(batch=2)
        for warpgroup in gl.static_range(2):
            mbarrier.init(staging.index(warpgroup), count=1)
        return PingPong(next_tile, staging)
    return PingPong((), None)


@jit
def matmul_by_partitions(
    a_desc, b_desc, c, bias, M, N, K, batch, cfg: gl.constexpr[HopperConfig], partial_sums=None, arrivals=None,
    splits=1, c_strides=None, epilogue_args=(), EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel that computes C = activation(A x B + bias). The grid has at most one CTA per SM.

    c: descriptor of C or, if lanes store C (`cfg.by_lanes`), pointer to C, whose strides are `c_strides`: those of the
        batch, of rows and of columns. With EPILOGUE, `c` and `c_strides` are tuples with an element for each output.
    EPILOGUE, epilogue_args: function of the user instead of the activation, and its further arguments.

    `split_k_hopper.combine_splits` describes `partial_sums`, `arrivals` and `splits`.
    """
    tiles = gl.cdiv(M, cfg.block_m) * gl.cdiv(N, cfg.block_n) * batch
    sizes = Sizes(M, N, K, splits, tiles * splits, c_strides)
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [cfg.stages * cfg.parts, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [cfg.stages * cfg.accs, *b_desc.block_shape], b_desc.layout)
    subtiles: gl.constexpr = cfg.staging_buffers * (1 if cfg.ping_pong else cfg.consumers)
    epilogue = None
    if EPILOGUE is not None:
        epilogue = Epilogue(EPILOGUE, epilogue_args)
        staging = gl.allocate_shared_memory(gl.int8, [subtiles, *cfg.staging_shape], cfg.staging)
    elif cfg.by_lanes is None:
        staging = gl.allocate_shared_memory(c.dtype, [subtiles, *c.block_shape], c.layout)
    else:
        staging_shape: gl.constexpr = [subtiles, cfg.staged_rows, cfg.staged_columns]
        staging = gl.allocate_shared_memory(c.dtype.element_ty, staging_shape, cfg.staging)
    memory = Memory(a_tiles, b_tiles, staging)
    ring = gl.RingBuffer(stages=cfg.stages, fill_bytes=cfg.stage_bytes, consumers=4 * cfg.parts, per_warp=True)
    ping_pong = make_ping_pong(cfg)
    multiplying = memory, ring.consumer(), ping_pong, c, bias, sizes, (partial_sums, arrivals), epilogue, cfg
    copying = copy_tiles, (a_desc, b_desc, memory, ring.producer(), sizes, cfg)
    # Registers per thread. Consumers need up to 192 registers for accumulators, and the producer needs few registers.
    if cfg.consumers == 2:
        gl.warp_specialize(
            [(multiply_tiles, (0, *multiplying)), (multiply_tiles, (1, *multiplying)), copying],
            [4, 1],
            [240, 24] if cfg.accs > 1 else [232, 40],
        )
    elif cfg.shares_sm:
        gl.warp_specialize([(multiply_tiles, (0, *multiplying)), copying], [1])
    else:
        gl.warp_specialize([(multiply_tiles, (0, *multiplying)), copying], [1], [40])
    ring.invalidate()
    if cfg.ping_pong:
        for warpgroup in gl.static_range(2):
            mbarrier.invalidate(ping_pong.staging.index(warpgroup))
