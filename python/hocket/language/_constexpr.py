"""Values that are known at compile time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class constexpr:
    """A value known at compile time.

    `BLOCK: gl.constexpr` marks a parameter whose value is known at compile time in every call. `x: gl.constexpr = 5` is
    a local variable that stays known at compile time. `LIMIT = gl.constexpr(42)` is a module variable that kernels may
    read. Operators apply to the wrapped values, and their result is a constexpr, too.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value

    def __class_getitem__(cls, item: Any) -> type[constexpr]:
        return cls  # `gl.constexpr[int]` is equivalent to `gl.constexpr`, and documents the type

    def __repr__(self) -> str:
        return f"constexpr({self.value!r})"

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __index__(self) -> int:
        return self.value.__index__()

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self):
        return iter(self.value)

    def __getitem__(self, key: Any) -> Any:
        return self.value[unwrap(key)]

    def __getattr__(self, name: str) -> Any:
        if name == "value" or name.startswith("__"):
            raise AttributeError(name)  # while a copy is made, `value` does not exist yet
        return getattr(self.value, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*map(unwrap, args), **{name: unwrap(arg) for name, arg in kwargs.items()})

    def __neg__(self) -> constexpr:
        return constexpr(-self.value)

    def __pos__(self) -> constexpr:
        return constexpr(+self.value)

    def __invert__(self) -> constexpr:
        return constexpr(~self.value)


def unwrap(value: Any) -> Any:
    """Returns the wrapped value of a constexpr. Values that are not a constexpr are returned unchanged."""
    return value.value if isinstance(value, constexpr) else value


def _add_binary_operators() -> None:
    import operator

    def forward(function):
        def method(self, other):
            return constexpr(function(self.value, unwrap(other)))

        return method

    def reflected(function):
        def method(self, other):
            return constexpr(function(unwrap(other), self.value))

        return method

    arithmetic = "add sub mul truediv floordiv mod pow lshift rshift and or xor"
    for name in arithmetic.split():
        function = getattr(operator, f"__{name}__")
        setattr(constexpr, f"__{name}__", forward(function))
        setattr(constexpr, f"__r{name}__", reflected(function))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(constexpr, f"__{name}__", forward(getattr(operator, f"__{name}__")))


_add_binary_operators()


class ConstexprFunction:
    """A Python function that kernels call at compile time: the result of `constexpr_function`."""

    __hocket_constexpr_function__ = True

    def __init__(self, fn: Callable[..., Any]):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__
        self.__module__ = fn.__module__
        self.__wrapped__ = fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*map(unwrap, args), **{name: unwrap(arg) for name, arg in kwargs.items()})

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        return ConstexprFunction(self.fn.__get__(instance, owner))

    def __repr__(self) -> str:
        return f"constexpr_function({self.__module__}.{self.__name__})"


def constexpr_function(fn: Callable[..., Any]) -> ConstexprFunction:
    """Lets kernels call a plain Python function at compile time.

    Arguments must be known at compile time and are passed as plain Python values; the result is a constexpr. On the
    host, the function works as usual. The function must return equal results for equal arguments, because compiled
    kernels are cached. A call is a CompileError if the function reads the time, random numbers, the environment or a
    file.

        @gl.constexpr_function
        def row_layout(columns, num_warps):
            return gl.BlockedLayout([1, 4], [1, 32], [num_warps, 1], [1, 0])
    """
    if isinstance(fn, ConstexprFunction):
        return fn
    if not callable(fn) or not hasattr(fn, "__name__"):
        raise TypeError(
            f"constexpr_function takes a function, not {fn!r}\n  hint: write it above `def`, without arguments"
        )
    return ConstexprFunction(fn)
