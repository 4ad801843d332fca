"""Every mistake of a kernel gets the exact message recorded beside it. `--update-errors` rewrites the .txt files.

Lines in these messages are relative to the kernel (tests/positions.py).
"""

import ast
import importlib.util
import pathlib

import numpy as np
import pytest
from positions import relative

import hocket
from hocket import CompileError, OutOfResources, _core
from hocket import language as gl
from hocket.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col

pytestmark = pytest.mark.quick

HERE = pathlib.Path(__file__).parent
#: Folder and name of each file of mistakes, such as "nvidia/tma".
TOPICS = sorted(path.relative_to(HERE).with_suffix("").as_posix() for path in HERE.glob("*/*.txt"))


def load(topic):
    spec = importlib.util.spec_from_file_location(f"errors_{topic.replace('/', '_')}", HERE / f"{topic}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: value for name, value in vars(module).items() if hasattr(value, "mistake")}


def read_expected(topic):
    expected, name = {}, None
    for line in (HERE / f"{topic}.txt").read_text().splitlines():
        if line.startswith("== "):
            name = line[3:]
            expected[name] = []
        elif name:
            expected[name].append(line)
    return {name: "\n".join(lines).strip("\n") for name, lines in expected.items()}


ARGUMENTS = {
    "i32": 7,
    "*i32": gl.int32,
    "*f16": gl.float16,
    "*f32": gl.float32,
    "f16[4x4x64]": TensorDescriptor.from_tensor(
        np.zeros((8, 8, 64), np.float16), [4, 4, 64], gl.NVMMASharedLayout(128, 16, 3)
    ),
    "f16[16]": TensorDescriptor.from_tensor(np.zeros(64, np.float16), [16], gl.NVMMASharedLayout(0, 16, 1)),
    # Tensor descriptors; the blocks of the second one are distributed over a cluster of two.
    "f16[16x64]": TensorDescriptor.from_tensor(
        np.zeros((64, 128), np.float16), [16, 64], gl.NVMMASharedLayout(128, 16, 2)
    ),
    "f16[2x8x64]": TensorDescriptor.from_tensor(
        np.zeros((64, 128), np.float16), [16, 64], gl.NVMMASharedLayout(128, 16, 2, cga_layout=[[1, 0]])
    ),
    "images": TensorDescriptorIm2Col.from_tensor(
        np.zeros((2, 8, 8, 64), np.float16),
        [32, 64],
        gl.NVMMASharedLayout(128, 16, 2),
        pixel_box_lower_corner=[-1, -1],
        pixel_box_upper_corner=[-1, -1],
    ),
}


def message_of(topic, name):
    """Returns the message of the mistake in the kernel `name`, with positions relative to it."""
    kernel = KERNELS[topic][name]
    wrong = kernel.mistake
    with pytest.raises((CompileError, OutOfResources)) as caught:
        if wrong.lowered:
            arguments = [ARGUMENTS[entry] for entry in wrong.signature]
            hocket.jit(kernel).warmup(
                *arguments,
                target=wrong.target,
                num_warps=wrong.num_warps,
                num_ctas=wrong.num_ctas,
                **wrong.constexprs,
            )
        else:
            _core.emit_hk(kernel, wrong.signature, wrong.constexprs, wrong.target, wrong.num_warps)
    return relative(str(caught.value), HERE / f"{topic}.py", name)


KERNELS = {topic: load(topic) for topic in TOPICS}


@pytest.mark.parametrize("topic, name", [(topic, name) for topic in TOPICS for name in KERNELS[topic]])
def test_message(topic, name, request, monkeypatch):
    if request.config.getoption("--update-errors"):
        pytest.skip("updating")
    monkeypatch.chdir((HERE / topic).parent)
    assert message_of(topic, name) == read_expected(topic).get(name, "")


@pytest.mark.parametrize("topic", TOPICS)
def test_every_expectation_has_its_kernel(topic, request, monkeypatch):
    if request.config.getoption("--update-errors"):
        monkeypatch.chdir((HERE / topic).parent)
        sections = [f"== {name}\n{message_of(topic, name)}\n" for name in KERNELS[topic]]
        (HERE / f"{topic}.txt").write_text("\n".join(sections))
    assert KERNELS[topic], f"{topic}.py declares no mistake"
    assert set(read_expected(topic)) == set(KERNELS[topic])


def imported_by(path):
    nodes = list(ast.walk(ast.parse(path.read_text())))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom)}


def test_every_file_of_kernels_is_run():
    """Either as a topic, whose texts are in a .txt file, or by a test of what happens while it runs."""
    files = {path.relative_to(HERE).with_suffix("").as_posix() for path in HERE.glob("**/*.py")}
    assert set(TOPICS) <= files
    importing = [name for name in files if name in TOPICS or "test_" in name]
    imported = set().union(*(imported_by(HERE / f"{name}.py") for name in importing))
    others = files - set(importing) - {"conftest"}
    assert {name for name in others if name.rpartition("/")[2] not in imported} == set()
