"""The checks of leap-frogging groups of warps, on what a profile says of the stages of their loop.

The stage instances of a group are numbered k = 0, 1, ...; [b, e) is the time in which at least one of its warps is in
the instance. Group 0 leads: while group 1 is in instance k, group 0 is in instance k + 1.
"""

from typing import NamedTuple

import numpy as np


class Instance(NamedTuple):
    site: int
    begin: int
    end: int


def instances_of_groups(launch, cta=0):
    """Returns the stage instances of both groups of four warps of a block, in order. All warps of a group have equal
    ones (E1)."""
    stages = [site.id for site in launch.facts.sites if site.kind == "stage"]
    spans = launch.spans[np.isin(launch.spans["site"], stages) & (launch.spans["cta"] == cta)]
    groups = []
    for group in (0, 1):
        warps = [w for w in np.unique(spans["warp"]) if launch.facts.group_of_warp[w] == group]
        of_warps = [np.sort(spans[spans["warp"] == warp], order="begin") for warp in warps]
        assert len({tuple(of_warp["site"].tolist()) for of_warp in of_warps}) == 1, "warps of a group part"
        groups.append(
            [
                Instance(int(same[0]["site"]), int(min(s["begin"] for s in same)), int(max(s["end"] for s in same)))
                for same in zip(*of_warps, strict=True)
            ]
        )
    return groups


def is_complete(groups, stages, turns):
    """E1: each group runs all instances, in the order of the program."""
    order = sorted(dict.fromkeys(instance.site for instance in groups[0]))
    expected = order * turns
    return len(order) == stages and all([i.site for i in group] == expected for group in groups)


def leader(groups):
    """E1: the group that is first at every instance; None if that changes."""
    ahead = {int(high.begin < low.begin) for low, high in zip(*groups, strict=True)}
    return ahead.pop() if len(ahead) == 1 else None


def is_one_stage_apart(groups, epsilon):
    """E2: group 1 begins an instance when group 0 has ended it, and before group 0 has ended the next one."""
    low, high = groups
    begins = all(high[k].begin >= low[k].end - epsilon for k in range(len(high)))
    return begins and all(high[k].begin <= low[k + 1].end + epsilon for k in range(1, len(low) - 1))


def share_that_overlaps(groups):
    """E3: of the steps, those in which group 0's next instance and group 1's overlap for 80 % of the shorter one."""
    low, high = groups
    steps = [(low[k + 1], high[k]) for k in range(1, len(low) - 2)]
    overlapping = [
        min(a.end, b.end) - max(a.begin, b.begin) >= 0.8 * min(a.end - a.begin, b.end - b.begin) for a, b in steps
    ]
    return sum(overlapping) / len(overlapping)


def are_apart(groups, epsilon):
    """E4: the groups are never in one instance at the same time."""
    return all(min(a.end, b.end) - max(a.begin, b.begin) <= epsilon for a, b in zip(*groups, strict=True))


def occupancy(groups):
    """E4: [i][j]: the share of the time in which both groups are in stages that group 0 is in stage i, group 1 in j."""
    order = sorted({instance.site for instance in groups[0]})
    matrix = np.zeros((len(order), len(order)))
    for a in groups[0]:
        for b in groups[1]:
            matrix[order.index(a.site), order.index(b.site)] += max(0, min(a.end, b.end) - max(a.begin, b.begin))
    return matrix / max(matrix.sum(), 1)
