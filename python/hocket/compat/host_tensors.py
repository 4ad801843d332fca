"""Tensors "on the GPU" that lie in host memory.

Every tensor is a CPU tensor of PyTorch. A mark on the storage of a tensor records the device that the executed file
expects. Views of the tensor have the same storage and therefore the same mark. Tensors created on the CPU are marked
"cpu". The result of a function has the device of its arguments. A tensor without a mark, such as a gradient from
autograd, counts as a GPU tensor, because nearly all tensors in kernel programs are on the GPU. Functions that move a
tensor between devices, such as `tensor.cuda()`, return a copy in host memory. The tensor and its copy do not share
memory.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_HOST, _GPU = "cpu", "cuda"
_MARK = "_hocket_place"


def start() -> None:
    """Activates the TorchFunctionMode in this thread until Python exits. The TorchFunctionMode ends before PyTorch
    destroys its state of the thread."""
    mode = _HostTensors()
    mode.__enter__()
    atexit.register(mode.__exit__, None, None, None)


class _Default:
    """The device set with `torch.set_default_device`."""

    place: str = _HOST


def set_default_device(device: Any) -> None:
    """Replaces `torch.set_default_device`."""
    _Default.place = _HOST if device is None else torch.device(device).type


def place_of(tensor: torch.Tensor) -> str:
    """Returns the device type of a tensor that the executed file expects, such as "cpu" or "cuda"."""
    if type(tensor).device.__get__(tensor).type != _HOST:
        return type(tensor).device.__get__(tensor).type
    try:
        return getattr(tensor.untyped_storage(), _MARK, _GPU)
    except (NotImplementedError, RuntimeError):  # some tensors, such as sparse tensors, have no storage
        return _HOST


def _mark(result: Any, place: str) -> Any:
    """Marks the tensors in `result` that have no mark with the device `place`. A tensor that already has a mark is a
    view of an existing tensor."""
    for tensor in _tensors_in(result):
        try:
            storage = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):
            continue
        if not hasattr(storage, _MARK):
            setattr(storage, _MARK, place)
    return result


def mark_as_host(tensor: torch.Tensor) -> torch.Tensor:
    """Marks a tensor as a CPU tensor. The tensor is the result of a PyTorch function that does not call the
    TorchFunctionMode."""
    return _mark(tensor, _HOST)


def _tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors_in(item)


def _is_device(value: Any) -> bool:
    if isinstance(value, torch.device):
        return True
    return isinstance(value, str) and value.partition(":")[0] in ("cpu", "cuda", "meta")


def _copied(result: torch.Tensor, place: str) -> torch.Tensor:
    """Returns a copy of `result` on the device `place`. Autograd records the copy."""
    copy = result.clone()
    setattr(copy.untyped_storage(), _MARK, place)
    return copy


class _HostTensors(TorchFunctionMode):
    def __torch_function__(self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = dict(kwargs or {})
        kwargs.pop("pin_memory", None)
        if (special := _SPECIAL.get(func)) is not None:
            return special(func, args, kwargs)
        return _call(func, args, kwargs)


def _call(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Calls a function on the CPU, and marks the result with the device that the result would have with a GPU."""
    asked = kwargs.get("device")
    if asked is not None and (isinstance(asked, int) or torch.device(asked).type == _GPU):
        kwargs["device"], place = torch.device(_HOST), _GPU
    elif asked is not None:
        place = torch.device(asked).type
    else:
        places = {place_of(tensor) for tensor in (*_tensors_in(args), *_tensors_in(kwargs))}
        place = (_GPU if _GPU in places else _HOST) if places else _Default.place
    return _mark(func(*args, **kwargs), place)


# Functions that move tensors or return devices -----------------------------------------------------------------------


def _moved(func: Callable, tensor: torch.Tensor, place: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    before = place_of(tensor)
    result = func(tensor, *args, **kwargs)
    if place not in (_HOST, _GPU):
        return result
    if before != place and result.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr():
        return _copied(result, place)
    return _mark(result, place)


def _to(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    tensor, *rest = args
    place = place_of(tensor)
    if (asked := kwargs.get("device")) is not None:
        place = _GPU if isinstance(asked, int) else torch.device(asked).type
        kwargs["device"] = _HOST if place == _GPU else asked
    for i, value in enumerate(rest):
        if isinstance(value, torch.Tensor):
            place = place_of(value)
        elif _is_device(value) or (isinstance(value, int) and not isinstance(value, bool) and i == 0):
            place = _GPU if isinstance(value, int) else torch.device(value).type
            rest[i] = _HOST if place == _GPU else value
    return _moved(func, tensor, place, tuple(rest), kwargs)


def _to_gpu(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    return _moved(torch.Tensor.to, args[0], _GPU, (_HOST,), {})


def _to_host(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    return _moved(torch.Tensor.to, args[0], _HOST, (_HOST,), {})


def _from_data(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Implements torch.as_tensor and torch.asarray, which copy data from host memory to the GPU."""
    result = _call(func, args, kwargs)
    asked = kwargs.get("device")
    is_given = isinstance(args[0], torch.Tensor) if args else False
    if asked is None or is_given:
        return result
    return _copied(result, _GPU) if place_of(result) == _GPU else result


def _device(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    place = place_of(args[0])
    return torch.device(_GPU, 0) if place == _GPU else func(*args, **kwargs)


def _is_cuda(func: Callable, args: tuple, kwargs: dict[str, Any]) -> bool:
    return place_of(args[0]) == _GPU


def _is_cpu(func: Callable, args: tuple, kwargs: dict[str, Any]) -> bool:
    return place_of(args[0]) == _HOST


def _get_device(func: Callable, args: tuple, kwargs: dict[str, Any]) -> int:
    return 0 if place_of(args[0]) == _GPU else func(*args, **kwargs)


def _grad(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Returns the gradient of a tensor, marked with the device of the tensor."""
    return _mark(func(*args, **kwargs), place_of(args[0]))


def _numpy(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    if place_of(args[0]) == _GPU:
        raise TypeError(
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
            "first."
        )
    return func(*args, **kwargs)


def _same(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    return args[0]


def _construct_device(func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and isinstance(args[0], int):
        return torch.device(_GPU, args[0])
    return func(*args, **kwargs)


_SPECIAL: dict[Any, Callable[[Callable, tuple, dict[str, Any]], Any]] = {
    torch.device: _construct_device,
    torch.Tensor.to: _to,
    torch.Tensor.cuda: _to_gpu,
    torch.Tensor.cpu: _to_host,
    torch.Tensor.numpy: _numpy,
    torch.Tensor.__array__: _numpy,
    torch.Tensor.pin_memory: _same,
    torch.as_tensor: _from_data,
    torch.asarray: _from_data,
    torch.Tensor.get_device: _get_device,
    torch.Tensor.device.__get__: _device,  # type: ignore[attr-defined]
    torch.Tensor.is_cuda.__get__: _is_cuda,  # type: ignore[attr-defined]
    torch.Tensor.is_cpu.__get__: _is_cpu,  # type: ignore[attr-defined]
    torch.Tensor.grad.__get__: _grad,  # type: ignore[attr-defined]
}
