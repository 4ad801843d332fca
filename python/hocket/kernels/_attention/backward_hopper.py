"""Attention backward on Hopper: a persistent, warp-specialized kernel with TMA and wgmma. Results are bitwise
reproducible.

A CTA processes tiles of `cfg.block_n` keys of one head, one after another. For each tile, it loops over the heads of
queries that share these keys, and over their blocks of `cfg.block_m` queries. With S = scale x Q K^T:

    P = exp(S - lse)        dP = dO V^T         dS = P (dP - delta)        delta = row sums of dO x O
    dV += P^T dO            dK += dS^T Q        dQ += dS K

All of these MMAs compute transposed scores [keys, queries], so P^T and dS^T are operands in registers. dK and dV stay
in registers. dQ is a sum over the CTAs that process the keys of a head.

    warps                    count    work
    consumer warpgroups      2        the five MMAs and the softmax of each block, 64 keys each; dS and dQ are divided
                                      among both; store dK and dV by TMA
    producer warp            1        copies the tiles of K and V, and the blocks of Q and dO by TMA; schedules tiles
    dQ warp                  1        adds each block of dQ to global memory, by TMA

Ring buffers, and the arrivals that complete a phase of their mbarriers:

    ring         stages           full                          empty
    k, v         1 each           1, and the bytes of TMA       1, after the TMA store of dK or dV has read the buffer
    q, do        cfg.stages       1, and the bytes of TMA       8 (each consumer warp)
    dq           cfg.dq_stages    8 (each consumer warp)        1 (dQ warp)
    tiles        2                1 (producer warp)             9 (each consumer warp, and the dQ warp)

The ring buffer `tiles` holds numbers of tiles or, with packed sequences, descriptions of tiles.

A stage of `q` also holds the logarithms of the sums of exponentials (lse) of its queries, and a stage of `do` holds
delta. dS passes through shared memory (`ds`, `cfg.ds_stages` stages), because each consumer warpgroup needs dS of both.

Timeline of the consumers, where S 1 is issued before dQ 0 is complete:

    S 0 | dP 0, softmax 0 | dV 0, dS 0 | dQ 0, dK 0, S 1, store dQ 0 | dP 1, softmax 1 | ...

The order of the additions to dQ is fixed. A counter for each block of queries holds the number of added blocks of dQ.
The dQ warp waits until the counter equals the number of earlier tiles, and increments the counter when its addition is
visible to other CTAs. Tiles are added in the order in which CTAs take them, so each CTA only waits for CTAs that have
begun. With a causal mask or a window, the last tile of keys comes first. Two tiles of a head that start at the same
time then never wait for each other.

`backward_copies` has the producer warp and the dQ warp, `backward_tiles` the order of the tiles, `backward_sequences`
the parts for sequences of different lengths, and `backward_rows` the kernels that run before and after this one.
`attention_backward_simple` is a plain version.
"""

from __future__ import annotations

from dataclasses import dataclass

from ... import jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import mbarrier, tma
from .._common.cached_hash import cached_hash
from .backward_copies import BackwardRings, Inputs, add_blocks_of_dq, copy_blocks
from .backward_sequences import PackedGradients, clear_rows, received_key_tile, store_keys
from .backward_tiles import BackwardSizes, key_tile, read_tile
from .rings_hopper import TILE_FIELDS
from .sequences_hopper import has_tile


@cached_hash
@dataclass(frozen=True)
class HopperBackwardConfig:
    """Compile-time parameters of the backward kernel."""

    #: Number of queries in a block, and of keys in a tile.
    block_m: int
    block_n: int
    head_size: int
    stages: int
    ds_stages: int
    dq_stages: int
    is_causal: bool
    #: Layout of transposed scores, [keys, queries].
    scores: gl.NVMMADistributedLayout
    #: Layout of dK and dV, [keys, D].
    acc: gl.NVMMADistributedLayout
    #: Layout of P^T and dS^T as operands of dV and dK.
    operand: gl.DotOperandLayout
    #: Layout of dQ, [queries, D].
    dq: gl.NVMMADistributedLayout
    #: True if sequences of different lengths are packed one after another (`backward_sequences`).
    is_varlen: bool = False
    #: True if queries see a window of keys. `is_causal` is then False.
    has_window: bool = False

    @property
    def is_descending(self) -> bool:
        """True if the tiles of a head are processed from the last one to the first one."""
        return self.is_causal or self.has_window


@jit
def as_matrix(tile):
    """Views a tile [..., rows, columns] as [rows, columns]."""
    return tile.reshape([tile.shape[-2], tile.shape[-1]])


@jit
def issue_scores(k_tile, rings, count, cfg: gl.constexpr):
    """Issues the wgmma of the transposed scores of a block of queries."""
    q_tile = as_matrix(rings.q.wait(count).buffers[0])
    scores = gl.zeros([cfg.block_n, cfg.block_m], gl.float32, cfg.scores)
    return hopper.warpgroup_mma(k_tile, q_tile.permute([1, 0]), scores, use_acc=False, is_async=True)


@jit
def per_query(tile, cfg: gl.constexpr):
    """Loads a value for each query of a block, as a row that broadcasts over the keys."""
    return tile.reshape([cfg.block_m]).load(gl.SliceLayout(0, cfg.scores))[None, :]


@jit
def mask_exponents(exponents, tile, row0, cfg: gl.constexpr, IS_LAST: gl.constexpr):
    """Returns the exponents of P^T with -inf for keys past the end and, with a causal mask or a window, for other keys
    that the query does not see. With packed sequences, also for the queries of other sequences in the last block."""
    key = tile.block * cfg.block_n + gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, cfg.scores))
    query = row0 + gl.arange(0, cfg.block_m, layout=gl.SliceLayout(0, cfg.scores))
    last_key = gl.full([cfg.block_m], tile.keys - 1, gl.int32, gl.SliceLayout(0, cfg.scores))
    if cfg.is_descending:
        last_key = gl.minimum(last_key, query + (tile.keys - tile.queries + tile.after))
    if cfg.is_varlen and IS_LAST:
        last_key = gl.where(query < tile.queries, last_key, -1)
    is_seen = key[:, None] <= last_key[None, :]
    if cfg.has_window:
        first_key = query + (tile.keys - tile.queries - tile.before)
        is_seen = is_seen & (key[:, None] >= first_key[None, :])
    return gl.where(is_seen, exponents, float("-inf"))


@jit
def add_block(
    scores, dk, dv, ds_tiles, rings, count, tile, row0, scale, cfg: gl.constexpr, IS_MASKED: gl.constexpr,
    IS_LAST: gl.constexpr,
):  # fmt: skip
    """Adds a block of queries to dK and dV, and passes its dQ to the dQ warp.

    `scores`: S of this block, in flight. Unless `IS_LAST`, S of the next block is issued, and returned in flight.
    """
    # LLVM hoists wgmma descriptors of constant addresses out of the loop over blocks, and ptxas spills them. LLVM
    # cannot prove that `count >> 30` is 0, so the descriptors of K and V are computed in the loop.
    zero = count >> 30
    k_tile, v_tile = as_matrix(rings.k.buffers[0].index(zero)), as_matrix(rings.v.buffers[0].index(zero))
    q = rings.q.slot(count)
    q_tile = as_matrix(q.buffers[0])
    do = rings.do.wait(count)
    do_tile = as_matrix(do.buffers[0])
    if cfg.is_varlen and IS_LAST:
        clear_rows((q_tile, do_tile), tile.queries - row0, cfg)
    dp = gl.zeros([cfg.block_n, cfg.block_m], gl.float32, cfg.scores)
    dp = hopper.warpgroup_mma(v_tile, do_tile.permute([1, 0]), dp, use_acc=False, is_async=True)
    lse = per_query(q.buffers[1], cfg)
    exponents = gl.fma(scores, scale, -lse)
    if IS_MASKED:
        exponents = mask_exponents(exponents, tile, row0, cfg, IS_LAST)
    p = gl.exp2(exponents, flush_denormals=True)
    p_operand = gl.convert_layout(p.to(do_tile.dtype), cfg.operand)
    dp = hopper.warpgroup_mma_wait(0, deps=[dp])
    dv = hopper.warpgroup_mma(p_operand, do_tile, dv, is_async=True)
    delta = per_query(do.buffers[1], cfg)
    ds = (p * (dp - delta)).to(q_tile.dtype)
    ds_tile = ds_tiles.index(count % cfg.ds_stages)
    ds_tile.store(ds)
    dq = gl.zeros([cfg.block_m, cfg.head_size], gl.float32, cfg.dq)
    dq = hopper.warpgroup_mma(ds_tile.permute([1, 0]), k_tile, dq, use_acc=False, is_async=True)
    dk = hopper.warpgroup_mma(gl.convert_layout(ds, cfg.operand), q_tile, dk, is_async=True)
    dq, dv = hopper.warpgroup_mma_wait(1, deps=[dq, dv])
    rings.do.release(count)
    slot = rings.dq.acquire(count)
    as_matrix(slot.buffer).store(dq)
    mbarrier.arrive(slot.full, per_warp=True)
    if not IS_LAST:
        scores = issue_scores(k_tile, rings, count + 1, cfg)
    dk, scores = hopper.warpgroup_mma_wait(0, deps=[dk, scores])
    rings.q.release(count)
    return scores, dk, dv


@jit
def unmasked_steps(tile, steps, cfg: gl.constexpr):
    """Returns the number of the first block of queries that needs no mask, and the number after the last such block.
    The last block, number `steps` - 1, is not counted."""
    key0, diagonal = tile.block * cfg.block_n, tile.keys - tile.queries
    begin = 0
    end = steps - 1
    if cfg.is_descending:
        first_query = gl.maximum(key0 + cfg.block_n - 1 - tile.after - diagonal, 0)
        begin = gl.minimum(gl.cdiv(first_query, cfg.block_m) - tile.first, steps - 1)
    if cfg.has_window:
        end_block = gl.maximum(key0 + tile.before - diagonal + 1, 0) // cfg.block_m
        end = gl.maximum(gl.minimum(end_block - tile.first, steps - 1), begin)
    if key0 + cfg.block_n > tile.keys:
        begin = steps - 1
        end = steps - 1
    return begin, end


@jit
def add_head(dk, dv, k_tile, ds_tiles, rings, tile, count, scale, cfg: gl.constexpr):
    """Adds all queries of a head to dK and dV."""
    row0 = tile.first * cfg.block_m
    steps = tile.end - tile.first
    begin, end = unmasked_steps(tile, steps, cfg)
    scores = hopper.warpgroup_mma_wait(0, deps=[issue_scores(k_tile, rings, count, cfg)])
    for step in range(begin):
        row = row0 + step * cfg.block_m
        scores, dk, dv = add_block(scores, dk, dv, ds_tiles, rings, count + step, tile, row, scale, cfg, True, False)
    for step in range(begin, end):
        row = row0 + step * cfg.block_m
        scores, dk, dv = add_block(scores, dk, dv, ds_tiles, rings, count + step, tile, row, scale, cfg, False, False)
    if cfg.has_window:
        for step in range(end, steps - 1):
            row = row0 + step * cfg.block_m
            scores, dk, dv = add_block(
                scores, dk, dv, ds_tiles, rings, count + step, tile, row, scale, cfg, True, False
            )
    step = steps - 1
    row = row0 + step * cfg.block_m
    scores, dk, dv = add_block(scores, dk, dv, ds_tiles, rings, count + step, tile, row, scale, cfg, True, True)
    return dk, dv


@jit
def process_tile(
    dk_desc, dv_desc, ds_tiles, rings, tile, count, tile_count, scale, log2_scale, sizes, cfg: gl.constexpr
):
    """Computes and stores dK and dV of a tile of keys. Returns the number of blocks up to the end of this tile."""
    k = rings.k.wait(tile_count)
    v = rings.v.wait(tile_count)
    k_tile, v_tile = as_matrix(k.buffer), as_matrix(v.buffer)
    dk = gl.zeros([cfg.block_n, cfg.head_size], gl.float32, cfg.acc)
    dv = gl.zeros([cfg.block_n, cfg.head_size], gl.float32, cfg.acc)
    heads = sizes.heads_per_group
    if cfg.is_varlen:
        clear_rows((k_tile, v_tile), tile.keys - tile.block * cfg.block_n, cfg)
    if cfg.is_varlen or cfg.has_window:
        if tile.end <= tile.first:
            heads *= 0
    for _ in range(heads):
        dk, dv = add_head(dk, dv, k_tile, ds_tiles, rings, tile, count, log2_scale, cfg)
        count += tile.end - tile.first
    is_whole = True
    if cfg.is_varlen:
        tile = received_key_tile(rings.tiles, tile_count, sizes, cfg)
        rings.tiles.release(tile_count)
        is_whole = (tile.block + 1) * cfg.block_n <= tile.keys
        if not is_whole:
            store_keys(dk * scale, dv, tile, sizes, cfg)
    if is_whole:
        key0 = tile.first_key + tile.block * cfg.block_n
        v_tile.store(dv.to(dv_desc.dtype))
        tma.async_store(dv_desc, [tile.batch, tile.key_head, key0, 0], v.buffer)
        k_tile.store((dk * scale).to(dk_desc.dtype))
        tma.async_store(dk_desc, [tile.batch, tile.key_head, key0, 0], k.buffer)
        tma.store_wait(0)
    rings.k.release(tile_count)
    rings.v.release(tile_count)
    return count


@jit
def process_tiles(dk_desc, dv_desc, ds_tiles, rings, scale, log2_scale, sizes, cfg: gl.constexpr):
    """The consumer warpgroups compute dK and dV of each tile of keys, and blocks of dQ."""
    count = 0
    tile_count = 0
    if cfg.is_varlen:
        while has_tile(rings.tiles, tile_count):
            tile = received_key_tile(rings.tiles, tile_count, sizes, cfg)
            count = process_tile(
                dk_desc, dv_desc, ds_tiles, rings, tile, count, tile_count, scale, log2_scale, sizes, cfg
            )
            tile_count += 1
    else:
        number = read_tile(rings.tiles, tile_count)
        while number < sizes.tiles:
            tile = key_tile(number, sizes, cfg)
            count = process_tile(
                dk_desc, dv_desc, ds_tiles, rings, tile, count, tile_count, scale, log2_scale, sizes, cfg
            )
            tile_count += 1
            number = read_tile(rings.tiles, tile_count)


@jit
def make_ring(descs, STAGES: gl.constexpr, CONSUMERS: gl.constexpr, PER_WARP: gl.constexpr):
    """Returns a ring buffer whose stages TMA copies fill with one block of each array."""
    tiles = [gl.allocate_shared_memory(desc.dtype, [STAGES, *desc.block_shape], desc.layout) for desc in descs]
    return gl.RingBuffer(tiles, consumers=CONSUMERS, per_warp=PER_WARP)


@jit(do_not_specialize_on_alignment=["lengths"])
def attention_backward_hopper(
    q_desc, k_desc, v_desc, do_desc, lse_desc, delta_desc, dq_desc, dk_desc, dv_desc, added, counter, sizes, scale,
    log2_scale, cfg: gl.constexpr[HopperBackwardConfig], sequences=None, lengths=None,
    window=None,
):  # fmt: skip
    """A kernel of persistent CTAs. `counter` is 0 before and after the launch; `added` is 0 before the launch.

    dq_desc: describes float32 [batch x heads, queries, D], the sums of dQ before they are multiplied by the scale.
    sizes: values of the fields of `BackwardSizes`.
    lengths: with `cfg.is_varlen`, the numbers that often change from launch to launch, and for whose divisibility the
        kernel is not specialized: `sizes`, which is then empty, and the first field of `PackedGradients`.
    sequences: with `cfg.is_varlen`, values of the other fields of `PackedGradients`.
    window: with `cfg.has_window`, the numbers of keys before and after its position that a query sees.
    """
    before, after = window if cfg.has_window else (0, 0)
    packed = None
    if cfg.is_varlen:
        sizes, count = lengths
        packed = PackedGradients(count, *sequences)
    problem = BackwardSizes(*sizes, packed, before, after)
    k_ring = make_ring((k_desc,), 1, 1, False)
    v_ring = make_ring((v_desc,), 1, 1, False)
    q_ring = make_ring((q_desc, lse_desc), cfg.stages, 8, True)
    do_ring = make_ring((do_desc, delta_desc), cfg.stages, 8, True)
    ds_layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([cfg.block_n, cfg.block_m], q_desc.dtype)
    ds_tiles = gl.allocate_shared_memory(q_desc.dtype, [cfg.ds_stages, cfg.block_n, cfg.block_m], ds_layout)
    dq_tiles = gl.allocate_shared_memory(gl.float32, [cfg.dq_stages, *dq_desc.block_shape], dq_desc.layout)
    dq_ring = gl.RingBuffer(dq_tiles, fill="stores", producers=8, consumers=1)
    fields: gl.constexpr = TILE_FIELDS if cfg.is_varlen else 1
    numbers = gl.allocate_shared_memory(gl.int32, [2, fields], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    tile_ring = gl.RingBuffer(numbers, fill="stores", consumers=9, per_warp=True)
    loads = k_ring, v_ring, q_ring, do_ring
    producing = BackwardRings(*[ring.producer() for ring in loads], None, tile_ring.producer())
    consuming = BackwardRings(*[ring.consumer() for ring in loads], dq_ring.producer(), tile_ring.consumer())
    adding = BackwardRings(None, None, None, None, dq_ring.consumer(), tile_ring.consumer())
    inputs = Inputs(q_desc, k_desc, v_desc, do_desc, lse_desc, delta_desc)
    gl.warp_specialize(
        [
            (process_tiles, (dk_desc, dv_desc, ds_tiles, consuming, scale, log2_scale, problem, cfg)),
            (copy_blocks, (inputs, producing, counter, problem, cfg)),
            (add_blocks_of_dq, (dq_desc, added, adding, problem, cfg)),
        ],
        [1, 1],
        [24, 24],
    )
    tma.store_wait(0)


__all__ = ["HopperBackwardConfig", "attention_backward_hopper"]
