"""Facts about compiled kernels: csrc/runtime/KernelFacts.def and what follows from it."""

import importlib.util
import pathlib

import pytest

import hocket
from hocket import _core
from hocket import language as gl

TOOL = pathlib.Path(__file__).parents[3] / "tools" / "write_fact_stubs.py"


@hocket.jit
def add(x, y, n, pair):
    i = gl.arange(0, 128, layout=gl.row_layout())
    gl.store(x + i, gl.load(x + i, mask=i < n) + y + pair[0] + pair[1], mask=i < n)


def facts(**others):
    return _core.KernelFacts(**{"name": "k", "parameters": ["x", "shape[0]"], **others})


@pytest.mark.parametrize(("target", "lanes"), [("sm_90a", 32), ("gfx950", 64)])
def test_facts_of_a_kernel(target, lanes):
    metadata = add.warmup(gl.float32, 2.5, 100, (3, 4), num_warps=2, target=target).metadata
    assert (metadata.name, metadata.target) == ("add", target)
    assert (metadata.num_warps, metadata.warp_size, metadata.num_ctas, metadata.shared) == (2, lanes, 1, 0)
    assert metadata.parameters == ["x", "y", "n", "pair[0]", "pair[1]"]
    assert (metadata.implicit_arguments, metadata.warnings) == ([], [])


def test_every_fact_is_an_attribute():
    names = [name for name, _, _ in _core.KernelFacts.FACTS]
    assert names[:2] == ["name", "target"]
    assert len(set(names)) == len(names)
    assert all(hasattr(facts(), name) for name in names)


def test_they_survive_as_bytes():
    some = facts(shared=4096, implicit_arguments=[("scratch", 64, 2**40)], warnings=["left undone"])
    assert _core.KernelFacts.from_bytes(some.to_bytes()) == some
    assert some != facts()


@pytest.mark.parametrize("text", [b"", b"facts of another build", facts().to_bytes()[:-1]])
def test_other_bytes_are_refused(text):
    assert _core.KernelFacts.from_bytes(text) is None


def test_they_are_printed():
    assert repr(facts()).startswith("KernelFacts(name='k', target='', num_warps=0, ")


def test_a_name_that_is_no_fact():
    with pytest.raises(TypeError, match="an unknown keyword argument"):
        facts(shard=1)
    with pytest.raises(ValueError, match="no implicit argument of kind `magic`"):
        facts(implicit_arguments=[("magic", 0, 0)])


@pytest.mark.skipif(not TOOL.exists(), reason="needs the repository")
def test_the_stub_is_up_to_date():
    spec = importlib.util.spec_from_file_location("write_fact_stubs", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = tool.STUB.read_text()
    assert text == tool.with_facts(text, _core.KernelFacts.FACTS), "run: python tools/write_fact_stubs.py"
