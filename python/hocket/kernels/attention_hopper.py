"""Attention as a kernel for Hopper: one warp copies keys and values, warpgroups share the tensor cores.

A warpgroup has 64 queries. It starts the product of its queries with the next block of keys and, right after it, that
of the last block's weights with their values, gives the turn to the next warpgroup where they take turns, and makes
weights of the new scores while the second product, and those of the others, run:

    warpgroup 0   Q K 1, P V 0 | weights 1    | Q K 2, P V 1 | weights 2    | ..
    warpgroup 1                  Q K 1, P V 0 | weights 1    | Q K 2, P V 1 | ..

Two levels of overlap as in "FlashAttention-3" (Shah et al., 2024), section 3; the softmax: `attention_hopper_softmax`.
Blocks of keys come last one first, so those that need a mask come before those that do not.

Which tile of queries a block takes next: `attention_tiles`. Several blocks may share the keys of one.
"""

from __future__ import annotations

from .. import language as gl
from ..language.nvidia import hopper
from ..language.nvidia.hopper import mbarrier, named_barrier, tma
from ..runtime.jit import jit
from .attention_hopper_softmax import exponents, mask_scores, weigh, weigh_again_where_needed
from .attention_tiles import draw_tile, place_of_tile, read_tile


@jit
def slot_of(count, cfg: gl.constexpr):
    """Of a ring of 2^n slots. `%` would ask whether `count` is negative."""
    return count & cfg.stages - 1


@jit
def phase_of(count, cfg: gl.constexpr):
    """The parity of the phase in which the slot is ready."""
    return (count & cfg.stages) // cfg.stages


@jit
def place_of_queries(turn, cfg: gl.constexpr, consumer: gl.constexpr):
    """Of two for each warpgroup: the queries of a tile arrive while the one before is computed, and stored."""
    return (turn & 1) * cfg.consumers + consumer


@jit
def copy_tiles(descriptors, memory, barriers, problem, tiles, drawing, counter, cfg: gl.constexpr):
    """The warp that copies: queries of a tile, then blocks of keys and values, those of the next tile, too, as far
    ahead as there are free slots."""
    q_desc, k_desc, v_desc = descriptors[:3]
    q_tiles, k_ring, v_ring = memory
    q_ready, q_free, k_ready, k_free, v_ready, v_free = barriers[:6]
    count = 0
    turn = 0
    tile = gl.program_id(0)
    while tile < tiles:
        batch, head, group, row0, end, blocks = place_of_tile(tile, problem, cfg)[:6]
        for consumer in gl.static_range(cfg.consumers):
            place = place_of_queries(turn, cfg, consumer)
            ready = q_ready.index(place)
            mbarrier.wait(q_free.index(place), turn >> 1 & 1 ^ 1)
            mbarrier.expect(ready, q_desc.nbytes_per_cta)
            tma.async_load(q_desc, [batch, head, row0 + consumer * 64, 0], ready, q_tiles.index(place))
        for step in range(blocks):
            slot = slot_of(count, cfg)
            parity = phase_of(count, cfg) ^ 1
            key0 = (end - 1 - step) * cfg.block_n
            mbarrier.wait(k_free.index(slot), parity)
            mbarrier.expect(k_ready.index(slot), k_desc.nbytes_per_cta)
            tma.async_load(k_desc, [batch, group, key0, 0], k_ready.index(slot), k_ring.index(slot))
            mbarrier.wait(v_free.index(slot), parity)
            mbarrier.expect(v_ready.index(slot), v_desc.nbytes_per_cta)
            tma.async_load(v_desc, [batch, group, key0, 0], v_ready.index(slot), v_ring.index(slot))
            count += 1
        # Now, as there is time until the slots are free again.
        tile = draw_tile(drawing[0], drawing[1], tile, tiles, turn, counter, cfg)
        turn += 1


@jit
def step_of_keys(
    q_tile, p, acc, row_max, row_sum, memory, barriers, first, step, row0, end, sizes, scale, cfg: gl.constexpr,
    CONSUMER: gl.constexpr, IS_MASKED: gl.constexpr,
):  # fmt: skip
    """Block `step` of keys, and the values of the block before. The tile's are those from `first` on that the warpgroup
    has seen."""
    _, k_ring, v_ring = memory
    _, _, k_ready, k_free, v_ready, v_free, turns = barriers
    count = first + step
    slot = slot_of(count, cfg)
    before = slot_of(count - 1, cfg)
    k_tile = as_keys(k_ring, slot, cfg)
    mbarrier.wait(k_ready.index(slot), phase_of(count, cfg))
    wait_for_turn(turns, cfg, CONSUMER)
    scores = gl.zeros([64, cfg.block_n], gl.float32, cfg.scores)
    scores = hopper.warpgroup_mma(q_tile, k_tile, scores, use_acc=False, is_async=True)
    mbarrier.wait(v_ready.index(before), phase_of(count - 1, cfg))
    acc = hopper.warpgroup_mma(p, as_values(v_ring, before, cfg), acc, is_async=True)
    pass_turn(turns, cfg, CONSUMER)
    scores = hopper.warpgroup_mma_wait(1, deps=[scores])
    if cfg.keeps_scores:
        mbarrier.arrive(k_free.index(slot), per_warp=True)
    key0 = (end - 1 - step) * cfg.block_n
    if IS_MASKED:
        scores = mask_scores(scores, row0, key0, sizes, cfg)
    shift = row_max * scale
    weights, sums = weigh(gl.fma(scores, scale, -shift[:, None]), cfg)
    if cfg.keeps_scores:
        # The product with values runs under all of the exponentials, where ptxas would wait for it before them.
        gl.sched_barrier(computed=[sums])
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    mbarrier.arrive(v_free.index(before), per_warp=True)
    p, acc, row_max, row_sum = weigh_again_where_needed(
        weights, sums, scores, q_tile, k_tile, acc, row_max, row_sum, row0, key0, sizes, scale, cfg, p.dtype, IS_MASKED
    )
    if not cfg.keeps_scores:
        mbarrier.arrive(k_free.index(slot), per_warp=True)
    return p, acc, row_max, row_sum


@jit
def wait_for_turn(turns, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    if cfg.takes_turns:
        named_barrier.arrive_and_wait(turns[CONSUMER])


@jit
def pass_turn(turns, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    if cfg.takes_turns:
        named_barrier.arrive(turns[(CONSUMER + 1) % cfg.consumers])


@jit
def as_keys(ring, slot, cfg: gl.constexpr):
    """A block of keys as [D, keys]."""
    return ring.index(slot).reshape([cfg.block_n, cfg.head_size]).permute([1, 0])


@jit
def as_values(ring, slot, cfg: gl.constexpr):
    return ring.index(slot).reshape([cfg.block_n, cfg.head_size])


@jit
def attend(
    descriptors, memory, barriers, problem, tiles, drawing, lse, sums, scale, cfg: gl.constexpr, CONSUMER: gl.constexpr
):  # fmt: skip
    """A warpgroup: 64 queries of each tile. `sums`: where shares of tiles leave results and logarithms."""
    count = 0
    turn = 0
    if CONSUMER == cfg.consumers - 1:
        # The first turn of all.
        pass_turn(barriers[6], cfg, CONSUMER)
    tile = gl.program_id(0)
    while tile < tiles:
        place = place_of_tile(tile, problem, cfg)
        attend_to_tile(descriptors, memory, barriers, place, problem, lse, sums, count, turn, scale, cfg, CONSUMER)
        count += place[5]
        tile = read_tile(drawing[0], drawing[1], tile, turn, cfg)
        turn += 1
    tma.store_wait(0)


@jit
def attend_to_tile(
    descriptors, memory, barriers, place, problem, lse, sums, count, turn, scale, cfg: gl.constexpr,
    CONSUMER: gl.constexpr,
):  # fmt: skip
    """`count`: blocks of keys, and `turn`: tiles, that the warpgroup has seen before."""
    o_desc = descriptors[3]
    q_tiles, k_ring, v_ring = memory
    q_ready, q_free, k_ready, k_free, v_ready, v_free, turns = barriers
    batch, head, _, row0, end, blocks, masked, keys, share = place
    sizes = problem[4], keys
    row0 += CONSUMER * 64
    q_slot = q_tiles.index(place_of_queries(turn, cfg, CONSUMER))
    q_tile = q_slot.reshape([64, cfg.head_size])
    acc = gl.zeros([64, cfg.head_size], gl.float32, cfg.acc)
    row_max = gl.full([64], float("-inf"), gl.float32, gl.SliceLayout(1, cfg.scores))

    hidden = 0
    if cfg.is_causal:
        hidden = pass_over_hidden_keys(barriers, row0, end, blocks, sizes, count, cfg, CONSUMER)
    slot = slot_of(count + hidden, cfg)
    mbarrier.wait(q_ready.index(place_of_queries(turn, cfg, CONSUMER)), turn >> 1 & 1)
    mbarrier.wait(k_ready.index(slot), phase_of(count + hidden, cfg))
    wait_for_turn(turns, cfg, CONSUMER)
    scores = gl.zeros([64, cfg.block_n], gl.float32, cfg.scores)
    scores = hopper.warpgroup_mma(q_tile, as_keys(k_ring, slot, cfg), scores, use_acc=False, is_async=True)
    pass_turn(turns, cfg, CONSUMER)
    scores = hopper.warpgroup_mma_wait(0, deps=[scores])
    mbarrier.arrive(k_free.index(slot), per_warp=True)
    scores = mask_scores(scores, row0, (end - 1 - hidden) * cfg.block_n, sizes, cfg)
    powers, _, row_max = exponents(scores, row_max, scale)
    weights, row_sum = weigh(powers, cfg)
    p = gl.convert_layout(weights.to(q_tiles.dtype), cfg.operand_p)
    if turn > 0:
        # The result of the tile before has left the place of its queries by now.
        tma.store_wait(0)
        mbarrier.arrive(q_free.index(place_of_queries(turn - 1, cfg, CONSUMER)))
    for step in range(hidden + 1, masked):
        p, acc, row_max, row_sum = step_of_keys(
            q_tile, p, acc, row_max, row_sum, memory, barriers, count, step, row0, end, sizes, scale, cfg, CONSUMER,
            True,
        )  # fmt: skip
    for step in range(masked, blocks):
        p, acc, row_max, row_sum = step_of_keys(
            q_tile, p, acc, row_max, row_sum, memory, barriers, count, step, row0, end, sizes, scale, cfg, CONSUMER,
            False,
        )  # fmt: skip
    last = slot_of(count + blocks - 1, cfg)
    mbarrier.wait(v_ready.index(last), phase_of(count + blocks - 1, cfg))
    acc = hopper.warpgroup_mma(p, as_values(v_ring, last, cfg), acc, is_async=True)
    total = gl.convert_layout(gl.sum(row_sum, axis=1), gl.SliceLayout(1, cfg.acc))
    factor = 1.0 / gl.where(total == 0.0, 1.0, total)
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    mbarrier.arrive(v_free.index(last), per_warp=True)
    acc = acc * factor[:, None]
    row_max = gl.convert_layout(row_max, gl.SliceLayout(1, cfg.acc))
    log2 = gl.where(total == 0.0, float("-inf"), row_max * scale + gl.log2(total))
    if cfg.has_shares:
        if share >= 0:
            store_share(acc, log2, sums, share, cfg, CONSUMER)
        else:
            store_tile(acc, log2, o_desc, q_slot, lse, batch, head, row0, problem, cfg)
    else:
        store_tile(acc, log2, o_desc, q_slot, lse, batch, head, row0, problem, cfg)


@jit
def pass_over_hidden_keys(barriers, row0, end, blocks, sizes, count, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """How many of the first blocks none of the warpgroup's queries sees, though others of the tile do. Turns, and slots
    that are free when all have arrived, pass by as if it had computed them. One block is computed in any case."""
    _, _, k_ready, k_free, v_ready, v_free, turns = barriers
    queries, keys = sizes
    seen = gl.cdiv(gl.minimum(keys, row0 + 64 + keys - queries), cfg.block_n)
    hidden = gl.minimum(gl.maximum(end - seen, 0), blocks - 1)
    for step in range(hidden):
        slot = slot_of(count + step, cfg)
        phase = phase_of(count + step, cfg)
        wait_for_turn(turns, cfg, CONSUMER)
        pass_turn(turns, cfg, CONSUMER)
        mbarrier.wait(k_ready.index(slot), phase)
        mbarrier.arrive(k_free.index(slot), per_warp=True)
        mbarrier.wait(v_ready.index(slot), phase)
        mbarrier.arrive(v_free.index(slot), per_warp=True)
    return hidden


@jit
def store_tile(acc, log2, o_desc, q_slot, lse, batch, head, row0, problem, cfg: gl.constexpr):
    """The result of a warpgroup's queries, by way of where these are, and the natural logarithms of the sums of
    exponentials of their scaled scores: -inf for rows that see no key."""
    heads, queries = problem[0], problem[4]
    q_slot.reshape([64, cfg.head_size]).store(acc.to(o_desc.dtype))
    tma.async_store(o_desc, [batch, head, row0, 0], q_slot)
    if cfg.stores_lse:
        rows = row0 + gl.arange(0, 64, layout=gl.SliceLayout(1, cfg.acc))
        lse_row = (batch * heads + head).to(gl.int64) * queries
        gl.store(lse + lse_row + rows, log2 * 0.6931471805599453, mask=rows < queries)


@jit
def store_share(acc, log2, sums, share, cfg: gl.constexpr, CONSUMER: gl.constexpr):
    """The result of some of a tile's keys, and the logarithms of its sums, for base 2."""
    results, logarithms = sums
    rows = CONSUMER * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.acc))
    first = share.to(gl.int64) * cfg.block_m
    gl.store(results + first * cfg.head_size + rows[:, None] * cfg.head_size + columns[None, :], acc)
    gl.store(logarithms + first + rows, log2)


@jit
def attention_hopper(
    q_desc, k_desc, v_desc, o_desc, lse, counter, results, logarithms, heads, heads_per_group, all_heads, heads_at_once,
    queries, keys, whole, shares, tiles, scale, cfg: gl.constexpr,
):  # fmt: skip
    """One block per multiprocessor; tiles of queries are theirs in turn, or as they draw them from `counter`, which
    is 0 at the start and in the end."""
    q_tiles = gl.allocate_shared_memory(q_desc.dtype, [2 * cfg.consumers, *q_desc.block_shape], q_desc.layout)
    k_ring = gl.allocate_shared_memory(k_desc.dtype, [cfg.stages, *k_desc.block_shape], k_desc.layout)
    v_ring = gl.allocate_shared_memory(v_desc.dtype, [cfg.stages, *v_desc.block_shape], v_desc.layout)
    q_ready = mbarrier.allocate_mbarrier(batch=2 * cfg.consumers)
    q_free = mbarrier.allocate_mbarrier(batch=2 * cfg.consumers)
    for i in gl.static_range(2 * cfg.consumers):
        mbarrier.init(q_ready.index(i), count=1)
        mbarrier.init(q_free.index(i), count=1)
    turns = ()
    if cfg.takes_turns:
        # Of the warpgroup that waits, and of the one that passes the turn on.
        for _ in gl.static_range(cfg.consumers):
            turns = turns + (named_barrier.allocate(num_warps=8),)  # noqa: RUF005
    k_ready = mbarrier.allocate_mbarrier(batch=cfg.stages)
    k_free = mbarrier.allocate_mbarrier(batch=cfg.stages)
    v_ready = mbarrier.allocate_mbarrier(batch=cfg.stages)
    v_free = mbarrier.allocate_mbarrier(batch=cfg.stages)
    for i in gl.static_range(cfg.stages):
        mbarrier.init(k_ready.index(i), count=1)
        mbarrier.init(k_free.index(i), count=4 * cfg.consumers)
        mbarrier.init(v_ready.index(i), count=1)
        mbarrier.init(v_free.index(i), count=4 * cfg.consumers)

    drawn = k_free
    drawn_barriers = k_ready, k_free
    if cfg.draws:
        drawn = gl.allocate_shared_memory(gl.int32, [2, 1], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        drawn_ready = mbarrier.allocate_mbarrier(batch=2)
        drawn_free = mbarrier.allocate_mbarrier(batch=2)
        drawn_barriers = drawn_ready, drawn_free
        for i in gl.static_range(2):
            mbarrier.init(drawn_ready.index(i), count=1)
            mbarrier.init(drawn_free.index(i), count=4 * cfg.consumers)

    descriptors = q_desc, k_desc, v_desc, o_desc
    memory = q_tiles, k_ring, v_ring
    barriers = q_ready, q_free, k_ready, k_free, v_ready, v_free, turns
    problem = heads, heads_per_group, all_heads, heads_at_once, queries, keys, whole, shares
    drawing = drawn, drawn_barriers
    copying = copy_tiles, (descriptors, memory, barriers, problem, tiles, drawing, counter, cfg)
    sums = results, logarithms
    attending = descriptors, memory, barriers, problem, tiles, drawing, lse, sums, scale, cfg
    if cfg.consumers == 2:
        gl.warp_specialize([(attend, (*attending, 0)), (attend, (*attending, 1)), copying], [4, 1], [240, 24])
    else:
        gl.warp_specialize(
            [(attend, (*attending, 0)), (attend, (*attending, 1)), (attend, (*attending, 2)), copying],
            [4, 4, 1],
            [160, 160, 24],
        )
