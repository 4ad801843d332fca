"""Hooks of compilations as Triton calls them: `triton.knobs.compilation.listener`, and `jit_cache_hook` and
`jit_post_compile_hook` of `triton.knobs.runtime`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from ... import _core, hooks
from ..functions import is_warming_up
from ..gpu_targets import gpu_target
from .compiler import TRITON_TYPES, ASTSource

__all__ = ["CompileTimes", "JitFunctionInfo", "Listener", "SpecializationHook"]


@dataclass(frozen=True)
class CompileTimes:
    """Times of a compilation in microseconds: the time of the front end, of each later compile step, and of all other
    work, such as writing to the disk cache."""

    ir_initialization: int
    lowering_stages: list[tuple[str, int]]
    store_results: int

    @property
    def total_lowering(self) -> int:
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self) -> int:
        return self.ir_initialization + self.total_lowering + self.store_results


class Listener:
    """Hook that calls a compilation listener with Triton's signature.

    The keyword arguments of the function are `src`, an ASTSource; `metadata`, a dict of properties of the kernel and
    its options; `metadata_group`; `times`, a CompileTimes with Hocket's compile steps; and `cache_hit`.
    `metadata_group` is empty, because Hocket's cache does not have a file for each compile step.
    """

    def __init__(self, function: Callable[..., object]):
        self.function = function

    def __call__(self, event: hooks.CompilationEvent) -> None:
        self.function(
            src=ASTSource(event.function, _signature(event.start), _constants(event.start)),
            metadata=_metadata(event),
            metadata_group={},
            times=_times(event),
            cache_hit=event.is_cached,
        )


class JitFunctionInfo(NamedTuple):
    """Description of a kernel for hooks."""

    module: str
    name: str
    jit_function: Any


class SpecializationHook:
    """Hook that calls a function with Triton's signature before or after the compilation of each new specialization.

    The keyword arguments of the function are `key` and `repr`, both strings; `fn`, a JitFunctionInfo; `compile`, a dict
    with the signature, constants and options; `is_manual_warmup`; and `already_compiled`, always False.
    """

    def __init__(self, function: Callable[..., object]):
        self.function = function

    def __call__(self, event: hooks.CompilationStart | hooks.CompilationEvent) -> None:
        start = event.start if isinstance(event, hooks.CompilationEvent) else event
        is_refused = self.function(**_specialization(start))
        if is_refused and event is start:
            warnings.warn(
                f"{start.function.__name__}: a jit_cache_hook that returns True does not prevent Hocket from "
                "compiling and launching the kernel",
                stacklevel=2,
            )


def _specialization(start: hooks.CompilationStart) -> dict[str, Any]:
    function, options = start.function, start.options
    signature, constants = _signature(start), _constants(start)
    shown = ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion", "launch_cooperative_grid")
    chosen = {name: getattr(options, name) for name in shown}
    key = f"{signature} {constants} {options}"
    types = ", ".join(f"{name}: {text}" for name, text in signature.items())
    compiled = {
        "key": key,
        "signature": signature,
        "device": start.place,
        "constants": constants,
        **chosen,
        "extern_libs": None,
        "configs": [],
        "specialization_data": None,
        "is_warmup": is_warming_up(),
    }
    return {
        "key": key,
        "repr": f"{function.__qualname__}[{', '.join(f'{name}={value}' for name, value in chosen.items())}]({types})",
        "fn": JitFunctionInfo(function.__module__, function.__qualname__, function),
        "compile": compiled,
        "is_manual_warmup": is_warming_up(),
        "already_compiled": False,
    }


def _signature(start: hooks.CompilationStart) -> dict[str, str]:
    """Returns the type of each argument by parameter name, in Triton's notation: "*fp32" for Hocket's "*f32"."""
    signature = start.specialization.signature
    return {
        name: re.sub(r"\w+", lambda match: TRITON_TYPES.get(match[0], match[0]), text)
        for name, text in signature.items()
    }


def _constants(start: hooks.CompilationStart) -> dict[tuple[int], Any]:
    names = list(start.specialization.signature)
    return {(names.index(name),): value for name, value in start.specialization.constants.items()}


def _metadata(event: hooks.CompilationEvent) -> dict[str, Any]:
    kernel = event.kernel
    facts = {name: getattr(kernel.metadata, name) for name, _, _ in _core.KernelFacts.FACTS}
    options = {field.name: getattr(event.options, field.name) for field in fields(event.options)}
    return {**options, **facts, "target": gpu_target(kernel.target)}


def _times(event: hooks.CompilationEvent) -> CompileTimes:
    def microseconds(seconds: float) -> int:
        return int(1e6 * seconds)

    front_end, *steps = event.steps or [("front end", 0.0)]
    rest = event.seconds - sum(seconds for _, seconds in event.steps)
    stages = [(name, microseconds(seconds)) for name, seconds in steps]
    return CompileTimes(microseconds(front_end[1]), stages, microseconds(rest))
