"""The table of targets, as Python sees it."""

import pytest

from hocket import _core


@pytest.mark.parametrize("target", _core.targets(), ids=lambda target: target.name)
def test_artifacts_of_the_back_end(target):
    assert _core.artifacts(target.name) == ["hk", "lane", "llvm", target.assembly, target.machine_code]


def test_assemblers_that_may_be_missing():
    installed = {target.assembly for target in _core.targets() if target.uses_installed_assembler}
    assert installed == {"ptx"}
