"""Runs the tests of stub_gpu/ in a process whose CUDA driver is a stub: see stub_gpu/libcuda_stub.c."""

import pathlib

import pytest
from doubles.library import build, run_pytest

HERE = pathlib.Path(__file__).parent / "stub_gpu"


@pytest.fixture(scope="module")
def stub_folder(tmp_path_factory) -> pathlib.Path:
    return build(tmp_path_factory.mktemp("stub_driver"), HERE / "libcuda_stub.c", "libcuda.so.1")


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("test_*.py")))
def test_with_stub_driver(stub_folder, tmp_path, file):
    run_pytest(HERE / file, stub_folder, tmp_path / "cache")
