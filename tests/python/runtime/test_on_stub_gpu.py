"""Runs the tests of stub_gpu/ in a process whose CUDA driver is a stub: see stub_gpu/libcuda_stub.c."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent / "stub_gpu"


@pytest.fixture(scope="module")
def stub_folder(tmp_path_factory) -> pathlib.Path:
    compiler = next((found for name in ("cc", "clang-22", "gcc") if (found := shutil.which(name))), None)
    if compiler is None:
        pytest.skip("no C compiler to build the stub driver with")
    folder = tmp_path_factory.mktemp("stub_driver")
    command = [compiler, "-shared", "-fPIC", "-O1", "-w", "-Wl,-soname,libcuda.so.1"]
    subprocess.run([*command, "-o", folder / "libcuda.so.1", HERE / "libcuda_stub.c"], check=True)
    return folder


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("test_*.py")))
def test_with_stub_driver(stub_folder, tmp_path, file):
    path = f"{stub_folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    environment = {**os.environ, "LD_LIBRARY_PATH": path, "HOCKET_CACHE_DIR": str(tmp_path / "cache")}
    for inherited in ("PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST", "PYTEST_ADDOPTS"):
        environment.pop(inherited, None)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--rootdir",
        HERE,
        HERE / file,
    ]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE, timeout=300)
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
