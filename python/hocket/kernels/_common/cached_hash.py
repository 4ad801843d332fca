"""Classes of compile-time arguments. Every launch looks up its kernel by the hash of these arguments, and then compares
them with the arguments of the kernel that it finds."""

from __future__ import annotations

import weakref
from typing import Any, TypeVar

C = TypeVar("C", bound=type)
T = TypeVar("T")

#: Compile-time arguments that `canonical` has returned and that a prepared launch or a kernel still holds.
_known: weakref.WeakKeyDictionary[Any, weakref.ref[Any]] = weakref.WeakKeyDictionary()


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
    known = _known.get(arguments)
    first = known() if known is not None else None
    if first is None:
        _known[arguments] = weakref.ref(arguments)
        return arguments
    return first
