"""A kernel as an operator of PyTorch: autograd, torch.compile, CUDA graphs. Needs a GPU.

Run it: python pytorch_operator.py
"""

import torch

import hocket
from hocket import language as gl


@hocket.jit
def scaled_silu_kernel(x, out, n, factor, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.row_layout(4))
    value = gl.load(x + i, mask=i < n, other=0.0).to(gl.float32)
    gl.store(out + i, factor * value / (1.0 + gl.exp(-value)), mask=i < n)


@torch.library.custom_op("hocket_examples::scaled_silu", mutates_args=())
def scaled_silu(x: torch.Tensor, factor: float) -> torch.Tensor:
    x = x.contiguous()  # the kernel gets a pointer without strides
    out = torch.empty_like(x)
    scaled_silu_kernel[(hocket.cdiv(x.numel(), 1024),)](x, out, x.numel(), factor, BLOCK=1024)
    return out


@scaled_silu.register_fake
def _(x: torch.Tensor, factor: float) -> torch.Tensor:
    """Returns a tensor with the shape and dtype of the result, for torch.compile."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _save(ctx, inputs, output):
    ctx.x, ctx.factor = inputs


def _backward(ctx, gradient):
    sigmoid = torch.sigmoid(ctx.x)
    return gradient * ctx.factor * sigmoid * (1 + ctx.x * (1 - sigmoid)), None


scaled_silu.register_autograd(_backward, setup_context=_save)


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
