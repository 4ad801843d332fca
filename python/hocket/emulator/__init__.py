"""The emulated GPU: kernels on NumPy arrays run here, on the code that a real GPU would get.

    with hocket.emulator.target("gfx950"):          # default: "sm_90a"
        kernel[grid](x, out, n, BLOCK=1024)

Each lane runs the kernel for itself; warps meet in shuffles and barriers as on the hardware. Every access is checked
against the arrays that were passed, and what goes wrong is an exception that names kernel line, block, warp, lane and
array (see hocket.errors). Shared memory that was never written, and masked-off loads without `other`, read as NaN.

A right kernel gives the same result for every seed:

    for seed in range(20):
        with hocket.emulator.schedule(seed=seed):
            kernel[grid](x, out, n, BLOCK=1024)
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .. import _core
from ..runtime import places

if TYPE_CHECKING:
    from ..runtime.compiler import Request

__all__ = ["current_target", "schedule", "target"]


class _Schedule(NamedTuple):
    seed: int = 0
    threads: int = 0


_NATURAL = _Schedule()
_schedule: contextvars.ContextVar[_Schedule] = contextvars.ContextVar("hocket_emulator_schedule", default=_NATURAL)


@contextlib.contextmanager
def target(name: str, *, seed: int | None = None, threads: int | None = None) -> Iterator[None]:
    """Inside, kernels on NumPy arrays run on an emulated `name`: "sm_80", "sm_90a", "gfx942", "gfx950".

    `seed` and `threads` as for `schedule`. Raises LaunchError for a target that hocket does not know.
    """
    token = places.emulated_target.set(places.check_target(name))
    try:
        with schedule(seed=seed, threads=threads):
            yield
    finally:
        places.emulated_target.reset(token)


@contextlib.contextmanager
def schedule(*, seed: int | None = None, threads: int | None = None) -> Iterator[None]:
    """Inside, launches run in another order. What is None stays as it is outside.

    Args:
        seed: order in which the warps of a block run. 0 is their natural order, any other number one of the others.
        threads: host threads that run blocks; 0 for one per core.
    """
    outer = _schedule.get()
    token = _schedule.set(
        _Schedule(outer.seed if seed is None else seed, outer.threads if threads is None else threads)
    )
    try:
        yield
    finally:
        _schedule.reset(token)


def current_target() -> str:
    """The target that a launch on NumPy arrays runs on: what `target` chose, or "sm_90a"."""
    return places.emulated_target.get() or places.DEFAULT_EMULATED_TARGET


def make_launcher(request: Request) -> tuple[Callable[[tuple, list], None], str, int]:
    """Compiles for the emulator. Returns what the launch path calls, the kernel's name, its bytes of shared memory."""
    facts, kernel, _ = _core.compile_emulated(
        request.function, request.types, request.values, request.target, request.options
    )

    def launch(grid: tuple[int, int, int], values: list) -> None:
        kernel.launch(grid, values, *_schedule.get())

    return launch, facts["name"], facts["shared"]
