"""Checks the arguments of constructors, and raises errors with better messages than those of Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def check_arguments(cls: type, args: tuple, kwargs: dict[str, Any]) -> None:
    """Raises a TypeError, with the constructor's parameters and a hint, unless `cls(*args, **kwargs)` binds."""
    init: Any = cls.__init__
    code = init.__code__
    names = code.co_varnames[1 : code.co_argcount]
    required = names[: len(names) - len(init.__defaults__ or ())]
    if problem := _problem(cls.__name__, names, required, args, kwargs):
        raise TypeError(problem)


def _problem(title: str, names: tuple[str, ...], required: tuple[str, ...], args: tuple, kwargs: dict[str, Any]) -> str:
    known = f"it has {', '.join(names)}"
    if len(args) > len(names):
        return f"{title} takes {len(names)} arguments, but {len(args)} are given: {known}"
    for name in kwargs:
        if name not in names:
            return f"{title} has no parameter `{name}`: {known}{_hint(name, names)}"
        if name in names[: len(args)]:
            return f"{title} gets two values for `{name}`: {known}"
    missing = [name for name in required[len(args) :] if name not in kwargs]
    return f"{title} is missing `{missing[0]}`: {known}" if missing else ""


def _hint(name: str, names: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1)
    hint = _CLUSTERS if name in _OF_CLUSTERS and "cga_layout" in names else f"did you mean `{near[0]}`?" if near else ""
    return f"\n  hint: {hint}" if hint else ""


#: Layouts of older versions of Gluon have these parameters, which a `cga_layout` has replaced.
_OF_CLUSTERS = ("ctas_per_cga", "cta_split_num", "cta_order")
_CLUSTERS = "write cga_layout=gl.make_cga_layout(ctas_per_cga, cta_split, cta_order)"
