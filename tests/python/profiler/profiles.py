"""Launches of known timing."""

from __future__ import annotations

from encoder import BEGIN, END, Encoder, Facts, Site

from hocket.profiler import Profile, ProfiledLaunch


def profile_of(encoder: Encoder, *, grid=None, kernel="kernel", **options) -> Profile:
    """A profile with one launch."""
    profile = Profile("test")
    add_launch(profile, encoder, grid=grid, kernel=kernel, **options)
    return profile


def add_launch(profile, encoder, *, grid=None, kernel="kernel", target="sm_90a", **options) -> None:
    grid = grid or (len(encoder.counts), 1, 1)
    launch = ProfiledLaunch(len(profile._launches), kernel, target, grid, encoder.facts, encoder.array, **options)
    profile._launches.append(launch)


def warp_pipeline(
    load: int, compute: int, iterations: int = 20, barrier: int = 0, second: tuple[int, int] | None = None
):
    """Two groups of four warps, one stage apart, with a barrier before each stage: of each group, the first warp."""
    sites = [
        Site(0, "load", "stage", line=10, stage=0),
        Site(1, "compute", "stage", line=14, stage=1),
        Site(2, "warp", "warp"),
    ]
    facts = Facts(sites, unit_warps=[0, 4], group_of_warp=[0] * 4 + [1] * 4)
    encoder = Encoder(facts)
    lengths = [(load, compute), second or (load, compute)]
    clock = 100
    for group in (0, 1):
        encoder.write(group, BEGIN, 2, clock)
    for step in range(2 * iterations + 1):
        longest = 0
        for group in (0, 1):
            stage = step - group
            if 0 <= stage < 2 * iterations:
                length = lengths[group][stage % 2]
                encoder.span(group, stage % 2, clock, clock + length, stage // 2)
                longest = max(longest, length)
        clock += longest + barrier
    for group in (0, 1):
        encoder.write(group, END, 2, clock)
    return encoder


def producer_and_consumer(load: int, multiply: int, slots: int = 2, iterations: int = 30, waits: bool = True):
    """Records of a producer warp and a consumer warp with a ring of buffers, with scopes "wait ..." for waiting
    times."""
    sites = [
        Site(0, "copy tiles", line=20),
        Site(1, "multiply", line=30),
        Site(2, "wait for a free slot", line=19),
        Site(3, "wait for a full slot", line=29),
    ]
    facts = Facts(sites, unit_warps=[0, 4], group_of_warp=[0] * 5, partition_of_warp=[""] * 4 + ["producer"])
    encoder = Encoder(facts)
    filled, emptied = [], []
    producer = consumer = 0
    for iteration in range(iterations):
        free = emptied[iteration - slots] if iteration >= slots else 0
        start = max(producer, free)
        if waits and start > producer:
            encoder.span(1, 2, producer, start, iteration)
        encoder.span(1, 0, start, start + load, iteration)
        producer = start + load
        filled.append(producer)
        start = max(consumer, filled[iteration])
        if waits and start > consumer:
            encoder.span(0, 3, consumer, start, iteration)
        encoder.span(0, 1, start, start + multiply, iteration)
        consumer = start + multiply
        emptied.append(consumer)
    return encoder
