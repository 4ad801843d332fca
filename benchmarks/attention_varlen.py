"""Compares `hocket.kernels.attention_varlen` with PyTorch's `varlen_attn`, cuDNN on a padded batch, and flash-attn-4,
if installed.

    python benchmarks/attention_varlen.py [--rounds 20] [--seed 0] [--json attention_varlen.json]

The rates are TFLOP/s of the forward pass in bfloat16: 4 x heads x D x the sum of queries x keys of all sequences, or
half of this number if causal. Each sequence has equal numbers of queries and keys. cuDNN also computes the rows of
padding, which do not count. Times are medians of interleaved runs with the L2 flushed. Inputs are normal-distributed.
Lengths of sequences are drawn: "uniform" between 1 and the longest length; "log-normal" with a median of 1/8 of the
longest length and a standard deviation of the logarithm of 1, at most the longest length; "equal" are all the longest
length. Decode rows have one query per sequence, and are GB/s of keys and values.
"""

import argparse

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from hocket.kernels import attention_varlen

try:
    from torch.nn.attention.varlen import varlen_attn
except ImportError:
    varlen_attn = None
try:
    from flash_attn.cute import flash_attn_varlen_func
except ImportError:
    flash_attn_varlen_func = None

#: Sequences, longest length, heads, heads of keys, D.
SHAPES = ((16, 4096, 16, 16, 128), (16, 4096, 32, 8, 128), (64, 2048, 32, 32, 64), (8, 16384, 32, 8, 128))
#: Sequences, longest context, heads, heads of keys, D, with one query each.
DECODE = ((16, 8192, 32, 8, 128), (64, 4096, 64, 8, 64))
DISTRIBUTIONS = ("uniform", "log-normal", "equal")


def draw_lengths(distribution, count, longest):
    if distribution == "equal":
        return torch.full((count,), longest)
    if distribution == "uniform":
        return torch.randint(1, longest + 1, (count,))
    return (torch.randn(count).exp() * (longest / 8)).long().clamp(1, longest)


def starts_of(lengths):
    return torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)]).to("cuda", torch.int32)


def rivals_of(arrays, lengths, starts, longest, causal):
    q, k, v = arrays
    out = torch.empty_like(q)
    ours = (*starts, *longest, out)
    rivals = {"Hocket": lambda: attention_varlen(q, k, v, *ours, causal=causal)}
    if varlen_attn is not None:
        repeat = q.shape[1] // k.shape[1]
        wide = [x.repeat_interleave(repeat, 1) for x in (k, v)] if repeat > 1 else [k, v]
        for name, operands in (("PyTorch", wide), ("PyTorch, GQA", [k, v])):
            for options in ({"is_causal": causal}, {"window_size": (-1, 0 if causal else -1)}):
                extra = {"enable_gqa": True} if name != "PyTorch" else {}
                call = lambda o=operands, s=options, e=extra: varlen_attn(q, *o, *starts, *longest, **s, **e)  # noqa: E731
                try:
                    call()
                except (TypeError, RuntimeError, ValueError):
                    continue
                rivals[name] = call
                break
    if flash_attn_varlen_func is not None:
        options = {"cu_seqlens_q": starts[0], "cu_seqlens_k": starts[1], "causal": causal}
        options |= {"max_seqlen_q": longest[0], "max_seqlen_k": longest[1]}
        rivals["flash-attn-4"] = lambda: flash_attn_varlen_func(q, k, v, **options)
    if longest[0] > 1:
        batch = [torch.zeros(len(lengths), longest[0], *x.shape[1:], dtype=x.dtype, device=x.device) for x in arrays]
        for i, length in enumerate(lengths.tolist()):
            begin = int(starts[0][i])
            for array, x in zip(batch, arrays, strict=True):
                array[i, :length] = x[begin : begin + length]
        batch = [x.transpose(1, 2) for x in batch]

        def by_cudnn():
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return scaled_dot_product_attention(*batch, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1])

        rivals["cuDNN, padded"] = by_cudnn
    return rivals


def check(result, arrays, starts, causal):
    """Stops if the longest sequence's result is wrong."""
    lengths = starts[0].diff()
    i = int(lengths.argmax())
    rows, keys = (slice(int(ends[i]), int(ends[i + 1])) for ends in starts)
    parts = [x[part].transpose(0, 1)[None] for x, part in zip(arrays, (rows, keys, keys), strict=True)]
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
        expected = scaled_dot_product_attention(
            *parts, is_causal=causal, enable_gqa=arrays[0].shape[1] != arrays[1].shape[1]
        )[0].transpose(0, 1)
    error = (result[rows].float() - expected.float()).abs().max().item()
    if not error < 0.02:
        raise SystemExit(f"Hocket and PyTorch differ by {error}")


def measure(table, shape, distribution, causal, is_decode, rounds):
    count, longest, heads, key_heads, size = shape
    lengths = draw_lengths(distribution, count, longest)
    starts = starts_of(lengths)
    query_starts = torch.arange(count + 1, device="cuda", dtype=torch.int32) if is_decode else starts
    rows, keys = int(query_starts[-1]), int(starts[-1])
    q = torch.randn(rows, heads, size, device="cuda", dtype=torch.bfloat16)
    k, v = (torch.randn(keys, key_heads, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    longest_q = 1 if is_decode else int(lengths.max())
    both = query_starts, starts
    rivals = rivals_of((q, k, v), lengths, both, (longest_q, int(lengths.max())), causal)
    check(rivals["Hocket"](), (q, k, v), both, causal)
    times = gpu_times(rivals, rounds)
    squares = int((lengths.double() * (1 if is_decode else lengths)).sum())
    work = 2 * 2 * keys * key_heads * size / 1e9
    if not is_decode:
        work = 4 * heads * size * squares / (2 if causal else 1) / 1e12
    words = "x".join(map(str, (count, longest, f"{heads}/{key_heads}", size)))
    table.add(
        " ".join([words, distribution, *(["causal"] if causal else [])]),
        {name: work / seconds for name, seconds in times.items()},
        seconds=times,
        lengths=distribution,
        causal=causal,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of lengths and inputs")
    results = Results("attention_varlen", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    table = results.table("forward", "attention_varlen", "TFLOP/s", ours=("Hocket",))
    for shape in SHAPES:
        for distribution in DISTRIBUTIONS:
            for causal in (False, True):
                measure(table, shape, distribution, causal, False, options.rounds)
    table.show()
    table = results.table("decode", "attention_varlen, decode", "GB/s", ours=("Hocket",))
    for shape in DECODE:
        for distribution in DISTRIBUTIONS:
            measure(table, shape, distribution, False, True, options.rounds)
    table.show()
    results.save(options)


if __name__ == "__main__":
    main()
