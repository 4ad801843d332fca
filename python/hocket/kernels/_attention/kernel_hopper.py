"""Attention forward on Hopper: a persistent, warp-specialized kernel with TMA, wgmma and an online softmax.

Roles of the warps of a CTA, which processes tiles of `cfg.block_m` queries, one after another:

    warps                    count             work
    producer warp            1                 copies queries, keys and values of each tile by TMA; schedules tiles
    consumer warpgroups      cfg.consumers     64 queries each: S = Q K^T, softmax, O += P V; store O by TMA

Ring buffers, and the arrivals that complete a phase of their mbarriers:

    ring         stages        full                          empty
    q            2             1, and the bytes of TMA       1, after the TMA store of O has read the buffer
    k, v         cfg.stages    1, and the bytes of TMA       1 per consumer warp
    tiles        2             1 (producer warp)             1 per consumer warp
    ping_pong    a named barrier per warpgroup, of 8 warps: 4 wait, and the 4 of the previous warpgroup let them start

Each consumer warpgroup has a ring buffer of queries, so the queries of the next tile arrive while the warpgroup
computes the current tile. The ring buffer `tiles` holds the tile numbers that the producer warp takes from the work
counter (`cfg.uses_work_counter`).

A consumer overlaps the softmax of one block of keys with the wgmmas of its own previous block and of the other
warpgroups ("FlashAttention-3", Shah et al., 2024, section 3). A consumer issues Q K^T of the next block, then P V of
the previous block. With `cfg.ping_pong`, named barriers order these pairs among the warpgroups (ping-pong):

    producer      Q, K 0, V 0, K 1, V 1 | wait for the release of K 0 | K 2 | ...
    warpgroup 0   Q K 1, P V 0 | softmax 1    | Q K 2, P V 1 | softmax 2    | ...
    warpgroup 1                  Q K 1, P V 0 | softmax 1    | Q K 2, P V 1 | ...

Blocks of keys are processed from the last one to the first one, so blocks that need a mask come first.

`softmax_hopper` has the softmax with lazy rescaling, and `tiles_hopper` the tile scheduler. Several CTAs may share the
keys of a tile (split-KV): see `split_kv`. `sequences_hopper` has the parts for sequences of different lengths.
`attention_simple` is a plain version of this kernel.
"""

from __future__ import annotations

from typing import Any

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import mbarrier, named_barrier, tma
from .config_hopper import HopperAttentionConfig
from .mods import LOG2_E, Mods, mods_of_tile
from .paged_rows_hopper import copy_blocks_of_rows
from .rings_hopper import (
    ROW_WARPS,
    Rings,
    WgmmaOrder,
    as_keys,
    as_values,
    end_of_window,
    make_ring,
    make_tile_ring,
    skip_blocks,
    skip_masked_blocks,
    wait_for_block,
)
from .sequences_hopper import (
    PackedSequences,
    clear_values,
    copy_tiles_of_sequences,
    has_tile,
    received_tile,
    store_rows,
)
from .softmax_hopper import Rows, SoftmaxState, exponentiate, exponents, final_scores, rescale_where_needed
from .split_kv import combine_splits
from .tiles_hopper import (
    AttentionSizes,
    BlockLists,
    Scheduler,
    key_of_step,
    read_scheduled_tile,
    schedule_tile,
    steps_of_consumer,
    work_of_tile,
)


@aggregate
class Outputs:
    """Destinations of results: the descriptor of O; the logarithms of the sums of exponentials, or None; the partial
    results of divided tiles, or None; the counters of the launch, i.e. the work counter or the number of arrived splits
    of each divided tile."""

    o_desc: Any
    lse: Any
    partials: Any
    arrivals: Any


@jit
def copy_tiles(q_desc, k_desc, v_desc, rings, problem, scheduler, cfg: gl.constexpr):
    """The producer warp copies the queries of each tile, then its keys and values block by block, and runs ahead into
    the next tile while stages are free."""
    count = 0
    tile_count = 0
    tile = gl.program_id(0)
    while tile < scheduler.tiles:
        work = work_of_tile(tile, problem, cfg)
        for consumer in gl.static_range(cfg.consumers):
            q = rings.q[consumer].acquire(tile_count)
            tma.async_load(q_desc, [work.batch, work.head, work.row0 + consumer * 64, 0], q.full, q.buffer)
        for step in range(work.blocks):
            key0 = key_of_step(work, step, cfg)
            k = rings.k.acquire(count)
            tma.async_load(k_desc, [work.batch, work.group, key0, 0], k.full, k.buffer)
            v = rings.v.acquire(count)
            tma.async_load(v_desc, [work.batch, work.group, key0, 0], v.full, v.buffer)
            count += 1
        # The producer takes the next tile number here, because the latency of the atomic then overlaps with the wait
        # for the next free stage.
        tile = schedule_tile(scheduler, tile, tile_count, cfg)
        tile_count += 1


@jit
def attend_to_block(
    q_tile, state, rings, ping_pong, rows, work, first, step, scale, cfg: gl.constexpr, CONSUMER: gl.constexpr,
    IS_MASKED: gl.constexpr,
):  # fmt: skip
    """Computes S and the softmax of a block of keys, and adds P V of the previous block.

    `first`: number of blocks that the CTA has processed in earlier tiles.
    """
    count = first + step
    k_tile = as_keys(wait_for_block(rings.k, count, cfg).buffer, cfg)
    ping_pong.wait(cfg, CONSUMER)
    scores = gl.zeros([64, cfg.block_n], gl.float32, cfg.scores)
    scores = hopper.warpgroup_mma(q_tile, k_tile, scores, use_acc=False, is_async=True)
    v_tile = as_values(wait_for_block(rings.v, count - 1, cfg).buffer, cfg)
    acc = hopper.warpgroup_mma(state.p, v_tile, state.acc, is_async=True)
    ping_pong.start_next(cfg, CONSUMER)
    scores = hopper.warpgroup_mma_wait(1, deps=[scores])
    if cfg.keeps_scores:
        rings.k.release(count)
    key0 = key_of_step(work, step, cfg)
    scores = final_scores(scores, rows, key0, cfg, IS_MASKED)
    shift = state.row_max * scale
    probabilities, sums = exponentiate(gl.fma(scores, scale, -shift[:, None]), cfg)
    if cfg.keeps_scores:
        # Without this scheduling barrier, ptxas waits for the wgmma of P V before the exponentials, instead of
        # overlapping both.
        gl.sched_barrier(computed=[sums])
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    rings.v.release(count - 1)
    before = SoftmaxState(state.p, acc, state.row_max, state.row_sum)
    state = rescale_where_needed(before, probabilities, sums, scores, q_tile, k_tile, rows, key0, scale, cfg, IS_MASKED)
    if not cfg.keeps_scores:
        rings.k.release(count)
    return state


@jit
def attend(rings, ping_pong, outputs, problem, scheduler, mods, scale, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """A consumer warpgroup computes 64 queries of each tile."""
    count = 0
    tile_count = 0
    if CONSUMER == cfg.consumers - 1:
        # The last warpgroup lets warpgroup 0 issue the first wgmmas.
        ping_pong.start_next(cfg, CONSUMER)
    if cfg.is_varlen:
        while has_tile(scheduler.ring, tile_count):
            work = received_tile(scheduler.ring, tile_count, problem, cfg)
            attend_to_tile(
                rings, ping_pong, outputs, problem, work, count, tile_count, mods, scale, cfg, CONSUMER, scheduler.ring
            )
            count += work.blocks
            tile_count += 1
    else:
        tile = gl.program_id(0)
        while tile < scheduler.tiles:
            work = work_of_tile(tile, problem, cfg)
            attend_to_tile(rings, ping_pong, outputs, problem, work, count, tile_count, mods, scale, cfg, CONSUMER)
            count += work.blocks
            tile = read_scheduled_tile(scheduler, tile, tile_count, cfg)
            tile_count += 1
    tma.store_wait(0)


@jit
def attend_to_tile(
    rings, ping_pong, outputs, problem, work, count, tile_count, mods, scale, cfg: gl.constexpr,
    CONSUMER: gl.constexpr, tiles=None,
):  # fmt: skip
    """Computes and stores 64 queries of one tile. `tiles`: with packed sequences, the ring buffer of descriptions.

    `count` and `tile_count`: number of blocks of keys, and of tiles, that the CTA has already processed.
    """
    q_ring = rings.q[CONSUMER]
    row0 = work.row0 + CONSUMER * 64
    rows = Rows(row0, work.queries, work.keys, mods_of_tile(mods, work), problem.before, problem.after)
    q_buffer = q_ring.slot(tile_count).buffer
    q_tile = q_buffer.reshape([64, cfg.head_size])
    acc = gl.zeros([64, cfg.head_size], gl.float32, cfg.acc)
    row_max = gl.full([64], float("-inf"), gl.float32, gl.SliceLayout(1, cfg.scores))

    if cfg.is_varlen and CONSUMER < cfg.consumers - 1:
        # The last warpgroup, which skips no block, clears values.
        mbarrier.arrive(rings.values_ready, per_warp=True)
    skipped = 0
    if (cfg.is_causal or cfg.has_window) and not cfg.packs_heads:
        skipped = skip_masked_blocks(rings, ping_pong, rows, work, count, cfg, CONSUMER)
    # Ends of the masked and of the unmasked steps, and the end of the masked steps after those.
    end_masked, end_unmasked, end = work.masked, work.blocks, work.blocks
    if cfg.has_window:
        if not cfg.packs_heads:
            end = end_of_window(rows, work, skipped, cfg)
        end_masked = gl.maximum(gl.minimum(work.masked, end), skipped + 1)
        end_unmasked = gl.maximum(gl.minimum(work.end_unmasked, end), end_masked)
    if cfg.has_block_mask:
        skipped, end = steps_of_consumer(work, CONSUMER)
        skip_blocks(rings, ping_pong, count, skipped, cfg, CONSUMER)
        end_masked = gl.maximum(gl.minimum(work.masked, end), skipped + 1)
        end_unmasked = gl.maximum(gl.minimum(work.listed.end_unmasked, end), skipped + 1)
    q_ring.wait(tile_count)
    k_tile = as_keys(wait_for_block(rings.k, count + skipped, cfg).buffer, cfg)
    ping_pong.wait(cfg, CONSUMER)
    scores = gl.zeros([64, cfg.block_n], gl.float32, cfg.scores)
    scores = hopper.warpgroup_mma(q_tile, k_tile, scores, use_acc=False, is_async=True)
    ping_pong.start_next(cfg, CONSUMER)
    scores = hopper.warpgroup_mma_wait(0, deps=[scores])
    rings.k.release(count + skipped)
    if cfg.is_varlen and CONSUMER == cfg.consumers - 1:
        clear_values(as_values(rings.v.wait(count).buffer, cfg), rings.values_ready, work, cfg)
    scores = final_scores(scores, rows, key_of_step(work, skipped, cfg), cfg, True)
    powers, _, row_max = exponents(scores, row_max, scale, cfg)
    probabilities, row_sum = exponentiate(powers, cfg)
    p = gl.convert_layout(probabilities.to(q_buffer.dtype), cfg.operand_p)
    if cfg.is_varlen:
        mbarrier.wait(rings.values_ready, tile_count & 1)
    if tile_count > 0:
        # The query buffer of the previous tile is free as soon as the TMA store of O has read it. This wait is short,
        # because that store was issued long ago.
        tma.store_wait(0)
        q_ring.release(tile_count - 1)
    state = SoftmaxState(p, acc, row_max, row_sum)
    for step in range(skipped + 1, end_masked):
        state = attend_to_block(q_tile, state, rings, ping_pong, rows, work, count, step, scale, cfg, CONSUMER, True)
    for step in range(end_masked, end_unmasked):
        state = attend_to_block(q_tile, state, rings, ping_pong, rows, work, count, step, scale, cfg, CONSUMER, False)
    if cfg.has_block_mask or cfg.has_window:
        for step in range(end_unmasked, end):
            state = attend_to_block(
                q_tile, state, rings, ping_pong, rows, work, count, step, scale, cfg, CONSUMER, True
            )
    last = count + end - 1
    v_tile = as_values(wait_for_block(rings.v, last, cfg).buffer, cfg)
    acc = hopper.warpgroup_mma(state.p, v_tile, state.acc, is_async=True)
    total = gl.convert_layout(gl.sum(state.row_sum, axis=1), gl.SliceLayout(1, cfg.acc))
    factor = 1.0 / gl.where(total == 0.0, 1.0, total)
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    rings.v.release(last)
    if cfg.has_block_mask or cfg.has_window:
        skip_blocks(rings, ping_pong, count + end, work.blocks - end, cfg, CONSUMER)
    acc = acc * factor[:, None]
    row_max = gl.convert_layout(state.row_max, gl.SliceLayout(1, cfg.acc))
    log2 = gl.where(total == 0.0, float("-inf"), row_max * scale + gl.log2(total))
    is_complete = True
    row0 = rows.row0
    if cfg.is_varlen:
        work = received_tile(tiles, tile_count, problem, cfg)
        tiles.release(tile_count)
        row0 = work.row0 + CONSUMER * 64
    if cfg.splits_keys:
        if work.split >= 0:
            rows_inside = work.rows - row0
            is_complete, acc, log2 = combine_splits(
                acc, log2, outputs, work.split, problem.splits, rows_inside, cfg, CONSUMER
            )
    if is_complete:
        if cfg.is_varlen:
            store_rows(acc, log2, outputs, q_buffer, problem, work, row0, cfg)
        else:
            store_tile(acc, log2, outputs, q_buffer, problem, work, rows, cfg)


@jit
def store_tile(acc, log2, outputs, q_buffer, problem, work, rows, cfg: gl.constexpr):
    """Stores O through the query buffer by TMA, and the natural logarithm of each row's sum of exponentials.

    The logarithm is -inf for rows that see no key.
    """
    q_buffer.reshape([64, cfg.head_size]).store(acc.to(outputs.o_desc.dtype))
    tma.async_store(outputs.o_desc, [work.batch, work.head, rows.row0, 0], q_buffer)
    if cfg.stores_lse:
        row = rows.row0 + gl.arange(0, 64, layout=gl.SliceLayout(1, cfg.acc))
        lse_row = (work.batch * problem.heads + work.head).to(gl.int64) * problem.queries
        gl.store(outputs.lse + lse_row + row, log2 * 0.6931471805599453, mask=row < problem.queries)


@jit(do_not_specialize_on_alignment=["lengths"])
def attention_hopper(
    q_desc, k_desc, v_desc, o_desc, lse, counters, partials, sizes, tiles, scale,
    cfg: gl.constexpr[HopperAttentionConfig], mod_args=(), lists=None,
    SCORE_MOD: gl.constexpr = None, MASK_MOD: gl.constexpr = None, sequences=None, lengths=None,
    window=None,
):  # fmt: skip
    """A kernel of one persistent CTA per SM. Tiles are assigned in order, or dynamically by a work counter. `counters`
    holds the work counter of the tile scheduler, or the number of arrived splits of each divided tile. All counters are
    0 before and after the launch.

    `partials`: workspace for the results of splits and for their logarithms, or None. `sizes`: values of the fields of
    `AttentionSizes`. `scale`: factor of the scores that includes log2(e), except with a SCORE_MOD. `mod_args`, `lists`:
    further arguments of the user's functions, and values of the fields of `BlockLists`. `window`: numbers of keys
    before and after its position that a query sees, with `cfg.has_window`.

    With `cfg.is_varlen`, `lengths` has the numbers that often change from launch to launch: the values of the fields of
    `AttentionSizes` instead of `sizes`, and those of the first three fields of `PackedSequences`. The kernel is not
    specialized for their divisibility. `sequences`: values of the other fields of `PackedSequences`.
    """
    packed = None
    if cfg.is_varlen:
        sizes, count, per_sequence, pages = lengths
        packed = PackedSequences(count, per_sequence, pages, *sequences)
    before, after = window if cfg.has_window else (0, 0)
    problem = AttentionSizes(
        *sizes,
        BlockLists(*lists) if cfg.has_block_mask else None,
        packed,
        before,
        after,
    )
    mods = None
    if cfg.has_mods:
        mods = Mods(SCORE_MOD, MASK_MOD, mod_args, scale, 0, 0, problem.queries, problem.keys)
        if cfg.has_score_mod:
            scale = LOG2_E
    q_rings = [make_ring(q_desc, 2, 1, False) for _ in range(cfg.consumers)]
    k_ring = make_ring(k_desc, cfg.stages, 4 * cfg.consumers, True, cfg.block_n, cfg.copies_rows)
    v_ring = make_ring(v_desc, cfg.stages, 4 * cfg.consumers, True, cfg.block_n, cfg.copies_rows)
    # Eight warps arrive at each named barrier: the four warps that wait, and the four warps that let these warps start.
    barriers = [named_barrier.allocate(num_warps=8) for _ in range(cfg.consumers if cfg.ping_pong else 0)]
    ping_pong = WgmmaOrder(barriers)
    tile_ring = make_tile_ring(cfg)
    tile_producer = tile_consumer = values_ready = None
    if cfg.is_varlen:
        values_ready = mbarrier.allocate_mbarrier()
        mbarrier.init(values_ready, count=4 * cfg.consumers)
    if cfg.uses_work_counter or cfg.is_varlen:
        tile_producer, tile_consumer = tile_ring.producer(), tile_ring.consumer()
    producers = Rings([ring.producer() for ring in q_rings], k_ring.producer(), v_ring.producer())
    consumers = Rings([ring.consumer() for ring in q_rings], k_ring.consumer(), v_ring.consumer(), values_ready)
    outputs = Outputs(o_desc, lse, partials, counters)
    copy: gl.constexpr = copy_tiles_of_sequences if cfg.is_varlen else copy_tiles
    copying = copy, (q_desc, k_desc, v_desc, producers, problem, Scheduler(tiles, counters, tile_producer), cfg)
    attending = consumers, ping_pong, outputs, problem, Scheduler(tiles, None, tile_consumer), mods, scale, cfg
    # The search for tiles of packed sequences needs more registers.
    producer_registers: gl.constexpr = 32 if cfg.is_varlen and cfg.consumers != 2 else 24
    if cfg.copies_rows:
        gl.static_assert(cfg.consumers == 1)
        copying_rows = copy_blocks_of_rows, (producers, problem, tile_consumer, cfg)
        gl.warp_specialize([(attend, (*attending, 0)), copying, copying_rows], [1, ROW_WARPS], [producer_registers, 72])
    elif cfg.consumers == 1:
        gl.warp_specialize([(attend, (*attending, 0)), copying], [1], [producer_registers])
    elif cfg.consumers == 2:
        gl.warp_specialize(
            [(attend, (*attending, 0)), (attend, (*attending, 1)), copying], [4, 1], [240, producer_registers]
        )
    else:
        gl.warp_specialize(
            [(attend, (*attending, 0)), (attend, (*attending, 1)), (attend, (*attending, 2)), copying],
            [4, 4, 1],
            [160, 160, producer_registers],
        )
