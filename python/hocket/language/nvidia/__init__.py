"""Operations of NVIDIA GPUs, by the generation that introduced them. Portable kernels need only `hocket.language`."""

from . import ampere, hopper

__all__ = ["ampere", "blackwell", "hopper"]


TYPE_CHECKING = False
if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        if name in ("blackwell", "rubin"):  # imported on first use
            import importlib

            return importlib.import_module(f"{__name__}.{name}")
        from .._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
