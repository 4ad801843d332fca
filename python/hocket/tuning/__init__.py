"""Decorators that choose the options of a kernel: `autotune` measures configurations, and `heuristics` computes values.

    @hocket.autotune(
        [hocket.Config({"BLOCK": block}, num_warps=warps) for block in (512, 1024, 2048) for warps in (4, 8)],
        key=["n"],
    )
    @hocket.jit
    def add(x, y, out, n, BLOCK: gl.constexpr): ...

    add[lambda meta: (hocket.cdiv(n, meta["BLOCK"]),)](x, y, out, n)
    print(add.explain())

The fastest configuration is stored in the cache of compiled kernels.
"""

from .autotuner import Autotuner
from .config import Config
from .decorators import Heuristics, autotune, heuristics
from .trials import Trial

__all__ = ["Autotuner", "Config", "Heuristics", "Trial", "autotune", "heuristics"]
