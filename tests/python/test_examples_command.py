"""`hocket examples`: the list, copies, and what it refuses."""

import pathlib

import pytest

from hocket.cli import main

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_every_example_is_listed_with_a_sentence(capsys):
    assert main(["examples"]) == 0
    *lines, empty, last = capsys.readouterr().out.splitlines()
    listed = dict(line.split(maxsplit=1) for line in lines)
    assert list(listed) == sorted(path.stem for path in EXAMPLES.glob("*.py"))
    assert listed["vector_add"] == "Adds two vectors: the smallest whole program"
    assert all(len(line) <= 100 for line in lines)
    assert (empty, last) == ("", "hocket examples NAME copies one into this folder.")


def test_copies(capsys, tmp_path):
    assert main(["examples", "vector_add", "ring_check.py", "vector_add"]) == 0
    assert capsys.readouterr().out == "wrote vector_add.py\nwrote ring_check.py\n"
    assert (tmp_path / "ring_check.py").read_bytes() == (EXAMPLES / "ring_check.py").read_bytes()


def test_all_of_them_into_a_folder(tmp_path):
    assert main(["examples", "--all", "--to", "a/b"]) == 0
    assert len(list((tmp_path / "a" / "b").glob("*.py"))) == len(list(EXAMPLES.glob("*.py")))


def test_files_that_a_user_has_changed_are_kept(capsys, tmp_path):
    assert main(["examples", "vector_add"]) == 0
    assert main(["examples", "vector_add"]) == 0  # the same text
    changed = tmp_path / "vector_add.py"
    changed.write_text("mine")
    capsys.readouterr()
    assert main(["examples", "ring_check", "vector_add"]) == 2
    message = "hocket: error: vector_add.py exists and differs from the example: --force overwrites it\n"
    assert capsys.readouterr().err == message
    assert changed.read_text() == "mine"
    assert not (tmp_path / "ring_check.py").exists()
    assert main(["examples", "vector_add", "--force"]) == 0
    assert changed.read_text() != "mine"


@pytest.mark.parametrize(
    "name, message",
    [
        ("vector_ad", "there is no example vector_ad: did you mean vector_add?"),
        ("zzz", "there is no example zzz: there are attention_mods, "),
    ],
)
def test_an_unknown_name(name, message, capsys):
    assert main(["examples", name]) == 2
    assert capsys.readouterr().err.startswith(f"hocket: error: {message}")


def test_a_folder_that_cannot_be_made(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    assert main(["examples", "vector_add", "--to", "file"]) == 2
    assert capsys.readouterr().err == "hocket: error: cannot write file: File exists\n"
