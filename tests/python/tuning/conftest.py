"""Results of tuning are kept in a folder of each test."""

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOCKET_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"
