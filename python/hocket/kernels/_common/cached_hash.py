"""Classes of compile-time arguments. Every launch looks up its kernel by the hash of these arguments, and then compares
them with the arguments of the kernel that it finds."""

from __future__ import annotations

from typing import Any, TypeVar

C = TypeVar("C", bound=type)
T = TypeVar("T")

#: Compile-time arguments that `canonical` has returned. The table is cleared when it is full.
_known: dict[Any, Any] = {}
_MOST_KNOWN = 4096


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


def canonical(arguments: T) -> T:
    """Returns the first one of all equal compile-time arguments. Prepared launches may share a kernel, and a comparison
    of the layouts in equal objects would take longer than a launch."""
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    return _known.setdefault(arguments, arguments)
