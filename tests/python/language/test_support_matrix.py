"""docs/support.md is the page of tools/write_support_matrix.py, and targets reject the names that they lack."""

import pathlib
import sys

import pytest

from hocket import CompileError, LaunchError, devices

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools"))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import write_support_matrix
from docstring_launches import launch_example
from write_support_matrix import STUBS, targets_of

#: Attributes of a descriptor compile for every target, because they emit no code.
NAMES = sorted(name for name in STUBS if "tensor_descriptor." not in name)
LACKING = [(name, target) for name in NAMES for target in devices.targets() if target not in targets_of(name)]


def test_the_page_is_up_to_date():
    assert write_support_matrix.PAGE.read_text() == write_support_matrix.page_text()


@pytest.mark.parametrize("name, target", LACKING, ids=[f"{name}-{target}" for name, target in LACKING])
def test_a_target_without_a_name_rejects_it(name, target, tmp_path):
    with pytest.raises((CompileError, LaunchError)):
        launch_example(name, devices.EmulatedDevice(target), tmp_path)
