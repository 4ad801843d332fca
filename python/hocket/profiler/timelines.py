"""Converts a profile to a timeline of the emulator. The functions that draw the emulator's timelines can then draw the
profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..emulator import Timeline
from .steady import is_wait

if TYPE_CHECKING:
    from .facts import ProfileFacts, Site
    from .launches import ProfiledLaunch


def timeline_of(launches: list[ProfiledLaunch]) -> Timeline:
    """Returns the timeline of `launches`."""
    models = [launch.is_model for launch in launches]
    about = "Cycles that warps have recorded, without what recording costs."
    if any(models):
        about = "Cycles of the emulator's virtual clock: who waits for whom, not the speed of any hardware."
    if any(_has_silent_partitions(launch.facts) for launch in launches):
        about += " Waits inside partitions are not recorded; hocket.profiler.session(waits=True) records them."
    timeline = Timeline(about)
    for launch in launches:
        timeline._add(launch.kernel, _slices(launch), launch.facts.partition_of_warp)
    return timeline


def _has_silent_partitions(facts: ProfileFacts) -> bool:
    """Returns True if a kernel has partitions whose waits it does not record."""
    has_partitions = any(site.kind == "partition" for site in facts.sites)
    return has_partitions and not any(site.kind == "scope" and is_wait(site.name) for site in facts.sites)


def _slices(launch: ProfiledLaunch) -> list[tuple]:
    """Returns the spans of a launch as tuples of the fields of `emulator.Slice`."""
    spans = launch.spans
    shown = _shown_kinds(launch.facts)
    specific = [
        kind in ("stage", "scope") and site.kind != "flush"
        for kind, site in zip(shown, launch.facts.sites, strict=True)
    ]
    inner = np.array(specific or [False])[spans["site"]]
    # Lifetimes of warps and partitions are only shown for warps without more specific records.
    busy = set(map(tuple, np.unique(spans[inner][["cta", "warp"]]).tolist())) if inner.any() else set()
    origins: dict[int, int] = {}
    for cta, begin in zip(spans["cta"].tolist(), spans["begin"].tolist(), strict=True):
        origins[cta] = min(begin, origins.get(cta, begin))
    slices = []
    for span in spans[["cta", "warp", "site", "begin", "end"]].tolist():
        cta, warp, number, begin, end = span
        site, kind = launch.facts.sites[number], shown[number]
        if not kind or (kind == "life" and not _is_all_there_is(launch, warp, site, (cta, warp) in busy)):
            continue
        begin, end = begin - origins[cta], end - origins[cta]
        shown_kind = "stage" if kind == "life" else kind
        slices.append((cta, warp, shown_kind, site.name, 1, site.file, site.line, begin, end))
    return slices


def _is_all_there_is(launch: ProfiledLaunch, warp: int, site: Site, is_busy: bool) -> bool:
    """Returns True if a warp has no more specific record than `site`, the lifetime of the warp or of a partition."""
    name = launch.facts.partition_of_warp[warp] or "default"
    partitions = (other.name for other in launch.facts.sites if other.kind == "partition")
    return not is_busy and (site.kind == "partition" or name not in partitions)


def _shown_kinds(facts: ProfileFacts) -> list[str]:
    """Returns the kind of slice for each site: "stage" for stages and outermost scopes, "scope" for inner scopes and
    flushes, "wait" for scopes that count as waits, "life" for partitions and warps, "" for sites that are not shown."""
    kinds = []
    for site in facts.sites:
        parents, parent = [], site.parent
        while parent >= 0:
            parents.append(facts.sites[parent].kind)
            parent = facts.sites[parent].parent
        is_inner = "scope" in parents or "stage" in parents
        if site.kind == "scope" and is_wait(site.name):
            kinds.append("wait")
        elif site.kind == "flush":
            kinds.append("scope")
        elif site.kind in ("stage", "scope"):
            kinds.append("scope" if is_inner else "stage")
        else:
            kinds.append("life" if site.kind in ("partition", "warp") else "")
    return kinds
