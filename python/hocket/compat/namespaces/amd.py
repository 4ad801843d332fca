"""`triton.experimental.gluon.language.amd`, where Hocket has names elsewhere."""

from __future__ import annotations

from ...language.amd.gfx1250 import AMDWMMALayout

__all__ = ["AMDWMMALayout"]
