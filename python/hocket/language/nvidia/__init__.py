"""Operations of NVIDIA GPUs, by the generation that introduced them. Portable kernels need only `hocket.language`."""

from . import ampere, hopper

__all__ = ["ampere", "hopper"]


TYPE_CHECKING = False
if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module

    def __getattr__(name: str):
        from .._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
