"""Host objects for kernels on NVIDIA GPUs: tensor descriptors."""

from __future__ import annotations

from . import hopper

__all__ = ["hopper"]


TYPE_CHECKING = False
if not TYPE_CHECKING:  # with a `__getattr__`, type checkers would accept any name of the module

    def __getattr__(name: str):
        from ..language._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
