"""What a launch may say besides the kernel's own arguments: `k[grid](..., num_warps=8)`."""

from dataclasses import dataclass, fields
from typing import Any

from ..errors import LaunchError
from . import environment


@dataclass(frozen=True)
class Options:
    """Launch options. Equal options compile alike.

    Attributes:
        num_warps: warps of one block; a power of two.
        num_ctas: blocks that form a cluster; 1 is the only value that is compiled yet.
        num_stages: accepted and without effect, as in Gluon: kernels say themselves how far they prefetch.
        maxnreg: largest number of registers per thread, or None for no limit (NVIDIA).
        enable_fp_fusion: let `a * b + c` round once.
        debug: check `assert` and `device_assert` in the kernel.
        waves_per_eu: waves that should fit on one SIMD unit, 0 for no wish (AMD).
    """

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    maxnreg: int | None = None
    enable_fp_fusion: bool = True
    debug: bool = False
    waves_per_eu: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.num_warps, int) or self.num_warps < 1 or self.num_warps & (self.num_warps - 1):
            raise LaunchError(f"num_warps must be a power of two, not {self.num_warps!r}")
        # Refused rather than ignored: a kernel tuned with them would silently run untuned.
        for name in ("num_ctas", "maxnreg", "enable_fp_fusion", "waves_per_eu"):
            default = type(self).__dataclass_fields__[name].default
            if getattr(self, name) != default:
                raise LaunchError(f"the launch option {name}={getattr(self, name)!r} is not supported yet")

    @classmethod
    def given(cls, values: dict[str, Any], debug: bool) -> "Options":
        """Options of a launch: `values` over the defaults. `debug` is what the decorator says."""
        return cls(**{"debug": debug or environment.debug(), **values})


#: (name, default) of every option, as the launch path binds them.
OPTION_LIST = [(field.name, field.default) for field in fields(Options)]
