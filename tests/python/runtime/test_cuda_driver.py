"""Runs the tests of stand_ins/cuda/ in processes whose CUDA driver is the stand-in, see libcuda_stand_in.c there."""

import pathlib

import pytest
from stand_ins.library import build, run_pytest

HERE = pathlib.Path(__file__).parent / "stand_ins" / "cuda"


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory) -> pathlib.Path:
    """The folder with the stand-in."""
    return build(tmp_path_factory.mktemp("cuda"), HERE / "libcuda_stand_in.c", "libcuda.so.1")


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("test_*.py")))
def test_with_stand_in(stand_in, tmp_path, file):
    run_pytest(HERE / file, stand_in, tmp_path / "cache")
