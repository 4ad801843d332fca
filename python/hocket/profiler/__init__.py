"""What the warps of a kernel do when, recorded by the kernel itself."""

from __future__ import annotations

from .decoding import KINDS
from .launches import Launch
from .profile import Profile
from .statistics import SiteTimes, Summary

__all__ = ["KINDS", "Launch", "Profile", "SiteTimes", "Summary"]
