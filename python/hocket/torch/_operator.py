"""Operators of PyTorch whose kernels are called directly where PyTorch's dispatcher has nothing to do.

A call through the dispatcher takes longer than a launch: PyTorch matches the schema, and enters the functions for the
gradient and for the device, both of which are written in Python. In eager mode, the result is the same without
the dispatcher, unless something intercepts the operator: torch.compile, a mode, a transform of torch.func, PyTorch's
profiler, or a tensor that is more than an array of numbers (a subclass, a fake or a batched tensor).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch
from torch._C import (
    _dispatch_keys,
    _get_tracing_state,
    _len_torch_dispatch_stack,
    _len_torch_function_stack,
    is_grad_enabled,
)
from torch._C._autograd import _profiler_enabled
from torch._C._functorch import peek_interpreter_stack

if TYPE_CHECKING:
    from collections.abc import Callable

#: Classes of the arguments that are passed to kernels directly, indexed by the type in the operator's schema. The
#: dispatcher converts arguments of other classes, or raises an error.
_CLASSES = {
    "Tensor": {torch.Tensor, torch.nn.Parameter},
    "bool": {bool},
    "int": {int},
    "float": {float, int},
    "str": {str},
    "ScalarType": {torch.dtype},
}


class Operator:
    """The operator `hocket::NAME`. Calling the object calls the operator; the call passes all arguments by position.

    Args:
        schema: arguments and results, as `torch.library.define` takes them.
        run: the kernel, for tensors on a GPU or the CPU. A result may be None. The dispatched operator returns an empty
            tensor instead, because results of operators are tensors.
        fake: returns tensors like the results of the operator, for torch.compile.
        backward, save: `backward` and `setup_context` of `torch.library.register_autograd`. Without `backward`, a
            gradient through an operator that changes no argument raises a NotImplementedError.
        differentiable: number of results with gradients, which are the first ones. A call that records gradients
            without the dispatcher returns only these results.
    """

    def __init__(
        self,
        name: str,
        schema: str,
        run: Callable[..., Any],
        fake: Callable[..., Any],
        backward: Callable[..., Any] | None = None,
        save: Callable[..., None] | None = None,
        differentiable: int | None = None,
    ):
        qualified = f"hocket::{name}"
        # `torch.library.custom_op` would define an equivalent operator, with several times the host time per call.
        torch.library.define(qualified, schema, tags=torch.Tag.pt2_compliant_tag)
        torch.library.impl(qualified, ("cuda", "cpu"))(_with_tensors_only(run))
        torch.library.register_fake(qualified)(fake)
        # PyTorch would only warn about an operator without a gradient, and leave its part out of second derivatives.
        # PyTorch records no gradients of operators that change their arguments.
        if "!" not in schema:
            torch.library.register_autograd(qualified, backward or _without_gradient(name), setup_context=save)
        self.run = run
        self._dispatched = getattr(torch.ops.hocket, name).default
        self._apply = None if backward is None else _recording(name, run, backward, save, differentiable)
        types = [argument.type for argument in self._dispatched._schema.arguments]
        #: For each argument: the classes of values that are passed to the kernel directly.
        self._classes = [_classes_of(kind) for kind in types]
        self._is_tensor = ["Tensor" in str(kind) for kind in types]
        #: The positions of the tensors among the arguments, by the classes of all arguments of an earlier call.
        self._known: dict[tuple[type, ...], list[int]] = {}

    def __call__(self, *arguments: Any, run: Callable[..., Any] | None = None) -> Any:
        """Calls the operator. `run`: a kernel for calls that record no gradient. It may return None for results that
        the caller does not use."""
        if torch.compiler.is_compiling() or _is_intercepted():
            return self._dispatched(*arguments)
        kinds = tuple(map(type, arguments))
        tensors = self._known.get(kinds)
        if tensors is None and (tensors := self._tensors_among(kinds)) is None:
            return self._dispatched(*arguments)
        requires_grad = False
        for position in tensors:
            tensor = arguments[position]
            if _dispatch_keys(tensor).raw_repr() not in _plain_keys and not _is_plain(tensor):
                return self._dispatched(*arguments)
            requires_grad = requires_grad or tensor.requires_grad
        if not (requires_grad and is_grad_enabled()):
            return (run or self.run)(*arguments)
        if self._apply is None or _is_below_autograd():
            return self._dispatched(*arguments)
        return self._apply(*arguments)

    def _tensors_among(self, kinds: tuple[type, ...]) -> list[int] | None:
        """Returns the positions of the tensors among arguments of the classes `kinds`. The result is None if the
        dispatcher has to convert an argument."""
        if not all(kind in classes for kind, classes in zip(kinds, self._classes, strict=True)):
            return None
        tensors = [
            position
            for position, (kind, is_tensor) in enumerate(zip(kinds, self._is_tensor, strict=True))
            if is_tensor and kind is not type(None)
        ]
        return self._known.setdefault(kinds, tensors)


def _with_tensors_only(run: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that works like `run`, but returns empty tensors instead of None."""

    @functools.wraps(run)
    def run_dispatched(*arguments: Any) -> Any:
        results = run(*arguments)
        if not isinstance(results, tuple) or not any(result is None for result in results):
            return results
        first = next(argument for argument in arguments if isinstance(argument, torch.Tensor))
        return tuple(nothing(first) if result is None else result for result in results)

    return run_dispatched


def _without_gradient(name: str) -> Callable[..., Any]:
    """Returns the `backward` of an operator without a gradient, which raises an error. `name`: the operator, which
    computes the gradient of another one."""

    def backward(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError(
            f"hocket.torch has no second derivatives of {name.removesuffix('_backward')}: hocket::{name} has no "
            "gradient\n  hint: compute this part by PyTorch's operators if a gradient is differentiated again "
            "(create_graph=True)"
        )

    return backward


def nothing(like: torch.Tensor) -> torch.Tensor:
    """Returns the empty tensor that an operator returns instead of a missing result. `like`: the first tensor among the
    operator's arguments."""
    return like.new_empty(0)


def _recording(
    name: str,
    run: Callable[..., Any],
    backward: Callable[..., Any],
    save: Callable[..., None] | None,
    differentiable: int | None,
) -> Callable[..., Any]:
    """Returns a function that calls an operator without the dispatcher, and records its gradient. The arguments are
    those of `Operator`."""

    def forward(ctx: Any, *arguments: Any) -> Any:
        results = run(*arguments)
        if save is not None:
            save(ctx, arguments, results)
        # Autograd makes metadata for each result that `forward` returns.
        return results if differentiable is None else results[:differentiable]

    def backward_of_all(ctx: Any, *gradients: Any) -> Any:
        return backward(ctx, *gradients, *without)

    without: list[None] = []
    if differentiable is not None:
        results = len(getattr(torch.ops.hocket, name).default._schema.returns)
        without = [None] * (results - differentiable)
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward_of_all if without else backward)}
    function = type(f"hocket_{name}", (torch.autograd.Function,), members)
    # `Function.apply` itself is written in Python. It handles transforms of torch.func, which `Operator` leaves to the
    # dispatcher.
    return super(torch.autograd.Function, function).apply


def _classes_of(kind: Any) -> frozenset[type]:
    """Returns the classes of arguments that need no conversion to `kind`, a type in the schema of an operator."""
    if isinstance(kind, torch.OptionalType):
        return _classes_of(kind.getElementType()) | {type(None)}
    return frozenset(_CLASSES[str(kind)])


def _is_intercepted() -> bool:
    """Returns True if the dispatcher or a mode of this thread may do more than call the operator's kernel."""
    return (
        _len_torch_dispatch_stack() != 0
        or _len_torch_function_stack() != 0
        or peek_interpreter_stack() is not None
        or _get_tracing_state() is not None
        or _profiler_enabled()
    )


def _is_below_autograd() -> bool:
    """Returns True within the kernel of another operator, where autograd records nothing."""
    return torch._C._dispatch_tls_is_dispatch_key_excluded(torch._C.DispatchKey.AutogradCPU)


#: Dispatch keys of tensors that are only arrays of numbers on the CPU or a GPU.
_plain_keys: set[int] = set()


def _is_plain(tensor: torch.Tensor) -> bool:
    """Returns True if the tensor is only an array of numbers. Such tensors have the dispatch keys of a new tensor.
    Other tensors have further keys, e.g. negated views, batched tensors and sparse tensors."""
    keys = _dispatch_keys(tensor).raw_repr()
    if keys in _plain_keys:
        return True
    if tensor.device.type not in ("cpu", "cuda"):
        return False
    for mode in (False, True):
        with torch.inference_mode(mode):
            _plain_keys.add(_dispatch_keys(torch.empty(0, device=tensor.device)).raw_repr())
    return keys in _plain_keys


__all__ = ["Operator", "nothing"]
