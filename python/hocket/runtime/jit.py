"""The decorator `@hocket.jit`, and its result, JITFunction."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from enum import IntEnum
from types import FunctionType
from typing import Any, NamedTuple, overload
from warnings import warn

from .. import _core
from ..errors import CompileWarning, LaunchError, shown_path
from ..language._constexpr import ConstexprFunction, constexpr
from ..language._dtype import dtype
from . import places
from .compiled import CompiledKernel
from .options import OPTION_LIST, Options
from .symbols import symbol_of

#: Flag of a code object whose function takes `*args`.
_TAKES_VARARGS = 0x04


class _Mode(IntEnum):
    """Determines which properties of an argument's value a specialization depends on. The numbers are equal to those of
    ParameterMode in C++."""

    SPECIALIZE = 0
    NO_ALIGNMENT = 1
    NO_SPECIALIZE = 2
    CONSTEXPR = 3


class Parameter(NamedTuple):
    """A parameter of a jit function, as a tuple that `LaunchFunction._configure` takes."""

    name: str
    mode: _Mode
    has_default: bool
    default: Any
    declared_type: dtype | None

    @property
    def is_constexpr(self) -> bool:
        return self.mode is _Mode.CONSTEXPR


class JITFunction(_core.LaunchFunction):
    """A function of the kernel language. Launch it with `k[grid](*args)`; call it from other kernels by its name.

    `grid` is a tuple of one to three ints, or a function from a dict of all arguments and options to such a tuple.
    Arguments are arrays, numbers, bools, None and tuples of these. A kernel is compiled once per specialization:

        array                  element type; whether its address is a multiple of 16
        int                    value 1 is a constant; 32 or 64 bits by its size; whether it is a multiple of 16
        bool, float            bool, float32
        None, `gl.constexpr`   the value is a constant

    A launch on NumPy arrays runs on the emulator. A launch on arrays of a GPU runs on that GPU, on the current stream
    of the arrays' library, or on the stream that `stream=` selects. Launch options, such as `num_warps=8`, are keyword
    arguments: see hocket.runtime.options.Options. The defaults of launch options are arguments of the decorator:
    `@hocket.jit(num_warps=8)`.

    `k.warmup(*args, target="gfx950", **options)` compiles without running, for any target on any machine, and returns
    the CompiledKernel. Arguments may be types: `k.warmup(gl.float32, gl.float32, 4096, BLOCK=1024)` compiles for two
    pointers to float32 and the number 4096.

    An array is passed as a pointer to its first element. Kernels do not receive the strides of an array. Strides of
    views are passed as integers. If a view has gaps between its elements, as in x[::2], and its strides are not passed,
    the emulator warns once.
    """

    #: Pairs (name, default) of all launch options.
    _option_list: Sequence[tuple[str, Any]] = OPTION_LIST

    def __init__(
        self,
        fn: FunctionType,
        *,
        version: Any = None,
        repr: Callable | None = None,
        launch_metadata: Callable | None = None,
        do_not_specialize: list[str | int] | None = None,
        do_not_specialize_on_alignment: list[str | int] | None = None,
        debug: bool = False,
        noinline: bool = False,
        **launch_options: Any,
    ):
        _check_is_plain(fn)
        _check_options(launch_options, self._option_list)
        functools.update_wrapper(self, fn)
        _core.stamp_source(fn)
        self.fn = fn
        self.version = version
        self.debug = debug
        self.noinline = noinline
        self.repr = repr
        self.launch_metadata = launch_metadata
        self.launch_options = launch_options
        if noinline:
            warn(
                f"{fn.__name__}: noinline=True has no effect, because kernels contain the code of all functions that "
                "they call",
                CompileWarning,
                stacklevel=3,
            )
        code = fn.__code__
        self.arg_names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        self.parameters = _parameters(fn, self.arg_names, do_not_specialize or [], do_not_specialize_on_alignment or [])
        var_args = -1
        if code.co_flags & _TAKES_VARARGS:
            var_args = len(self.parameters)
            name = code.co_varnames[len(self.arg_names)]
            self.parameters.append(Parameter(name, _Mode.SPECIALIZE, False, None, None))
        constants = (dtype, JITFunction, ConstexprFunction, *_layout_classes())
        options = [(name, launch_options.get(name, default)) for name, default in self._option_list]
        self._configure(fn.__name__, self.parameters, options, code.co_argcount, var_args, constexpr, constants)
        if launch_options:
            _check_option_parameters(self)
            self.options_for({})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise LaunchError(
            f"{self.__name__}() is a kernel: launch it with {self.__name__}[grid](...), or call it from another kernel"
        )

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> CompiledKernel:
        """Launches the kernel, like `self[grid](*args, **kwargs)`; with `warmup`, only compiles it."""
        return self.warmup(*args, grid=grid, **kwargs) if warmup else self[grid](*args, **kwargs)

    def _warmup(self, *args: Any, grid: Any = None, target: str | None = None, **kwargs: Any) -> CompiledKernel:
        """Implements `warmup` of the base class."""
        names = [*self.arg_names, *[""] * len(args)]  # further positional arguments belong to *args
        args = tuple(self._stand_in(name, value) for name, value in zip(names, args, strict=False))
        kwargs = {name: self._stand_in(name, value) for name, value in kwargs.items()}
        if target is None:
            return self._specialize(*args, **kwargs)
        with places.compile_only(target):
            return self._specialize(*args, **kwargs)

    def _stand_in(self, name: str, value: Any) -> Any:
        """Replaces an element type by a MockTensor of this type, except for a constexpr parameter `name`, whose value
        is the type."""
        return value if is_constexpr_annotation(self.fn.__annotations__.get(name)) else _stand_in(value)

    def _compile(self, types: list, values: list, options: dict[str, Any], place: int | str) -> CompiledKernel:
        """Compiles a new specialization. The launch path calls this method from C++."""
        from .compiler import compile_specialization

        return compile_specialization(self, types, values, self.options_for(options), place)

    def export(
        self,
        folder: str | os.PathLike,
        /,
        *args: Any,
        target: str,
        grid: Any = None,
        name: str | None = None,
        emulator: bool = False,
        **kwargs: Any,
    ) -> None:
        """Compiles the kernel and writes a bundle, which C programs and `hocket.load` launch without the compiler.

        `args` and `kwargs` are those of `warmup`. `hocket.export` describes the other arguments.
        """
        from .export import export_call

        export_call(self, folder, args, target, {"grid": grid, "name": name, "emulator": emulator}, kwargs)

    def options_for(self, given: dict[str, Any]) -> Options:
        """Returns the options of a launch: options in `given` override those of the decorator, which override the
        defaults."""
        return Options.given({**self.launch_options, **given}, self.debug)

    def symbol_for(self, types: list, values: list) -> str:
        """Returns the name of the kernel in machine code, profiles and messages: the function's name, or the name that
        `repr` returns.

        `types` and `values` describe the arguments as for `_compile`.
        """
        return symbol_of(self, types, values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_no_attribute(self.__dict__.get("__name__", "kernel"), name), name=name, obj=self)

    def __reduce__(self) -> str:
        """Makes pickles and copies refer to the function by name. A kernel is compiled again in the process that
        launches it."""
        return self.__qualname__

    def __repr__(self) -> str:
        return f"JITFunction({self.__module__}.{self.__qualname__})"


def _no_attribute(kernel: str, name: str) -> str:
    """Returns the text of an AttributeError of a kernel, with a hint for some names."""
    if hasattr(CompiledKernel, name) or name in ("asm", "metadata", "arguments", "place"):
        hint = f"compile it, or launch it: compiled = {kernel}.warmup(..., target=...), then compiled.{name}"
    else:
        hint = _INSTEAD.get(name, "")
    return f"the kernel {kernel} has no attribute `{name}`" + (f"\n  hint: {hint}" if hint else "")


_LAUNCH = "launch it: kernel[grid](...)"
#: Hints for names that are not attributes of a kernel, but that users may expect.
_INSTEAD = {
    **dict.fromkeys(("launch", "start", "execute"), _LAUNCH),
    **dict.fromkeys(("compile", "preload", "precompile"), "write kernel.warmup(..., target=...)"),
    **dict.fromkeys(
        ("explain", "best_config", "configs", "cache", "tunings"), "put @hocket.autotune(...) above @hocket.jit"
    ),
    **dict.fromkeys(("check", "race_check"), "write hocket.check(function), whose function launches the kernel"),
    **dict.fromkeys(("profile", "trace", "summary"), "launch it inside `with hocket.profiler.session() as p:`"),
    **dict.fromkeys(("do_bench", "bench", "benchmark"), "write hocket.testing.do_bench(lambda: kernel[grid](...))"),
    "device_caches": "compiled kernels are in hocket's own cache; kernel.warmup(...) returns one",
}


def _check_is_plain(fn: Any) -> None:
    """Raises TypeError if `fn` is not a plain function. The compiler reads the source text of `fn`, so no other
    decorator may have replaced the function."""
    if isinstance(fn, JITFunction):
        raise TypeError(f"{fn.__name__} is decorated with hocket.jit twice")
    if isinstance(fn, staticmethod | classmethod):
        hint = "write @staticmethod above @hocket.jit"
        raise TypeError(f"hocket.jit takes a function, not a {type(fn).__name__}\n  hint: {hint}")
    if not isinstance(fn, FunctionType):
        raise TypeError(f"hocket.jit takes a function defined with `def`, not {fn!r}")
    if hasattr(fn, "__wrapped__"):
        code = fn.__code__
        raise TypeError(
            f"hocket.jit would compile the wrapper that another decorator has put around {fn.__name__} "
            f"({shown_path(code.co_filename)}:{code.co_firstlineno} in {code.co_name})\n"
            "  hint: put @hocket.jit directly above `def`, below the other decorators"
        )


def _check_options(options: dict[str, Any], launch_options: Sequence[tuple[str, Any]]) -> None:
    known = {**(JITFunction.__init__.__kwdefaults__ or {}), **dict(launch_options)}
    for name in options:
        if name not in known:
            raise TypeError(f"hocket.jit has no option `{name}`\n  hint: it takes {', '.join(known)}")


def _check_option_parameters(kernel: JITFunction) -> None:
    """Raises TypeError if the decorator sets a launch option that is also the name of a parameter, such as `num_warps:
    gl.constexpr`. The launch sets both."""
    for parameter in kernel.parameters:
        if parameter.name in kernel.launch_options:
            raise TypeError(
                f"{kernel.__name__} has a parameter `{parameter.name}`, so hocket.jit cannot set the launch option\n"
                f"  hint: pass {parameter.name}=... at each launch, which sets both, or rename the parameter"
            )


def _parameters(fn: FunctionType, names: list[str], unspecialized: list, unaligned: list) -> list[Parameter]:
    defaults = dict(zip(reversed(names[: fn.__code__.co_argcount]), reversed(fn.__defaults__ or ()), strict=False))
    defaults.update(fn.__kwdefaults__ or {})
    parameters: list[Parameter] = []
    for index, name in enumerate(names):
        annotation = fn.__annotations__.get(name)
        mode = _Mode.SPECIALIZE
        if is_constexpr_annotation(annotation):
            mode = _Mode.CONSTEXPR
        elif name in unspecialized or index in unspecialized:
            mode = _Mode.NO_SPECIALIZE
        elif name in unaligned or index in unaligned:
            mode = _Mode.NO_ALIGNMENT
        declared = annotation if isinstance(annotation, dtype) and not annotation.is_ptr() else None
        parameters.append(Parameter(name, mode, name in defaults, defaults.get(name), declared))
    return parameters


def is_constexpr_annotation(annotation: Any) -> bool:
    """Returns True for `gl.constexpr`, or for its text if annotations are not evaluated (`from __future__ import
    annotations`)."""
    if isinstance(annotation, str):
        return annotation.partition("[")[0].strip(" \"'").rpartition(".")[2] == "constexpr"
    return annotation is constexpr


@functools.cache
def _layout_classes() -> tuple[type, ...]:
    from ..language._layouts import DistributedLayout, SharedLayout

    return DistributedLayout, SharedLayout


class MockTensor:
    """Placeholder for an array of `dtype`, aligned to 16 bytes, to compile a kernel without data."""

    shape = (0,)

    def __init__(self, dtype: Any):
        self.dtype = dtype

    def data_ptr(self) -> int:
        return 0

    def get_device(self) -> int:
        return -1

    def is_contiguous(self) -> bool:
        return True


def _stand_in(value: Any) -> Any:
    """Returns a MockTensor for an element type of hocket, PyTorch or NumPy, and other values unchanged."""
    if isinstance(value, dtype):
        return MockTensor(value)
    libraries = ("torch", "numpy", "ml_dtypes")
    if any(base.__name__ == "dtype" and base.__module__ in libraries for base in type(value).__mro__):
        return MockTensor(value)
    if isinstance(value, type) and value.__module__.partition(".")[0] in libraries:
        return MockTensor(value)
    return value


@overload
def jit(fn: Callable) -> JITFunction: ...
@overload
def jit(**options: Any) -> Callable[[Callable], JITFunction]: ...
def jit(fn: Callable | None = None, **options: Any) -> JITFunction | Callable[[Callable], JITFunction]:
    """Decorator that makes a kernel from a Python function: `@hocket.jit`, or with options `@hocket.jit(debug=True)`.

    Options:
        version: any value; a kernel with another version is compiled again.
        debug: check assertions in the kernel, as the emulator always does.
        do_not_specialize: names or indices of parameters for which a specialization depends only on the type.
        do_not_specialize_on_alignment: names or indices of parameters whose divisibility by 16 must not be used.
        num_warps, num_stages and all other launch options: defaults for this kernel, which a launch may override.
        repr: a function that returns the name of a compiled kernel. The argument of `repr` has the attributes `fn`;
            `signature`, a dict from parameters to types such as "*f32" and "i32"; and `constants`, a dict from
            parameters to values.
        launch_metadata: a function of the grid, the kernel's metadata and a dict of the arguments, which returns the
            dict `metadata` of the events of hocket.hooks.
        noinline: accepted as in Gluon, with a warning: kernels contain the code of all functions that they call.
    """
    _check_options(options, OPTION_LIST)
    if fn is None:
        return lambda decorated: JITFunction(decorated, **options)
    return JITFunction(fn, **options)
