"""The examples in the docstrings of the language: every name has one, and each shows what the emulator computes.

An example is a few lines of a kernel, written as for Python's doctest. What they find defined is in PRELUDE, which
the docstring of `hocket.language` shows too. Below a line stands the value of its expression, nested in lists. With
`--target cuda` those of Hopper run on the GPU, too, whose results are the same.
"""

import inspect
import pathlib
import re
import runpy
import sys
import textwrap

import numpy as np
import pytest

from hocket import CompileError, devices, emulator
from hocket import language as gl

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools"))
from docstring_examples import PRELUDE, examples_of, kernel_text, prints
from docstring_launches import launch_example
from write_support_matrix import STUBS, targets_of

ON_GPUS = {"gl.inline_asm_elementwise"}  # the emulator cannot run it


def as_lists(elements):
    """Returns {(0, 1): "2", ...} as text of nested lists."""
    if () in elements:
        return elements[()]
    sizes = [max(index) + 1 for index in zip(*elements, strict=True)]

    def nested(prefix):
        if len(prefix) == len(sizes):
            return elements[prefix]
        return f"[{', '.join(nested((*prefix, k)) for k in range(sizes[len(prefix)]))}]"

    return nested(())


def values_printed(text):
    """The text after each number."""
    values = {}
    for line in text.splitlines():
        if found := re.search(r"(?:\[([\d, ]*)\] )?@(\d+) (.*)$", line):
            index = tuple(int(k) for k in (found[1] or "").split(",") if k.strip())
            values.setdefault(int(found[2]), {})[index] = found[3]
    return {number: as_lists(elements) for number, elements in values.items()}


@pytest.mark.parametrize("name", STUBS)
def test_every_name_has_an_example(name):
    assert examples_of(STUBS[name])


@pytest.mark.parametrize("name", ON_GPUS)
def test_the_emulator_refuses_what_is_for_gpus(name, tmp_path):
    file = tmp_path / "example.py"
    file.write_text(kernel_text(examples_of(STUBS[name])))
    with emulator.target("sm_90a"), pytest.raises(CompileError, match=f"{name[3:]} .*the emulator cannot run"):
        runpy.run_path(str(file))["example"][(1,)](np.zeros(4, np.int32), None, None, num_warps=1)


#: Names whose examples show the results of some targets only.
SHOWN_FOR = {
    "gl.inline_asm_elementwise": ["sm_80", "sm_90a"],
    "gl.bank_conflicts": ["sm_80", "sm_90a", "gfx950"],
    "gl.num_lanes": ["sm_80", "sm_90a"],
    "gl.amd.cdna3.mfma": ["gfx950"],
    "gl.amd.cdna4.mfma": ["gfx950"],
}


def shown_for(name):
    """Returns the targets that have what the example shows."""
    return SHOWN_FOR.get(name) or targets_of(name)


def pytest_generate_tests(metafunc):
    """Each example on each emulated target that has what it shows; with `--target cuda`, those of sm_90a on the GPU."""
    if "example_device" not in metafunc.fixturenames:
        return
    if metafunc.config.getoption("--target") == "cuda":
        gpu = devices.cuda()
        cases = [(name, gpu) for name in sorted(STUBS) if "sm_90a" in shown_for(name)]
    else:
        emulated = [(name, target) for name in sorted(STUBS.keys() - ON_GPUS) for target in shown_for(name)]
        cases = [(name, devices.EmulatedDevice(target)) for name, target in emulated]
    ids = [f"{name}-{device.name.split()[0]}" for name, device in cases]
    metafunc.parametrize("name, example_device", cases, ids=ids)


def test_examples_show_what_is_computed(name, example_device, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("HOCKET_CACHE_DIR", str(tmp_path / "cache"))  # constants are printed as they are compiled
    launch_example(name, example_device, tmp_path)
    examples = examples_of(STUBS[name])
    printed = capfd.readouterr().out
    shown = {k: example.want.strip() for k, example in enumerate(examples) if example.want and not prints(example)}
    assert values_printed(printed) == shown
    assert all(example.want in printed for example in examples if prints(example))


def test_the_language_says_what_examples_start_from():
    assert textwrap.indent(PRELUDE, "    ") in inspect.getdoc(gl)
