"""Forked children in which nvJitLink would crash, because the CUDA driver found no GPU before the fork. Driver and
nvJitLink are stand-ins, and `ptxas` is a script."""

import pathlib
import subprocess
import sys

import pytest
from stand_ins.library import build, environment

HERE = pathlib.Path(__file__).parent / "stand_ins" / "cuda"
PTX = ".version 8.3\\n.target sm_90a\\n.address_size 64\\n.visible .entry k() { ret; }\\n"
#: Prints the assembler's file and the result of an assembly, in a child.
CHILD = f"""
import ctypes, os, pathlib
from hocket import _core
from hocket.runtime import compiler

def assemble():
    compiler.find_assembler()
    try:
        return _core.ptx_to_cubin(b"{PTX}", _core.KernelFacts(target="sm_90a"))
    except Exception as error:
        return str(error)

def in_child(function):
    if (child := os.fork()) == 0:
        print(function(), flush=True)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    libraries = tmp_path / "packages" / "nvidia" / "cu13" / "lib"
    libraries.mkdir(parents=True)
    # A package with this file hides the packages of that name elsewhere, such as those of the virtual environment.
    (tmp_path / "packages" / "nvidia" / "__init__.py").touch()
    build(libraries, HERE / "libcuda_forked.c", "libcuda.so.1")
    build(libraries, HERE / "libnvjitlink_forked.c", "libnvJitLink.so.13")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", "")
    settings = environment(libraries, tmp_path / "cache")
    settings["PYTHONPATH"] = f"{tmp_path / 'packages'}:{settings['PYTHONPATH']}"

    def run(code: str) -> list[str]:
        command = [sys.executable, "-c", CHILD + code]
        result = subprocess.run(command, env=settings, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return run


def install_ptxas(root: pathlib.Path) -> None:
    program = root / "packages" / "nvidia" / "cu13" / "bin" / "ptxas"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho -n by ptxas > "$2"\n')
    program.chmod(0o755)


def test_the_stand_in_crashes(run):
    lines = run('init = ctypes.CDLL("libcuda.so.1").cuInit\nprint(init(0))\nin_child(lambda: init(0))')
    assert lines == ["100", "-11"]


def test_a_driver_that_the_parent_has_not_initialized(run):
    assert run("in_child(assemble)") == ["b'\\x7fELF'", "0"]


def test_ptxas_assembles(run, tmp_path):
    install_ptxas(tmp_path)
    lines = run("print(assemble())\nin_child(assemble)\nprint(assemble())")
    assert lines == ["b'\\x7fELF'", "b'by ptxas'", "0", "b'\\x7fELF'"]


def test_an_error_without_ptxas(run):
    _, said, status = run("print(assemble())\nin_child(assemble)")
    assert "found no GPU before this process was forked" in said
    assert 'multiprocessing.get_context("spawn")' in said
    assert status == "0"


def test_the_driver_first_used_in_the_child(run):
    """Another library has initialized the driver in the parent."""
    said, status = run('ctypes.CDLL("libcuda.so.1").cuInit(0)\nin_child(assemble)')
    assert "found no GPU before this process was forked" in said
    assert status == "0"
