"""Chooses where a launch runs if none of its array arguments is on a GPU.

csrc/bindings/dispatch/Place.cpp reads the choices, and calls `place_without_gpu_arrays` if they do not determine where
the launch runs.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from typing import Any

from .. import _core
from ..errors import LaunchError, shown_path
from .launch_settings import Disagreement, LaunchSetting

DEFAULT_EMULATED_TARGET = "sm_90a"

#: Target of the emulated GPU that `with hocket.emulator.target(...)` chose, or None.
emulated_target: LaunchSetting[str | None] = LaunchSetting("hocket_emulated_target", None)

#: Context managers such as `hocket.emulator.target` that were dropped without being entered, and their source
#: locations.
unused_scopes: list[tuple[str, tuple[str, int]]] = []

#: COMPILE_ONLY and the target for which `warmup` compiles without a device, or None.
compiled_only: contextvars.ContextVar[str | None] = contextvars.ContextVar("hocket_compiled_only", default=None)

#: Function that receives the launches of kernels that are only compiled: the CompiledKernel, the grid, and the values
#: of the arguments as in `_core.DeviceKernel.launch`, with the TensorMap of csrc/runtime/TensorMap.h for a descriptor.
launch_tracer: contextvars.ContextVar[Callable[[Any, tuple[int, int, int], list[Any]], None] | None]
launch_tracer = contextvars.ContextVar("hocket_launch_tracer", default=None)

#: Prefix of a target for which kernels are compiled without being launched: "compile:gfx950".
COMPILE_ONLY = "compile:"


def check_target(name: str) -> str:
    """Returns `name` if it is a target. Raises a LaunchError that lists the targets if it is not a target."""
    known = [target.name for target in _core.targets()]
    if not isinstance(name, str) or name not in known:
        raise LaunchError(f"unknown target {name!r}; hocket compiles for {', '.join(known)}{hint_for_target(name)}")
    return name


def hint_for_target(name: object) -> str:
    """Returns the end of a message about an unknown target, if the target is another name of a supported GPU."""
    plain = "".join(filter(str.isalnum, name)).lower() if isinstance(name, str) else ""
    meant = next((target.name for target in _core.targets() if plain in target.gpus), "")
    return f'\n  hint: write "{meant}"' if meant and name != meant else ""


@contextlib.contextmanager
def compile_only(target: str) -> Iterator[None]:
    """Returns a context manager in which kernels without GPU arrays are compiled for `target`, and not loaded on any
    device."""
    token = compiled_only.set(COMPILE_ONLY + check_target(target))
    try:
        yield
    finally:
        compiled_only.reset(token)


def chosen_target() -> str | None:
    """Returns the target that `with hocket.emulator.target(...)` has set; the target of compilations while kernels are
    only compiled. Raises LaunchError if threads have set different targets."""
    if (only := compiled_only.get()) is not None:
        return only.removeprefix(COMPILE_ONLY)
    if unused_scopes:
        call, (filename, line) = unused_scopes.pop(0)
        unused_scopes.clear()
        place = f"{shown_path(filename)}:{line}"
        raise LaunchError(f"{call} was called without `with`, in {place}: it has no effect\n  hint: with {call}: ...")
    try:
        return emulated_target.get()
    except Disagreement as disagreement:
        targets = ", ".join(sorted({str(target) for target in disagreement.values}))
        raise LaunchError(
            f"this thread has chosen no emulated GPU, and the others have chosen different ones: {targets}\n"
            "  hint: put the launch into a `with hocket.emulator.target(...)` of its own thread"
        ) from None


def place_without_gpu_arrays(has_host_arrays: bool) -> int | str:
    """Returns the device of a launch without arrays on a GPU: the ordinal of a GPU, or the target of an emulated GPU.
    While a kernel is only compiled, returns COMPILE_ONLY and the target. The launch path calls this function from
    C++."""
    if (only := compiled_only.get()) is not None:
        return only
    if (target := chosen_target()) is not None:
        return target
    if not has_host_arrays and _core.device_count() > 0:
        return _core.current_device()
    return DEFAULT_EMULATED_TARGET


def trace_launch(compiled: Any, grid: tuple[int, int, int], values: list[Any]) -> bool:
    """Passes the launch of a kernel that is only compiled to `launch_tracer`. Returns False without a tracer. The
    launch path calls this function from C++."""
    tracer = launch_tracer.get()
    if tracer is not None:
        tracer(compiled, grid, values)
    return tracer is not None
