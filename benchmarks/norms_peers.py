"""Peers with which `norms.py` compares Hocket: PyTorch, torch.compile, a kernel as in Triton's tutorial 05, quack,
Liger, and cuDNN through nvidia-cudnn-frontend."""

from __future__ import annotations

import torch
import torch._functorch.config

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

try:
    import quack
    from quack.rmsnorm import layernorm_bwd, layernorm_fwd  # `quack.rmsnorm` is also a function
except ImportError:
    quack = None

try:
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
except ImportError:
    LigerRMSNormFunction = LigerLayerNormFunction = None

try:
    from cudnn.ops.norm import layer_norm as cudnn_layer_norm
    from cudnn.ops.norm import rms_norm as cudnn_rms_norm
except ImportError:
    cudnn_layer_norm = cudnn_rms_norm = None

EPS = 1e-6


def torch_norm(x, weight, bias):
    """Returns PyTorch's normalization for an operation: LayerNorm if there is a bias, else RMSNorm."""
    if bias is None:
        return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, EPS)
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias, EPS)


def compiled_norm():
    torch._dynamo.reset()  # torch.compile stops compiling after a few shapes
    torch._functorch.config.donated_buffer = False  # with donated buffers, a backward pass cannot be repeated
    return torch.compile(torch_norm, dynamic=False, mode="max-autotune-no-cudagraphs")


def quack_norm(x, weight, bias):
    if bias is None:
        return quack.rmsnorm(x, weight, eps=EPS)
    return layernorm_fwd(x, weight, bias, eps=EPS)  # without gradients; weight and bias in float32


def quack_layer_gradients(dy, x, weight):
    """Returns a function without arguments."""
    values = x.float()
    mean = values.mean(1)
    rstd = torch.rsqrt((values - mean[:, None]).square().mean(1) + EPS)
    return lambda: layernorm_bwd(x, weight, dy, rstd, mean)


def liger_norm(x, weight, bias):
    if bias is None:
        return LigerRMSNormFunction.apply(x, weight, EPS, 0.0, "llama", False)
    return LigerLayerNormFunction.apply(x, weight, bias, EPS)


def cudnn_norm(x, weight, bias):
    if bias is None:
        return cudnn_rms_norm(x, weight, eps=EPS)
    return cudnn_layer_norm(x, (x.shape[-1],), weight, bias, eps=EPS)


def forward_peers(x, weight, bias, names):
    """Returns the peers' forward passes as functions without arguments, by name."""
    peers = {}
    if "torch" in names:
        peers["torch"] = lambda: torch_norm(x, weight, bias)
    if "compile" in names:
        compiled = compiled_norm()
        peers["compile"] = lambda: compiled(x, weight, bias)
    if "quack" in names and quack is not None:
        vectors = (weight, None) if bias is None else (weight.float(), bias.float())
        peers["quack"] = lambda: quack_norm(x, *vectors)
    if "liger" in names and LigerRMSNormFunction is not None:
        peers["liger"] = lambda: liger_norm(x, weight, bias)
    if "cudnn" in names and cudnn_rms_norm is not None:
        peers["cudnn"] = lambda: cudnn_norm(x, weight, bias)
    if "triton" in names and triton is not None:
        peers["triton"] = lambda: triton_forward(x, weight, bias)
    return peers


def backward_peers(dy, x, weight, bias, names):
    """Returns the peers' backward passes as functions without arguments, by name. This function runs the forward
    passes, on the stream on which the gradients are computed later."""
    inputs = [tensor.detach().requires_grad_() for tensor in (x, weight, bias) if tensor is not None]
    arguments = [*inputs, None] if bias is None else inputs

    def gradients(norm):
        y = norm(*arguments)
        return lambda: torch.autograd.grad(y, inputs, dy, retain_graph=True)

    norms = {"torch": torch_norm, "liger": liger_norm if LigerRMSNormFunction is not None else None}
    if cudnn_rms_norm is not None:
        norms["cudnn"] = cudnn_norm
    if quack is not None and bias is None:
        norms["quack"] = quack_norm
    if "compile" in names:
        norms["compile"] = compiled_norm()
    peers = {}
    for name in names:
        try:
            if norms.get(name) is not None:
                peers[name] = gradients(norms[name])
            elif name == "quack" and quack is not None:
                peers[name] = quack_layer_gradients(dy, x, weight)
            elif name == "triton" and triton is not None:
                peers[name] = triton_backward(dy, x, weight, bias)
        except Exception as error:
            print(f"  {name} is left out: {type(error).__name__}: {str(error)[:120]}", flush=True)
    return peers


if triton is not None:

    @triton.jit
    def _forward(x, y, weight, bias, mean_out, rstd_out, columns, eps, CENTERED: tl.constexpr, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        j = tl.arange(0, BLOCK)
        mask = j < columns
        values = tl.load(x + row.to(tl.int64) * columns + j, mask=mask, other=0.0).to(tl.float32)
        if CENTERED:
            mean = tl.sum(values, axis=0) / columns
            values = tl.where(mask, values - mean, 0.0)
            tl.store(mean_out + row, mean)
        rstd = tl.rsqrt(tl.sum(values * values, axis=0) / columns + eps)
        tl.store(rstd_out + row, rstd)
        result = values * rstd * tl.load(weight + j, mask=mask).to(tl.float32)
        if CENTERED:
            result += tl.load(bias + j, mask=mask).to(tl.float32)
        tl.store(y + row.to(tl.int64) * columns + j, result.to(y.dtype.element_ty), mask=mask)

    @triton.jit
    def _backward(
        dy, x, dx, weight, mean_in, rstd_in, dw, db, locks, columns,
        CENTERED: tl.constexpr, GROUPS: tl.constexpr, BLOCK: tl.constexpr,
    ):  # fmt: skip
        """Computes the gradients of one row per program, as in Triton's tutorial 05. A program adds its gradients of
        weight and bias to one of GROUPS buffers, under a lock."""
        row = tl.program_id(0)
        j = tl.arange(0, BLOCK)
        mask = j < columns
        offset = row.to(tl.int64) * columns
        rstd = tl.load(rstd_in + row)
        dyv = tl.load(dy + offset + j, mask=mask, other=0.0).to(tl.float32)
        xv = tl.load(x + offset + j, mask=mask, other=0.0).to(tl.float32)
        if CENTERED:
            xv = tl.where(mask, xv - tl.load(mean_in + row), 0.0)
        normal = xv * rstd
        gradient = dyv * tl.load(weight + j, mask=mask, other=0.0).to(tl.float32)
        result = gradient - normal * (tl.sum(gradient * normal, axis=0) / columns)
        if CENTERED:
            result -= tl.sum(gradient, axis=0) / columns
        tl.store(dx + offset + j, (result * rstd).to(dx.dtype.element_ty), mask=mask)
        group = row % GROUPS
        place = group.to(tl.int64) * columns + j
        while tl.atomic_cas(locks + group, 0, 1) == 1:
            pass
        used = tl.load(locks + GROUPS + group)
        part_w = dyv * normal
        part_b = dyv
        if used == 0:
            tl.atomic_xchg(locks + GROUPS + group, 1)
        else:
            part_w += tl.load(dw + place, mask=mask)
            if CENTERED:
                part_b += tl.load(db + place, mask=mask)
        tl.store(dw + place, part_w, mask=mask)
        if CENTERED:
            tl.store(db + place, part_b, mask=mask)
        tl.debug_barrier()
        tl.atomic_xchg(locks + group, 0)

    @triton.jit
    def _add_up(partial, out, columns, GROUPS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
        j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
        total = tl.zeros((ROWS, COLUMNS), tl.float32)
        for first in range(0, GROUPS, ROWS):
            i = first + tl.arange(0, ROWS)
            mask = (i < GROUPS)[:, None] & (j < columns)[None, :]
            total += tl.load(partial + i[:, None] * columns + j[None, :], mask=mask, other=0.0)
        tl.store(out + j, tl.sum(total, axis=0).to(out.dtype.element_ty), mask=j < columns)


def _warps(block: int) -> int:
    return min(max(block // 256, 1), 16 if block > 8192 else 8)


def triton_forward(x, weight, bias):
    rows, columns = x.shape
    y = torch.empty_like(x)
    mean, rstd = torch.empty(2, rows, device=x.device)
    block = triton.next_power_of_2(columns)
    _forward[(rows,)](
        x, y, weight, bias, mean, rstd, columns, EPS, CENTERED=bias is not None, BLOCK=block, num_warps=_warps(block)
    )
    return y


def triton_backward(dy, x, weight, bias):
    """Returns a function that computes the gradients with two kernels."""
    rows, columns = x.shape
    centered = bias is not None
    values = x.float()
    mean = values.mean(1) if centered else None
    rstd = torch.rsqrt((values - mean[:, None] if centered else values).square().mean(1) + EPS)
    block = triton.next_power_of_2(columns)
    groups = 64 if columns > 8192 else 96 if columns > 4096 else 128 if columns > 1024 else 256

    def run():
        dx = torch.empty_like(x)
        sums = [torch.empty(groups, columns, device=x.device) for _ in range(1 + centered)]
        locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
        _backward[(rows,)](
            dy, x, dx, weight, mean, rstd, sums[0], sums[-1], locks, columns, CENTERED=centered, GROUPS=groups,
            BLOCK=block, num_warps=_warps(block),
        )  # fmt: skip
        results = [torch.empty_like(weight) for _ in sums]
        for partial, result in zip(sums, results, strict=True):
            _add_up[(triton.cdiv(columns, 128),)](partial, result, columns, GROUPS=groups, ROWS=32, COLUMNS=128)
        return dx, *results

    return run
