"""`triton` and `triton.experimental.gluon`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ... import cdiv, next_power_of_2
from ...errors import CompileError, HocketError, OutOfResources
from ...runtime.jit import MockTensor
from ...tuning import Config, autotune, heuristics
from ...tuning.wrapper import KernelWrapper
from ..functions import GluonFunction, jit
from .compiler import GluonASTSource, compile

__all__ = [
    "CompilationError",
    "Config",
    "GluonASTSource",
    "GluonJITFunction",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "TritonError",
    "autotune",
    "cdiv",
    "compile",
    "heuristics",
    "jit",
    "next_power_of_2",
    "reinterpret",
    "set_allocator",
]

__version__ = "3.9.0"

CompilationError = CompileError
TritonError = HocketError
JITFunction = GluonJITFunction = GluonFunction
KernelInterface = KernelWrapper


def set_allocator(allocator: Callable[..., Any]) -> None:
    """Accepts Triton's allocator of scratch memory. Hocket never calls the allocator, because Hocket's runtime
    allocates scratch memory."""
    if not callable(allocator):
        raise TypeError(f"an allocator is a function of size, alignment and stream, not {allocator!r}")


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """Returns a view of a PyTorch tensor with elements of the type `dtype`, which has the size of the tensor's element
    type."""
    import torch

    names = {"int1": "bool", "float8e5": "float8_e5m2", "float8e4nv": "float8_e4m3fn", "float8e4b8": "float8_e4m3fnuz",
             "float8e5b16": "float8_e5m2fnuz"}  # fmt: skip
    name = getattr(dtype, "name", str(dtype))
    wanted = getattr(torch, names.get(name, name), None)
    if wanted is None:
        raise TypeError(f"triton.reinterpret: PyTorch has no elements of {dtype}")
    return tensor.view(wanted)


def __getattr__(name: str) -> Any:
    if name in ("aggregate", "constexpr_function", "must_use_result"):
        return getattr(importlib.import_module("hocket"), name)
    raise AttributeError(name)
