"""A kernel as an operator of PyTorch: autograd, torch.compile, CUDA graphs. Needs a GPU.

Run it: python pytorch_operator.py
"""

from typing import Annotated

import torch

import hocket
import hocket.torch
from hocket import language as gl


@hocket.jit
def scaled_silu_kernel(x, out, n, factor, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.row_layout(4))
    value = gl.load(x + i, mask=i < n, other=0.0).to(gl.float32)
    gl.store(out + i, factor * value / (1.0 + gl.exp(-value)), mask=i < n)


@hocket.torch.op(name="hocket_examples::scaled_silu")
def scaled_silu(x: torch.Tensor, factor: float) -> Annotated[torch.Tensor, hocket.torch.like("x")]:
    x = x.contiguous()  # the kernel gets a pointer without strides
    out = torch.empty_like(x)
    scaled_silu_kernel[(hocket.cdiv(x.numel(), 1024),)](x, out, x.numel(), factor, BLOCK=1024)
    return out


@scaled_silu.backward
def _(gradient, x, factor):
    sigmoid = torch.sigmoid(x)
    return gradient * factor * sigmoid * (1 + x * (1 - sigmoid))


def main():
    x = torch.randn(100_000, device="cuda", requires_grad=True)
    expected = 2.0 * torch.nn.functional.silu(x)
    torch.testing.assert_close(scaled_silu(x, 2.0), expected)
    print("eager: as torch.nn.functional.silu")

    (gradient,) = torch.autograd.grad(scaled_silu(x, 2.0).sum(), x)
    torch.testing.assert_close(gradient, torch.autograd.grad(expected.sum(), x)[0])
    print("autograd: as torch's")

    @torch.compile(fullgraph=True)
    def model(x):
        return scaled_silu(x + 1, 2.0) * 3

    x = x.detach()
    torch.testing.assert_close(model(x), 6.0 * torch.nn.functional.silu(x + 1))
    print("torch.compile: in one graph")

    graph, static = torch.cuda.CUDAGraph(), x.clone()
    with torch.cuda.graph(graph):
        result = scaled_silu(static, 2.0)
    static.copy_(-x)
    graph.replay()
    torch.testing.assert_close(result, 2.0 * torch.nn.functional.silu(-x))
    print("CUDA graph: captured, and replayed with other values")

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        result = scaled_silu(x, 2.0)
    torch.cuda.current_stream().wait_stream(stream)
    torch.testing.assert_close(result, 2.0 * torch.nn.functional.silu(x))
    print("streams: launched on the current one")


if __name__ == "__main__":
    main()
