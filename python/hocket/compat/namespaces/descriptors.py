"""`gluon.nvidia.hopper`: tensor descriptors with assignable fields, because functions passed as `Config.pre_hook`
assign fields."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ...nvidia.hopper import TensorDescriptor as _TensorDescriptor
from ...nvidia.hopper import TensorDescriptorIm2Col

__all__ = ["TensorDescriptor", "TensorDescriptorIm2Col"]

_FIELDS = {field.name for field in fields(_TensorDescriptor)}


class TensorDescriptor(_TensorDescriptor):
    """A descriptor whose fields can be assigned. The next launch after an assignment checks the descriptor again."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _FIELDS:
            raise AttributeError(f"a TensorDescriptor has no field {name!r}")
        object.__setattr__(self, name, value)
        self.__dict__.pop("_launch_descriptor", None)

    def __getattr__(self, name: str) -> Any:
        if name == "_launch_descriptor":  # after an assignment to a field, `_launch_descriptor` does not exist
            self.__post_init__()
            return self.__dict__[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @staticmethod
    def from_tensor(tensor: Any, block_shape: Any, layout: Any, *rest: Any, **options: Any) -> TensorDescriptor:
        """Returns a descriptor of the whole of `tensor`."""
        made = _TensorDescriptor.from_tensor(tensor, block_shape, layout, *rest, **options)
        return TensorDescriptor(**{field.name: getattr(made, field.name) for field in fields(made)})
