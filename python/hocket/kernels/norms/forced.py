"""Variants that callers force for more than one call: for a module, in a `with` block, or for the whole process.

Callers may force one variant for the forward pass, and another for the backward pass. If a variant is meant for the
backward pass, forcing it for no specific pass does not affect the forward pass.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...emulator.scopes import Scope
from ...errors import LaunchError
from ...runtime import environment
from ...runtime.launch_settings import Disagreement, LaunchSetting
from .plan import CLUSTER, SCHEDULES, SPELLINGS, WARP_SPECIALIZED

#: The environment variable that forces variants.
VARIABLE = environment.NORM_SCHEDULE
#: Names of the origins of a forced variant, for explanations and errors. A variant of an earlier origin overrides a
#: variant of a later origin.
CALLER, MODULE, BLOCK = "the caller", "the module", "`with norms.force_schedule(...)`"

PASSES = ("forward", "backward")
#: Variants that are forced only for the backward pass unless the forward pass is named. In the forward pass, there is
#: no cluster variant, and only very long rows have the warp-specialized variant.
_FOR_BACKWARD = (WARP_SPECIALIZED, CLUSTER)


class Forced(NamedTuple):
    """The forced variant of the forward and of the backward pass. None if no variant is forced for the pass."""

    forward: str | None = None
    backward: str | None = None

    def of(self, is_backward: bool) -> str | None:
        """Returns the forced variant of one pass, or None."""
        return self.backward if is_backward else self.forward

    def text(self) -> str:
        """Returns the forced variants as text that `forced` and HOCKET_NORM_SCHEDULE accept."""
        return ",".join(f"{name}={schedule}" for name, schedule in zip(PASSES, self, strict=True) if schedule)


Schedule = str | Mapping[str, str]


def forced(schedule: Any, what: str = "schedule") -> Forced:
    """Returns the variant of each pass that `schedule` forces.

    Args:
        schedule: a variant for both passes; or a variant per pass, as "forward=staged,backward=cluster" or as
            {"forward": ..., "backward": ...}. One of the passes may be omitted.
        what: name of the setting that holds `schedule`, for messages.

    Raises: LaunchError for unknown variants and passes.
    """
    if isinstance(schedule, str) and "=" not in schedule:
        name = _known(schedule, what)
        return Forced(None if name in _FOR_BACKWARD else name, name)
    if isinstance(schedule, str):
        parts = [part.partition("=") for part in schedule.split(",")]
        named = {name.strip(): value.strip() for name, _, value in parts}
    elif isinstance(schedule, Mapping):
        named = dict(schedule)
    else:
        raise _unknown(schedule, what)
    if wrong := [name for name in named if name not in PASSES]:
        raise LaunchError(f"norms: {what} has a variant for {wrong[0]!r}; the passes are {' and '.join(PASSES)}")
    return Forced(**{name: _known(value, f"{what} of the {name} pass") for name, value in named.items()})


def _known(name: Any, what: str) -> str:
    spelled = SPELLINGS.get(name, name) if isinstance(name, str) else name
    if spelled not in SCHEDULES:
        raise _unknown(name, what)
    return spelled


def _unknown(schedule: Any, what: str) -> LaunchError:
    return LaunchError(f"norms: {what} is one of {', '.join(SCHEDULES)}, not {schedule!r}")


_in_block: LaunchSetting[Forced | None] = LaunchSetting("hocket_norm_schedule", None)


def force_schedule(schedule: Schedule) -> contextlib.AbstractContextManager[None]:
    """Returns a context manager. Norms that are launched inside the `with` block, also by other threads, use the
    variant `schedule`.

        with norms.force_schedule("streaming"):
            loss = model(x)
            loss.backward()

    Args:
        schedule: a variant for both passes, as in `choose`; "warp-specialized" and "cluster" do not affect the forward
            pass. {"forward": ..., "backward": ...} names the variant of one pass, or of each.

    The argument `schedule` of a call or of a module has precedence over the `with` block, and the block has precedence
    over the environment variable HOCKET_NORM_SCHEDULE. In nested blocks the inner block has precedence, for each pass.

    Raises: LaunchError for an unknown variant. A launch inside the block raises a LaunchError if the variant has no
    feasible plan for the problem.
    """
    wanted = forced(schedule)

    @contextlib.contextmanager
    def enter() -> Iterator[None]:
        outer = _of_block() or Forced()
        choice = _in_block.set(Forced(wanted.forward or outer.forward, wanted.backward or outer.backward))
        try:
            yield
        finally:
            _in_block.reset(choice)

    return Scope(f"norms.force_schedule({schedule!r})", enter)


def _of_block() -> Forced | None:
    try:
        return _in_block.get()
    except Disagreement as disagreement:
        texts = ", ".join(sorted({value.text() for value in disagreement.values}))
        raise LaunchError(
            f"norms: this thread forces no schedule, and other threads force different ones: {texts}\n"
            "  hint: put the launch into a `with norms.force_schedule(...)` of its own thread"
        ) from None


def forced_for(is_backward: bool) -> tuple[str | None, str]:
    """Returns the variant that a `with` block or the environment variable forces for a launch without the argument
    `schedule`, and the origin of the choice."""
    if (block := _of_block()) is not None and (schedule := block.of(is_backward)):
        return schedule, BLOCK
    if (process := of_process()) is not None:
        return process.of(is_backward), VARIABLE
    return None, ""


@functools.cache
def of_process() -> Forced | None:
    """Returns the variants that the environment forces. The environment variable is read only once per process, because
    each read takes microseconds."""
    text = environment.norm_schedule()
    return forced(text, VARIABLE) if text else None
