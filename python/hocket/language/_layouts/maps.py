"""The linear map over F2 of a layout, for one shape."""

from __future__ import annotations

from . import checks as check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class Mapped(Protocol):
        """Protocol with the part of `base.Layout` that this module uses."""

        @property
        def rank(self) -> int: ...


def linear_bases(layout: Mapped, shape: Sequence[int]) -> dict:
    """Checks the shape, and returns the basis vectors of a layout by input dimension (see `_core.layout_bases`)."""
    from ... import _core

    shape = check.powers_of_two("shape of the view", "it", list(shape))
    if len(shape) != layout.rank:
        raise ValueError(f"{layout!r} has rank {layout.rank}, but the shape {shape} has rank {len(shape)}")
    return _core.layout_bases(layout, shape)


def linear_map(layout: Mapped, shape: Sequence[int]) -> dict:
    """Returns the basis vectors by input dimension of a layout in which one block holds the whole tile."""
    bases = linear_bases(layout, shape)
    rows = [row for name in ("register", "lane", "warp", "offset") for row in bases.get(name, ())]
    if not check.reaches_every_element(rows, shape):
        raise ValueError(
            f"{layout!r} splits a tile of shape {shape} among the blocks of a cluster: to view the part of one block, "
            "leave out cga_layout and pass the shape of the part"
        )
    return bases


def warps_along(layout: Mapped, shape: Sequence[int]) -> list[int]:
    """Returns the number of warps with different elements along each dimension."""
    counts = [1] * len(shape)
    for row in linear_map(layout, shape)["warp"]:
        moved = [dim for dim, entry in enumerate(row) if entry]
        if len(moved) > 1:
            raise ValueError(
                f"warps of {layout!r} are not along single dimensions: one bit of the warp's number has the basis {row}"
            )
        for dim in moved:
            counts[dim] *= 2
    return counts
