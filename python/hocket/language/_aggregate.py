"""Structs of values: `@hocket.aggregate`.

The decorator checks the class, and records the names, types and defaults of the fields, in order, for the host and the
compiler. On the host, an instance is an immutable record of compile-time values. In kernels, the compiler decomposes an
instance into its fields (csrc/frontend/emit/Aggregates.h).
"""

from __future__ import annotations

from types import FunctionType

from ._aggregate_fields import field_types, fields_of, type_text
from ._constexpr import ConstexprFunction, constexpr, unwrap
from ._dtype import dtype
from ._types import base_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from typing_extensions import dataclass_transform

    C = TypeVar("C", bound=type)
    A = TypeVar("A")
    F = TypeVar("F", bound=Callable[..., Any])
else:

    def dataclass_transform():
        """Returns a decorator without effect, which only type checkers need."""
        return lambda function: function


_MARK = "__hocket_aggregate__"
#: Name of an attribute that an instance has only while its `__init__` runs. While this attribute exists, assignments
#: `self.x = ...` are permitted.
_OPEN = "__hocket_open__"


@dataclass_transform()
def aggregate(cls: C) -> C:
    """Makes a class a struct that kernels pass as one value through calls, branches, loops and partitions.

    The annotations of the class are its fields, in order. Fields of base classes come first. A field is a `gl.tensor`
    (a scalar or a tile), a `gl.constexpr` (known at compile time), a `gl.shared_memory_descriptor`, a TMA descriptor, a
    dtype (a scalar of that type), a tuple, another aggregate, or a `Union` of these. `x: gl.constexpr = 4` declares a
    field with a default value.

    Without `__init__`, the class is called with its fields, like a dataclass. An `__init__` assigns each field with
    `self.x = ...`. Fields of an instance cannot be changed: `hocket.aggregate_replace(value, x=...)` returns a changed
    copy. An `__init__` without a decorator, or with `@hocket.jit`, is compiled as part of the kernel. Python runs an
    `__init__` with `@hocket.constexpr_function` at compile time, with handles in place of run-time values.

    Methods and properties are `@hocket.jit` functions or `@hocket.constexpr_function`s, which may be static. Other
    attributes of the class are constants. An aggregate can only inherit from aggregates.

    On the host, a class whose fields are all compile-time constants can be instantiated. Its instances can be passed as
    `gl.constexpr` arguments.

    Raises:
        TypeError: for a class that derives from a class other than an aggregate, has no fields, or has a field of an
            unsupported type.

    Example:
        @hocket.aggregate
        class Counter:
            index: gl.tensor
            phase: gl.tensor
            size: gl.constexpr

            @hocket.jit
            def next(self):
                index = self.index + 1
                wraps = index == self.size
                return Counter(gl.where(wraps, 0, index), gl.where(wraps, self.phase ^ 1, self.phase), self.size)
    """
    if not isinstance(cls, type):
        raise TypeError(f"hocket.aggregate takes a class, not {cls!r}")
    _check_bases(cls)
    if "__dataclass_fields__" in cls.__dict__:
        raise TypeError(
            f"aggregate {cls.__name__} is a dataclass, too\n"
            "  hint: leave out @dataclass: an aggregate takes its fields without an `__init__`"
        )
    fields, defaults = fields_of(cls)
    if not fields:
        raise TypeError(f"aggregate {cls.__name__} has no fields\n  hint: annotate them in the class: `x: gl.tensor`")
    own_init = cls.__dict__.get("__init__")
    base = cls.__mro__[1]
    if own_init is None and is_aggregate(base) and base.__dict__["_fields"] == fields:
        own_init = base.__dict__["__hocket_init__"]  # an inherited `__init__` could not assign new fields
    setattr(cls, _MARK, True)
    cls._fields = fields
    cls._field_defaults = defaults
    cls.__hocket_init__ = own_init
    cls.__init__ = _host_init(own_init)
    for name, method in _HOST_METHODS.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    return cls


def _check_bases(cls: type) -> None:
    for base in cls.__bases__:
        if base is not object and not is_aggregate(base):
            raise TypeError(f"aggregate {cls.__name__} can only inherit from aggregates, but {base.__name__} is none")


def is_aggregate(cls: Any) -> bool:
    """Returns True if `aggregate` decorates `cls` itself, not only a base class."""
    return isinstance(cls, type) and _MARK in cls.__dict__


def aggregate_replace(instance: A, /, **changes: Any) -> A:
    """Returns a copy of an aggregate in which `changes` replace the values of fields. The types of the values are
    checked, and `__init__` does not run.

    Raises:
        TypeError: for a value that is not an aggregate or does not match its field, or for a field that does not exist.

    Example:
        state = hocket.aggregate_replace(state, phase=state.phase ^ 1)
    """
    cls: Any = type(instance)
    if not is_aggregate(cls):
        raise TypeError(f"aggregate_replace takes an aggregate, not {instance!r}")
    unknown = next((name for name in changes if name not in cls._fields), None)
    if unknown is not None:
        raise TypeError(f"aggregate {cls.__name__} has no field `{unknown}`: it has {', '.join(cls._fields)}")
    values = {name: changes.get(name, getattr(instance, name)) for name in cls._fields}
    return make(cls, [_checked(cls, name, unwrap(value)) for name, value in values.items()])


def must_use_result(fn: F) -> F:
    """Makes a call of `fn` in a kernel an error if the kernel ignores the result. The decorator stands above
    `@hocket.jit`.

    `must_use_result` is meant for functions that return a changed copy, e.g. of an aggregate: such a function does not
    change its argument, so a call whose result is ignored has no effect.
    """
    inner = getattr(fn, "fn", fn)
    if not isinstance(inner, FunctionType):
        raise TypeError(f"must_use_result takes a function, not {fn!r}\n  hint: write it above @hocket.jit")
    inner.__hocket_must_use_result__ = True
    return fn


# For the compiler ----------------------------------------------------------------------------------------------------


def make(cls: type, values: Any) -> Any:
    """Returns an instance with the given field values, made without a call of `__init__`."""
    instance = object.__new__(cls)
    instance.__dict__.update(zip(cls._fields, values, strict=True))
    return instance


def handle(cls: type, number: int, facts: dict[str, Any]) -> Any:
    """Returns a handle that represents a run-time value in Python code at compile time. The handle is an instance of
    `cls` whose attributes are `facts`, such as `dtype` and `shape`."""
    handle_class = type(cls.__name__, (cls,), {**facts, "__hocket_handle__": number, "__module__": cls.__module__})
    return object.__new__(handle_class)


def initialize(cls: type, positional: Any, keywords: dict[str, Any]) -> list[Any]:
    """Returns the field values, in order, that a call of `__init__` in Python assigns. Some values may be handles."""
    instance = object.__new__(cls)
    instance.__dict__[_OPEN] = True
    _function(cls.__hocket_init__)(instance, *positional, **keywords)
    return [_value_of(cls, instance, name) for name in cls._fields]


# Instances on the host -----------------------------------------------------------------------------------------------


def _function(init: Any) -> FunctionType:
    return init if isinstance(init, FunctionType) else init.fn


def _host_init(init: Any) -> Callable[..., None]:
    def __init__(self, /, *args, **kwargs):
        cls = type(self)
        if not is_aggregate(cls):
            raise TypeError(f"{cls.__name__} derives from an aggregate: decorate it with @hocket.aggregate as well")
        if self.__dict__.get(_OPEN):  # `__init__` of a derived class has called super().__init__()
            values = _bound(cls, args, kwargs) if init is None else None
            if values is None:
                _function(init)(self, *map(unwrap, args), **{key: unwrap(value) for key, value in kwargs.items()})
            else:
                self.__dict__.update(values)
            return
        args, kwargs = tuple(map(unwrap, args)), {name: unwrap(value) for name, value in kwargs.items()}
        if init is None:
            values = _bound(cls, args, kwargs)
        else:
            values = dict(zip(cls._fields, initialize(cls, args, kwargs), strict=True))
        self.__dict__.update({name: _checked(cls, name, value) for name, value in values.items()})

    return __init__


def _bound(cls: type, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns the field values by field name, from the arguments of a call of `cls`."""
    if len(args) > len(cls._fields):
        raise TypeError(f"{cls.__name__} takes {len(cls._fields)} arguments, but {len(args)} are given")
    values = dict(zip(cls._fields, args, strict=False))
    for name, value in kwargs.items():
        if name not in cls._fields:
            raise TypeError(f"aggregate {cls.__name__} has no field `{name}`: it has {', '.join(cls._fields)}")
        if name in values:
            raise TypeError(f"{cls.__name__} gets two values for `{name}`")
        values[name] = value
    for name in cls._fields:
        if name not in values:
            if name not in cls._field_defaults:
                raise TypeError(f"missing argument `{name}` of {cls.__name__}")
            values[name] = cls._field_defaults[name]
    return {name: values[name] for name in cls._fields}


def _value_of(cls: type, instance: Any, name: str) -> Any:
    if name in instance.__dict__:
        return instance.__dict__[name]
    if name in cls._field_defaults:
        return cls._field_defaults[name]
    raise TypeError(f"`__init__` of {cls.__name__} gives the field `{name}` no value")


def _checked(cls: type, name: str, value: Any) -> Any:
    """Returns `value`, after a check that a field can have this value on the host."""
    types = field_types(cls)[name]
    for type_ in types:
        if type_ is None:
            fits = value is None
        elif type_ is constexpr or type_ is object:
            fits = not isinstance(value, base_value)
        elif isinstance(type_, dtype) or issubclass(type_, base_value):
            fits = False
        else:
            fits = isinstance(value, type_) or (type_ is tuple and isinstance(value, list))
        if fits:
            return value
    hint = ""
    if any(isinstance(type_, dtype) or (isinstance(type_, type) and issubclass(type_, base_value)) for type_ in types):
        hint = "\n  hint: it has a value only in kernels: make the aggregate there"
    raise TypeError(f"field `{name}` of {cls.__name__} must be {type_text(types)}, not {value!r}{hint}")


def _set(self: Any, name: str, value: Any) -> None:
    cls = type(self)
    if "__dataclass_fields__" in cls.__dict__:
        raise TypeError(f"{cls.__name__} is an aggregate and a dataclass\n  hint: leave out @dataclass")
    if not self.__dict__.get(_OPEN):
        raise AttributeError(
            f"cannot assign to `{name}`: the aggregate {cls.__name__} does not change after its `__init__`\n"
            f"  hint: make a changed copy: hocket.aggregate_replace(value, {name}=...)"
        )
    if name not in cls._fields:
        raise AttributeError(
            f"aggregate {cls.__name__} has no field `{name}`\n  hint: annotate it in the class: `{name}: gl.tensor`"
        )
    self.__dict__[name] = unwrap(value)


def _delete(self: Any, name: str) -> None:
    raise AttributeError(f"cannot delete `{name}`: the aggregate {type(self).__name__} does not change")


def _key(self: Any) -> tuple:
    return tuple((type(value), value) for value in map(self.__dict__.get, self._fields))


def _equal(self: Any, other: object) -> bool:
    return type(self) is type(other) and _key(self) == _key(other)


def _hash(self: Any) -> int:
    return hash((type(self), _key(self)))


def _repr(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{name}={self.__dict__.get(name)!r}' for name in self._fields)})"


_HOST_METHODS = {
    "__setattr__": _set,
    "__delattr__": _delete,
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _repr,
}


def functions_of(cls: type) -> list[Any]:
    """Returns the functions and methods of an aggregate's class and its base classes."""
    found = []
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if name == "__init__":
                continue  # `__hocket_init__` is the user's `__init__`
            value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if isinstance(value, FunctionType | ConstexprFunction) or isinstance(
                getattr(value, "fn", None), FunctionType
            ):
                found.append(value)
    return found


def constants_of(cls: type) -> list[tuple[type, str, Any]]:
    """Returns a tuple (class, name, value) for each attribute of an aggregate's class and base classes that is not a
    function."""
    found = []
    for base in cls.__mro__[:-1]:
        for name, value in vars(base).items():
            is_function = callable(value) or isinstance(value, property | staticmethod | classmethod)
            if not (name.startswith("__") or name in ("_fields", "_field_defaults")) and not is_function:
                found.append((base, name, value))
    return found
