"""Launches the kernels with small inputs on a Hopper GPU, to run under compute-sanitizer, and checks the results.

    python benchmarks/sanitized.py                            # run this first, to compile the kernels without a tool
    compute-sanitizer --tool memcheck python benchmarks/sanitized.py
    compute-sanitizer --tool racecheck python benchmarks/sanitized.py
    compute-sanitizer --tool synccheck --num-cuda-barriers 65536 python benchmarks/sanitized.py

The default size of synccheck's table is too small for the mbarriers of all blocks of a launch. Arguments select topics:
attention, packed attention, matmul, epilogues, grouped matmul, block-scaled matmul, norms, staged norms. Needs PyTorch.
"""

from __future__ import annotations

import dataclasses
import math
import pathlib
import sys

import torch

from hocket.kernels import (
    attention,
    attention_backward,
    attention_paged,
    attention_varlen,
    attention_varlen_backward,
    grouped_matmul,
    matmul,
    matmul_scaled,
    norms,
)
from hocket.kernels._matmul import plan_block_scaled
from hocket.kernels._matmul.plan_hopper import TILES, choose_hopper_plan
from hocket.kernels.norms import launch
from hocket.kernels.norms.feasible import plans_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))

import epilogues

SHARED_BYTES = 227 * 1024


def draw(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    return torch.randn(shape, device="cuda").to(dtype)


def check(result: torch.Tensor, expected: torch.Tensor, tolerance: float) -> None:
    error = (result.float() - expected.float()).abs().max().item()
    assert error <= tolerance, f"off by {error}"


def run_attention() -> None:
    """Runs the attention kernel, which has ping-pong warpgroups, a producer warp and a dynamic tile scheduler."""
    n = 200
    for head_size in (64, 128):
        for causal in (False, True):
            q, k, v = draw(1, 2, n, head_size), draw(1, 1, n, head_size), draw(1, 1, n, head_size)
            scores = q.float() @ k.float().mT / math.sqrt(head_size)
            if causal:
                scores = scores.masked_fill(torch.ones(n, n, device="cuda").triu(1).bool(), -math.inf)
            check(attention(q, k, v, causal=causal), scores.softmax(-1) @ v.float(), 0.02)


def run_packed_attention() -> None:
    """Runs attention of packed sequences, one of them empty, its gradients, also with a window, and attention of the
    same keys in pages of 16 and of 1."""
    lengths = 70, 0, 1, 150
    starts = torch.tensor([0, 70, 70, 71, 221], dtype=torch.int32, device="cuda")
    for head_size in (64, 128):
        q, k, v = draw(221, 4, head_size), draw(221, 2, head_size), draw(221, 2, head_size)
        packed, lse = attention_varlen(q, k, v, starts, starts, 150, 150, causal=True, return_lse=True)
        do = draw(221, 4, head_size)
        gradients = attention_varlen_backward(do, q, k, v, packed, lse, starts, starts, causal=True)
        for first, last in zip(starts.tolist(), starts.tolist()[1:], strict=False):
            x, y, z, w = (t[first:last].transpose(0, 1)[None] for t in (q, k, v, do))
            if last > first:
                out, sums = attention(x, y, z, causal=True, return_lse=True)
                check(packed[first:last].transpose(0, 1)[None], out, 0.005)
                expected = attention_backward(w, x, y, z, out, sums, causal=True)
                for gradient, one in zip(gradients, expected, strict=True):
                    check(gradient[first:last].transpose(0, 1)[None], one, 0.02)
        attention_varlen_backward(do, q, k, v, packed, lse, starts, starts, window=(40, 10))
        keys = torch.tensor(lengths, dtype=torch.int32, device="cuda")
        for page in (16, 1):
            pages, table = in_pages((k, v), lengths, starts.tolist(), page)
            check(attention_paged(q, *pages, table, keys, starts, 150, causal=True), packed, 0.005)


def in_pages(
    arrays: tuple[torch.Tensor, ...], lengths: tuple[int, ...], starts: list[int], page: int
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Returns the pages of packed rows in random order, with NaN in unused rows, and the block table."""
    count = sum(-(-length // page) for length in lengths)
    pages = [torch.full((count, page, *x.shape[1:]), math.nan, device="cuda").to(x.dtype) for x in arrays]
    table = torch.zeros(len(lengths), -(-max(lengths) // page), dtype=torch.int32)
    order, used = torch.randperm(count).tolist(), 0
    for i, length in enumerate(lengths):
        for begin in range(0, length, page):
            table[i, begin // page] = number = order[used]
            rows = slice(starts[i] + begin, starts[i] + min(begin + page, length))
            for own, x in zip(pages, arrays, strict=True):
                own[number, : rows.stop - rows.start] = x[rows]
            used += 1
    return pages, table.cuda()


def run_matmul() -> None:
    """Runs persistent GEMMs with two blocks, with cooperative and with ping-pong warpgroups, and GEMMs with mma_v2."""
    m, n, k = 136, 520, 136
    a, b = draw(m, k), draw(k, n)
    for tile in (TILES[0], TILES[3]):
        plan = dataclasses.replace(choose_hopper_plan(m, n, k, 1, 16, 16, SHARED_BYTES, 132, tile), blocks=2)
        check(matmul(a, b, plan=plan), a.float() @ b.float(), 0.2)
    a, b = draw(m + 1, k - 3), draw(k - 3, n - 1)  # the rows are not aligned to the 16 bytes that TMA requires
    check(matmul(a, b), a.float() @ b.float(), 0.2)


def run_epilogues() -> None:
    """Runs GEMMs with functions as epilogues, of one output and of two: cooperative warpgroups, ping-pong, split-K,
    few rows, and an output that lanes store."""
    m, n, k = 136, 544, 136
    a, b, residual = draw(m, k), draw(k, n), draw(m, n)
    product = a.float() @ b.float()
    sums = product.square().view(m, -1, 32).sum(2)
    for tile, splits in ((TILES[0], 1), (TILES[3], 1), (TILES[7], 2)):
        plan = choose_hopper_plan(m, n, k, 1, 16, 16, SHARED_BYTES, 132, tile, splits=splits)
        plan = dataclasses.replace(plan, blocks=2)
        added = matmul(a, b, epilogue=epilogues.add_residual, epilogue_args=(residual, n), plan=plan)
        check(added, product + residual.float(), 0.2)
        options = {"out_dtype": ("float16", "float32"), "out_columns": (n, n // 32), "plan": plan}
        plain, squares = matmul(a, b, epilogue=epilogues.squares, **options)
        check(plain, product, 0.2)
        check(squares, sums, 0.01 * sums.max().item())
    a, b, residual = draw(m, k), draw(k, n - 1), draw(m, n - 1)
    added = matmul(a, b, epilogue=epilogues.add_residual, epilogue_args=(residual, n - 1))
    check(added, a.float() @ b.float() + residual.float(), 0.2)
    a, b, residual = draw(5, 4096), draw(4096, 8192), draw(5, 8192)
    added = matmul(a, b, epilogue=epilogues.add_residual, epilogue_args=(residual, 8192))
    check(added, a.float() @ b.float() + residual.float(), 1)


def run_grouped_matmul() -> None:
    """Runs all forms of grouped GEMMs; some groups are empty or smaller than a tile."""
    ends, rows, k, n = (0, 5, 140, 300), 300, 136, 264
    offsets = torch.tensor(ends, dtype=torch.int32, device="cuda")
    counts = torch.tensor([0, 100, 3, 70], dtype=torch.int32, device="cuda")
    groups = [slice(*part) for part in zip((0, *ends), ends, strict=False)]
    a, b, dy = draw(rows, k), draw(4, k, n), draw(rows, n)
    expected = torch.cat([a[part].float() @ w.float() for part, w in zip(groups, b, strict=True)])
    check(grouped_matmul(a, b, offsets), expected, 0.2)
    order = torch.randperm(rows, device="cuda")
    check(grouped_matmul(a[order], b, offsets, indices=order.argsort()), expected, 0.2)
    gradient = torch.stack([a[part].float().T @ dy[part].float() for part in groups])
    check(grouped_matmul(a.T, dy, offsets), gradient, 0.4)
    masked = grouped_matmul(a[:300].view(3, 100, k), b[:3], counts=counts[1:])
    for i, count in enumerate(counts[1:].tolist()):
        check(masked[i, :count], a.view(3, 100, k)[i, :count].float() @ b[i].float(), 0.2)


def run_block_scaled_matmul() -> None:
    """Runs GEMMs of float8 with scales of blocks, with every tile and with split-K, and grouped GEMMs."""
    m, n, k = 264, 520, 512
    a, b = draw(m, k, dtype=torch.float8_e4m3fn), draw(n, k, dtype=torch.float8_e4m3fn)
    a_scales, b_scales = (torch.rand(shape, device="cuda") + 0.5 for shape in ((m, 4), (5, 4)))
    wide = a.float() * a_scales.repeat_interleave(128, 1)
    expected = wide @ (b.float() * b_scales.repeat_interleave(128, 0)[:n].repeat_interleave(128, 1)).T
    for tile in plan_block_scaled.TILES:
        for splits in (1, 2):
            plan = choose_hopper_plan(m, n, k, 1, 8, 16, SHARED_BYTES, 132, tile, splits=splits)
            plan = dataclasses.replace(plan, blocks=3)
            check(matmul_scaled(a, a_scales, b.T, b_scales, plan=plan), expected, 2)
    offsets = torch.tensor([130, 130, 264], device="cuda")
    experts, scale_b = torch.stack([b, b, b]), torch.stack([b_scales, b_scales, b_scales])
    options = {"scale_a": a_scales, "scale_b": scale_b, "out_dtype": "bfloat16"}
    check(grouped_matmul(a, experts.transpose(1, 2), offsets, **options), expected, 2)


def run_norms() -> None:
    """Runs every variant of the backward pass of norms, after the forward pass that computes the statistics."""
    rows, eps = 300, 1e-5
    for columns, schedules in ((640, ("multi-wave", "warp-specialized", "streaming")), (16384, ("cluster",))):
        x, dy, weight = (draw(*shape, dtype=torch.bfloat16) for shape in ((rows, columns), (rows, columns), (columns,)))
        wide = x.float()
        scale = (wide.square().mean(1, keepdim=True) + eps).rsqrt()
        for schedule in schedules:
            y, rstd = norms.rms_norm(x, weight, eps, return_statistics=True)
            check(y, wide * scale * weight.float(), 0.2)
            dx = norms.rms_norm_backward(dy, x, weight, rstd, schedule=schedule)[0]
            g = dy.float() * weight.float()
            check(dx, scale * (g - wide * scale.square() * (g * wide).mean(1, keepdim=True)), 0.2)


def run_staged_norms() -> None:
    """Runs every variant of staged norms, including persistent blocks that process several rows."""
    rows, columns, eps = 300, 5136, 1e-5
    x, weight, bias = (draw(*shape, dtype=torch.bfloat16) for shape in ((rows, columns), (columns,), (columns,)))
    chosen = norms.choose(rows, columns, "bfloat16", "layer_norm", x, schedule="staged")
    plans = [plan for plan in plans_of(chosen.problem, chosen.machine) if plan.schedule == "staged"]
    expected = torch.nn.functional.layer_norm(x.float(), (columns,), weight.float(), bias.float(), eps)
    for plan in {(plan.stages, plan.rereads): plan for plan in plans}.values():
        plan = dataclasses.replace(plan, blocks=50) if plan.prefetches else plan
        check(launch.forward("layer_norm", x, None, weight, bias, eps, None, None, plan)[0], expected, 0.2)


TOPICS = {
    "attention": run_attention,
    "packed attention": run_packed_attention,
    "matmul": run_matmul,
    "epilogues": run_epilogues,
    "grouped matmul": run_grouped_matmul,
    "block-scaled matmul": run_block_scaled_matmul,
    "norms": run_norms,
    "staged norms": run_staged_norms,
}

if __name__ == "__main__":
    torch.manual_seed(0)
    for topic in sys.argv[1:] or TOPICS:
        TOPICS[topic]()
        torch.cuda.synchronize()
        print(topic, "is right")
