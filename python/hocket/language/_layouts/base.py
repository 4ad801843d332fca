"""Base classes of layouts: all layouts, layouts in registers, layouts in shared memory.

A layout class is a frozen dataclass whose fields are the arguments of its constructor. A layout class overrides methods
for its rank, its natural shape, and the layouts that can be derived from it.
"""

from __future__ import annotations

from dataclasses import MISSING, fields

from . import checks as check
from .calls import check_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from dataclasses import Field


class Layout:
    """Base class of all layouts. The fields of a layout determine its equality, hash and text."""

    def __new__(cls, *args: object, **kwargs: object):
        if args or kwargs:  # pickle creates a layout without arguments
            check_arguments(cls, args, kwargs)
        return super().__new__(cls)

    @property
    def rank(self) -> int:
        """Number of dimensions of a tensor in this layout."""
        raise NotImplementedError

    def natural_shape(self) -> list[int]:
        """Returns the shape of the smallest tile with the layout's whole pattern. Pictures show a tile of this shape by
        default.

        Errors: ValueError if the layout has no natural shape.
        """
        raise ValueError(f"{self!r} has no shape of its own; name the shape to draw")

    def mangle(self) -> str:
        """Returns an identifier made from the layout's text, for names of specialized kernels."""
        return "".join(c if c.isalnum() else "_" for c in repr(self).replace(" ", ""))

    def _normalize(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _key(self) -> tuple:
        return tuple(check.frozen(getattr(self, f.name)) for f in fields(self))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))

    def __repr__(self) -> str:
        values = [(f, getattr(self, f.name)) for f in fields(self)]
        while values and _is_default(*values[-1]):
            values.pop()
        return f"{type(self).__name__}({', '.join(repr(value) for _, value in values)})"

    def _repr_html_(self) -> str | None:
        """Returns a picture of a small tile for Jupyter. `hocket.pictures.draw_layout` draws other tiles."""
        from ..._display import html_of

        return html_of(self)


def _is_default(f: Field, value: object) -> bool:
    if f.default_factory is not MISSING:
        return value == f.default_factory()
    return f.default is not MISSING and value == f.default


class DistributedLayout(Layout):
    """Base class of layouts of tiles in registers."""

    def format_tensor_view(self, shape: Sequence[int]) -> str:
        """Returns text with one cell per element of a tile of `shape`: `T<thread>:<register>` for each thread that
        holds the element."""
        from .views import format_tensor_view

        return format_tensor_view(self, shape)

    def format_hardware_view(self, shape: Sequence[int]) -> str:
        """Returns text with one line per lane: the coordinates of the elements in its registers, for a tile of
        `shape`."""
        from .views import format_hardware_view

        return format_hardware_view(self, shape)

    def _check_operand(self, k_width: int) -> None:
        """Raises ValueError if a dot operand of this accumulator layout cannot have `k_width`."""
        raise ValueError(f"DotOperandLayout: the parent must be the layout of an accumulator, not {self!r}")

    def _operand_depth(self, k_width: int) -> int:
        """Returns the number of elements along K after which the layout of a dot operand repeats, for this accumulator
        layout."""
        raise NotImplementedError

    def _warps_per_cta(self, shape: Sequence[int] | None = None) -> list[int]:
        """Returns the number of warps along each dimension of this layout. For a layout that is derived from a parent
        layout, returns the number of the parent."""
        from .maps import warps_along

        if shape is None:
            raise TypeError(f"warps_per_cta of {self!r} needs the shape of the tile, too")
        return warps_along(self, shape)


class SharedLayout(Layout):
    """Base class of layouts of tiles in shared memory."""

    def format_tensor_view(self, shape: Sequence[int]) -> str:
        """Returns text with one cell per element of a tile of `shape`: the offset of the element in shared memory, in
        elements."""
        from .views import format_shared_tensor_view

        return format_shared_tensor_view(self, shape)

    def format_hardware_view(self, shape: Sequence[int]) -> str:
        """Returns text with the coordinates of the elements of a tile of `shape`, in the order of their offsets."""
        from .views import format_shared_hardware_view

        return format_shared_hardware_view(self, shape)
