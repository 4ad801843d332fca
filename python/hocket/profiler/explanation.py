"""Explains the steady state of a kernel: the bottleneck, the waits of the other warps, and the possible gain.

A model predicts the time of an iteration of the loop from the dependences between warps, of which there are three
kinds:

* Warp pipelines with a barrier before each stage: each group of four warps runs some stages behind group 0 (warps 0 to
  3). In each step between two barriers, the groups execute their stages concurrently, so a step takes as long as the
  longest one of these stages. An iteration has a step for each stage.

      step      0      1      2      3
      group 0   load   mma    load   mma          iteration = max(load, mma) + max(mma, load)
      group 1          load   mma    load

* Warp pipelines with exclusive stages: an iteration takes as long as the exclusive stages of all groups in sequence,
  or as all stages of the slowest group.
* Partitions and groups that pass data through ring buffers: an iteration takes as long as the slowest partition or
  group.

`explained` compares the prediction with the measured iteration. If prediction and measurement differ, bottleneck and
gain are unreliable.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import LaunchError, shown_path
from .steady import UNRECORDED, Actor, SteadyState, steady_state

if TYPE_CHECKING:
    from .launches import ProfiledLaunch

#: Smallest number of cycles per iteration for which a wait is reported.
_NOTHING = 0.5
#: Number of blocks that are examined if the caller selects no block.
_BLOCKS = 9
#: Largest relative error of a prediction that counts as reliable.
_GOOD_MODEL = 0.15


class Work(NamedTuple):
    """Cycles per iteration that an actor (a group of warps of one partition) spends in one stage or scope."""

    actor: str
    name: str
    cycles: float


class Waiting(NamedTuple):
    """Cycles per iteration that an actor waits for a stage or scope; the name of the stage or scope; and the actor that
    executes it."""

    actor: str
    waits_for: str
    of: str
    cycles: float


class Explanation(NamedTuple):
    """The bottleneck of a loop in its steady state, with the work and the waits of all warps. Cycles are averages per
    iteration.

    Attributes:
        kernel: name of the kernel.
        block: number of the block.
        cycles: cycles of an iteration.
        iterations: number of iterations that were examined.
        bound: the stage or scope that is the bottleneck, or "unrecorded work".
        bound_actor: the actor of `bound`: a partition, a group of warps, or "both groups".
        place: source location of the stage.
        work: work of all actors.
        waiting: waiting times of all actors.
        gain: share of the iteration, 0 to 1, that would be saved if `bound` took no time.
        explained: predicted time of the iteration, divided by the measured time.
        blocks: number of blocks that were examined.
        agreeing: number of blocks with the same bottleneck; this explanation is that of their median iteration.
    """

    kernel: str
    block: int
    cycles: float
    iterations: int
    bound: str
    bound_actor: str
    place: str
    work: tuple[Work, ...]
    waiting: tuple[Waiting, ...]
    gain: float
    explained: float
    blocks: int = 1
    agreeing: int = 1

    @property
    def is_reliable(self) -> bool:
        """True if the model's prediction is close to the measured iteration."""
        return abs(self.explained - 1) <= _GOOD_MODEL

    def __str__(self) -> str:
        lines = [
            f"{self.kernel}, block {self.block}: an iteration takes {self.cycles:.0f} cycles "
            f"({self.iterations} iterations)"
        ]
        place = f" ({self.place})" if self.place else ""
        lines.append(f"  bound by {self.bound}{place} of {self.bound_actor}")
        lines += [f"  {w.actor}: {w.name} {w.cycles:.0f} cycles" for w in self.work]
        for wait in self.waiting:
            what = f"{wait.waits_for} of {wait.of}" if wait.of else wait.waits_for
            lines.append(f"  {wait.actor} waits {wait.cycles:.0f} cycles for {what}")
        lines.append(f"  if {self.bound} took no time, an iteration would be {self.gain:.0%} shorter")
        if self.blocks > 1:
            lines.append(f"  the bound is the same in {self.agreeing} of {self.blocks} blocks that were looked at")
        if not self.is_reliable:
            lines.append(
                f"  careful: what is recorded accounts for {self.explained:.0%} of the iteration, so the bound and the "
                "gain may be wrong"
            )
        return "\n".join(lines)


def explain(launch: ProfiledLaunch, block: int | None) -> Explanation:
    """Implements `Profile.explain`."""
    known = launch.decoded.blocks["cta"]
    if block is not None:
        if block not in known:
            raise LaunchError(f"nothing was recorded of block {block}; there are blocks 0 to {launch.blocks - 1}")
        return _explain_block(launch, block)
    if not len(known):
        raise LaunchError(f"no block of {launch.kernel} has run to its end")
    # The middle block of the known blocks is always examined.
    count = min(len(known), _BLOCKS)
    chosen = known[len(known) // 2 + (np.arange(count) - count // 2) * max(1, (len(known) - 1) // _BLOCKS)]
    found, errors = [], []
    for cta in chosen.tolist():
        try:
            found.append(_explain_block(launch, cta))
        except LaunchError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    most = Counter((each.bound, each.bound_actor) for each in found).most_common(1)[0][0]
    agreeing = sorted((each for each in found if (each.bound, each.bound_actor) == most), key=lambda each: each.cycles)
    return agreeing[len(agreeing) // 2]._replace(blocks=len(found), agreeing=len(agreeing))


def _explain_block(launch: ProfiledLaunch, cta: int) -> Explanation:
    state = steady_state(launch, cta)
    models = _models(launch, state)
    times = [model.time(None) for model in models]
    longest = max(range(len(models)), key=lambda i: times[i])
    model, others = models[longest], [time for i, time in enumerate(times) if i != longest]
    freed = {site: max(model.time(site), *others, 0.0) for site in model.sites}
    bound = min(freed, key=lambda site: (freed[site], site < 0, -model.cycles(site)))
    site = launch.facts.sites[bound] if bound >= 0 else None
    return Explanation(
        kernel=launch.kernel,
        block=cta,
        cycles=state.cycles,
        iterations=state.iterations,
        bound=site.name if site else UNRECORDED,
        bound_actor=model.name,
        place=f"{shown_path(site.file)}:{site.line}" if site and site.line else "",
        work=_work(launch, state),
        waiting=_waiting(launch, state),
        gain=max(0.0, times[longest] - freed[bound]) / state.cycles,
        explained=times[longest] / state.cycles,
    )


# Predicted time of an iteration ------------------------------------------------------------------------------------


class _Model:
    """Predicts the time of an iteration for a set of actors, with all sites, or without one site."""

    def __init__(self, name: str, busy: list[dict[int, float]]):
        self.name = name
        self.busy = busy

    @property
    def sites(self) -> list[int]:
        return list(dict.fromkeys(site for busy in self.busy for site in busy))

    def cycles(self, site: int) -> float:
        return sum(busy.get(site, 0.0) for busy in self.busy)

    def time(self, without: int | None) -> float:
        """Returns the time of an iteration of the slowest actor, without the work at the site `without`."""
        return max(sum(cycles for site, cycles in busy.items() if site != without) for busy in self.busy)


class _StepModel(_Model):
    def __init__(self, name: str, busy: list[dict[int, float]], stages: list[int], lags: list[int]):
        super().__init__(name, busy)
        self.stages, self.lags = stages, lags

    def time(self, without: int | None) -> float:
        def cycles(group: int, stage: int) -> float:
            site = self.stages[stage % len(self.stages)]
            return 0.0 if site == without else self.busy[group].get(site, 0.0)

        steps = range(len(self.stages))
        rest = sum(busy.get(-1, 0.0) for busy in self.busy) / len(self.busy) if without != -1 else 0.0
        return rest + sum(max(cycles(group, step - lag) for group, lag in enumerate(self.lags)) for step in steps)


class _ExclusiveModel(_Model):
    def __init__(self, name: str, busy: list[dict[int, float]], exclusive: list[int]):
        super().__init__(name, busy)
        self.exclusive = exclusive

    def time(self, without: int | None) -> float:
        serialized = sum(self.cycles(site) for site in self.exclusive if site != without)
        return max(serialized, super().time(without))


def _models(launch: ProfiledLaunch, state: SteadyState) -> list[_Model]:
    """Returns, for each partition, a model of the time of an iteration."""
    models = []
    for partition in dict.fromkeys(actor.partition for actor in state.actors):
        numbers = [i for i, actor in enumerate(state.actors) if actor.partition == partition]
        busy = []
        for i in numbers:
            work = {site: cycles / state.iterations for site, cycles in state.busy[i].items()}
            if state.unrecorded[i] > 0:
                work[-1] = state.unrecorded[i] / state.iterations
            busy.append(work)
        actors = [state.actors[i] for i in numbers]
        if len(actors) in (2, 3, 4) and all(state.has_stages[i] for i in numbers):
            models.append(_model_of_pipeline(launch, state, actors, busy))
        else:
            name = actors[0].name if len(actors) == 1 else f"{partition or 'the'} groups".strip()
            models.append(_Model(name, busy))
    return models


def _model_of_pipeline(
    launch: ProfiledLaunch, state: SteadyState, actors: list[Actor], busy: list[dict[int, float]]
) -> _Model:
    groups = "both groups" if len(actors) == 2 else "all groups"
    name = f"{groups} of {actors[0].partition}" if actors[0].partition else groups
    stages = _stages_in_order(launch, state, actors[0])
    if exclusive := [site for site in stages if launch.facts.sites[site].exclusive]:
        return _ExclusiveModel(name, busy, exclusive)
    # The second of two groups lags at least one stage behind the first. Some of four groups may have equal lags.
    least = 1 if len(actors) == 2 else 0
    lags = [0, *(_lag(state, actors[0], actor, range(least, len(stages))) for actor in actors[1:])]
    return _StepModel(name, busy, stages, lags)


def _stages_in_order(launch: ProfiledLaunch, state: SteadyState, actor: Actor) -> list[int]:
    """Returns the sites of the stages in an iteration, in program order."""
    in_window = [item.site for item in actor.items if state.begin <= item.begin < state.end]
    stages = [site for site in dict.fromkeys(in_window) if launch.facts.sites[site].kind == "stage"]
    return sorted(stages, key=lambda site: (launch.facts.sites[site].stage, site))


def _lag(state: SteadyState, leader: Actor, actor: Actor, lags: range) -> int:
    """Returns the number of stages by which the group `actor` lags the group `leader`. With this lag, the stages of
    `actor` begin at the times at which stages of `leader` begin."""
    first, second = (np.array([item.begin for item in group.items], np.int64) for group in (leader, actor))
    found = []
    for lag in lags:
        count = min(len(first) - lag, len(second))
        ahead, behind = first[lag : lag + count], second[: max(count, 0)]
        inside = (behind >= state.begin) & (behind < state.end)
        if inside.any():
            found.append((float(np.abs(ahead - behind)[inside].mean()), lag))
    return min(found, default=(0.0, 1))[1]


# Description -------------------------------------------------------------------------------------------------------


def _work(launch: ProfiledLaunch, state: SteadyState) -> tuple[Work, ...]:
    work = []
    for actor, busy, rest in zip(state.actors, state.busy, state.unrecorded, strict=True):
        work += [
            Work(actor.name, launch.facts.sites[s].name, cycles / state.iterations)
            for s, cycles in sorted(busy.items())
        ]
        if rest > 0:
            work.append(Work(actor.name, UNRECORDED, rest / state.iterations))
    return tuple(work)


def _waiting(launch: ProfiledLaunch, state: SteadyState) -> tuple[Waiting, ...]:
    """Returns the waiting times of all actors. For each actor, the longest time comes first."""
    found = []
    for actor, waits in zip(state.actors, state.waits, strict=True):
        cycles: dict[tuple[int, int], float] = {}
        for wait in waits:
            key = wait.site, wait.actor
            cycles[key] = cycles.get(key, 0.0) + wait.end - wait.begin
        for (site, other), total in sorted(cycles.items(), key=lambda entry: -entry[1]):
            if total < _NOTHING * state.iterations:
                continue
            name = launch.facts.sites[site].name if site >= 0 else UNRECORDED
            of = state.actors[other].name if other >= 0 else ""
            found.append(Waiting(actor.name, name, of, total / state.iterations))
    return tuple(found)
