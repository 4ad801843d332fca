"""Analyzes the steady state of one block: the work of each actor in an iteration, and its waits for other actors.

An *actor* is a group of warps of one partition. The warps of an actor run the same code, so one warp represents the
actor. The *items* of an actor are the stages and the outermost scopes; if only waits of a partition are recorded, its
items are the times between waits. A scope whose name begins with "wait" is not an item.

The time between two items of an actor is a *gap*. If an item of another actor ends in the gap, the gap is a wait for
that item. In a warp pipeline, each stage begins with a barrier: the wait lasts until the end of the other actor's item,
and the rest of the gap is the time of the barrier. In kernels without warp pipelines, the other actor's item must end
shortly before the actor's next item. A gap that is not a wait counts as unrecorded work.

The window of the steady state excludes the first and the last iterations, in which the pipeline fills and drains.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import LaunchError

if TYPE_CHECKING:
    from .launches import ProfiledLaunch

#: Smallest number of iterations of a window.
FEWEST_ITERATIONS = 3
#: Largest delay between the end of an item and the end of another actor's wait for it (barrier, poll of an mbarrier): a
#: fraction of the wait, or a number of cycles.
_WAKING_SHARE = 0.25
_WAKING_CYCLES = 64

UNRECORDED = "unrecorded work"


class Item(NamedTuple):
    site: int
    begin: int
    end: int


class ActorWait(NamedTuple):
    """A wait of an actor, with the site and the actor whose item ended the wait; -1 if they are unknown."""

    begin: int
    end: int
    site: int
    actor: int


class Actor:
    """A group of warps of one partition, which run the same code.

    Attributes:
        name: e.g. "load" or "default group 1".
        partition, group: the partition and the number of the group.
        warp: the warp that represents the group.
        items: intervals in which the group executes code, sorted by begin time.
        waits: intervals in which the group only waits.
    """

    def __init__(self, name: str, partition: str, group: int, warp: int, items: list[Item], waits: list[Item]):
        self.name, self.partition, self.group, self.warp = name, partition, group, warp
        self.items, self.waits = items, waits


class SteadyState(NamedTuple):
    """The steady state of a block. Times are in cycles of the block.

    Attributes:
        actors: actors with items in the window.
        begin, end: the window.
        iterations: number of iterations of the loop in the window.
        busy: by actor and site, cycles of work in the window, excluding waits during the work.
        waits: waits by actor.
        unrecorded: by actor, cycles of unrecorded work.
        has_stages: by actor, True if its items are stages of a warp pipeline.
    """

    actors: list[Actor]
    begin: int
    end: int
    iterations: int
    busy: list[dict[int, float]]
    waits: list[list[ActorWait]]
    unrecorded: list[float]
    has_stages: list[bool]

    @property
    def cycles(self) -> float:
        """Average number of cycles of an iteration."""
        return (self.end - self.begin) / self.iterations


def steady_state(launch: ProfiledLaunch, cta: int) -> SteadyState:
    """Analyzes the steady state of the block with the linear id `cta`.

    Raises: LaunchError if the block has no records inside warps, no loop, or too few iterations.
    """
    spans = launch.spans[launch.spans["cta"] == cta]
    actors = _actors(launch, spans)
    if not actors:
        raise LaunchError(
            f"nothing inside the warps of {launch.kernel} was recorded, so its bottleneck is unknown\n"
            "  hint: put `with profiler.scope(...)` around the parts of its loop"
        )
    begin, end, iterations = _window(launch, actors)
    # An actor without items in the window does not take part in the loop.
    actors = [actor for actor in actors if any(begin <= item.begin < end for item in actor.items)]
    tokens = [_clipped(item, begin, end) for item in _items(launch, spans, None, {"token"})]
    busy, waits, unrecorded = [], [], []
    for number, actor in enumerate(actors):
        items = [_clipped(item, begin, end) for item in actor.items if item.end > begin and item.begin < end]
        inner = [_clipped(item, begin, end) for item in actor.waits if item.end > begin and item.begin < end]
        ends = _ends(actors, number, tokens)
        running = _running_beside(actors, number)
        found, rest = _waits_between(items, inner, ends, running, (begin, end), _has_stages(launch, actor))
        work: dict[int, float] = {}
        for item in items:
            waiting = sum(max(0, min(w.end, item.end) - max(w.begin, item.begin)) for w in inner)
            work[item.site] = work.get(item.site, 0.0) + item.end - item.begin - waiting
        busy.append(work)
        waits.append(found)
        unrecorded.append(rest)
    has_stages = [_has_stages(launch, actor) for actor in actors]
    return SteadyState(actors, begin, end, iterations, busy, waits, unrecorded, has_stages)


def _has_stages(launch: ProfiledLaunch, actor: Actor) -> bool:
    return any(launch.facts.sites[item.site].kind == "stage" for item in actor.items)


def _clipped(item: Item, begin: int, end: int) -> Item:
    return Item(item.site, max(item.begin, begin), min(item.end, end))


def is_wait(name: str) -> bool:
    return name.lower().startswith("wait")


def _actors(launch: ProfiledLaunch, spans: np.ndarray) -> list[Actor]:
    facts = launch.facts
    members: dict[tuple[str, int], list[int]] = {}
    for warp in np.unique(spans["warp"]).tolist():
        members.setdefault((facts.partition_of_warp[warp], facts.group_of_warp[warp]), []).append(warp)
    partitions = Counter(partition for partition, _ in members)
    actors = []
    for (partition, group), warps in members.items():
        of_warps = [_items(launch, spans, warp, {"stage", "scope"}) for warp in warps]
        most = max(range(len(warps)), key=lambda i: len(of_warps[i]))
        items = [item for item in of_warps[most] if not is_wait(facts.sites[item.site].name)]
        waits = _items(launch, spans, warps[most], {"stage", "scope"}, only_waits=True)
        if waits and not items:
            items = _work_between(launch, spans, warps[most], partition or "default", waits)
        name = partition or ("default" if len(partitions) > 1 else "")
        if partitions[partition] > 1 or not name:
            name = f"{name} group {group}".strip()
        if items:
            actors.append(Actor(name, partition, group, warps[most], items, waits))
    return actors


def _work_between(
    launch: ProfiledLaunch, spans: np.ndarray, warp: int, partition: str, waits: list[Item]
) -> list[Item]:
    """Returns the intervals in which `warp` executes code of `partition`, if waits are the only recorded scopes of this
    partition. Each interval between waits becomes an Item with the partition's site.

    An iteration may have several waits. Items are divided only at the waits of the most frequent site, so that an
    iteration is one item.
    """
    sites = [site.id for site in launch.facts.sites if (site.kind, site.name) == ("partition", partition)]
    if not sites:
        return []
    counts = Counter(wait.site for wait in waits)
    chosen = max(counts, key=lambda site: counts[site])
    ends = spans["end"][(spans["warp"] == warp) & (spans["site"] == sites[0])]
    begins = [wait for wait in waits if wait.site == chosen]
    until = [wait.begin for wait in begins[1:]] + ([int(ends[-1])] if len(ends) else [])
    return [Item(sites[0], wait.end, end) for wait, end in zip(begins, until, strict=False) if end >= wait.end]


def _items(
    launch: ProfiledLaunch, spans: np.ndarray, warp: int | None, kinds: set[str], only_waits: bool = False
) -> list[Item]:
    """Returns the outermost items of `warp`; if `warp` is None, of all warps. With `only_waits`, returns all scopes
    that wait instead of the items."""
    sites = launch.facts.sites

    def is_wanted(site) -> bool:
        if site.kind not in kinds:
            return False
        if only_waits:
            return is_wait(site.name)
        parent = site.parent
        while parent >= 0:
            if sites[parent].kind in ("stage", "scope"):
                return False
            parent = sites[parent].parent
        return True

    wanted = np.array([is_wanted(site) for site in sites] or [False])[spans["site"]]
    if warp is not None:
        wanted &= spans["warp"] == warp
    chosen = spans[wanted]
    chosen = chosen[np.argsort(chosen["begin"], kind="stable")]
    return [Item(*row) for row in chosen[["site", "begin", "end"]].tolist()]


def _window(launch: ProfiledLaunch, actors: list[Actor]) -> tuple[int, int, int]:
    """Returns the begin, end and number of iterations of the window, from the actor with the most iterations."""
    best: list[int] = []
    for actor in actors:
        counts = Counter(item.site for item in actor.items)
        site = max(counts, key=lambda site: counts[site])
        begins = [item.begin for item in actor.items if item.site == site]
        if len(begins) > len(best):
            best = begins
    left_out = 2 if len(best) >= 4 * FEWEST_ITERATIONS else 1
    begins = best[left_out : len(best) - left_out] if len(best) > FEWEST_ITERATIONS + 2 else best
    # The window begins after every actor has begun its first item, so that all actors take part in its iterations.
    first = max(actor.items[0].begin for actor in actors)
    begins = [begin for begin in begins if begin >= first] if len(begins) > FEWEST_ITERATIONS else begins
    if len(begins) <= FEWEST_ITERATIONS or begins[-1] <= begins[0]:
        if len(best) == 1:
            raise LaunchError(
                f"nothing in {launch.kernel} was recorded more than once by a warp, so there is no loop to explain\n"
                "  hint: put `with profiler.scope(...)` around the parts of a loop; summary() shows the time of each"
            )
        raise LaunchError(
            f"the loop of {launch.kernel} was recorded for {len(best)} iterations; its steady state needs at least "
            f"{FEWEST_ITERATIONS + 1}\n  hint: profile a longer loop, or give the session a larger buffer"
        )
    return begins[0], begins[-1], len(begins) - 1


def _ends(actors: list[Actor], own: int, tokens: list[Item]) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Returns the sorted end times of items that actor `own` may wait for, and the (site, actor) of each item; the
    actor is -1 for tokens."""
    others = [(number, actor) for number, actor in enumerate(actors) if number != own]
    # Items without duration are omitted, because no actor waits for them.
    ends = [(item.end, item.site, n) for n, actor in others for item in actor.items if item.end > item.begin]
    ends += [(item.end, item.site, -1) for item in tokens]
    ends.sort()
    return np.array([end for end, _, _ in ends], np.int64), [(site, actor) for _, site, actor in ends]


def _running_beside(actors: list[Actor], own: int) -> Callable[[int, int], tuple[int, int]]:
    """Returns a function that finds the item of another actor that runs at the end of a wait, and for at least half of
    the wait. The function returns (site, actor), or (-1, -1) if there is no such item. Such an item can end a wait,
    because an actor may arrive at a barrier, or release a buffer, in the middle of the item."""
    begins = {n: [item.begin for item in actor.items] for n, actor in enumerate(actors) if n != own}

    def running(first: int, last: int) -> tuple[int, int]:
        best, found = (last - first) / 2, (-1, -1)
        for n, times in begins.items():
            index = bisect_left(times, last) - 1
            if index >= 0 and (item := actors[n].items[index]).end >= last:
                together = last - max(first, item.begin)
                if together >= best and together > 0:
                    best, found = together, (item.site, n)
        return found

    return running


def _waits_between(
    items: list[Item],
    inner: list[Item],
    ends: tuple[np.ndarray, list[tuple[int, int]]],
    running: Callable[[int, int], tuple[int, int]],
    window: tuple[int, int],
    has_barriers: bool,
) -> tuple[list[ActorWait], float]:
    """Returns the waits of an actor, and its cycles of unrecorded work."""
    times, whose = ends
    begin, end = window
    waits, unrecorded = [], 0.0
    gaps = [(wait.begin, wait.end, True) for wait in inner]
    reached = begin
    for item in items:
        if item.begin > reached:
            gaps.append((reached, item.begin, False))
        reached = max(reached, item.end)
    if end > reached:
        gaps.append((reached, end, False))
    covered = [(wait.begin, wait.end) for wait in inner]
    for first, last, is_named in gaps:
        if not is_named and any(a < last and first < b for a, b in covered):
            continue  # the gap overlaps a wait scope, which is already in `gaps`
        slack = max(_WAKING_CYCLES, int(_WAKING_SHARE * (last - first)))
        index = int(np.searchsorted(times, last, "right")) - 1
        found = index >= 0 and times[index] > first and (has_barriers or last - times[index] <= slack)
        site, actor = whose[index] if found else running(first, last) if is_named else (-1, -1)
        until = last
        if has_barriers and found and not is_named:
            until = int(times[index])
            unrecorded += last - until
        if is_named or found:
            waits.append(ActorWait(first, until, site, actor))
        else:
            unrecorded += last - first
    return waits, unrecorded
