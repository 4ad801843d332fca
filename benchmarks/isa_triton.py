"""Triton kernels with which benchmarks/isa.py compares Hocket's kernels. They are compiled for AMD GPUs without a GPU.

The kernels leave the choice of layouts, copies and software pipelines to Triton's compiler, as is usual in Triton.
"""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

WARPS = 8


@triton.jit
def triton_attention(q, k, v, out, sequence, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, SIZE: tl.constexpr):
    """Computes softmax(scale x Q K^T) V for the head program_id(1). `scale` includes the factor log2(e), because the
    kernel uses exp2. `sequence` is a multiple of KEYS."""
    base = tl.program_id(1) * sequence * SIZE
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, SIZE)
    queries = tl.load(q + base + rows[:, None] * SIZE + columns[None, :])
    highest = tl.full([ROWS], -1e30, tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    acc = tl.zeros([ROWS, SIZE], tl.float32)
    for first in range(0, sequence, KEYS):
        keys = first + tl.arange(0, KEYS)
        scores = tl.dot(queries, tl.load(k + base + keys[None, :] * SIZE + columns[:, None]))
        rising = tl.maximum(highest, tl.max(scores, 1) * scale)
        weights = tl.exp2(scores * scale - rising[:, None])
        shrink = tl.exp2(highest - rising)
        total = total * shrink + tl.sum(weights, 1)
        values = tl.load(v + base + keys[:, None] * SIZE + columns[None, :])
        acc = tl.dot(weights.to(values.dtype), values, acc * shrink[:, None])
        highest = rising
    tl.store(out + base + rows[:, None] * SIZE + columns[None, :], (acc / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def triton_matmul(a, b, c, M, N, K, b_k, b_n, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """Computes C = A x B. M, N and K are multiples of the tile sizes. B has the strides `b_k` and `b_n`."""
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    along = tl.arange(0, TILE_K)
    acc = tl.zeros([TILE_M, TILE_N], tl.float32)
    for first in range(0, K, TILE_K):
        left = tl.load(a + rows[:, None] * K + (first + along)[None, :])
        right = tl.load(b + (first + along)[:, None] * b_k + columns[None, :] * b_n)
        acc = tl.dot(left, right, acc)
    tl.store(c + rows[:, None] * N + columns[None, :], acc.to(c.dtype.element_ty))


def attention_signature(size):
    """Returns the kernel, its argument types and its constants: 256 queries per block of 8 warps, and 64 keys per
    iteration."""
    types = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp16", "sequence": "i32", "scale": "fp32"}
    return triton_attention, types, {"ROWS": 256, "KEYS": 64, "SIZE": size}


def matmul_signature(is_transposed):
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"}
    types |= {"b_n": "i32"} if is_transposed else {"b_k": "i32"}
    one = {"b_k": 1} if is_transposed else {"b_n": 1}
    return triton_matmul, types, {"TILE_M": 256, "TILE_N": 256, "TILE_K": 64, **one}


def compile_for(target, kernel, types, constants):
    """Compiles a kernel, and returns the assembly text and the name of the kernel."""
    names = kernel.arg_names
    signature = {name: types.get(name, "constexpr") for name in names}
    aligned = {(names.index(name),): [["tt.divisibility", 16]] for name, type in types.items() if type != "fp32"}
    source = ASTSource(kernel, signature, {(names.index(name),): value for name, value in constants.items()}, aligned)
    compiled = triton.compile(
        source, target=GPUTarget("hip", target, 64), options={"num_warps": WARPS, "num_stages": 2}
    )
    return compiled.asm["amdgcn"], compiled.metadata.name
