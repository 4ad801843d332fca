"""Compares `hocket.kernels.attention_varlen` with PyTorch's `varlen_attn`, cuDNN on a padded batch, and flash-attn-4,
if installed.

    python benchmarks/attention_varlen.py [--rounds 20] [--seed 0] [--backward] [--masks full window]
        [--shapes 0 2] [--lengths uniform] [--tables decode] [--without flash-attn-4] [--json attention_varlen.json]

The rates are TFLOP/s of the forward pass in bfloat16: 4 x heads x D x the sum of queries x keys of all sequences, or
half of this number if causal. Each sequence has equal numbers of queries and keys. cuDNN also computes the rows of
padding, which do not count. Times are medians of interleaved runs with the L2 flushed. Inputs are normal-distributed.
Lengths of sequences are drawn: "uniform" between 1 and the longest length; "log-normal" with a median of 1/8 of the
longest length and a standard deviation of the logarithm of 1, at most the longest length; "equal" are all the longest
length. Decode rows have one query per sequence, and are GB/s of keys and values. The keys of paged rows lie in pages in
random order; PyTorch first copies the pages of all sequences one after another. Rows with a window, which are measured
if `--masks` lists them, have a causal window of 1024 keys; for each query, only the keys in its window count.
flash-attn-4 compiles its kernels when they are called for the first time; `--without` leaves out peers.

`--backward` measures the gradients of queries, keys and values instead, which count as 10 x heads x D x the sum of
queries x keys of all sequences, or half of this number if causal.
"""

import argparse

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from hocket.kernels import attention_paged, attention_varlen, attention_varlen_backward

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
#: Numbers of keys of a page.
PAGES = (1, 16, 64, 128, 256)
MASKS = ("full", "causal", "window")
PEERS = ("PyTorch", "flash-attn-4", "cuDNN")
TABLES = ("prefill", "decode", "paged")
DISTRIBUTIONS = ("uniform", "log-normal", "equal")


#: Peers that `--without` does not leave out.
PEERS_IN_USE = set(PEERS)


def draw_lengths(distribution, count, longest):
    if distribution == "equal":
        return torch.full((count,), longest)
    if distribution == "uniform":
        return torch.randint(1, longest + 1, (count,))
    return (torch.randn(count).exp() * (longest / 8)).long().clamp(1, longest)


def starts_of(lengths):
    return torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)]).to("cuda", torch.int32)


def peers_of(arrays, lengths, starts, longest, causal, window=None):
    """Returns a function of q, k and v, and these tensors, for each peer. `window`: number of keys before a query that
    it sees, or None."""
    q, k, v = arrays
    peers = {}
    if varlen_attn is not None and "PyTorch" in PEERS_IN_USE:
        repeat = q.shape[1] // k.shape[1]
        wide = [x.repeat_interleave(repeat, 1) for x in (k, v)] if repeat > 1 else [k, v]
        for name, operands in (("PyTorch", wide), ("PyTorch, GQA", [k, v])):
            forms = ({"is_causal": causal}, {"window_size": (-1, 0 if causal else -1)})
            for options in forms if window is None else ({"window_size": (window, 0)},):
                extra = {"enable_gqa": True} if name != "PyTorch" else {}
                call = lambda q, k, v, s=options, e=extra: varlen_attn(q, k, v, *starts, *longest, **s, **e)  # noqa: E731
                try:
                    call(q, *operands)
                except (TypeError, RuntimeError, ValueError):
                    continue
                peers[name] = call, (q, *operands)
                break
    if flash_attn_varlen_func is not None and "flash-attn-4" in PEERS_IN_USE:
        options = {"cu_seqlens_q": starts[0], "cu_seqlens_k": starts[1], "causal": causal}
        if window is not None:
            options["window_size"] = window, 0
        options |= {"max_seqlen_q": longest[0], "max_seqlen_k": longest[1]}
        peers["flash-attn-4"] = lambda q, k, v: flash_attn_varlen_func(q, k, v, **options), arrays
    if longest[0] > 1 and window is None and "cuDNN" in PEERS_IN_USE:
        batch = [torch.zeros(len(lengths), longest[0], *x.shape[1:], dtype=x.dtype, device=x.device) for x in arrays]
        for i, length in enumerate(lengths.tolist()):
            begin = int(starts[0][i])
            for array, x in zip(batch, arrays, strict=True):
                array[i, :length] = x[begin : begin + length]

        def by_cudnn(q, k, v):
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1])

        peers["cuDNN, padded"] = by_cudnn, [x.transpose(1, 2) for x in batch]
    return peers


def rivals_of(arrays, lengths, starts, longest, causal, window):
    out = torch.empty_like(arrays[0])
    options = {"causal": causal, "window": None if window is None else (window, 0)}
    rivals = {"Hocket": lambda: attention_varlen(*arrays, *starts, *longest, out, **options)}
    for name, (function, operands) in peers_of(arrays, lengths, starts, longest, causal, window).items():
        rivals[name] = lambda f=function, o=operands: f(*o)
    return rivals


def rivals_of_backward(arrays, do, lengths, starts, longest, causal, window):
    options = {"causal": causal, "window": None if window is None else (window, 0)}
    out, lse = attention_varlen(*arrays, *starts, *longest, **options, return_lse=True)
    rivals = {"Hocket": lambda: attention_varlen_backward(do, *arrays, out, lse, *starts, **options)}
    for name, (function, operands) in peers_of(arrays, lengths, starts, longest, causal, window).items():
        leaves = [x.detach().requires_grad_() for x in operands]
        try:
            result = function(*leaves)
            # flash-attn-4 also returns the logarithms of the sums of exponentials.
            result = result[0] if isinstance(result, tuple) else result
            operands = result, leaves, torch.randn_like(result)
            run = lambda o=operands: torch.autograd.grad(*o, retain_graph=True)  # noqa: E731
            run()
        except (TypeError, RuntimeError, ValueError) as error:
            print(f"{name} has no gradients: {str(error).splitlines()[0]}")
            continue
        rivals[name] = run
    return rivals


def of_longest(arrays, starts):
    """Returns q, k and v of the longest sequence, as [1, heads, rows, D], and its rows of queries and of keys."""
    i = int(starts[0].diff().argmax())
    rows, keys = (slice(int(ends[i]), int(ends[i + 1])) for ends in starts)
    return [x[part].transpose(0, 1)[None] for x, part in zip(arrays, (rows, keys, keys), strict=True)], rows, keys


def attention_of_one(parts, causal, window):
    mask = None
    if window is not None:
        mask = torch.ones(parts[0].shape[2], parts[1].shape[2], dtype=torch.bool, device="cuda").tril().triu(-window)
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        repeat = parts[0].shape[1] // parts[1].shape[1]
        q, k, v = parts[0], *(x.repeat_interleave(repeat, 1) if repeat > 1 else x for x in parts[1:])
        return scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal and mask is None)


def check(result, arrays, starts, causal, window):
    """Stops if the longest sequence's result is wrong."""
    parts, rows, _ = of_longest(arrays, starts)
    expected = attention_of_one(parts, causal, window)[0].transpose(0, 1)
    error = (result[rows].float() - expected.float()).abs().max().item()
    if not error < 0.02:
        raise SystemExit(f"Hocket and PyTorch differ by {error}")


def check_gradients(results, arrays, do, starts, causal, window):
    """Stops if the gradients of the longest sequence are wrong."""
    parts, rows, keys = of_longest(arrays, starts)
    leaves = [x.detach().requires_grad_() for x in parts]
    expected = torch.autograd.grad(attention_of_one(leaves, causal, window), leaves, do[rows].transpose(0, 1)[None])
    for name, result, gradient, part in zip("qkv", results, expected, (rows, keys, keys), strict=True):
        gradient = gradient[0].transpose(0, 1).float()
        error = (result[part].float() - gradient).abs().max() / gradient.abs().max()
        if not error < 0.02:
            raise SystemExit(f"the gradients of {name} by Hocket and PyTorch differ by {error:.3f} of the largest")


def measure(table, shape, distribution, causal, is_decode, options, window=None):
    count, longest, heads, key_heads, size = shape
    lengths = draw_lengths(distribution, count, longest)
    starts = starts_of(lengths)
    query_starts = torch.arange(count + 1, device="cuda", dtype=torch.int32) if is_decode else starts
    rows, keys = int(query_starts[-1]), int(starts[-1])
    q, do = (torch.randn(rows, heads, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    k, v = (torch.randn(keys, key_heads, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    longest_q = 1 if is_decode else int(lengths.max())
    case = lengths, (query_starts, starts), (longest_q, int(lengths.max())), causal, window
    if options.backward:
        rivals = rivals_of_backward((q, k, v), do, *case)
        check_gradients(rivals["Hocket"](), (q, k, v), do, case[1], causal, window)
    else:
        rivals = rivals_of((q, k, v), *case)
        check(rivals["Hocket"](), (q, k, v), case[1], causal, window)
    times = gpu_times(rivals, options.rounds)
    # A query sees half of the keys on average if causal, or the keys of its window.
    squares = int((lengths.double() * (1 if is_decode else lengths)).sum()) / (2 if causal else 1)
    if window is not None:
        inside = lengths.clamp(max=window + 1).double()
        squares = int((inside * (inside + 1) / 2 + (lengths - inside) * inside).sum())
    work = 2 * 2 * keys * key_heads * size / 1e9
    if not is_decode:
        work = (10 if options.backward else 4) * heads * size * squares / 1e12
    words = "x".join(map(str, (count, longest, f"{heads}/{key_heads}", size)))
    table.add(
        " ".join([words, distribution, *(["causal"] if causal else []), *([f"window {window}"] if window else [])]),
        {name: work / seconds for name, seconds in times.items()},
        seconds=times,
        lengths=distribution,
        causal=causal,
        window=window,
    )


def in_pages(arrays, lengths, starts, page):
    """Returns pages of keys and of values in random order, and the block table."""
    counts = (lengths + page - 1) // page
    order = torch.randperm(int(counts.sum()))
    table = torch.zeros(len(lengths), int(counts.max()), dtype=torch.int32)
    rows = torch.zeros(len(order), page, dtype=torch.long)
    used = 0
    for i, (count, length) in enumerate(zip(counts.tolist(), lengths.tolist(), strict=True)):
        table[i, :count] = own = order[used : used + count].int()
        rows[own.long()] = int(starts[i]) + torch.arange(count * page).clamp(max=length - 1).reshape(count, page)
        used += count
    return [x[rows.cuda()] for x in arrays], table.cuda()


def measure_paged(table, shape, distribution, page, options):
    """Measures one query per sequence. Results are compared with those of `attention_varlen`."""
    count, longest, heads, key_heads, size = shape
    lengths = draw_lengths(distribution, count, longest)
    starts, query_starts = starts_of(lengths), torch.arange(count + 1, device="cuda", dtype=torch.int32)
    q = torch.randn(count, heads, size, device="cuda", dtype=torch.bfloat16)
    k, v = (torch.randn(int(starts[-1]), key_heads, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    pages, blocks = in_pages((k, v), lengths, starts, page)
    key_lengths, out = lengths.to("cuda", torch.int32), torch.empty_like(q)
    rivals = {"Hocket": lambda: attention_paged(q, *pages, blocks, key_lengths, query_starts, 1, out)}
    expected = attention_varlen(q, k, v, query_starts, starts, 1, int(lengths.max()))
    error = (rivals["Hocket"]().float() - expected.float()).abs().max().item()
    if not error < 0.02:
        raise SystemExit(f"paged and packed keys differ by {error}")
    rivals["Hocket, packed keys"] = lambda: attention_varlen(q, k, v, query_starts, starts, 1, int(lengths.max()), out)
    case = lengths, (query_starts, starts), (1, int(lengths.max())), False
    peers = peers_of((q, k, v), *case)
    if "PyTorch, GQA" in peers or "PyTorch" in peers:
        function = peers.get("PyTorch, GQA", peers.get("PyTorch"))[0]
        rows = torch.cat([blocks[i, : -(-n // page)].long() for i, n in enumerate(lengths.tolist())])
        inside = torch.cat([torch.arange(-(-n // page) * page) < n for n in lengths.tolist()]).cuda().nonzero()[:, 0]
        repeat = 1 if "PyTorch, GQA" in peers else heads // key_heads

        def gathered(x):
            packed = x[rows].flatten(0, 1)[inside]
            return packed.repeat_interleave(repeat, 1) if repeat > 1 else packed

        rivals["PyTorch, gathered"] = lambda: function(q, gathered(pages[0]), gathered(pages[1]))
    if flash_attn_varlen_func is not None and "flash-attn-4" in PEERS_IN_USE:
        arguments = {"cu_seqlens_q": query_starts, "max_seqlen_q": 1, "max_seqlen_k": int(lengths.max())}
        arguments |= {"seqused_k": key_lengths, "page_table": blocks}
        run = lambda: flash_attn_varlen_func(q, *pages, **arguments)  # noqa: E731
        try:
            run()
            rivals["flash-attn-4"] = run
        except Exception as error:
            print(f"flash-attn-4 has no pages of {page}: {str(error).splitlines()[:1]}")
    times = gpu_times(rivals, options.rounds)
    work = 2 * 2 * int(starts[-1]) * key_heads * size / 1e9
    words = "x".join(map(str, (count, longest, f"{heads}/{key_heads}", size)))
    table.add(
        f"{words} {distribution} pages of {page}",
        {name: work / seconds for name, seconds in times.items()},
        seconds=times,
        lengths=distribution,
        page=page,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of lengths and inputs")
    parser.add_argument("--backward", action="store_true", help="measure the gradients instead of the forward pass")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES, help="tables of the forward pass")
    parser.add_argument("--masks", nargs="+", choices=MASKS, default=MASKS[:2], help="window: the last 1024 keys")
    parser.add_argument("--without", nargs="+", choices=PEERS, default=(), help="peers to leave out")
    parser.add_argument("--shapes", type=int, nargs="+", default=range(len(SHAPES)), help="indices of SHAPES")
    parser.add_argument("--lengths", nargs="+", choices=DISTRIBUTIONS, default=DISTRIBUTIONS, help="distributions")
    results = Results("attention_varlen", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    for name in options.without:
        PEERS_IN_USE.discard(name)
    torch.manual_seed(options.seed)
    kind = "backward" if options.backward else "forward"
    if "prefill" in options.tables or options.backward:
        table = results.table(kind, f"attention_varlen {kind}", "TFLOP/s", ours=("Hocket",))
        for shape in [SHAPES[i] for i in options.shapes]:
            for distribution in options.lengths:
                for mask in options.masks:
                    window = 1023 if mask == "window" else None
                    measure(table, shape, distribution, mask != "full", False, options, window)
        table.show()
    if "decode" in options.tables and not options.backward:
        table = results.table("decode", "attention_varlen, decode", "GB/s", ours=("Hocket",))
        for shape in DECODE:
            for distribution in options.lengths:
                measure(table, shape, distribution, False, True, options)
        table.show()
    if "paged" in options.tables and not options.backward:
        table = results.table("paged", "attention_paged, decode", "GB/s", ours=("Hocket", "Hocket, packed keys"))
        for shape in DECODE:
            for distribution in options.lengths:
                for page in PAGES:
                    measure_paged(table, shape, distribution, page, options)
        table.show()
    results.save(options)


if __name__ == "__main__":
    main()
