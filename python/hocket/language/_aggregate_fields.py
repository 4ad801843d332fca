"""The fields of aggregates: their names, types and defaults, from the annotations of a class and its base classes."""

from __future__ import annotations

import sys
from types import UnionType

from ._constexpr import constexpr, unwrap
from ._dtype import dtype
from ._types import tuple as tuple_of_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def fields_of(cls: type) -> tuple[tuple[str, ...], dict[str, Any]]:
    defaults: dict[str, Any] = {}
    fields: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        for name, annotation in _annotations(base).items():
            if _is_class_variable(annotation):
                continue
            fields[name] = None
            if name in base.__dict__:
                defaults[name] = unwrap(base.__dict__[name])
    for name in fields:
        if name.startswith("__") or name in ("_fields", "_field_defaults"):
            raise TypeError(f"aggregate {cls.__name__} cannot have a field `{name}`")
    return tuple(fields), defaults


def field_types(cls: type) -> dict[str, tuple]:
    """Returns a dict from the name of each field to its allowed types: classes, dtypes, None; `object` allows any
    type."""
    known = cls.__dict__.get("__hocket_field_types__")
    if known is None:
        known = {}
        for base in reversed(cls.__mro__):
            for name, annotation in _annotations(base).items():
                if not _is_class_variable(annotation):
                    known[name] = _alternatives(base, name, annotation)
        cls.__hocket_field_types__ = known
    return known


def type_text(alternatives: tuple) -> str:
    """Returns the types of a field in the user's notation: "gl.tensor or gl.constexpr"."""

    def one(type_: Any) -> str:
        if type_ is None:
            return "None"
        if isinstance(type_, dtype):
            return f"gl.{type_.name}"
        of_language = type_ is constexpr or (type_.__module__ or "").startswith("hocket.language")
        return f"gl.{type_.__name__}" if of_language else type_.__name__

    return " or ".join(map(one, alternatives))


def class_text(cls: type) -> str:
    """Returns the text of an aggregate's declaration, without functions and constants."""
    return ",".join(f"{name}:{type_text(types)}" for name, types in field_types(cls).items())


def _annotations(cls: type) -> dict[str, Any]:
    """Returns the annotations of the class itself, without annotations of base classes. An annotation that Python has
    not evaluated may be a string."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    from inspect import get_annotations

    return get_annotations(cls)


def _is_class_variable(annotation: Any) -> bool:
    text = annotation if isinstance(annotation, str) else repr(annotation)
    return text.removeprefix("typing.").startswith("ClassVar")


def _alternatives(cls: type, name: str, annotation: Any) -> tuple:
    from typing import Any as AnyType
    from typing import Optional, Union, get_args, get_origin

    if isinstance(annotation, str):
        annotation = _evaluated(cls, name, annotation)
    origin = get_origin(annotation)
    if origin is Union or isinstance(annotation, UnionType):
        return tuple(one for part in get_args(annotation) for one in _alternatives(cls, name, part))
    if annotation is AnyType or annotation is Optional:
        return (object,)
    if annotation is None or annotation is type(None):
        return (None,)
    if origin is not None:  # a generic type such as tuple[int, ...] or list[int]
        annotation = origin
    if annotation in (tuple_of_values, tuple, list):
        annotation = tuple
    if isinstance(annotation, type | dtype):
        return (annotation,)
    raise TypeError(
        f"field `{name}` of aggregate {cls.__name__} is annotated with {annotation!r}, which is not the type of a "
        "value\n  hint: write gl.tensor for run-time values, gl.constexpr for compile-time values"
    )


def _evaluated(cls: type, name: str, text: str) -> Any:
    if text.partition("[")[0].strip(" \"'").rpartition(".")[2] == "constexpr":
        return constexpr
    space = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    try:
        return eval(text, dict(space), {cls.__name__: cls, **vars(cls)})
    except Exception as error:
        raise TypeError(
            f"field `{name}` of aggregate {cls.__name__} is annotated with `{text}`, which cannot be evaluated: {error}"
        ) from None
