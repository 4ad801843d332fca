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
from torch._C import _dispatch_keys, _get_tracing_state, _len_torch_dispatch_stack, _len_torch_function_stack
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
        backward, save: `backward` and `setup_context` of `torch.library.register_autograd`.
    """

    def __init__(
        self,
        name: str,
        schema: str,
        run: Callable[..., Any],
        fake: Callable[..., Any],
        backward: Callable[..., Any] | None = None,
        save: Callable[..., None] | None = None,
    ):
        qualified = f"hocket::{name}"
        # `torch.library.custom_op` would define an equivalent operator, with several times the host time per call.
        torch.library.define(qualified, schema, tags=torch.Tag.pt2_compliant_tag)
        torch.library.impl(qualified, ("cuda", "cpu"))(_with_tensors_only(run))
        torch.library.register_fake(qualified)(fake)
        if backward is not None:
            torch.library.register_autograd(qualified, backward, setup_context=save)
        self.run = run
        self._dispatched = getattr(torch.ops.hocket, name).default
        self._function = None if backward is None else _function(name, run, backward, save)
        #: For each argument: the classes of values that are passed to the kernel directly, and whether it is a tensor.
        self._arguments = [
            (_classes_of(argument.type), "Tensor" in str(argument.type))
            for argument in self._dispatched._schema.arguments
        ]

    def __call__(self, *arguments: Any) -> Any:
        if torch.compiler.is_compiling() or _is_intercepted():
            return self._dispatched(*arguments)
        requires_grad = False
        for value, (classes, is_tensor) in zip(arguments, self._arguments, strict=True):
            if type(value) not in classes:
                return self._dispatched(*arguments)
            if is_tensor and value is not None:
                if not _is_plain(value):
                    return self._dispatched(*arguments)
                requires_grad = requires_grad or value.requires_grad
        if not (requires_grad and torch.is_grad_enabled()):
            return self.run(*arguments)
        if self._function is None or _is_below_autograd():
            return self._dispatched(*arguments)
        return self._function.apply(*arguments)


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


def nothing(like: torch.Tensor) -> torch.Tensor:
    """Returns the empty tensor that an operator returns instead of a missing result. `like`: the first tensor among the
    operator's arguments."""
    return like.new_empty(0)


def _function(
    name: str, run: Callable[..., Any], backward: Callable[..., Any], save: Callable[..., None] | None
) -> type[torch.autograd.Function]:
    """Returns the autograd function of an operator, for calls without the dispatcher."""

    def forward(ctx: Any, *arguments: Any) -> Any:
        results = run(*arguments)
        if save is not None:
            save(ctx, arguments, results)
        return results

    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(f"hocket_{name}", (torch.autograd.Function,), members)


def _classes_of(kind: Any) -> frozenset[type]:
    """Returns the classes of arguments that need no conversion to `kind`, a type in the schema of an operator."""
    if isinstance(kind, torch.OptionalType):
        return _classes_of(kind.getElementType()) | {type(None)}
    return frozenset(_CLASSES[str(kind)])


def _is_intercepted() -> bool:
    """Returns True if the dispatcher or a mode of this thread may do more than call the operator's kernel."""
    return bool(
        _len_torch_dispatch_stack()
        or _len_torch_function_stack()
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
