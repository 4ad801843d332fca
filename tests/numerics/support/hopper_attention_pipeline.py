"""Attention as a warp pipeline of two warpgroups: a kernel for test_hopper_pipelines.py, and its launch."""

import numpy as np
from hopper_pipelines import A_TILE, ACC, B_TILE, COPY, K, M, N, descriptor
from tiles import tile_offsets

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait


@hocket.jit
def load_block(k_desc, v_desc, keys, values, ready, i, SLOTS: gl.constexpr, pred):
    bar = ready.index(i % SLOTS)
    mbarrier.expect(bar, k_desc.nbytes_per_cta + v_desc.nbytes_per_cta, pred)
    tma.async_load(k_desc, [i * N, 0], bar, keys.index(i % SLOTS), pred)
    tma.async_load(v_desc, [i * N, 0], bar, values.index(i % SLOTS), pred)


@hocket.jit
def weigh(scores, top, total):
    """Softmax of one block of scores, by rows: a warp has all of a row."""
    new = gl.maximum(top, gl.max(scores, axis=1))
    weights = gl.exp2(scores - new[:, None])
    scale = gl.exp2(top - new)
    return weights, new, total * scale + gl.sum(weights, axis=1), scale


@hocket.jit
def attention(
    q,
    k_desc,
    v_desc,
    out,
    blocks,
    SLOTS: gl.constexpr,
    STAGED: gl.constexpr,
    EXCLUSIVE: gl.constexpr = False,
    IN_FLIGHT: gl.constexpr = False,
    AHEAD: gl.constexpr = 2,
):
    """One warpgroup computes its softmax during the wgmmas of the other. `q` is scaled for exp2. `IN_FLIGHT`: a stage
    only starts the wgmmas, so that those of the other group can follow without a gap. `AHEAD`: number of blocks that
    are loaded before the loop; if it is SLOTS, these are all blocks, and both groups execute the same operations."""
    ROW: gl.constexpr = gl.SliceLayout(1, ACC)
    WEIGHTS: gl.constexpr = gl.DotOperandLayout(0, ACC, 2)
    queries = gl.allocate_shared_memory(gl.float16, [M, K], A_TILE, gl.load(q + tile_offsets(M, K, COPY)))
    keys = gl.allocate_shared_memory(gl.float16, [SLOTS, N, K], B_TILE)
    values = gl.allocate_shared_memory(gl.float16, [SLOTS, N, K], B_TILE)
    ready = mbarrier.allocate_mbarrier(batch=SLOTS)
    for i in gl.static_range(SLOTS):
        mbarrier.init(ready.index(i), count=1)
    for i in gl.static_range(AHEAD):
        load_block(k_desc, v_desc, keys, values, ready, i, SLOTS, i < blocks)
    zeros = gl.zeros([M, N], gl.float32, ACC)
    acc = zeros
    mbarrier.wait(ready.index(0), 0)
    scores = warpgroup_mma(queries, keys.index(0).permute([1, 0]), zeros)
    weights, top, total, _ = weigh(scores, gl.full([M], -1e30, gl.float32, ROW), gl.zeros([M], gl.float32, ROW))
    p = gl.convert_layout(weights.to(gl.float16), WEIGHTS)
    for i in range(1, blocks):
        if STAGED:
            with gl.warp_pipeline_stage("products", exclusive=EXCLUSIVE):
                mbarrier.wait(ready.index(i % SLOTS), i // SLOTS & 1)
                scores = warpgroup_mma(queries, keys.index(i % SLOTS).permute([1, 0]), zeros, is_async=True)
                acc = warpgroup_mma(p, values.index((i + SLOTS - 1) % SLOTS), acc, is_async=True)
                if not IN_FLIGHT:
                    scores, acc = warpgroup_mma_wait(0, deps=[scores, acc])
            with gl.warp_pipeline_stage("softmax"):
                if IN_FLIGHT:
                    scores, acc = warpgroup_mma_wait(0, deps=[scores, acc])
                if AHEAD < SLOTS:
                    load_block(k_desc, v_desc, keys, values, ready, i + 1, SLOTS, i + 1 < blocks)
                weights, top, total, scale = weigh(scores, top, total)
                acc = acc * scale[:, None]
                p = gl.convert_layout(weights.to(gl.float16), WEIGHTS)
        else:
            mbarrier.wait(ready.index(i % SLOTS), i // SLOTS & 1)
            scores = warpgroup_mma(queries, keys.index(i % SLOTS).permute([1, 0]), zeros)
            acc = warpgroup_mma(p, values.index((i + SLOTS - 1) % SLOTS), acc)
            load_block(k_desc, v_desc, keys, values, ready, i + 1, SLOTS, i + 1 < blocks)
            weights, top, total, scale = weigh(scores, top, total)
            acc = acc * scale[:, None]
            p = gl.convert_layout(weights.to(gl.float16), WEIGHTS)
    acc = warpgroup_mma(p, values.index((blocks - 1) % SLOTS), acc)
    gl.store(out + tile_offsets(M, N, ACC), acc / total[:, None])


def attended(device, blocks, kernel=attention, **options):
    rng = np.random.default_rng(blocks)
    q, k, v = (rng.standard_normal((rows, 64)).astype(np.float16) for rows in (M.value, blocks * 64, blocks * 64))
    descriptors = [descriptor(device.to_device(x.reshape(blocks, 64, 64))) for x in (k, v)]
    out = device.to_device(np.zeros((M.value, 64), np.float32))
    kernel[(1,)](device.to_device(q), *descriptors, out, blocks, num_warps=8, **options)
    scores = q.astype(np.float64) @ k.astype(np.float64).T * np.log(2)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return device.to_host(out), weights @ v.astype(np.float64) / weights.sum(axis=1, keepdims=True)
