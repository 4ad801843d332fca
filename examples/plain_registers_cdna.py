"""GEMM and attention for CDNA3 as plain loops; the compiler forms their stages.

CDNA3 has no copies of 16 bytes per lane straight into LDS, so operands pass through registers: an iteration reads a
tile from LDS, stores a tile that an earlier load has brought into registers, and starts the next load. The loops have
the data flow of `hocket.kernels.matmul` and `hocket.kernels.attention` for CDNA3. `schedule` chooses:

    None      the loop as it is: both groups of warps execute the same code at the same time
    "auto"    stages that the compiler forms, with `gl.range(..., warp_pipeline="auto")`

    python plain_registers_cdna.py

prints the clocks of an iteration by the schedule model of the machine code, beside those of the stages that the kernels
of `hocket.kernels` have. The model ranks schedules; it is not the speed of any GPU.
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.kernels._attention.blocks_cdna import (
    AttentionProblem,
    AttentionStrides,
    blocks_of_keys,
    blocks_of_values,
    load_queries,
    number_of_blocks,
    store_output,
    work_of_block,
)
from hocket.kernels._attention.kernel_cdna_pipelined import State, attention_pipelined_registers, begin, finish
from hocket.kernels._attention.layouts_cdna import KEYS_PER_BLOCK
from hocket.kernels._attention.layouts_cdna import configure as configure_attention
from hocket.kernels._attention.softmax_cdna import (
    Softmax,
    begin_probabilities,
    end_probabilities,
    factor_of_sums,
    raised_maxima,
    scaled_down,
)
from hocket.kernels._matmul.kernel_cdna import Output, mma, tile_origin
from hocket.kernels._matmul.kernel_cdna_quadrants import (
    Quadrants,
    empty_quadrant,
    halves_of_a,
    halves_of_b,
    matmul_pipelined_registers,
    multiply_k_tile,
)
from hocket.kernels._matmul.layouts_cdna import configure
from hocket.kernels._matmul.plan_cdna import CdnaPlan
from hocket.kernels._matmul.tiles_cdna import Tile
from hocket.kernels._matmul.variant_cdna import choose_variant
from hocket.language.amd.cdna3 import mfma

#: The target, and the bytes of LDS of a compute unit.
TARGET, LDS = "gfx942", 65536
#: Tile of C: rows, columns, warps along the rows and along the columns.
TILE = Tile(256, 256, 2, 4)
#: For each operand of the GEMM, whether its rows are contiguous: of A and of B.
ORDERS = {"A B": (True, True), "A B^T": (True, False), "A^T B": (False, True)}
#: Number of warps, and the head sizes for which the printed table compares schedules of attention.
WARPS, HEAD_SIZES = 8, (128, 64)


@hocket.jit
def gemm(a, b, c, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr, HOW: gl.constexpr):
    """C = A x B over the quadrants of a tile of C."""
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 1, cfg), halves_of_b(b, col0, N, b_strides, 1, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a0_buffer, a1_buffer, b0_buffer, b1_buffer = *a.buffers, *b.buffers
    a0_buffer.store(a.load(0, K, cfg))
    b0_buffer.store(b.load(0, K, cfg))
    b1_next = b.load(1, K, cfg)
    gl.sched_barrier()
    a1_next = a.load(1, K, cfg)
    for step in gl.range(1, gl.cdiv(K, cfg.block_k), warp_pipeline=HOW):
        a, b = a.next(), b.next()
        k_left = K - step * cfg.block_k
        a0 = a0_buffer.load(cfg.operand_a)
        b0 = b0_buffer.load(cfg.operand_b)
        b1_buffer.store(b1_next)
        a0_next = a.load(0, k_left, cfg)
        acc00 = mma(a0, b0, acc00, cfg)
        b1 = b1_buffer.load(cfg.operand_b)
        a1_buffer.store(a1_next)
        b0_next = b.load(0, k_left, cfg)
        acc01 = mma(a0, b1, acc01, cfg)
        a1 = a1_buffer.load(cfg.operand_a)
        a0_buffer.store(a0_next)
        b1_next = b.load(1, k_left, cfg)
        acc11 = mma(a1, b1, acc11, cfg)
        b0_buffer.store(b0_next)
        a1_next = a.load(1, k_left, cfg)
        acc10 = mma(a1, b0, acc10, cfg)
    b1_buffer.store(b1_next)
    a1_buffer.store(a1_next)
    acc = multiply_k_tile(a, b, 0, Quadrants(acc00, acc01, acc10, acc11), cfg)
    acc.store(Output(c, None, M, N, c_strides), row0, col0, cfg)


@hocket.jit
def attention_kernel(q, k, v, out, strides, problem, cfg: gl.constexpr, HOW: gl.constexpr):
    """softmax(scale x Q K^T) V for two blocks of keys or more, without a mask. The number of keys is a multiple of the
    block's. A tile in registers holds a block of keys or of values on its way to LDS."""
    work = work_of_block(problem, cfg)
    k_blocks, v_blocks = blocks_of_keys(k, work, strides.k, 1, cfg), blocks_of_values(v, work, strides.v, 1, cfg)
    half: gl.constexpr = cfg.block_n // 2
    queries = load_queries(q, work, strides.q, problem.scale, cfg)
    k_blocks.buffers.store(k_blocks.load(work.keys, True))
    k_next = k_blocks.next().load(work.keys, True)
    state = begin(queries, k_blocks.buffers.load(cfg.operand_k), cfg)
    k_blocks.buffers.store(k_next)
    tile = v_blocks.load(work.keys, True)
    v_blocks = v_blocks.next()
    last = number_of_blocks(work, cfg) - 1
    k_blocks = k_blocks.next()
    for i in gl.range(last, warp_pipeline=HOW):
        correction, row_max = state.correction, state.softmax.row_max
        low_keys = k_blocks.buffers.slice(0, half, dim=1).load(cfg.operand_k)
        high_keys = k_blocks.buffers.slice(half, half, dim=1).load(cfg.operand_k)
        v_blocks.buffers.store(tile)
        k_blocks = k_blocks.next_if(i < last - 1)
        tile = k_blocks.load(work.keys, True)
        acc = scaled_down(state.softmax.acc, correction, cfg)
        low = mfma(queries.tile, low_keys, gl.zeros([cfg.block_m, half], gl.float32, cfg.acc))
        second = gl.exp2(state.second, flush_denormals=True)
        gl.sched_barrier(computed=[second, low])
        high = mfma(queries.tile, high_keys, gl.zeros([cfg.block_m, half], gl.float32, cfg.acc))
        p, row_sum = end_probabilities(state.first, second, state.softmax.row_sum, correction, queries.tile.dtype, cfg)
        scores = gl.join(low, high).permute(0, 2, 1).reshape(cfg.block_m, cfg.block_n)
        scores = gl.convert_layout(scores, cfg.acc)
        v_operand = v_blocks.buffers.load(cfg.operand_v)
        k_blocks.buffers.store(tile)
        tile = v_blocks.load(work.keys, True)
        v_blocks = v_blocks.next()
        new_max = raised_maxima(scores, row_max, queries.scale)
        acc = mfma(p, v_operand, acc)
        correction = factor_of_sums(row_max, new_max)
        first, second = begin_probabilities(scores, new_max, queries.scale, cfg)
        gl.sched_barrier(computed=[first, second])
        state = State(Softmax(acc, new_max, row_sum), first, second, correction)
    v_blocks.buffers.store(tile)
    acc, row_sum = finish(state, v_blocks.buffers, cfg)
    store_output(acc, row_sum, out, work, strides.out, cfg)


def config_of_gemm(k, order):
    """The compile-time parameters for operands with K = `k` and rows as in `order`, an element of ORDERS."""
    a_rows, b_rows = order
    plan = CdnaPlan(TILE, *choose_variant(TILE, k, 16, "CDNA3 copies 4 bytes per lane straight into LDS", LDS))
    return configure(plan, TARGET, gl.float16, LDS, k, a_rows, not b_rows)


def strides_of(m, n, k, order):
    """The strides of A, B and C."""
    a_rows, b_rows = order
    return (k, 1) if a_rows else (1, m), (n, 1) if b_rows else (1, k), (n, 1)


def config_of_attention(head_size):
    """The compile-time parameters for float16 and whole blocks of keys."""
    return configure_attention(TARGET, gl.float16, head_size, False, False, WARPS, has_whole_blocks=True)


def problem_of(heads, queries, keys, head_size):
    """Returns the strides of contiguous arrays [1, heads, rows, head size], and the sizes of the problem."""

    def strides(rows):
        return heads * rows * head_size, rows * head_size, head_size, 1

    rows = AttentionStrides(strides(queries), strides(keys), strides(keys), strides(queries))
    return rows, AttentionProblem(heads, 1, queries, keys, head_size**-0.5 * 1.4426950408889634)


def matmul(a, b, schedule="auto"):
    """Returns a @ b as float32, for row-major float16 arrays; they may be NumPy arrays, for the emulator."""
    (m, k), n = a.shape, b.shape[1]
    order, c = ORDERS["A B"], np.empty((m, n), np.float32)
    grid = (hocket.cdiv(m, TILE.m) * hocket.cdiv(n, TILE.n),)
    arguments = a, b, c, *strides_of(m, n, k, order), m, n, k
    gemm[grid](*arguments, cfg=config_of_gemm(k, order), HOW=schedule, num_warps=TILE.num_warps)
    return c


def attention(q, k, v, schedule="auto"):
    """Returns attention of float16 arrays [1, heads, rows, head size]; they may be NumPy arrays, for the emulator. The
    number of keys is a multiple of KEYS_PER_BLOCK, at least two of them."""
    _, heads, queries, head_size = q.shape
    keys = k.shape[2]
    if keys % KEYS_PER_BLOCK or keys < 2 * KEYS_PER_BLOCK:
        raise ValueError(f"{keys} keys are not two or more blocks of {KEYS_PER_BLOCK}")
    cfg, out = config_of_attention(head_size), np.empty_like(q)
    strides, problem = problem_of(heads, queries, keys, head_size)
    grid = hocket.cdiv(queries, cfg.block_m), heads
    attention_kernel[grid](q, k, v, out, strides, problem, cfg=cfg, HOW=schedule, num_warps=WARPS)
    return out


def compiled_gemm(schedule, order, size=4096, **options):
    """Compiles the GEMM, without a GPU; with the schedule "written", the kernel of `hocket.kernels.matmul`."""
    arrays, strides, sizes = [gl.float16] * 3, strides_of(size, size, size, order), [size] * 3
    options |= {"cfg": config_of_gemm(size, order), "num_warps": TILE.num_warps, "target": TARGET}
    if schedule == "written":
        return matmul_pipelined_registers.warmup(*arrays, None, *strides, (0, 0, 0), *sizes, **options)
    return gemm.warmup(*arrays, *strides, *sizes, HOW=schedule, **options)


def compiled_attention(schedule, head_size, keys=4096, **options):
    """Compiles attention, without a GPU; with the schedule "written", the kernel of `hocket.kernels.attention`."""
    arguments = *[gl.float16] * 4, *problem_of(16, keys, keys, head_size)
    options |= {"cfg": config_of_attention(head_size), "num_warps": WARPS, "target": TARGET}
    if schedule == "written":
        return attention_pipelined_registers.warmup(*arguments, **options)
    return attention_kernel.warmup(*arguments, HOW=schedule, **options)


def clocks_of(kernel):
    """Clocks of an iteration by the schedule model of the machine code."""
    schedule = kernel.report().schedule
    assert schedule, "the report on an AMD kernel has a schedule"
    return schedule.clocks


def main():
    print("clocks of an iteration     plain  auto  written")
    for name, order in ORDERS.items():
        plain, auto, written = (clocks_of(compiled_gemm(how, order)) for how in (None, "auto", "written"))
        print(f"{name:<26} {plain:5.0f} {auto:5.0f} {written:8.0f}")
    for size in HEAD_SIZES:
        plain, auto, written = (clocks_of(compiled_attention(how, size)) for how in (None, "auto", "written"))
        print(f"attention, head size {size:<5} {plain:5.0f} {auto:5.0f} {written:8.0f}")


if __name__ == "__main__":
    main()
