"""HOCKET_TIMING=1 prints the time of each step of a compilation."""

import re

import numpy as np
import pytest

import hocket
from hocket import language as gl


@pytest.fixture
def kernel():
    @hocket.jit
    def kernel(out):
        gl.store(out, 1.0)

    return kernel


def stages(text):
    return [re.sub(r"^ *[0-9.]+ ms  ", "", line) for line in text.splitlines()]


def test_stages_of_a_gpus_code(kernel, monkeypatch, capsys):
    monkeypatch.setenv("HOCKET_TIMING", "1")
    kernel.warmup(gl.float32, target="gfx950")
    first, *steps = stages(capsys.readouterr().err)
    assert first == "hocket: kernel for gfx950"
    assert steps[0] == "front end" and steps[-1] == "total" and len(steps) > 10


def test_an_emulated_kernel(kernel, monkeypatch, capsys):
    monkeypatch.setenv("HOCKET_TIMING", "1")
    out = np.zeros(1, np.float32)
    kernel[(1,)](out)
    kernel[(1,)](out)
    assert stages(capsys.readouterr().err) == ["kernel for an emulated sm_90a"]


@pytest.mark.parametrize("value", ["", "0", None])
def test_nothing_is_said_by_default(kernel, monkeypatch, capsys, value):
    monkeypatch.setenv("HOCKET_TIMING", value) if value is not None else monkeypatch.delenv("HOCKET_TIMING", False)
    kernel.warmup(gl.float32, target="sm_90a")
    assert capsys.readouterr().err == ""
