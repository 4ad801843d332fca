"""`--report`: names and features by line, and what is missing."""

import pathlib

import pytest

from hocket.compat.report import FileReport, print_reports

FILES = pathlib.Path(__file__).parent / "files"

SOURCE = """\
import triton
import triton.language as tl
import triton.profiler as prof
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import rdna4


@gluon.jit
def kernel(x, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [32], [4], [0]))
    value = gl.load(x + i)
    for k in tl.range(0, n):
        value = tl.dot(value, value)
    gl.store(x + i, value.to(gl.float32).flip(0))
    tail = lambda v: v


kernel[(1,)](x, 5, 128, kpack=2, ir_override="x.ttgir", num_warps=4)
triton.testing.do_bench(lambda: None)
gl.no_such_name
"""


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "file.py"
    path.write_text(SOURCE)
    return FileReport(path)


def test_what_is_missing(report):
    assert {use.name: sorted(use.lines) for use in report.missing} == {
        "module triton.profiler": [3],
        "triton.language.dot": [14],
        "method .flip()": [15],
        "lambda": [16],
        "launch option ir_override": [19],
        "triton.experimental.gluon.language.no_such_name": [21],
    }


def test_what_is_there(report):
    there = {use.name: sorted(use.lines) for use in report.uses.values() if use.is_there}
    assert there["triton.experimental.gluon.language.load"] == [12]
    assert there["triton.experimental.gluon.language.constexpr"] == [10]
    assert there["triton.testing.do_bench"] == [20]
    assert there["launch option num_warps"] == [19] and there["launch option kpack"] == [19]
    assert there["method .to()"] == [15]


def test_the_text(report, monkeypatch):
    monkeypatch.chdir(report.path.parent)
    first, *rest = str(report).splitlines()
    assert first == f"file.py: {len(report.uses)} names and features, of which Hocket lacks 6"
    assert any(line.startswith("  missing  triton.language.dot  line 14  (write the MMA function") for line in rest)
    assert "  there    launch option kpack  line 19  (it has no effect)" in rest


def test_files_that_are_imported_are_reported_too(tmp_path, capsys):
    (tmp_path / "main.py").write_text(
        "import importlib\nimport helper\nt = importlib.import_module('01-first')\n"
        "tl = importlib.import_module('triton.language')\nprint(tl.dot, t.x)\n"
    )
    (tmp_path / "01-first.py").write_text("import importlib\nimportlib.import_module('main')\nimport triton.profiler\n")
    (tmp_path / "helper.py").write_text("import triton\nprint(triton.cdiv(4, 2))\n")
    main = FileReport(tmp_path / "main.py")
    assert [use.name for use in main.missing] == ["triton.language.dot"]
    assert [path.name for path in main.siblings] == ["helper.py", "01-first.py"]
    assert print_reports([tmp_path / "main.py"]) == 1
    output = capsys.readouterr().out
    assert output.count("main.py: ") == output.count("01-first.py: ") == output.count("helper.py: ") == 1
    assert "module triton.profiler" in output


def test_exit_status(tmp_path, capsys):
    whole, broken = tmp_path / "whole.py", tmp_path / "broken.py"
    whole.write_text("import triton\nprint(triton.cdiv(4, 2))\n")
    broken.write_text("def f(:\n")
    assert print_reports([FILES / "softmax.py", whole]) == 0
    assert print_reports([whole, FILES / "gluon_suite.py"]) == 1  # uses a name of Blackwell's
    assert print_reports([broken, tmp_path / "none.py"]) == 2
    assert "broken.py: invalid syntax" in capsys.readouterr().out
