"""`libdevice`: functions of CUDA's and ROCm's libraries, where the language calls them otherwise."""

from __future__ import annotations

from ... import jit
from ...language import abs as fabs
from ...language import cos as fast_cosf
from ...language import div_rn, rsqrt, sqrt
from ...language import exp as fast_expf
from ...language import log as fast_logf
from ...language import log2 as fast_log2f
from ...language import maximum as fmax
from ...language import minimum as fmin
from ...language import sin as fast_sinf
from ...language import tanh as fast_tanhf

__all__ = [
    "div_rn",
    "fabs",
    "fast_cosf",
    "fast_dividef",
    "fast_expf",
    "fast_log2f",
    "fast_logf",
    "fast_sinf",
    "fast_tanhf",
    "fmax",
    "fmin",
    "rsqrt",
    "sqrt",
]


@jit
def fast_dividef(x, y):
    return x / y
