"""Gluon's other name of gfx1250."""

from ..gfx1250 import *  # noqa: F403
from ..gfx1250 import __all__

__all__ = list(__all__)
