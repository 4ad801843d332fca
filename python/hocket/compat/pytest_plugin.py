"""A pytest plugin that makes `triton` Hocket: `pytest -p hocket.compat.pytest_plugin --hocket-emulate sm_90a`."""

from __future__ import annotations

from typing import Any

import pytest

from .finder import install


def pytest_addoption(parser: Any) -> None:
    parser.addoption(
        "--hocket-emulate",
        metavar="TARGET",
        help="run on an emulated GPU: sm_80, sm_90a, gfx942 or gfx950",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Installs Hocket as `triton` before pytest imports test files, in worker processes of pytest-xdist as well."""
    install(early_config.known_args_namespace.hocket_emulate)
