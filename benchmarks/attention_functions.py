"""Measures attention with functions for scores and masks, beside FlexAttention compiled by PyTorch, on a Hopper GPU.

    python benchmarks/attention_functions.py
    python benchmarks/attention_functions.py --only "causal,soft cap" --size 64 --sequence 8192

The functions are those of examples/attention_mods.py. Documents have drawn lengths. TFLOP/s count the pairs of queries
and keys that the mask lets see each other. Each result is compared with FlexAttention's before it is timed.
"""

from __future__ import annotations

import argparse
import functools
import pathlib
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))

import attention_mods as mods

from hocket.kernels import attention, attention_block_mask

#: Largest difference of bfloat16 results from FlexAttention's.
TOLERANCE = 0.06
WINDOW, CAP, DOCUMENTS = 1024, 20.0, 12


class Case(NamedTuple):
    """Functions of Hocket with their arguments, and those of FlexAttention. None: no such function."""

    score_mod: Any
    mask_mod: Any
    mod_args: tuple
    flex_score: Any
    flex_mask: Any


def cases_of(heads: int, length: int) -> dict[str, Case]:
    """Returns the cases for sequences of `length` tokens."""
    starts = torch.randperm(length)[:DOCUMENTS]
    document = torch.zeros(length, dtype=torch.int32).index_fill_(0, starts, 1).cumsum(0).int().cuda()
    slope = (2.0 ** (-8 * torch.arange(1, heads + 1) / heads)).float().cuda()

    def causal(b, h, i, j):
        return j <= i

    def window(b, h, i, j):
        return (j <= i) & (i - j < WINDOW)

    def same_document(b, h, i, j):
        return (document[i] == document[j]) & (j <= i)

    def alibi(s, b, h, i, j):
        return s + slope[h] * (j - i)

    def soft_cap(s, b, h, i, j):
        return CAP * torch.tanh(s / CAP)

    return {
        "causal": Case(None, mods.causal, (), None, causal),
        f"window {WINDOW}": Case(None, mods.sliding_window, (WINDOW,), None, window),
        "documents": Case(None, mods.same_document, (document,), None, same_document),
        "ALiBi": Case(mods.alibi, None, (slope,), alibi, None),
        "soft cap": Case(mods.soft_cap, None, (CAP,), soft_cap, None),
    }


def seen_share(mask: Any, length: int) -> float:
    """Returns the share of pairs of queries and keys that see each other."""
    if mask is None:
        return 1.0
    index = torch.arange(length, device="cuda")
    return mask(0, 0, index[:, None], index[None, :]).float().mean().item()


def rivals_of(name: str, case: Case, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> dict[str, Callable]:
    """Returns the functions to be timed."""
    length = q.shape[2]
    torch._dynamo.reset()
    flex = torch.compile(flex_attention, dynamic=False)
    ours = functools.partial(
        attention, q, k, v, score_mod=case.score_mod, mask_mod=case.mask_mod, mod_args=case.mod_args
    )
    rivals = {"Hocket": ours}
    flex_blocks = None
    if case.mask_mod is not None:
        blocks = attention_block_mask(case.mask_mod, None, None, length, length, like=q, mod_args=case.mod_args)
        rivals = {"Hocket": functools.partial(ours, block_mask=blocks), "Hocket, no block mask": ours}
        flex_blocks = create_block_mask(case.flex_mask, None, None, length, length, device="cuda")
    if name == "causal":
        rivals["Hocket, causal=True"] = functools.partial(attention, q, k, v, causal=True)
    rivals["FlexAttention"] = functools.partial(flex, q, k, v, score_mod=case.flex_score, block_mask=flex_blocks)
    return rivals


def check(title: str, rivals: dict[str, Callable]) -> None:
    """Ends the benchmark if a result differs from FlexAttention's."""
    expected = rivals["FlexAttention"]().float()
    for name, run in rivals.items():
        error = (run().float() - expected).abs().max().item()
        if not error < TOLERANCE:
            raise SystemExit(f"{title}: the result of {name} differs from FlexAttention's by {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--sequence", type=int, default=4096)
    parser.add_argument("--size", default="64,128", help="head sizes")
    parser.add_argument("--only", default="", help="names of cases; default: all")
    results = Results("attention_functions", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    torch.manual_seed(0)
    shape = options.batch, options.heads, options.sequence
    title = f"attention with functions, bfloat16 {'x'.join(map(str, shape))}"
    ours = "Hocket", "Hocket, no block mask", "Hocket, causal=True"
    table = results.table("mods", title, "TFLOP/s", ours=ours)
    for size in map(int, options.size.split(",")):
        q, k, v = (torch.randn(*shape, size, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        for name, case in cases_of(options.heads, options.sequence).items():
            if options.only and name not in options.only.split(","):
                continue
            rivals = rivals_of(name, case, q, k, v)
            check(f"{name}, D {size}", rivals)
            seconds = gpu_times(rivals, options.rounds)
            pairs = options.batch * options.heads * options.sequence**2 * seen_share(case.flex_mask, options.sequence)
            speeds = {rival: 4 * pairs * size / time / 1e12 for rival, time in seconds.items()}
            table.add(f"{name}, D {size}", speeds, seconds=seconds, head_size=size, function=name)
    table.show()
    results.save(options)


if __name__ == "__main__":
    main()
