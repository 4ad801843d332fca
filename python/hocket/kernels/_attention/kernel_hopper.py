"""Attention forward on Hopper: a persistent, warp-specialized kernel with TMA, wgmma and an online softmax.

Roles of the warps of a CTA, which processes tiles of `cfg.block_m` queries, one after another:

    producer warp           copies queries, keys and values of each tile into shared memory by TMA
    consumer warpgroups     compute 64 queries each: S = Q K^T, softmax, O += P V; store O by TMA

Buffers and their barriers, per consumer warpgroup (queries) or per stage (keys, values):

    buffers     number               filled: mbarrier, arrivals      released: mbarrier, arrivals
    q_tiles     2 per warpgroup      q_ready, 1 (TMA bytes)          q_free, 1 (after the TMA store of O has read it)
    k_ring      cfg.stages           k_ready, 1 (TMA bytes)          k_free, 1 per consumer warp
    v_ring      cfg.stages           v_ready, 1 (TMA bytes)          v_free, 1 per consumer warp
    scheduled   2                    1 (producer warp)               1 per consumer warp

A consumer overlaps the softmax of one block of keys with the wgmmas of its own previous block and of the other
warpgroups ("FlashAttention-3", Shah et al., 2024, section 3). It issues Q K^T of the next block, then P V of the
previous block. With `cfg.takes_turns`, named barriers order these pairs among the warpgroups (ping-pong):

    warpgroup 0   Q K 1, P V 0 | softmax 1    | Q K 2, P V 1 | softmax 2    | ...
    warpgroup 1                  Q K 1, P V 0 | softmax 1    | Q K 2, P V 1 | ...

Blocks of keys are processed from the last one to the first one, so blocks that need a mask come first.

`softmax_hopper` has the softmax with lazy rescaling, and `tiles_hopper` the tile scheduler. Several CTAs
may share the keys of a tile (split-KV): `split_kv`.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import mbarrier, named_barrier, tma
from .softmax_hopper import exponentiate, exponents, mask_scores, rescale_where_needed
from .split_kv import combine_splits
from .tiles_hopper import read_scheduled_tile, schedule_tile, work_of_tile


@jit
def buffer_of(count, cfg: gl.constexpr):
    """Index of the buffer for block `count`. The number of stages is a power of two; `%` would add code for negative
    values."""
    return count & cfg.stages - 1


@jit
def phase_of(count, cfg: gl.constexpr):
    """Phase bit of the mbarriers for block `count`."""
    return (count & cfg.stages) // cfg.stages


@jit
def query_buffer(tile_count, cfg: gl.constexpr, consumer: gl.constexpr):
    """Index of the query buffer. Each warpgroup has two: the queries of the next tile arrive while this tile is in
    progress."""
    return (tile_count & 1) * cfg.consumers + consumer


@jit
def copy_tiles(descriptors, memory, barriers, problem, tiles, scheduler, counter, cfg: gl.constexpr):
    """Producer warp: copies the queries of each tile, then its keys and values block by block, and runs ahead into
    the next tile while stages are free."""
    q_desc, k_desc, v_desc = descriptors[:3]
    q_tiles, k_ring, v_ring = memory
    q_ready, q_free, k_ready, k_free, v_ready, v_free = barriers[:6]
    count = 0
    tile_count = 0
    tile = gl.program_id(0)
    while tile < tiles:
        batch, head, group, row0, end, blocks = work_of_tile(tile, problem, cfg)[:6]
        for consumer in gl.static_range(cfg.consumers):
            buffer = query_buffer(tile_count, cfg, consumer)
            ready = q_ready.index(buffer)
            mbarrier.wait(q_free.index(buffer), tile_count >> 1 & 1 ^ 1)
            mbarrier.expect(ready, q_desc.nbytes_per_cta)
            tma.async_load(q_desc, [batch, head, row0 + consumer * 64, 0], ready, q_tiles.index(buffer))
        for step in range(blocks):
            buffer = buffer_of(count, cfg)
            parity = phase_of(count, cfg) ^ 1
            key0 = (end - 1 - step) * cfg.block_n
            mbarrier.wait(k_free.index(buffer), parity)
            mbarrier.expect(k_ready.index(buffer), k_desc.nbytes_per_cta)
            tma.async_load(k_desc, [batch, group, key0, 0], k_ready.index(buffer), k_ring.index(buffer))
            mbarrier.wait(v_free.index(buffer), parity)
            mbarrier.expect(v_ready.index(buffer), v_desc.nbytes_per_cta)
            tma.async_load(v_desc, [batch, group, key0, 0], v_ready.index(buffer), v_ring.index(buffer))
            count += 1
        # The atomic is issued here because its latency is hidden: the next buffer is not free yet.
        tile = schedule_tile(scheduler[0], scheduler[1], tile, tiles, tile_count, counter, cfg)
        tile_count += 1


@jit
def attend_to_block(
    q_tile, p, acc, row_max, row_sum, memory, barriers, first, step, row0, end, sizes, scale, cfg: gl.constexpr,
    CONSUMER: gl.constexpr, IS_MASKED: gl.constexpr,
):  # fmt: skip
    """Computes S and the softmax of block `step` of keys, and adds P V of the previous block.

    `first`: number of blocks that the CTA has processed in earlier tiles.
    """
    _, k_ring, v_ring = memory
    _, _, k_ready, k_free, v_ready, v_free, ping_pong = barriers
    count = first + step
    buffer = buffer_of(count, cfg)
    previous = buffer_of(count - 1, cfg)
    k_tile = as_keys(k_ring, buffer, cfg)
    mbarrier.wait(k_ready.index(buffer), phase_of(count, cfg))
    wait_for_turn(ping_pong, cfg, CONSUMER)
    scores = gl.zeros([64, cfg.block_n], gl.float32, cfg.scores)
    scores = hopper.warpgroup_mma(q_tile, k_tile, scores, use_acc=False, is_async=True)
    mbarrier.wait(v_ready.index(previous), phase_of(count - 1, cfg))
    acc = hopper.warpgroup_mma(p, as_values(v_ring, previous, cfg), acc, is_async=True)
    pass_turn(ping_pong, cfg, CONSUMER)
    scores = hopper.warpgroup_mma_wait(1, deps=[scores])
    if cfg.keeps_scores:
        mbarrier.arrive(k_free.index(buffer), per_warp=True)
    key0 = (end - 1 - step) * cfg.block_n
    if IS_MASKED:
        scores = mask_scores(scores, row0, key0, sizes, cfg)
    shift = row_max * scale
    probabilities, sums = exponentiate(gl.fma(scores, scale, -shift[:, None]), cfg)
    if cfg.keeps_scores:
        # Without this, ptxas waits for the wgmma of P V before the exponentials, which it should overlap with.
        gl.sched_barrier(computed=[sums])
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    mbarrier.arrive(v_free.index(previous), per_warp=True)
    p, acc, row_max, row_sum = rescale_where_needed(
        probabilities, sums, scores, q_tile, k_tile, acc, row_max, row_sum, row0, key0, sizes, scale, cfg, p.dtype,
        IS_MASKED,
    )  # fmt: skip
    if not cfg.keeps_scores:
        mbarrier.arrive(k_free.index(buffer), per_warp=True)
    return p, acc, row_max, row_sum


@jit
def wait_for_turn(ping_pong, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """Waits until it is this warpgroup's turn to issue wgmmas (ping-pong)."""
    if cfg.takes_turns:
        named_barrier.arrive_and_wait(ping_pong[CONSUMER])


@jit
def pass_turn(ping_pong, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """Lets the next warpgroup issue its wgmmas."""
    if cfg.takes_turns:
        named_barrier.arrive(ping_pong[(CONSUMER + 1) % cfg.consumers])


@jit
def as_keys(ring, buffer, cfg: gl.constexpr):
    """A buffer of keys as [D, keys]."""
    return ring.index(buffer).reshape([cfg.block_n, cfg.head_size]).permute([1, 0])


@jit
def as_values(ring, buffer, cfg: gl.constexpr):
    """A buffer of values as [keys, D]."""
    return ring.index(buffer).reshape([cfg.block_n, cfg.head_size])


@jit
def attend(
    descriptors, memory, barriers, problem, tiles, scheduler, lse, sums, scale, cfg: gl.constexpr,
    CONSUMER: gl.constexpr,
):  # fmt: skip
    """Consumer warpgroup: computes 64 queries of each tile. `sums`: workspace for the partial results of divided tiles,
    and the arrivals at them."""
    count = 0
    tile_count = 0
    if CONSUMER == cfg.consumers - 1:
        # The last warpgroup releases warpgroup 0, which goes first.
        pass_turn(barriers[6], cfg, CONSUMER)
    tile = gl.program_id(0)
    while tile < tiles:
        work = work_of_tile(tile, problem, cfg)
        attend_to_tile(descriptors, memory, barriers, work, problem, lse, sums, count, tile_count, scale, cfg, CONSUMER)
        count += work[5]
        tile = read_scheduled_tile(scheduler[0], scheduler[1], tile, tile_count, cfg)
        tile_count += 1
    tma.store_wait(0)


@jit
def attend_to_tile(
    descriptors, memory, barriers, work, problem, lse, sums, count, tile_count, scale, cfg: gl.constexpr,
    CONSUMER: gl.constexpr,
):  # fmt: skip
    """Computes and stores 64 queries of one tile.

    `count` and `turn`: numbers of blocks of keys and of tiles that the CTA has processed before.
    """
    o_desc = descriptors[3]
    q_tiles, k_ring, v_ring = memory
    q_ready, q_free, k_ready, k_free, v_ready, v_free, ping_pong = barriers
    batch, head, _, row0, end, blocks, masked, keys, split = work
    sizes = problem[5], keys
    row0 += CONSUMER * 64
    q_slot = q_tiles.index(query_buffer(tile_count, cfg, CONSUMER))
    q_tile = q_slot.reshape([64, cfg.head_size])
    acc = gl.zeros([64, cfg.head_size], gl.float32, cfg.acc)
    row_max = gl.full([64], float("-inf"), gl.float32, gl.SliceLayout(1, cfg.scores))

    skipped = 0
    if cfg.is_causal and not cfg.packs_heads:
        skipped = skip_masked_blocks(barriers, row0, end, blocks, sizes, count, cfg, CONSUMER)
    buffer = buffer_of(count + skipped, cfg)
    mbarrier.wait(q_ready.index(query_buffer(tile_count, cfg, CONSUMER)), tile_count >> 1 & 1)
    mbarrier.wait(k_ready.index(buffer), phase_of(count + skipped, cfg))
    wait_for_turn(ping_pong, cfg, CONSUMER)
    scores = gl.zeros([64, cfg.block_n], gl.float32, cfg.scores)
    scores = hopper.warpgroup_mma(q_tile, as_keys(k_ring, buffer, cfg), scores, use_acc=False, is_async=True)
    pass_turn(ping_pong, cfg, CONSUMER)
    scores = hopper.warpgroup_mma_wait(0, deps=[scores])
    mbarrier.arrive(k_free.index(buffer), per_warp=True)
    scores = mask_scores(scores, row0, (end - 1 - skipped) * cfg.block_n, sizes, cfg)
    powers, _, row_max = exponents(scores, row_max, scale, cfg)
    probabilities, row_sum = exponentiate(powers, cfg)
    p = gl.convert_layout(probabilities.to(q_tiles.dtype), cfg.operand_p)
    if tile_count > 0:
        # The store of the previous tile was issued long ago: its query buffer is free as soon as TMA has read it.
        tma.store_wait(0)
        mbarrier.arrive(q_free.index(query_buffer(tile_count - 1, cfg, CONSUMER)))
    for step in range(skipped + 1, masked):
        p, acc, row_max, row_sum = attend_to_block(
            q_tile, p, acc, row_max, row_sum, memory, barriers, count, step, row0, end, sizes, scale, cfg, CONSUMER,
            True,
        )  # fmt: skip
    for step in range(masked, blocks):
        p, acc, row_max, row_sum = attend_to_block(
            q_tile, p, acc, row_max, row_sum, memory, barriers, count, step, row0, end, sizes, scale, cfg, CONSUMER,
            False,
        )  # fmt: skip
    last = buffer_of(count + blocks - 1, cfg)
    mbarrier.wait(v_ready.index(last), phase_of(count + blocks - 1, cfg))
    acc = hopper.warpgroup_mma(p, as_values(v_ring, last, cfg), acc, is_async=True)
    total = gl.convert_layout(gl.sum(row_sum, axis=1), gl.SliceLayout(1, cfg.acc))
    factor = 1.0 / gl.where(total == 0.0, 1.0, total)
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    mbarrier.arrive(v_free.index(last), per_warp=True)
    acc = acc * factor[:, None]
    row_max = gl.convert_layout(row_max, gl.SliceLayout(1, cfg.acc))
    log2 = gl.where(total == 0.0, float("-inf"), row_max * scale + gl.log2(total))
    is_complete = True
    if cfg.splits_keys:
        if split >= 0:
            is_complete, acc, log2 = combine_splits(
                acc, log2, sums, split, problem[8], problem[4] - row0, cfg, CONSUMER
            )
    if is_complete:
        store_tile(acc, log2, o_desc, q_slot, lse, batch, head, row0, problem, cfg)


@jit
def skip_masked_blocks(barriers, row0, end, blocks, sizes, count, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """Skips the first blocks whose keys are masked for all queries of the warpgroup, and returns their number.

    Other warpgroups of the tile may need these blocks, so the warpgroup still passes the ping-pong barriers and
    releases the buffers. One block is always left to compute.
    """
    _, _, k_ready, k_free, v_ready, v_free, ping_pong = barriers
    queries, keys = sizes
    seen = gl.cdiv(gl.minimum(keys, row0 + 64 + keys - queries), cfg.block_n)
    skipped = gl.minimum(gl.maximum(end - seen, 0), blocks - 1)
    for step in range(skipped):
        buffer = buffer_of(count + step, cfg)
        phase = phase_of(count + step, cfg)
        wait_for_turn(ping_pong, cfg, CONSUMER)
        pass_turn(ping_pong, cfg, CONSUMER)
        mbarrier.wait(k_ready.index(buffer), phase)
        mbarrier.arrive(k_free.index(buffer), per_warp=True)
        mbarrier.wait(v_ready.index(buffer), phase)
        mbarrier.arrive(v_free.index(buffer), per_warp=True)
    return skipped


@jit
def store_tile(acc, log2, o_desc, q_slot, lse, batch, head, row0, problem, cfg: gl.constexpr):
    """Stores O through the query buffer by TMA, and the natural logarithm of each row's sum of exponentials.

    The logarithm is -inf for rows that see no key.
    """
    heads, queries = problem[0], problem[4]
    q_slot.reshape([64, cfg.head_size]).store(acc.to(o_desc.dtype))
    tma.async_store(o_desc, [batch, head, row0, 0], q_slot)
    if cfg.stores_lse:
        rows = row0 + gl.arange(0, 64, layout=gl.SliceLayout(1, cfg.acc))
        lse_row = (batch * heads + head).to(gl.int64) * queries
        gl.store(lse + lse_row + rows, log2 * 0.6931471805599453, mask=rows < queries)


@jit
def attention_hopper(
    q_desc, k_desc, v_desc, o_desc, lse, counters, results, logarithms, heads, heads_per_group, all_heads,
    heads_at_once, queries, queries_per_head, keys, whole, shares, tiles, scale, cfg: gl.constexpr,
):  # fmt: skip
    """Kernel of one persistent CTA per SM. Tiles are assigned in order, or dynamically by a work counter. `counters`
    are 0 before and after the launch: the work counter, or the arrivals at divided tiles.

    If `cfg.packs_heads`, `heads` are key heads, and the `queries` of one are those of all heads that share it, one head
    after another, `queries_per_head` each.
    """
    q_tiles = gl.allocate_shared_memory(q_desc.dtype, [2 * cfg.consumers, *q_desc.block_shape], q_desc.layout)
    k_ring = gl.allocate_shared_memory(k_desc.dtype, [cfg.stages, *k_desc.block_shape], k_desc.layout)
    v_ring = gl.allocate_shared_memory(v_desc.dtype, [cfg.stages, *v_desc.block_shape], v_desc.layout)
    q_ready = mbarrier.allocate_mbarrier(batch=2 * cfg.consumers)
    q_free = mbarrier.allocate_mbarrier(batch=2 * cfg.consumers)
    for i in gl.static_range(2 * cfg.consumers):
        mbarrier.init(q_ready.index(i), count=1)
        mbarrier.init(q_free.index(i), count=1)
    ping_pong = ()
    if cfg.takes_turns:
        # Two warpgroups meet at each barrier: the one that waits, and the one that precedes it.
        for _ in gl.static_range(cfg.consumers):
            ping_pong = ping_pong + (named_barrier.allocate(num_warps=8),)  # noqa: RUF005
    k_ready = mbarrier.allocate_mbarrier(batch=cfg.stages)
    k_free = mbarrier.allocate_mbarrier(batch=cfg.stages)
    v_ready = mbarrier.allocate_mbarrier(batch=cfg.stages)
    v_free = mbarrier.allocate_mbarrier(batch=cfg.stages)
    for i in gl.static_range(cfg.stages):
        mbarrier.init(k_ready.index(i), count=1)
        mbarrier.init(k_free.index(i), count=4 * cfg.consumers)
        mbarrier.init(v_ready.index(i), count=1)
        mbarrier.init(v_free.index(i), count=4 * cfg.consumers)

    scheduled = k_free
    scheduled_barriers = k_ready, k_free
    if cfg.draws:
        scheduled = gl.allocate_shared_memory(gl.int32, [2, 1], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        scheduled_ready = mbarrier.allocate_mbarrier(batch=2)
        scheduled_free = mbarrier.allocate_mbarrier(batch=2)
        scheduled_barriers = scheduled_ready, scheduled_free
        for i in gl.static_range(2):
            mbarrier.init(scheduled_ready.index(i), count=1)
            mbarrier.init(scheduled_free.index(i), count=4 * cfg.consumers)

    descriptors = q_desc, k_desc, v_desc, o_desc
    memory = q_tiles, k_ring, v_ring
    barriers = q_ready, q_free, k_ready, k_free, v_ready, v_free, ping_pong
    problem = heads, heads_per_group, all_heads, heads_at_once, queries, queries_per_head, keys, whole, shares
    scheduler = scheduled, scheduled_barriers
    copying = copy_tiles, (descriptors, memory, barriers, problem, tiles, scheduler, counters, cfg)
    sums = results, logarithms, counters
    attending = descriptors, memory, barriers, problem, tiles, scheduler, lse, sums, scale, cfg
    if cfg.consumers == 1:
        gl.warp_specialize([(attend, (*attending, 0)), copying], [1], [24])
    elif cfg.consumers == 2:
        gl.warp_specialize([(attend, (*attending, 0)), (attend, (*attending, 1)), copying], [4, 1], [240, 24])
    else:
        gl.warp_specialize(
            [(attend, (*attending, 0)), (attend, (*attending, 1)), (attend, (*attending, 2)), copying],
            [4, 4, 1],
            [160, 160, 24],
        )
