"""Modules outside the core language: `cuda`, and `libdevice`, the functions of CUDA's and ROCm's math libraries."""

from . import cuda

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import libdevice

__all__ = ["cuda", "libdevice"]


if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        if name == "libdevice":  # imported on first use, because few kernels need libdevice
            from importlib import import_module

            return import_module(".libdevice", __name__)
        from .._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
