"""Gluon's names for gfx1250's tensor data mover. Kernels that use these names do not compile."""

from __future__ import annotations

from ...foreign_builtin import foreign_builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["async_load", "async_store", "async_wait", "make_tensor_descriptor", "prefetch"]


@foreign_builtin
def async_load(src: Any, offsets: Any, dest: Any, *options: Any) -> Any:
    """An operation of gfx1250's tensor data mover."""


@foreign_builtin
def async_store(dest: Any, offsets: Any, src: Any, *options: Any) -> Any:
    """An operation of gfx1250's tensor data mover."""


@foreign_builtin
def async_wait(num_outstanding: Any = 0) -> Any:
    """An operation of gfx1250's tensor data mover."""


@foreign_builtin
def make_tensor_descriptor(base: Any, shape: Any, strides: Any, block_shape: Any, layout: Any) -> Any:
    """An operation of gfx1250's tensor data mover."""


@foreign_builtin
def prefetch(src: Any, offsets: Any, *options: Any) -> Any:
    """An operation of gfx1250's tensor data mover."""


def __dir__() -> list[str]:
    return __all__
