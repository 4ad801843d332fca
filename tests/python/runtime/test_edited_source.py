"""A file that changes after its import: the text is that which Python runs, or is refused."""

import importlib
import itertools
import os
import sys

import pytest

import hocket

SOURCE = """
import hocket
from hocket import language as gl

@hocket.jit
def kernel(x):
    gl.store(x, 1.0)

def make(scale):
    @hocket.jit
    def scaled(x):
        gl.store(x, scale)
    return scaled
"""
_NUMBER = itertools.count()


class Module:
    """A module in a file of its own."""

    def __init__(self, folder):
        self.name = f"edited_{next(_NUMBER)}"
        self.path = folder / f"{self.name}.py"
        self.write(SOURCE)
        self.module = importlib.import_module(self.name)

    def write(self, text):
        self.path.write_text(text)
        os.utime(self.path, (1e9, 1e9 + next(_NUMBER)))


@pytest.fixture
def edited(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Module(tmp_path)


def compile_(kernel):
    return kernel.warmup(hocket.language.float32, target="sm_90a")


def test_another_statement_is_refused(edited):
    edited.write(SOURCE.replace("1.0", "2.0"))
    with pytest.raises(hocket.CompileError) as caught:
        compile_(edited.module.kernel)
    assert str(caught.value) == (
        f"{edited.path}: error: this file was edited after `kernel` was imported from its line 5\n"
        "  hint: import it again: restart the program, or use importlib.reload"
    )


@pytest.mark.parametrize("text", ["\n" + SOURCE, "", "(" + SOURCE], ids=["moved", "empty", "no Python"])
def test_another_place_is_refused(edited, text):
    edited.write(text)
    for kernel in (edited.module.kernel, edited.module.make(2.0)):
        with pytest.raises(hocket.CompileError, match="was edited after"):
            compile_(kernel)


def test_a_file_that_is_gone(edited):
    edited.path.unlink()
    with pytest.raises(hocket.CompileError) as caught:
        compile_(edited.module.kernel)
    assert str(caught.value) == (
        f"{edited.path}: error: this file is missing, so `kernel` cannot be compiled\n"
        "  hint: a kernel is compiled at its first launch: do not delete its file before that"
    )


def test_edits_elsewhere_are_none(edited):
    edited.write(SOURCE + "# more\n")
    compile_(edited.module.kernel)


def test_what_was_compiled_before_stays(edited):
    compile_(edited.module.kernel)
    edited.write(SOURCE.replace("1.0", "2.0"))
    ir = hocket._core.emit_hk(edited.module.kernel, ["*f32"])
    assert "1.000000e+00" in ir


def test_an_edited_module_that_is_imported_again(edited):
    edited.write(SOURCE.replace("1.0", "2.0"))
    importlib.reload(edited.module)
    assert "2.000000e+00" in hocket._core.emit_hk(edited.module.kernel, ["*f32"])
