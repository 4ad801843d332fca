"""A forward attention kernel in Triton, as in Triton's tutorial 06. `attention.py` compares Hocket with this kernel.
For each shape, the fastest of a few tile shapes is chosen by measurement.
"""

from __future__ import annotations

import math

import torch
from matmul_peers import best_of

try:
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:
    triton = None

#: By head size: (queries, keys, stages, warps) of the tutorial's configurations that fit into Hopper's shared memory.
TILES = {
    64: ((128, 64, 3, 4), (128, 128, 3, 8), (128, 128, 2, 4)),
    128: ((128, 128, 2, 8), (128, 64, 3, 8), (128, 64, 3, 4), (128, 128, 3, 8)),
}


def triton_attention(q, k, v, causal):
    """Returns a function without arguments that computes attention of tensors [batch, heads, sequence, D]. Returns None
    if Triton is missing or no configuration runs."""
    sequence, size = q.shape[2:]
    if triton is None or size not in TILES:
        return None
    tiles = [tile for tile in TILES[size] if sequence % max(tile[:2]) == 0]
    return best_of({f"Triton {tile}": _prepare(q, k, v, causal, tile) for tile in tiles})


def _prepare(q, k, v, causal, tile):
    rows, keys, stages, warps = tile
    batch, heads, sequence, size = q.shape
    out = torch.empty_like(q)

    def descriptor(tensor, block):
        return TensorDescriptor.from_tensor(tensor.view(batch * heads * sequence, size), [block, size])

    descriptors = descriptor(q, rows), descriptor(k, keys), descriptor(v, keys), descriptor(out, rows)
    scale = math.log2(math.e) / math.sqrt(size)
    constants = {"ROWS": rows, "KEYS": keys, "SIZE": size, "CAUSAL": causal}

    def run():
        _forward[(sequence // rows, batch * heads)](
            *descriptors, sequence, scale, **constants, num_warps=warps, num_stages=stages
        )
        return out

    return run


if triton is not None:

    @triton.jit
    def _block(k, v, base, first, queries, rows, highest, total, acc, scale, KEYS: tl.constexpr, MASKED: tl.constexpr):
        """One iteration of online softmax, over KEYS keys from `first` on."""
        scores = tl.dot(queries, k.load([base + first, 0]).T) * scale
        if MASKED:
            columns = first + tl.arange(0, KEYS)
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -1.0e6)
        rising = tl.maximum(highest, tl.max(scores, 1))
        probabilities = tl.exp2(scores - rising[:, None])
        shrink = tl.exp2(highest - rising)
        values = v.load([base + first, 0])
        acc = tl.dot(probabilities.to(values.dtype), values, acc * shrink[:, None])
        return rising, total * shrink + tl.sum(probabilities, 1), acc

    @triton.jit
    def _forward(
        q, k, v, out, sequence, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, SIZE: tl.constexpr, CAUSAL: tl.constexpr
    ):
        base = tl.program_id(1) * sequence
        row = tl.program_id(0) * ROWS
        rows = row + tl.arange(0, ROWS)
        queries = q.load([base + row, 0])
        highest = tl.full([ROWS], -float("inf"), tl.float32)
        total = tl.zeros([ROWS], tl.float32)
        acc = tl.zeros([ROWS, SIZE], tl.float32)
        whole = sequence
        if CAUSAL:
            whole = row // KEYS * KEYS
        for first in tl.range(0, whole, KEYS):
            highest, total, acc = _block(k, v, base, first, queries, rows, highest, total, acc, scale, KEYS, False)
        if CAUSAL:
            for first in tl.range(whole, row + ROWS, KEYS):
                highest, total, acc = _block(k, v, base, first, queries, rows, highest, total, acc, scale, KEYS, True)
        out.store([base + row, 0], (acc / total[:, None]).to(out.dtype))
