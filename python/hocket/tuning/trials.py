"""Results of the configurations of a kernel, and the text that describes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .config import Config


@dataclass(frozen=True)
class Trial:
    """The result of one configuration.

    Attributes:
        config: the configuration.
        cost: median, in the unit of its `Tuning`; None if the configuration did not run.
        spread: the 20 % and 80 % quantiles, or None.
        failure: the reason why the configuration did not run; "" if it ran.
        error: the exception, if it was raised in this process.
    """

    config: Config
    cost: float | None
    spread: tuple[float, float] | None = None
    failure: str = ""
    error: Exception | None = None

    @staticmethod
    def failed(config: Config, error: Exception) -> Trial:
        """Returns the trial of a configuration that could not be compiled or run."""
        return Trial(config, None, failure=f"{type(error).__name__}: {error}", error=error)


#: Units of the cost of a trial, and explanations of these units.
MILLISECONDS = "ms"
CLOCKS = "clocks"
_ABOUT = {
    MILLISECONDS: "",
    CLOCKS: "\nclocks: of a block on the emulator's virtual clock, times the number of blocks: a model, which orders "
    "configurations roughly and says nothing about the speed of any hardware",
}


@dataclass(frozen=True)
class Tuning:
    """All trials for one key, sorted by cost, with failed trials last."""

    kernel: str
    place: str
    key: str
    unit: str
    trials: Sequence[Trial]
    pruned: int = 0
    origin: str = "timed in this process"

    @property
    def best(self) -> Trial:
        return self.trials[0]

    def __str__(self) -> str:
        ran = [trial for trial in self.trials if trial.cost is not None]
        lines = [f"{self.kernel} on {self.place}, {self.key or 'for all arguments'}: {self.best.config}"]
        counts = f"{len(ran)} of {len(self.trials)} configurations ran"
        lines.append(f"{counts}{f', {self.pruned} were pruned' if self.pruned else ''}; {self.origin}")
        lines += _table(ran, self.unit)
        lines += [f"  failed: {t.config}: {_first_line(t.failure)}" for t in self.trials if t.cost is None]
        return "\n".join(lines) + _ABOUT[self.unit]


def order(trials: Sequence[Trial]) -> list[Trial]:
    """Returns the trials sorted by cost, with failed trials last. Trials of equal cost keep their order."""
    return sorted(trials, key=lambda trial: float("inf") if trial.cost is None else trial.cost)


def _table(ran: list[Trial], unit: str) -> list[str]:
    if not ran or ran[0].cost is None:
        return []
    best = ran[0].cost
    rows = []
    for trial in ran:
        cost = trial.cost or 0.0
        slower = f"{cost / best:.2f} x" if best else ""
        spread = f"  ({trial.spread[0]:.4g} to {trial.spread[1]:.4g})" if trial.spread else ""
        rows.append(
            (f"{cost:,.0f} {unit}" if unit == CLOCKS else f"{cost:.4g} {unit}", slower, f"{trial.config}{spread}")
        )
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return [f"  {cost:>{widths[0]}}  {slower:>{widths[1]}}  {what}" for cost, slower, what in rows]


def _first_line(text: str) -> str:
    """Returns the first line of a compiler's message, without the source lines."""
    return text.splitlines()[0] if text else "no reason is known"
