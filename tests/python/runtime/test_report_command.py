"""`hocket compile --report`: the report on machine code as text and JSON."""

import json

import pytest

from hocket.cli import main

FILE = """
import hocket
from hocket import language as gl


@hocket.jit
def total(src, dst, n):
    acc = 0.0
    for i in range(n):
        acc += gl.load(src + i)
    gl.store(dst, acc)
"""


@pytest.fixture
def command(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(FILE)
    return ["compile", f"{path}::total", "--signature", "*f32,*f32,i32", "--target", "gfx950", "--report"]


def test_the_command_prints_the_report(command, capsys):
    assert main(command) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("total for gfx950: 4 warps, ")
    assert "hottest loop: " in printed.out
    assert "s_endpgm" not in printed.out


def test_the_command_prints_text_and_report_apart(command, capfdbinary):
    assert main([*command, "--emit", "amdgcn"]) == 0
    printed = capfdbinary.readouterr()
    assert b"s_endpgm" in printed.out
    assert b"hottest loop: " in printed.err


def test_the_report_as_json(command, capsys):
    assert main([*command, "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    [loop] = outcome["report"]["loops"]
    assert loop["instructions"] == sum(stage["instructions"] for stage in loop["stages"])
    assert "artifacts" not in outcome


def test_a_report_is_no_file(command, capsys):
    assert main([*command, "-o", "somewhere"]) == 2
    assert "--report prints to standard output: select the output that -o writes with --emit" in capsys.readouterr().err
