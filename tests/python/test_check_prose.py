"""tools/check_prose.py on small trees with wording that it rejects. `make lint` checks this tree."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_check(root, *options):
    command = [sys.executable, str(ROOT / "tools" / "check_prose.py"), "--root", str(root), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def tree(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "tools").mkdir()
    return tmp_path


def findings(tree, name, text):
    """(line, rule) of each finding in a file of this text."""
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    _, lines = run_check(tree)
    return [(int(line.split(":")[1]), line.split(": ")[1]) for line in lines if line.startswith(name + ":")]


def test_comments_of_cpp(tree):
    text = "// What the pass keeps.\nint x = 1; // both warps take turns\n// Returns x,\n// whoever asks.\n"
    assert findings(tree, "csrc/a.cpp", text) == [(1, "headless"), (2, "turns"), (4, "people")]


def test_messages_of_cpp_but_no_code(tree):
    text = 'emitError("a matrix product needs both of its tiles");\nauto name = "in_turns";\n'
    assert findings(tree, "csrc/a.cpp", text) == [(1, "product")]


def test_summaries_of_tablegen(tree):
    text = (
        'let summary = "The warps wait for the slowest one, likewise";\nlet description = [{\n  Waits,\n  anew.\n}];\n'
    )
    assert findings(tree, "csrc/a.td", text) == [(1, "likewise"), (4, "again")]


def test_docstrings_and_comments_of_python(tree):
    text = 'def f():\n    """Whether it is so."""\n    # the colour\n    return "as many words as there are here"\n'
    assert findings(tree, "python/a.py", text) == [(2, "headless"), (4, "so many"), (3, "American spelling")]


def test_pages_without_their_code(tree):
    text = "# A page\n\nEach warp is `in turns` busy, and so on.\n\n```\nin turns\n```\n\nBlocks that stay.\n"
    assert findings(tree, "docs/a.md", text) == [(9, "persistent")]


def test_ellipses(tree):
    text = "// Stages 0, 1, .. and so on; `a..b` and x[1..n] are ranges, ../path a path.\n// More ... of it.\n"
    assert findings(tree, "csrc/a.h", text) == [(1, "two dots")]


def test_comments_of_other_languages(tree):
    assert findings(tree, "Makefile", "all: # anew\n# Done\n# anew.\n\tfalse\n") == [(3, "again")]
    assert findings(tree, "tools/a.sh", "#!/bin/sh\n# What a user calls.\n") == [(2, "headless")]
    assert findings(tree, "cmake/a.cmake", "set(a 1)\n# likewise\n") == [(2, "likewise")]
    assert findings(tree, "csrc/CMakeLists.txt", "# likewise\n") == [(1, "likewise")]
    assert findings(tree, "csrc/a.def", "// likewise\n") == [(1, "likewise")]


def test_sentences_that_lean_on_the_one_before(tree):
    text = "A wait is removed. So is a fence.\nTwo warps copy. The others wait.\nSo is the lane of the others.\n"
    assert findings(tree, "docs/a.md", text) == [(1, "leaning"), (2, "leaning"), (3, "leaning")]
    assert findings(tree, "docs/b.md", "Warps wait, so is a fence needed? Not by the others.\n") == []
    messages = "// Uses the first level's cache.\n// Two tiles behind each other are put back.\n"
    assert findings(tree, "csrc/a.cpp", messages) == [(1, "L1"), (2, "behind each other"), (2, "puts back")]


def test_comments_of_mlir_but_no_directives(tree):
    text = "// RUN: hocket-opt %s\n// The same for stores.\n// CHECK: as many as\n// expected-error {{whoever}}\n"
    assert findings(tree, "tests/a.mlir", text) == [(2, "headless")]


def test_a_finding_names_its_file_line_and_replacement(tree):
    findings(tree, "docs/a.md", "Done anew.\n")
    assert run_check(tree) == (1, ["docs/a.md:1: again: 'Done anew.'; write: again"])


def test_the_spelling_of_names_and_strings(tree):
    text = 'bool isSynchronised(int greyLevel);\nint normalized = run("optimise"), CancelledError, RGBColour;\n'
    assert findings(tree, "csrc/a.cpp", text) == [
        (2, "American spelling"),
        (1, "American spelling"),
        (1, "American spelling"),
        (2, "American spelling"),
    ]
    text = "def are_neighbours(colors):\n    # grey and grey\n    return 1\n"
    assert findings(tree, "python/a.py", text) == [(2, "American spelling"), (1, "American spelling")]
    assert findings(tree, "CMakePresets.json", '{"name": "optimised"}\n') == [(1, "American spelling")]
    assert findings(tree, "python/b.py", "except CancelledError:\n    analyses = normal_colors\n") == []
