"""Attention for CDNA4 as a plain loop, whose warp pipeline the compiler forms.

The loop has the data flow of `hocket.kernels.attention`: an iteration computes the scores of a block of keys, and
multiplies the probabilities of the block before it by their values. The softmax of a block has two halves, and each of
them is independent of an MMA, beside which it can execute. For heads of 64 elements, MMAs compute the row sums, and a
branch raises the row max if the sums show that it is too small. `schedule` chooses:

    None      the loop as it is: both groups of warps execute the same code at the same time
    "auto"    stages that the compiler forms, with `gl.range(..., warp_pipeline="auto")`

    python plain_attention_cdna.py

prints the clocks of an iteration by the schedule model of the machine code, beside those of the stages that the kernel
of `hocket.kernels.attention` has, and the stages that the compiler formed. The model ranks schedules; it is not the
speed of any GPU.
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
from hocket.kernels._attention.kernel_cdna_narrow import (
    NarrowState,
    begin_narrow,
    compute_probabilities,
    finish_narrow,
    raise_where_needed,
)
from hocket.kernels._attention.kernel_cdna_pipelined import State, attention_pipelined_direct, begin, finish
from hocket.kernels._attention.layouts_cdna import KEYS_PER_BLOCK, configure
from hocket.kernels._attention.softmax_cdna import (
    Softmax,
    begin_probabilities,
    end_probabilities,
    exponential,
    powers_of,
    raise_maxima,
    scaled_down,
    score,
)
from hocket.language.amd.cdna4 import async_copy, mfma

#: Numbers of elements of a head for which the printed table compares schedules, and number of warps.
HEAD_SIZES, WARPS = (128, 64), 8
#: Number of copies of blocks that may be in flight at a wait.
IN_FLIGHT: gl.constexpr = 3


@hocket.jit
def attend_to_blocks(last, queries, state, k_blocks, v_blocks, cfg: gl.constexpr, HOW: gl.constexpr):
    """Multiplies blocks 0 to `last` - 1 of values. Returns the state before block `last`, and its ring position."""
    # The indices of the three buffers of a ring rotate, so LLVM need not compute them from `i`.
    current, following, filled = [k_blocks.buffers.position(i) for i in range(3)]
    for i in gl.range(last, warp_pipeline=HOW):
        correction, row_max = state.correction, state.softmax.row_max
        k_operand = k_blocks.buffer(following).load(cfg.operand_k)
        k_blocks.copy(current, 0, True)
        k_blocks = k_blocks.next_if(i < last - 3)
        async_copy.wait_group(IN_FLIGHT)
        acc = scaled_down(state.softmax.acc, correction, cfg)
        scores = score(queries.tile, k_operand, cfg)
        second = gl.exp2(state.second, flush_denormals=True)
        p, row_sum = end_probabilities(state.first, second, state.softmax.row_sum, correction, queries.tile.dtype, cfg)
        v_operand = v_blocks.buffer(current).load(cfg.operand_v)
        v_blocks.copy(filled, 0, True)
        v_blocks = v_blocks.next_if(i < last - 2)
        async_copy.wait_group(IN_FLIGHT)
        acc = mfma(p, v_operand, acc)
        row_max, correction = raise_maxima(scores, row_max, queries.scale)
        first, second = begin_probabilities(scores, row_max, queries.scale, cfg)
        # Both halves are complete before the next iteration, so the scores and the logarithms share registers.
        gl.sched_barrier(computed=[first, second])
        state = State(Softmax(acc, row_max, row_sum), first, second, correction)
        current, following, filled = following, filled, current
    return state, current


@hocket.jit
def attend_to_narrow_blocks(last, queries, state, k_blocks, v_blocks, cfg: gl.constexpr, HOW: gl.constexpr):
    """Works like `attend_to_blocks`, for heads of 64 elements."""
    current, following, filled = [k_blocks.buffers.position(i) for i in range(3)]
    for i in gl.range(last, warp_pipeline=HOW):
        k_operand = k_blocks.buffer(following).load(cfg.operand_k)
        k_blocks.copy(current, 0, True)
        k_blocks = k_blocks.next_if(i < last - 3)
        async_copy.wait_group(IN_FLIGHT)
        scores = score(queries.tile, k_operand, cfg)
        p, sums = compute_probabilities(state.first, state.high, queries.tile.dtype, cfg)
        v_operand = v_blocks.buffer(current).load(cfg.operand_v)
        v_blocks.copy(filled, 0, True)
        v_blocks = v_blocks.next_if(i < last - 2)
        async_copy.wait_group(IN_FLIGHT)
        p, softmax = raise_where_needed(p, sums, state.softmax, state.low, state.high, cfg)
        acc = mfma(p, v_operand, softmax.acc)
        low, high = powers_of(scores, softmax.row_max, queries.scale, cfg)
        state = NarrowState(Softmax(acc, softmax.row_max, softmax.row_sum), low, high, exponential(low))
        current, following, filled = following, filled, current
    return state, current


@hocket.jit
def attention_kernel(q, k, v, out, strides, problem, cfg: gl.constexpr, HOW: gl.constexpr):
    """softmax(scale x Q K^T) V for two blocks of keys or more, without a mask. The number of keys is a multiple of the
    block's. The copies begin in the order K 0, K 1, V 0, K 2, V 1, K 3, ..."""
    is_narrow: gl.constexpr = cfg.sum_acc is not None
    begin_state: gl.constexpr = begin_narrow if is_narrow else begin
    attend: gl.constexpr = attend_to_narrow_blocks if is_narrow else attend_to_blocks
    finish_state: gl.constexpr = finish_narrow if is_narrow else finish
    work = work_of_block(problem, cfg)
    k_blocks, v_blocks = blocks_of_keys(k, work, strides.k, 3, cfg), blocks_of_values(v, work, strides.v, 3, cfg)
    queries = load_queries(q, work, strides.q, problem.scale, cfg)
    last = number_of_blocks(work, cfg) - 1
    k_blocks.copy(0, 0, True)
    k_blocks = k_blocks.next()
    for i in gl.static_range(2):
        k_blocks.copy(i + 1, 0, True)
        v_blocks.copy(i, 0, True)
        k_blocks, v_blocks = k_blocks.next_if(i + 1 < last), v_blocks.next_if(i < last)
    async_copy.wait_group(IN_FLIGHT)
    state = begin_state(queries, k_blocks.buffer(0).load(cfg.operand_k), cfg)
    state, current = attend(last, queries, state, k_blocks, v_blocks, cfg, HOW)
    async_copy.wait_group(0)
    acc, row_sum = finish_state(state, v_blocks.buffer(current), cfg)
    store_output(acc, row_sum, out, work, strides.out, cfg)


def configured(head_size):
    """Returns the compile-time parameters for float16 and whole blocks of keys."""
    return configure("gfx950", gl.float16, head_size, False, True, WARPS, has_whole_blocks=True)


def problem_of(heads, queries, keys, head_size):
    """Returns the strides of contiguous arrays [1, heads, rows, head size], and the sizes of the problem."""

    def strides(rows):
        return heads * rows * head_size, rows * head_size, head_size, 1

    rows = AttentionStrides(strides(queries), strides(keys), strides(keys), strides(queries))
    return rows, AttentionProblem(heads, 1, queries, keys, head_size**-0.5 * 1.4426950408889634)


def attention(q, k, v, schedule="auto"):
    """Returns attention of float16 arrays [1, heads, rows, head size]; they may be NumPy arrays, for the emulator. The
    number of keys is a multiple of KEYS_PER_BLOCK, at least two of them."""
    _, heads, queries, head_size = q.shape
    keys = k.shape[2]
    if keys % KEYS_PER_BLOCK or keys < 2 * KEYS_PER_BLOCK:
        raise ValueError(f"{keys} keys are not two or more blocks of {KEYS_PER_BLOCK}")
    cfg, out = configured(head_size), np.empty_like(q)
    strides, problem = problem_of(heads, queries, keys, head_size)
    grid = hocket.cdiv(queries, cfg.block_m), heads
    attention_kernel[grid](q, k, v, out, strides, problem, cfg=cfg, HOW=schedule, num_warps=WARPS)
    return out


def compiled(schedule, head_size=128, keys=4096, **options):
    """Compiles the kernel for gfx950, without a GPU; with the schedule "written", the kernel of
    `hocket.kernels.attention`."""
    arguments = *[gl.float16] * 4, *problem_of(16, keys, keys, head_size)
    options |= {"cfg": configured(head_size), "num_warps": WARPS, "target": "gfx950"}
    if schedule == "written":
        return attention_pipelined_direct.warmup(*arguments, **options)
    return attention_kernel.warmup(*arguments, HOW=schedule, **options)


def clocks_of(kernel):
    """Clocks of an iteration by the schedule model of the machine code."""
    schedule = kernel.report().schedule
    assert schedule, "the report on an AMD kernel has a schedule"
    return schedule.clocks


def main():
    print("clocks of an iteration   plain  auto  written")
    for head_size in HEAD_SIZES:
        plain, auto, written = (clocks_of(compiled(how, head_size)) for how in (None, "auto", "written"))
        print(f"head size {head_size:<14} {plain:6.0f} {auto:5.0f} {written:8.0f}")
    print(compiled("auto").explain_schedule()[0])


if __name__ == "__main__":
    main()
