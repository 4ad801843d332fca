"""Measures the CPU time to compile a kernel of 300 lines, and vector add, with an empty cache, for each target.

python benchmarks/long_kernel.py [TARGET ...] [--stages] [--json FILE]      --stages: time of each pass

The kernel fuses the small steps of a transformer layer: a residual and its normalization, rotary positions of queries
and keys, routing to experts, a gated activation, outputs in float8 with scales, losses.
"""

from __future__ import annotations

import argparse
import inspect
import os
import statistics
import time

from results import CPU_TIME, NO_INPUTS, Results

import hocket
from hocket import language as gl


def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = i < n
    gl.store(out + i, gl.load(x + i, mask=mask) + gl.load(y + i, mask=mask), mask=mask)


@hocket.jit
def larger(a, b):
    return gl.maximum(a, b)


def layer_step(
    x_ptr,
    residual_ptr,
    norm_weight_ptr,
    norm_bias_ptr,
    query_ptr,
    key_ptr,
    cosine_ptr,
    sine_ptr,
    gate_ptr,
    up_ptr,
    router_ptr,
    targets_ptr,
    out_ptr,
    query_out_ptr,
    key_out_ptr,
    hidden_ptr,
    hidden_scale_ptr,
    probability_ptr,
    expert_ptr,
    loss_ptr,
    norm_loss_ptr,
    count_ptr,
    rows,
    columns,
    stride,
    epsilon,
    limit,
    smoothing,
    ROWS: gl.constexpr,
    COLUMNS: gl.constexpr,
    EXPERTS: gl.constexpr,
):
    # Offsets of this block's elements.
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, gl.num_lanes()], [gl.num_warps(), 1], [1, 0])
    row_layout: gl.constexpr = gl.SliceLayout(1, layout)
    column_layout: gl.constexpr = gl.SliceLayout(0, layout)
    first_row = gl.program_id(0) * ROWS
    row = first_row + gl.arange(0, ROWS, layout=row_layout)
    column = gl.arange(0, COLUMNS, layout=column_layout)
    is_row = row < rows
    is_column = column < columns
    mask = is_row[:, None] & is_column[None, :]
    offsets = row[:, None] * stride + column[None, :]
    inverse_columns = 1.0 / columns.to(gl.float32)

    # The residual is added in float32, and stored.
    x = gl.load(x_ptr + offsets, mask=mask, other=0.0).to(gl.float32)
    residual = gl.load(residual_ptr + offsets, mask=mask, other=0.0).to(gl.float32)
    x = x + residual
    gl.store(residual_ptr + offsets, x.to(gl.bfloat16), mask=mask)

    # Normalization: mean and variance of each row in two passes over registers.
    mean = gl.sum(x, axis=1) * inverse_columns
    centered = gl.where(mask, x - mean[:, None], 0.0)
    variance = gl.sum(centered * centered, axis=1) * inverse_columns
    inverse_deviation = gl.rsqrt(variance + epsilon)
    norm_weight = gl.load(norm_weight_ptr + column, mask=is_column, other=0.0).to(gl.float32)
    norm_bias = gl.load(norm_bias_ptr + column, mask=is_column, other=0.0).to(gl.float32)
    normalized = centered * inverse_deviation[:, None]
    normalized = normalized * norm_weight[None, :] + norm_bias[None, :]
    normalized = gl.where(mask, normalized, 0.0)
    gl.store(out_ptr + offsets, normalized.to(gl.bfloat16), mask=mask)

    # Distance of each row from a normalized row: |variance - 1| + |mean|.
    distance = gl.abs(variance - 1.0) + gl.abs(mean)
    distance = gl.where(is_row, distance, 0.0)
    norm_loss = gl.sum(distance, axis=0)
    gl.atomic_add(norm_loss_ptr, norm_loss)

    # Rotary positions: the halves of queries are rotated by the angle of their row.
    half = columns // 2
    is_low = column < half
    partner = gl.where(is_low, column + half, column - half)
    partner_mask = is_row[:, None] & (partner < columns)[None, :] & is_column[None, :]
    partner_offsets = row[:, None] * stride + partner[None, :]
    angle = gl.where(is_low, column, column - half)
    angle_offsets = row[:, None] * half + angle[None, :]
    cosine = gl.load(cosine_ptr + angle_offsets, mask=mask, other=1.0)
    sine = gl.load(sine_ptr + angle_offsets, mask=mask, other=0.0)
    sine = gl.where(is_low[None, :], -sine, sine)
    query = gl.load(query_ptr + offsets, mask=mask, other=0.0).to(gl.float32)
    query_partner = gl.load(query_ptr + partner_offsets, mask=partner_mask, other=0.0).to(gl.float32)
    turned_query = query * cosine + query_partner * sine
    query_norm = gl.sqrt(gl.sum(turned_query * turned_query, axis=1) * inverse_columns + epsilon)
    turned_query = turned_query / query_norm[:, None]
    gl.store(query_out_ptr + offsets, turned_query.to(gl.bfloat16), mask=mask)

    # Rotary positions of keys.
    key = gl.load(key_ptr + offsets, mask=mask, other=0.0).to(gl.float32)
    key_partner = gl.load(key_ptr + partner_offsets, mask=partner_mask, other=0.0).to(gl.float32)
    turned_key = key * cosine + key_partner * sine
    key_norm = gl.sqrt(gl.sum(turned_key * turned_key, axis=1) * inverse_columns + epsilon)
    turned_key = turned_key / key_norm[:, None]
    gl.store(key_out_ptr + offsets, turned_key.to(gl.bfloat16), mask=mask)

    # Score of each query with the key of its own row.
    own_score = gl.sum(turned_query * turned_key, axis=1)
    own_score = gl.where(is_row, own_score, 0.0)

    # The gate: silu for the lower half of the columns, gelu for the upper, both clipped.
    gate = gl.load(gate_ptr + offsets, mask=mask, other=0.0).to(gl.float32)
    up = gl.load(up_ptr + offsets, mask=mask, other=0.0).to(gl.float32)
    gate = gl.minimum(gl.maximum(gate, -limit), limit)
    up = gl.minimum(gl.maximum(up, -limit), limit)
    sigmoid = 1.0 / (1.0 + gl.exp(-gate))
    silu = gate * sigmoid
    cube = gate * gate * gate
    inner = 0.7978845608 * (gate + 0.044715 * cube)
    tanh = 2.0 / (1.0 + gl.exp(-2.0 * inner)) - 1.0
    gelu = 0.5 * gate * (1.0 + tanh)
    activated = gl.where(is_low[None, :], silu, gelu)
    hidden = activated * up * normalized
    hidden = gl.where(mask, hidden, 0.0)

    # Outputs of a row share a scale, a power of two.
    largest = gl.max(gl.abs(hidden), axis=1)
    largest = gl.maximum(largest, 1e-12)
    exponent = gl.ceil(gl.log2(largest / 448.0))
    scale = gl.exp2(exponent)
    inverse_scale = gl.exp2(-exponent)
    scaled = hidden * inverse_scale[:, None]
    scaled = gl.minimum(gl.maximum(scaled, -448.0), 448.0)
    gl.store(hidden_ptr + offsets, scaled.to(gl.float16), mask=mask)
    gl.store(hidden_scale_ptr + row, scale, mask=is_row)
    rounded = scaled.to(gl.float16).to(gl.float32) * scale[:, None]
    error = gl.where(mask, rounded - hidden, 0.0)
    squared_error = gl.sum(error * error, axis=1) * inverse_columns

    # Routing: logits of the experts are dot products with rows of the router.
    expert_layout: gl.constexpr = gl.BlockedLayout(
        [1, 1], [gl.num_lanes() // EXPERTS, EXPERTS], [gl.num_warps(), 1], [1, 0]
    )
    expert_row_layout: gl.constexpr = gl.SliceLayout(1, expert_layout)
    expert = gl.arange(0, EXPERTS, layout=gl.SliceLayout(0, expert_layout))
    logits = gl.zeros([ROWS, EXPERTS], gl.float32, expert_layout)
    for e in range(EXPERTS):
        weight = gl.load(router_ptr + e * stride + column, mask=is_column, other=0.0).to(gl.float32)
        logit = gl.sum(normalized * weight[None, :], axis=1)
        logit = gl.convert_layout(logit, expert_row_layout)
        logits = gl.where((expert == e)[None, :], logit[:, None], logits)

    # Softmax of the logits, and the best two experts, whose weights add up to one.
    expert_row = first_row + gl.arange(0, ROWS, layout=expert_row_layout)
    is_expert_row = expert_row < rows
    largest_logit = gl.max(logits, axis=1)
    weights = gl.exp(logits - largest_logit[:, None])
    total = gl.sum(weights, axis=1)
    probabilities = weights / total[:, None]
    log_total = gl.log(total) + largest_logit
    first_probability = gl.max(probabilities, axis=1)
    is_first = probabilities == first_probability[:, None]
    first_expert = gl.max(gl.where(is_first, expert[None, :], 0), axis=1)
    others = gl.where(expert[None, :] == first_expert[:, None], -1.0, probabilities)
    second_probability = gl.max(others, axis=1)
    is_second = others == second_probability[:, None]
    second_expert = gl.max(gl.where(is_second, expert[None, :], 0), axis=1)
    both = first_probability + second_probability
    first_weight = first_probability / both
    second_weight = second_probability / both
    gl.store(probability_ptr + expert_row * 2, first_weight, mask=is_expert_row)
    gl.store(probability_ptr + expert_row * 2 + 1, second_weight, mask=is_expert_row)
    gl.store(expert_ptr + expert_row * 2, first_expert, mask=is_expert_row)
    gl.store(expert_ptr + expert_row * 2 + 1, second_expert, mask=is_expert_row)

    # Number of rows of each expert.
    chosen = (expert[None, :] == first_expert[:, None]) | (expert[None, :] == second_expert[:, None])
    chosen = chosen & is_expert_row[:, None]
    counts = gl.sum(chosen.to(gl.int32), axis=0)
    gl.atomic_add(count_ptr + expert, counts)
    load = counts.to(gl.float32) / rows.to(gl.float32)
    mean_probability = gl.sum(gl.where(is_expert_row[:, None], probabilities, 0.0), axis=0)
    mean_probability = mean_probability / rows.to(gl.float32)
    balance_loss = gl.sum(load * mean_probability, axis=0) * EXPERTS
    log_total_loss = gl.sum(gl.where(is_expert_row, log_total * log_total, 0.0), axis=0)

    # Cross entropy of the normalized row with smoothed targets, as if the columns were classes.
    target = gl.load(targets_ptr + row, mask=is_row, other=0)
    top = gl.max(gl.where(mask, normalized, -1e30), axis=1)
    shifted = gl.where(mask, normalized - top[:, None], -1e30)
    exponentials = gl.exp(shifted)
    row_total = gl.sum(exponentials, axis=1)
    log_row_total = gl.log(row_total)
    is_target = column[None, :] == target[:, None]
    target_value = gl.sum(gl.where(is_target, shifted, 0.0), axis=1)
    mean_value = gl.sum(gl.where(mask, shifted, 0.0), axis=1) * inverse_columns
    entropy = log_row_total - (1.0 - smoothing) * target_value - smoothing * mean_value
    is_counted = is_row & (target >= 0)
    entropy = gl.where(is_counted, entropy, 0.0)

    # Gradient of the cross entropy with respect to x, clipped by `limit`. Elements larger than `epsilon` are stored.
    probability = exponentials / row_total[:, None]
    smoothed = gl.where(is_target, 1.0 - smoothing + smoothing * inverse_columns, smoothing * inverse_columns)
    gradient = gl.where(is_counted[:, None] & mask, probability - smoothed, 0.0)
    gradient_norm = gl.sqrt(gl.sum(gradient * gradient, axis=1) + epsilon)
    shrink = gl.minimum(limit / gradient_norm, 1.0)
    gradient = gradient * shrink[:, None]
    projected = gl.sum(gradient * normalized, axis=1) * inverse_columns
    gradient_mean = gl.sum(gradient, axis=1) * inverse_columns
    back = gradient - gradient_mean[:, None] - normalized * projected[:, None]
    back = back * inverse_deviation[:, None] * norm_weight[None, :]
    is_large = gl.abs(back) > epsilon
    gl.store(x_ptr + offsets, back.to(gl.bfloat16), mask=mask & is_large)

    # A running maximum of the scores over the rows of the block.
    running = gl.associative_scan(own_score, 0, larger)
    drift = gl.sum(gl.where(is_row, running - own_score, 0.0), axis=0)

    # Rows with a large deviation are normalized again, a few times.
    attempts = 0
    worst = gl.max(squared_error, axis=0)
    while attempts < 4:
        if worst < limit:
            break
        clipped = gl.minimum(gl.maximum(hidden, -limit), limit)
        hidden = clipped + (hidden - clipped) * 0.5
        difference = gl.where(mask, hidden - clipped, 0.0)
        squared_error = gl.sum(difference * difference, axis=1) * inverse_columns
        worst = gl.max(squared_error, axis=0)
        attempts += 1
    if attempts > 0:
        gl.store(hidden_ptr + offsets, (hidden * inverse_scale[:, None]).to(gl.float16), mask=mask)

    # Dropout: a hash of index and seed selects elements, and the kept ones are scaled.
    counter = offsets ^ (columns * 7919)
    counter = (counter ^ (counter >> 16)) * 0x45D9F3B
    counter = (counter ^ (counter >> 16)) * 0x45D9F3B
    counter = counter ^ (counter >> 16)
    uniform = (counter & 0xFFFFFF).to(gl.float32) * (1.0 / 16777216.0)
    is_kept = uniform >= smoothing
    kept = gl.where(is_kept, hidden / (1.0 - smoothing), 0.0)
    kept_count = gl.sum((is_kept & mask).to(gl.int32), axis=1)
    gl.atomic_add(count_ptr + EXPERTS, gl.sum(gl.where(is_row, kept_count, 0), axis=0))

    # The kept elements are added to the residual, with a gain per column that grows with the score of the row.
    confidence = 1.0 / (1.0 + gl.exp(-own_score))
    gain = norm_weight[None, :] * confidence[:, None]
    onward = kept * gain
    onward_mean = gl.sum(gl.where(mask, onward, 0.0), axis=1) * inverse_columns
    onward = gl.where(mask, onward - onward_mean[:, None], 0.0)
    onward_square = gl.sum(onward * onward, axis=1) * inverse_columns
    onward = onward * gl.rsqrt(onward_square + epsilon)[:, None]
    is_outlier = gl.abs(onward) > 4.0
    outliers = gl.sum((is_outlier & mask).to(gl.int32), axis=1)
    onward = gl.where(is_outlier, gl.where(onward > 0.0, 4.0, -4.0), onward)
    gl.store(query_ptr + offsets, onward.to(gl.bfloat16), mask=mask)

    # The larger element of each pair of adjacent ones.
    pairs = gl.reduce(onward.reshape([ROWS, COLUMNS // 2, 2]), 2, larger)
    pair_layout: gl.constexpr = pairs.type.layout
    pair_column = gl.arange(0, COLUMNS // 2, layout=gl.SliceLayout(0, pair_layout))
    pair_row = first_row + gl.arange(0, ROWS, layout=gl.SliceLayout(1, pair_layout))
    pair_mask = (pair_row < rows)[:, None] & (pair_column < half)[None, :]
    gl.store(key_ptr + pair_row[:, None] * stride + pair_column[None, :], pairs.to(gl.bfloat16), mask=pair_mask)
    pair_largest = gl.max(gl.where(pair_mask, pairs, -1e30), axis=1)
    pair_smallest = gl.min(gl.where(pair_mask, pairs, 1e30), axis=1)
    span = gl.convert_layout(pair_largest - pair_smallest, row_layout)
    span = gl.where(is_row, span, 0.0)
    pair_total = gl.convert_layout(gl.sum(gl.where(pair_mask, pairs, 0.0), axis=1), row_layout)

    # A histogram of magnitudes, by powers of two.
    magnitude = gl.abs(onward) + 1e-6
    bin = gl.floor(gl.log2(magnitude)).to(gl.int32) + 20
    bin = gl.minimum(gl.maximum(bin, 0), 31)
    is_in_bin = mask & ~is_outlier
    bins = gl.histogram(bin.ravel(), 32, mask=is_in_bin.ravel(), layout=gl.row_layout())
    bin_place = gl.arange(0, 32, layout=bins.type.layout)
    gl.atomic_add(count_ptr + EXPERTS + 2 + bin_place, bins)

    # Rows with many clipped elements are flagged.
    share = outliers.to(gl.float32) / gl.maximum(kept_count.to(gl.float32), 1.0)
    is_marked = (share > smoothing) & is_row
    marks = gl.where(is_marked, 1, 0)
    before = gl.cumsum(marks, 0) - marks
    marked = gl.sum(marks, axis=0)
    first_place = gl.atomic_add(count_ptr + EXPERTS + 1, marked)
    place = first_place + before
    gl.store(expert_ptr + rows * 2 + place, row, mask=is_marked & (place < rows))

    # The losses of the block.
    loss = gl.sum(entropy, axis=0)
    error_loss = gl.sum(gl.where(is_row, squared_error, 0.0), axis=0)
    if gl.program_id(0) == 0:
        gl.atomic_add(loss_ptr, loss + balance_loss)
    else:
        gl.atomic_add(loss_ptr, loss)
    gl.atomic_add(loss_ptr + 1, error_loss)
    gl.atomic_add(loss_ptr + 2, log_total_loss)
    gl.atomic_add(loss_ptr + 3, drift)
    gl.atomic_add(loss_ptr + 4, gl.max(share, axis=0))
    gl.atomic_add(loss_ptr + 5, gl.sum(span, axis=0))
    gl.atomic_add(loss_ptr + 6, gl.sum(gl.where(is_row, pair_total, 0.0), axis=0))
    confidence_loss = gl.sum(gl.where(is_row, confidence, 0.0), axis=0)
    gl.atomic_add(loss_ptr + 7, confidence_loss)
    score_loss = gl.sum(own_score * own_score, axis=0)
    gl.atomic_add(loss_ptr + 8, score_loss)
    spread_loss = gl.max(gl.where(is_row, inverse_deviation, 0.0), axis=0)
    gl.atomic_add(loss_ptr + 9, spread_loss)


ARRAYS = [gl.bfloat16] * 6 + [gl.float32] * 2 + [gl.bfloat16] * 3 + [gl.int32]
ARRAYS += [gl.bfloat16] * 3 + [gl.float16] + [gl.float32] * 2 + [gl.int32] + [gl.float32] * 2 + [gl.int32]
NUMBERS = [4096, 250, 256, 1e-5, 30.0, 0.1]


def compile_step(target, per_lane):
    """Compiles the long kernel for tiles of 4 rows, one for each of 4 warps, with `per_lane` elements of a row in each
    lane."""
    columns = per_lane * (64 if target.startswith("gfx") else 32)
    hocket.jit(layer_step).warmup(*ARRAYS, *NUMBERS, target=target, ROWS=4, COLUMNS=columns, EXPERTS=8)


def compile_add(target, _):
    hocket.jit(add).warmup(gl.float32, gl.float32, gl.float32, 1024, target=target, BLOCK=1024)


def milliseconds(compile, target, per_lane=0, rounds=9):
    """Returns the median CPU time of `compile`, in milliseconds. Each run compiles a new function."""
    compile(target, per_lane)  # the first compilation loads the back end
    samples = []
    for _ in range(rounds):
        begin = time.process_time()
        compile(target, per_lane)
        samples.append(1e3 * (time.process_time() - begin))
    return statistics.median(samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=["sm_80", "sm_90a", "gfx942", "gfx950"])
    parser.add_argument("--stages", action="store_true", help="print the time of each pass of one compilation")
    results = Results("long_kernel", inputs=NO_INPUTS, method=f"{CPU_TIME}; medians")
    results.add_option(parser)
    options = parser.parse_args()
    table = results.table("compile", "compile time of vector add and of a long kernel", "ms", better="lower")
    os.environ["HOCKET_CACHE_DIR"] = ""
    lines = len(inspect.getsource(layer_step).splitlines())
    for target in options.targets:
        spent = milliseconds(compile_add, target)
        table.add(f"{target} vector add", {"Hocket": spent}, target=target, kernel="vector add")
        print(f"{target:8} vector add {spent:6.1f} ms;  {lines} lines", end="")
        for per_lane in (4, 8, 16):
            spent = milliseconds(compile_step, target, per_lane)
            print(f", {per_lane} elements a lane {spent:6.1f} ms", end="", flush=True)
            case = {"target": target, "kernel": f"{lines} lines", "elements_per_lane": per_lane}
            table.add(f"{target} {lines} lines, {per_lane} elements a lane", {"Hocket": spent}, **case)
        print()
        if options.stages:
            os.environ["HOCKET_TIMING"] = "1"
            compile_step(target, 8)
            del os.environ["HOCKET_TIMING"]
    results.save(options)


if __name__ == "__main__":
    main()
