"""A decorator for compile-time arguments, which every launch looks up by their hash."""

from __future__ import annotations

from typing import TypeVar

C = TypeVar("C", bound=type)


def cached_hash(cls: C) -> C:
    """This decorator caches the hash of instances of a frozen dataclass. Computing the hash of a dozen layouts takes
    longer than a launch."""
    compute = cls.__hash__

    def keep(self) -> int:
        kept = self.__dict__.get("_hash")
        if kept is None:
            kept = compute(self)
            object.__setattr__(self, "_hash", kept)
        return kept

    cls.__hash__ = keep
    return cls
