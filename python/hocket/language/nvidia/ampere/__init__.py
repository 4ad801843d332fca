"""Operations of Ampere (sm_80): not supported yet."""

from __future__ import annotations

from ..._builtin import builtin
from . import async_copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["async_copy", "mma_v2"]


@builtin
def mma_v2(a: Any, b: Any, acc: Any, input_precision: Any = None) -> Any:
    """acc + a x b on tensor cores"""


if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
