"""`triton._C.libtriton.nvidia.cublas`: the GEMM with which tutorials compare their kernels. PyTorch computes the GEMM
with cuBLAS."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

from ..emulation import emulated_target
from ..missing import MissingFeature

__all__ = ["CublasLt"]


class CublasLt:
    """Computes GEMMs of PyTorch tensors. `workspace` is unused, because PyTorch allocates a workspace."""

    def __init__(self, workspace: Any):
        self._workspace = workspace

    def matmul(self, a: Any, b: Any, c: Any) -> None:
        """Computes c = a @ b.T for a (M, K), b (N, K) and c (M, N) of one dtype.

        The dtype is float8_e4m3fn, float16, bfloat16 or float32. float32 is computed in TF32, float8 with unit scales.

        Raises: ValueError for other dtypes or shapes.
        """
        _check(a, b, c)
        _gemm(a, b, c)

    def gemm(self, a: Any, b: Any, c: Any, d: Any, alpha: float, beta: float) -> None:
        """Computes d = alpha * (a @ b.T) + beta * c, with a float16 `c`.

        Raises: ValueError for other dtypes or shapes.
        """
        torch = importlib.import_module("torch")
        _check(a, b, d)
        if c.dtype != torch.float16 or c.shape != d.shape:
            raise ValueError(
                f"CublasLt.gemm: c must be float16 and have d's shape {tuple(d.shape)}, got {c.dtype} {tuple(c.shape)}"
            )
        product = torch.empty(d.shape, dtype=torch.float32, device=d.device)
        _gemm(a, b, product)
        d.copy_(alpha * product + beta * c.float())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("block_scaled_matmul_"):
            full_name = f"triton._C.libtriton.nvidia.cublas.CublasLt.{name}"
            raise MissingFeature(
                f"{full_name} is part of Triton, for Blackwell, but Hocket does not support it", full_name
            )
        raise AttributeError(f"'CublasLt' object has no attribute '{name}'")


def _check(a: Any, b: Any, c: Any) -> None:
    torch = importlib.import_module("torch")
    dtypes = torch.float8_e4m3fn, torch.float16, torch.bfloat16, torch.float32
    if not (a.dtype == b.dtype == c.dtype) or a.dtype not in dtypes:
        raise ValueError(
            f"CublasLt: all three matrices must have one dtype, float8_e4m3fn, float16, bfloat16 or float32; got "
            f"{a.dtype}, {b.dtype}, {c.dtype}"
        )
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1] or tuple(c.shape) != (a.shape[0], b.shape[0]):
        raise ValueError(
            f"CublasLt: the shapes must be (M, K), (N, K) and (M, N), the second one transposed; got "
            f"{tuple(a.shape)}, {tuple(b.shape)}, {tuple(c.shape)}"
        )


def _gemm(a: Any, b: Any, c: Any) -> None:
    """Computes c = a @ b.T. On an emulated GPU, the GEMM is computed in float32, because PyTorch on the CPU lacks some
    of cuBLAS's dtypes."""
    torch = importlib.import_module("torch")
    if emulated_target() is not None:
        c.copy_((a.float() @ b.float().T).to(c.dtype))
    elif a.dtype == torch.float8_e4m3fn:
        one = torch.ones((), device=a.device)
        c.copy_(torch._scaled_mm(a, b.T, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True))
    else:
        with _tf32() if a.dtype == torch.float32 else contextlib.nullcontext():
            if c.dtype == a.dtype:
                torch.mm(a, b.T, out=c)
            else:
                c.copy_(torch.mm(a, b.T))


@contextlib.contextmanager
def _tf32() -> Iterator[None]:
    """Returns a context manager in which float32 GEMMs use TF32."""
    settings = importlib.import_module("torch").backends.cuda.matmul
    before, settings.allow_tf32 = settings.allow_tf32, True
    try:
        yield
    finally:
        settings.allow_tf32 = before
