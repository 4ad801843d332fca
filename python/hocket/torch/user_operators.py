"""`hocket.torch.op`: makes an operator of PyTorch of a function that launches kernels."""

from __future__ import annotations

import inspect
import re
import threading
import typing
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from .. import hooks
from ..errors import LaunchError
from ._writes import written_arguments


class like:
    """Annotation of a result: `Annotated[torch.Tensor, hocket.torch.like("x")]`.

    Args:
        argument: name of the argument whose dtype, device and shape the result has. The result is contiguous.
        shape: a function of arguments of the operator, by their names, that returns the shape of the result.
        dtype: dtype of the result.

    Example:
        >>> row = like("x", shape=lambda x: x.shape[:1], dtype=torch.float32)  # doctest: +SKIP
        >>> def sums(x: torch.Tensor) -> Annotated[torch.Tensor, row]: ...  # doctest: +SKIP
    """

    def __init__(self, argument: str, *, shape: Callable[..., Any] | None = None, dtype: torch.dtype | None = None):
        self.argument, self.shape, self.dtype = argument, shape, dtype

    def make(self, arguments: dict[str, Any]) -> torch.Tensor:
        """Returns a new tensor with the properties of the result."""
        base = arguments[self.argument]
        shape = base.shape if self.shape is None else _call_by_names(self.shape, arguments)
        return base.new_empty(tuple(shape), dtype=self.dtype or base.dtype)


def op(function: Callable[..., Any] | None = None, /, **settings: Any) -> Any:
    """Decorator that makes an operator of PyTorch of a function that launches kernels, for eager mode, autograd,
    torch.compile and torch.export.

    The schema comes from the annotations of the function. The arguments that the function writes are found in the
    sources of the function and its kernels, and compared with the facts of each compiled kernel at its first launch.
    Results are annotated with `like`, or `fake` computes them.

    Settings:
        name: the operator's name, "namespace::name". By default, the namespace is the module's name.
        mutates: names of the arguments that the function writes, instead of those that are found.
        fake: a function with the parameters of the operator that returns tensors like the results, for torch.compile.

    Returns: an OpFunction, which is called like the function. Its method `backward` adds a gradient.
    Raises: TypeError for annotations that PyTorch does not support, or a result without `like` and `fake`. A call
    raises LaunchError if a kernel writes an argument that the schema declares as unchanged.

    Example:
        >>> @hocket.torch.op  # doctest: +SKIP
        ... def scaled_silu(x: torch.Tensor, factor: float) -> Annotated[torch.Tensor, hocket.torch.like("x")]:
        ...     out = torch.empty_like(x)
        ...     kernel[(hocket.cdiv(x.numel(), 1024),)](x, out, x.numel(), factor, BLOCK=1024)
        ...     return out
    """
    if function is None:
        return lambda decorated: OpFunction(decorated, **settings)
    return OpFunction(function, **settings)


class OpFunction:
    """An operator that `hocket.torch.op` has made.

    Attributes:
        name: the qualified name, such as "my_module::scaled_silu".
        mutates: names of the arguments that the operator writes.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        mutates: Sequence[str] | None = None,
        fake: Callable[..., Any] | None = None,
    ):
        if not inspect.isfunction(function):
            raise TypeError(f"hocket.torch.op takes a function defined with `def`, not {function!r}")
        self.__name__, self.__doc__, self.__wrapped__ = function.__name__, function.__doc__, function
        self.__module__ = function.__module__
        self.name = name or f"{_namespace(function.__module__)}::{function.__name__}"
        if self.name.count("::") != 1:
            raise TypeError(f'the name of an operator is "namespace::name", not {self.name!r}')
        self._hints = typing.get_type_hints(function, include_extras=True)
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters
        self._tensors = [name for name in parameters if _is_tensor(self._hints.get(name))]
        if mutates is None:
            self.mutates = tuple(written_arguments(function, self._tensors))
        else:
            self.mutates = tuple(mutates)
            if unknown := [name for name in self.mutates if name not in parameters]:
                raise TypeError(f"{self.name}: mutates names {', '.join(unknown)}, which is not a parameter")
        results = self._results() if fake is None else []
        schema = torch.library.infer_schema(self._prototype(), mutates_args=self.mutates)
        self._seen: set[tuple[Any, ...]] = set()
        self._custom = torch.library.custom_op(self.name, self._run, mutates_args=self.mutates, schema=schema)
        self._custom.register_fake(self._fake_of(results) if fake is None else fake)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._custom(*arguments, **named)

    def __repr__(self) -> str:
        return f"<operator {self.schema}>"

    @property
    def schema(self) -> str:
        """The operator's schema, as PyTorch prints it."""
        return str(self._custom._opoverload._schema)

    # The schema -------------------------------------------------------------------------------------------------------

    def _prototype(self) -> Callable[..., Any]:
        """Returns a function with the annotations of the operator, without `Annotated`."""
        parameters = [
            parameter.replace(annotation=_plain(self._hints.get(name, inspect.Parameter.empty)))
            for name, parameter in self._signature.parameters.items()
        ]

        def prototype() -> None:
            pass

        result = _plain(self._hints.get("return", inspect.Signature.empty))
        prototype.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            parameters, return_annotation=None if result is type(None) else result
        )
        return prototype

    def _results(self) -> list[like] | like | None:
        """Returns the annotation `like` of each result; None for an operator without results."""
        hint = self._hints.get("return", inspect.Signature.empty)
        if hint is inspect.Signature.empty:
            raise TypeError(f"{self.name}: annotate the result, such as -> None, or -> {_EXAMPLE}")
        if hint is type(None):
            return None
        if typing.get_origin(hint) is tuple:
            return [self._like(element) for element in typing.get_args(hint)]
        return self._like(hint)

    def _like(self, hint: Any) -> like:
        found = next((entry for entry in getattr(hint, "__metadata__", ()) if isinstance(entry, like)), None)
        if found is None:
            raise TypeError(
                f"{self.name}: the shape and dtype of a result are unknown\n  hint: annotate it, such as {_EXAMPLE}, "
                "or pass fake=, a function that returns tensors like the results"
            )
        if found.argument not in self._tensors:
            raise TypeError(f"{self.name}: like({found.argument!r}) does not name a tensor argument")
        return found

    def _fake_of(self, results: list[like] | like | None) -> Callable[..., Any]:
        def fake(*arguments: Any, **named: Any) -> Any:
            bound = self._bound(arguments, named)
            if isinstance(results, list):
                return tuple(result.make(bound) for result in results)
            return None if results is None else results.make(bound)

        return fake

    def _bound(self, arguments: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        bound = self._signature.bind(*arguments, **named)
        bound.apply_defaults()
        return bound.arguments

    # Calls ------------------------------------------------------------------------------------------------------------

    def _run(self, *arguments: Any, **named: Any) -> Any:
        form = tuple((type(value), getattr(value, "dtype", None)) for value in (*arguments, *named.values()))
        if form in self._seen:
            return self.__wrapped__(*arguments, **named)
        bound = self._bound(arguments, named)
        thread = threading.get_ident()

        def check(event: hooks.LaunchEvent) -> None:
            if threading.get_ident() == thread:
                self._check_launch(event, bound)

        with hooks.launch_enter.added(check):
            result = self.__wrapped__(*arguments, **named)
        self._seen.add(form)
        return result

    def _check_launch(self, event: hooks.LaunchEvent, bound: dict[str, Any]) -> None:
        """Raises LaunchError if a kernel writes memory of an argument that the schema declares as unchanged."""
        for written in event.kernel.metadata.written_arguments:
            memory = _storage_of(_element(event.arguments, written))
            for name in self._tensors:
                if name not in self.mutates and memory is not None and memory in _storages_of(bound[name]):
                    names = ", ".join(repr(other) for other in (*self.mutates, name))
                    raise LaunchError(
                        f"{self.name}: kernel {event.kernel.name} writes `{written}`, which is the argument `{name}`, "
                        f"and the schema declares it as unchanged\n  hint: write @hocket.torch.op(mutates=({names},))"
                    )

    # Gradients --------------------------------------------------------------------------------------------------------

    def backward(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator that adds a gradient.

        The parameters of `function` name what it needs: `gradient`, the gradient of the result (of several results:
        `gradients`, a tuple); arguments of the operator; and `result`. Only these are kept until the backward pass. It
        returns the gradient of the only tensor argument, a tuple with an entry for each tensor argument, or a dict by
        their names. An entry may be None.

        Raises: TypeError if the operator writes arguments, or a parameter names none of the above.
        """
        if self.mutates:
            raise TypeError(
                f"{self.name} writes {', '.join(self.mutates)}, and PyTorch has no gradients of such operators"
            )
        wanted = list(inspect.signature(function).parameters)
        known = ["gradient", "gradients", "result", *self._signature.parameters]
        if unknown := [name for name in wanted if name not in known]:
            raise TypeError(
                f"the gradient of {self.name} has the parameter {unknown[0]}; it may have {', '.join(known)}"
            )
        parameters = self._signature.parameters.values()
        names = [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]

        def save(ctx: Any, inputs: tuple[Any, ...], output: Any, keyword_only_inputs: Any = None) -> None:
            given = {**dict(zip(names, inputs, strict=True)), **(keyword_only_inputs or {}), "result": output}
            # Tensors inside tuples and lists are saved, too: a result that `ctx` itself holds is a cycle, which is
            # never freed.
            leaves, ctx.structure = tree_flatten({name: given[name] for name in wanted if name in given})
            ctx.others = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
            ctx.positions = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
            ctx.save_for_backward(*(leaves[i] for i in ctx.positions))
            ctx.none = {name: _no_gradient(value) for name, value in zip(names, inputs, strict=True)}

        def backward(ctx: Any, *gradients: Any) -> Any:
            leaves = list(ctx.others)
            for i, tensor in zip(ctx.positions, ctx.saved_tensors, strict=True):
                leaves[i] = tensor
            given = tree_unflatten(leaves, ctx.structure)
            given |= {"gradient": gradients[0], "gradients": gradients}
            found = self._by_name(function(*(given[name] for name in wanted)))
            return tuple(ctx.none[name] if found.get(name) is None else found[name] for name in names)

        self._custom.register_autograd(backward, setup_context=save)
        return function

    def _by_name(self, gradients: Any) -> dict[str, Any]:
        if isinstance(gradients, dict):
            if unknown := [name for name in gradients if name not in self._tensors]:
                raise TypeError(f"the gradient of {self.name} returns {unknown[0]}, which is not a tensor argument")
            return gradients
        given = gradients if isinstance(gradients, tuple) else (gradients,)
        if len(given) != len(self._tensors):
            names = ", ".join(self._tensors)
            raise TypeError(f"the gradient of {self.name} returns {len(given)} gradients for the arguments {names}")
        return dict(zip(self._tensors, given, strict=True))


_EXAMPLE = 'Annotated[torch.Tensor, hocket.torch.like("x")]'


def _namespace(module: str) -> str:
    return re.sub(r"\W+", "_", module).strip("_") or "main"


def _plain(hint: Any) -> Any:
    """Returns an annotation without `Annotated`."""
    if typing.get_origin(hint) is tuple:
        return tuple[tuple(_plain(element) for element in typing.get_args(hint))]  # type: ignore[misc]
    return getattr(hint, "__origin__", hint) if hasattr(hint, "__metadata__") else hint


def _is_tensor(hint: Any) -> bool:
    return _plain(hint) is torch.Tensor or torch.Tensor in typing.get_args(hint)


def _call_by_names(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    return function(*(arguments[name] for name in inspect.signature(function).parameters))


def _element(arguments: dict[str, Any], name: str) -> Any:
    """Returns the argument `name` of a launch, such as "x" or "x[0]"."""
    first, *indices = name.replace("]", "").split("[")
    value = arguments.get(first)
    for index in indices:
        value = value[int(index)] if isinstance(value, tuple) else None
    return getattr(value, "base", value)  # of a tensor descriptor


def _storage_of(value: Any) -> int | None:
    """Returns the address of a tensor's memory; None for other values and for tensors without memory."""
    return (value.untyped_storage().data_ptr() or None) if isinstance(value, torch.Tensor) else None


def _no_gradient(value: Any) -> Any:
    """Returns what a gradient returns for an argument without a gradient: None, or a list of None for tensors."""
    is_list = isinstance(value, list | tuple) and any(isinstance(element, torch.Tensor) for element in value)
    return [None] * len(value) if is_list else None


def _storages_of(value: Any) -> list[int | None]:
    """Returns the addresses of the memory of a tensor, or of each tensor of a list."""
    return [_storage_of(element) for element in (value if isinstance(value, list | tuple) else (value,))]


__all__ = ["OpFunction", "like", "op"]
