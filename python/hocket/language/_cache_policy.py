"""Cache policies: hints for how long caches should keep the data of an access."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CachePolicy", "FractionalEvictionPolicy"]

_L1 = ("evict_normal", "evict_unchanged", "evict_first", "evict_last", "no_allocate")
_L2 = ("evict_normal", "evict_unchanged", "evict_first", "evict_last")
_PREFETCHED = (64, 128, 256)


@dataclass(frozen=True)
class FractionalEvictionPolicy:
    """Eviction priorities in the L2: `primary` for a fraction of the accesses, `secondary` for the remaining accesses.

    Args:
        primary: "evict_first", "evict_last", "evict_normal" or "evict_unchanged".
        fraction: fraction of the accesses with the `primary` priority, above 0, at most 1.
        secondary: priority of the remaining accesses, "evict_first" or "evict_unchanged".

    Example:
        >>> FractionalEvictionPolicy("evict_last").fraction
        1.0
    """

    primary: str
    fraction: float = 1.0
    secondary: str = "evict_unchanged"

    def __post_init__(self):
        _check("primary", self.primary, _L2)
        _check("secondary", self.secondary, ("evict_first", "evict_unchanged"))
        if not 0 < self.fraction <= 1:
            raise ValueError(f"fraction must be above 0 and at most 1, got {self.fraction!r}")


@dataclass(frozen=True)
class CachePolicy:
    """Cache policy of an access. None means the default behavior.

    A policy is a hint and does not change results. `gl.load` and `gl.store` accept a policy on every target; on AMD,
    only "evict_first" of the L2 has an effect. `async_copy.async_load` and TMA only use the arguments of a policy for
    which their instructions have hints.

    Args:
        cache_modifier: as `cache_modifier` of `gl.load` and `gl.store`. A policy cannot have both `cache_modifier` and
            `l1`.
        l1: "evict_normal", "evict_unchanged", "evict_first", "evict_last" or "no_allocate".
        l2: a `FractionalEvictionPolicy`.
        l2_prefetch_size: size in bytes of the block around the accessed address that the L2 prefetches: 64, 128 or 256.

    Example:
        >>> CachePolicy(l2=FractionalEvictionPolicy("evict_first")).l2.primary
        'evict_first'
    """

    cache_modifier: str | None = None
    l1: str | None = None
    l2: FractionalEvictionPolicy | None = None
    l2_prefetch_size: int | None = None

    def __post_init__(self):
        if self.cache_modifier and self.l1 is not None:
            raise ValueError(
                f"cache_modifier={self.cache_modifier!r} and l1={self.l1!r} exclude each other: an access has either "
                "a cache modifier or an eviction priority in the L1 cache"
            )
        if self.l1 is not None:
            _check("l1", self.l1, _L1)
        if self.l2 is not None and not isinstance(self.l2, FractionalEvictionPolicy):
            raise ValueError(f"l2 must be a FractionalEvictionPolicy, got {self.l2!r}")
        if self.l2_prefetch_size is not None:
            _check("l2_prefetch_size", self.l2_prefetch_size, _PREFETCHED)


def _check(name: str, value: object, known: tuple) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
