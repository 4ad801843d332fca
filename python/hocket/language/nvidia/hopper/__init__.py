"""Operations of Hopper (sm_90a): mbarriers that count bytes. Products are not supported yet."""

from __future__ import annotations

from ..._builtin import builtin
from . import mbarrier, tma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["fence_async_shared", "mbarrier", "tma", "warpgroup_mma", "warpgroup_mma_init", "warpgroup_mma_wait"]


@builtin
def fence_async_shared(cluster: bool = False) -> None:
    """fences between the generic and the asynchronous proxy"""


@builtin
def warpgroup_mma(
    a: Any,
    b: Any,
    acc: Any,
    *,
    use_acc: Any = True,
    precision: Any = None,
    max_num_imprecise_acc: Any = None,
    is_async: bool = False,
) -> Any:
    """acc + a x b on tensor cores"""


@builtin
def warpgroup_mma_init(acc: Any) -> Any:
    """asynchronous accumulators"""


@builtin
def warpgroup_mma_wait(num_outstanding: int = 0, deps: Any = None) -> Any:
    """waiting for products"""


if not TYPE_CHECKING:  # or checkers would take any name for known

    def __getattr__(name: str):
        from ..._foreign_names import missing_attribute

        raise missing_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__
