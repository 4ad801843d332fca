"""Markers for tests of what `make build` leaves in the checkout, which an installed wheel does not have."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOCKET_OPT = ROOT / "build/dev/csrc/tools/hocket-opt"

needs_hocket_opt = pytest.mark.skipif(not HOCKET_OPT.exists(), reason="hocket-opt has not been built: make build")
needs_module = pytest.mark.skipif(
    not any(ROOT.glob("python/hocket/_core*.so")), reason="the checkout has no compiled module: make build"
)
