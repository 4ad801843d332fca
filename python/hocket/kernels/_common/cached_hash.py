"""A decorator for classes of compile-time arguments. Every launch looks up its kernel by the hash of these
arguments."""

from __future__ import annotations

from typing import TypeVar

C = TypeVar("C", bound=type)


def cached_hash(cls: C) -> C:
    """This decorator caches the hash of each instance of a frozen dataclass. Otherwise every launch would compute the
    hash of a dozen layouts, which takes longer than the launch."""
    compute = cls.__hash__

    def keep(self) -> int:
        kept = self.__dict__.get("_hash")
        if kept is None:
            kept = compute(self)
            object.__setattr__(self, "_hash", kept)
        return kept

    cls.__hash__ = keep
    return cls
