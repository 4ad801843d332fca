"""A registry of the functions that show values in notebooks: `hocket.pictures` registers the functions, and the shown
classes call them.

A class calls `html_of(self)` or `picture_of(self)`, and does not import the code that draws its instances.
`hocket.pictures` is imported when the first value is shown.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_html: dict[type, Callable[[Any], str | None]] = {}
_pictures: dict[type, Callable[[Any], Any]] = {}


def register(
    kind: type, *, html: Callable[[Any], str | None] | None = None, picture: Callable[[Any], Any] | None = None
) -> None:
    """Sets the functions that show instances of `kind`, and of its subclasses that have no registered functions.

    Args:
        kind: a class.
        html: returns the HTML or SVG for Jupyter, or None where an instance is shown as text.
        picture: returns a `hocket.pictures.Picture`.
    """
    if html is not None:
        _html[kind] = html
    if picture is not None:
        _pictures[kind] = picture


def html_of(value: Any) -> str | None:
    """Returns the HTML that Jupyter shows for `value`; None if Jupyter shows the text of `value`."""
    function = _function_for(_html, value)
    return None if function is None else function(value)


def picture_of(value: Any) -> Any:
    """Returns the picture of `value`. Raises TypeError if the class of `value` has no picture."""
    function = _function_for(_pictures, value)
    if function is None:
        raise TypeError(f"a {type(value).__name__} has no picture")
    return function(value)


def _function_for(registry: dict[type, Any], value: Any) -> Any:
    from . import _load_formatters

    _load_formatters()
    return next((registry[kind] for kind in type(value).__mro__ if kind in registry), None)
