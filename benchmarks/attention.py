"""`hocket.kernels.attention` beside cuDNN, PyTorch's flash attention and flash-attn-4 (where it can be imported).

    python benchmarks/attention.py [--rounds 30] [--variants]

TFLOP/s of the forward pass in float16 and bfloat16: 4 x batch x heads x sequence^2 x D floating-point operations, half
of that if causal. Medians of interleaved runs with the L2 flushed; inputs are normal-distributed. `--variants` adds the
kernel whose warpgroups do not take turns at the tensor cores.
"""

import argparse

import torch
from interleave import gpu_times, print_table
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from hocket.kernels import attention

try:
    from flash_attn.cute import flash_attn_func
except ImportError:
    flash_attn_func = None

#: batch, heads, sequence, D.
SHAPES = ((4, 16, 8192, 128), (4, 32, 8192, 64), (4, 16, 2048, 128))
BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}


def rivals_of(q, k, v, causal, variants):
    out = torch.empty_like(q)
    rivals = {"Hocket": lambda: attention(q, k, v, out, causal=causal)}
    if variants:
        rivals["no turns"] = lambda: attention(q, k, v, out, causal=causal, pipelined=False)

    def by(backend):
        def run():
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(q, k, v, is_causal=causal)

        return run

    rivals.update({name: by(backend) for name, backend in BACKENDS.items()})
    if flash_attn_func is not None:
        # It takes [batch, sequence, heads, D].
        others = [x.transpose(1, 2).contiguous() for x in (q, k, v)]
        rivals["flash-attn-4"] = lambda: flash_attn_func(*others, causal=causal)
    return rivals


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--variants", action="store_true")
    options = parser.parse_args()
    rows, header = [], []
    for dtype in (torch.float16, torch.bfloat16):
        for shape in SHAPES:
            for causal in (False, True):
                q, k, v = (torch.randn(shape, device="cuda").to(dtype) for _ in range(3))
                rivals = rivals_of(q, k, v, causal, options.variants)
                expected = rivals["flash"]().float()
                error = (rivals["Hocket"]().float() - expected).abs().max().item()
                if error > 0.02:
                    raise SystemExit(f"{shape}: Hocket and PyTorch differ by {error}")
                times = gpu_times(rivals, options.rounds)
                batch, heads, sequence, size = shape
                operations = 4 * batch * heads * sequence * sequence * size / (2 if causal else 1)
                header = ["dtype", "shape", "causal", *times, "of best peer"]
                best = min(time for name, time in times.items() if name not in ("Hocket", "no turns"))
                rows.append(
                    [
                        str(dtype).removeprefix("torch."),
                        "x".join(map(str, shape)),
                        "yes" if causal else "no",
                        *(f"{operations / time / 1e12:.0f}" for time in times.values()),
                        f"{best / times['Hocket']:.2f}",
                    ]
                )
    print_table("attention forward, TFLOP/s", header, rows)


if __name__ == "__main__":
    main()
