"""The ptxas that assembles kernels with register budgets, and the cache entries of another version."""

import json
import os
import subprocess
import sys

import pytest

#: An instruction that only ptxas may assemble.
BUDGET = "setmaxnreg.inc.sync.aligned.u32 240;"


def install(root, version):
    """A `ptxas` in `root`/bin that tells its version; libraries would be in `root`/lib."""
    (root / "lib").mkdir(parents=True)
    (root / "bin").mkdir()
    program = root / "bin" / "ptxas"
    program.write_text(f"#!/bin/sh\necho Cuda compilation tools, release {version[:4]}, V{version}\n")
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A pip package, a toolkit and a folder of PATH; only the last has a ptxas yet."""
    on_path = install(tmp_path / "tools", "12.9.1")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    monkeypatch.setenv("PATH", os.path.dirname(on_path), prepend=os.pathsep)
    # A package with this file hides the packages of that name elsewhere, such as those of the virtual environment.
    (tmp_path / "packages" / "nvidia").mkdir(parents=True)
    (tmp_path / "packages" / "nvidia" / "__init__.py").touch()
    search = [str(tmp_path / "packages"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, search)))
    return {"pip": tmp_path / "packages" / "nvidia" / "cu13", "toolkit": tmp_path / "toolkit", "path": on_path}


def run(code):
    command = [sys.executable, "-c", f"from hocket import _core\nfrom hocket.runtime import compiler\n{code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def chosen():
    return run(f"compiler.find_assembler(); print(_core.cubin_assembler({BUDGET!r}))")


def stamp():
    return run("print(compiler._toolchain_stamp())")


def test_a_pip_package_comes_before_a_toolkit_and_that_before_path(places):
    assert chosen() == f"ptxas ({places['path']})"
    in_toolkit = install(places["toolkit"], "13.0.88")
    assert chosen() == f"ptxas ({in_toolkit})"
    in_package = install(places["pip"], "13.5.37")
    assert chosen() == f"ptxas ({in_package})"


def test_info_tells_its_version(places):
    path = install(places["pip"], "13.5.37")
    command = [sys.executable, "-m", "hocket", "info"]
    as_text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"           ptxas 13.5.37 ({path}) for kernels with register budgets\n" in as_text
    as_json = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout
    assert json.loads(as_json)["budget_assembler"] == f"ptxas 13.5.37 ({path})"


@pytest.mark.parametrize("place", ["pip", "toolkit"])
def test_kernels_of_another_assembler_are_not_taken_from_the_cache(places, place):
    before = stamp()
    assert before == stamp()
    install(places[place], "13.5.37")
    after = stamp()
    assert after != before
    os.utime(places[place] / "bin" / "ptxas", ns=(0, 0))  # machines of a cluster install it at different times
    assert stamp() == after
    (places[place] / "bin" / "ptxas").write_text("#!/bin/sh\necho release 14.0, V14.0.1\n")  # an update in its place
    assert stamp() not in (before, after)
