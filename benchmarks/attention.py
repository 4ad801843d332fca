"""Compares `hocket.kernels.attention` with cuDNN, PyTorch's FlashAttention-2, flash-attn-4 and Triton, if installed.

    python benchmarks/attention.py [--rounds 30] [--variants] [--logits 1 4] [--backward] [--json attention.json]

The rates are TFLOP/s of the forward pass in float16 and bfloat16. The pass counts as 4 x batch x heads x sequence^2 x D
floating-point operations, or half of this number if causal. Times are medians of interleaved runs with the L2 flushed.
Inputs are normal-distributed. `--logits` lists the standard deviations of the queries; keys and values have the
standard deviation 1, so the scaled logits have that of the queries. Larger logits affect Hocket's kernel, which
rescales only if row sums exceed a limit. `--variants` adds the kernel without ping-pong between warpgroups.

`--backward` measures the gradients of queries, keys and values instead, which count as 10 x batch x heads x sequence^2
x D floating-point operations, or half of this number if causal. Triton is left out.
"""

import argparse

import torch
from attention_peers import triton_attention
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from hocket.kernels import attention, attention_backward

try:
    from flash_attn.cute import flash_attn_func
except ImportError:
    flash_attn_func = None

#: Batch, heads, sequence, head size D.
SHAPES = ((4, 16, 8192, 128), (4, 32, 8192, 64), (4, 16, 2048, 128))
REFERENCE = "FlashAttention-2"
BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, REFERENCE: SDPBackend.FLASH_ATTENTION}
OURS = ("Hocket", "no ping-pong")


def rivals_of(q, k, v, causal, variants):
    out = torch.empty_like(q)
    rivals = {"Hocket": lambda: attention(q, k, v, out, causal=causal)}
    if variants:
        rivals["no ping-pong"] = lambda: attention(q, k, v, out, causal=causal, pipelined=False)

    def by(backend):
        def run():
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(q, k, v, is_causal=causal)

        return run

    rivals.update({name: by(backend) for name, backend in BACKENDS.items()})
    if flash_attn_func is not None:
        # The arguments of flash-attn-4 have the shape [batch, sequence, heads, D].
        others = [x.transpose(1, 2).contiguous() for x in (q, k, v)]
        rivals["flash-attn-4"] = lambda: flash_attn_func(*others, causal=causal)
    in_triton = triton_attention(q, k, v, causal)
    if in_triton is not None:
        rivals["Triton"] = in_triton
    return rivals


def rivals_of_backward(q, k, v, do, causal):
    out, lse = attention(q, k, v, causal=causal, return_lse=True)
    rivals = {"Hocket": lambda: attention_backward(do, q, k, v, out, lse, causal=causal)}

    def gradients_of(function, inputs, do):
        leaves = [x.detach().requires_grad_() for x in inputs]
        result = function(*leaves)
        # flash-attn-4 also returns the logarithms of the sums of exponentials.
        result = result[0] if isinstance(result, tuple) else result
        return lambda: torch.autograd.grad(result, leaves, do, retain_graph=True)

    for name, backend in BACKENDS.items():
        with sdpa_kernel(backend):
            rivals[name] = gradients_of(
                lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=causal), (q, k, v), do
            )
    if flash_attn_func is not None:
        others = [x.transpose(1, 2).contiguous() for x in (q, k, v, do)]
        rivals["flash-attn-4"] = gradients_of(
            lambda q, k, v: flash_attn_func(q, k, v, causal=causal), others[:3], others[3]
        )
    return rivals


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--logits", type=float, nargs="+", default=[1], help="standard deviations (default: 1)")
    parser.add_argument("--backward", action="store_true", help="measure the gradients instead of the forward pass")
    results = Results("attention", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    kind = "backward" if options.backward else "forward"
    table = results.table(kind, f"attention {kind}", "TFLOP/s", ours=OURS)
    for dtype in (torch.float16, torch.bfloat16):
        for shape in SHAPES:
            for causal in (False, True):
                for deviation in options.logits:
                    measure(table, dtype, shape, causal, deviation, options)
    table.show()
    results.save(options)


def measure(table, dtype, shape, causal, deviation, options):
    """Checks the results of one case, and measures its times. `shape` is (batch, heads, sequence, head size)."""
    q, k, v, do = ((torch.randn(shape, device="cuda") * factor).to(dtype) for factor in (deviation, 1, 1, 1))
    if options.backward:
        rivals = rivals_of_backward(q, k, v, do, causal)
        check_gradients(rivals, shape)
    else:
        rivals = rivals_of(q, k, v, causal, options.variants)
        check_results(rivals, shape, deviation)
    times = gpu_times(rivals, options.rounds)
    batch, heads, sequence, size = shape
    operations = (10 if options.backward else 4) * batch * heads * sequence * sequence * size / (2 if causal else 1)
    kind = str(dtype).removeprefix("torch.")
    logits = [] if deviation == 1 else [f"logits std {deviation:g}"]
    table.add(
        " ".join([kind, "x".join(map(str, shape)), *(["causal"] if causal else []), *logits]),
        {name: operations / seconds / 1e12 for name, seconds in times.items()},
        seconds=times,
        dtype=kind,
        batch=batch,
        heads=heads,
        sequence=sequence,
        head_size=size,
        causal=causal,
        logits_std=deviation,
    )


def check_gradients(rivals, shape):
    """Stops if Hocket's gradients are not those of the reference, relative to their norm."""
    for name, ours, theirs in zip(("dq", "dk", "dv"), rivals["Hocket"](), rivals[REFERENCE](), strict=True):
        error = ((ours.float() - theirs.float()).norm() / theirs.float().norm()).item()
        if not error < 0.01:
            raise SystemExit(f"{shape}: {name} of Hocket and PyTorch differ by {error} of its norm")


def check_results(rivals, shape, deviation):
    """Stops if Hocket's results are not those of the reference, and removes rivals with other results."""
    expected = rivals[REFERENCE]().float()
    # Larger logits make larger results, whose rounding errors are larger in both kernels.
    limit = 0.02 + 0.01 * max(0, deviation - 1) * expected.abs().max().item()
    for name in [name for name in (*OURS, "Triton") if name in rivals]:
        error = (rivals[name]().float() - expected).abs().max().item()
        if error > limit and name in OURS:
            raise SystemExit(f"{shape}: {name} and PyTorch differ by {error}")
        if error > limit:
            print(f"{shape}: {name} is left out: it and PyTorch differ by {error}")
            del rivals[name]


if __name__ == "__main__":
    main()
