"""Faults that the random programs of compared_programs.py must detect. test_mutants.py runs them without faults."""

import campaign
import compared_programs
import pytest
import random_programs

pytestmark = pytest.mark.slow

PARTS = {part.name: part for part in compared_programs.PARTS}
SEED = 11  # not one that is tried at length


def findings(monkeypatch, name, change):
    """Returns the findings of a part whose program `change` modifies after its generation."""
    begin = random_programs.Program.__init__

    def changed(self, *arguments):
        begin(self, *arguments)
        change(self)

    monkeypatch.setattr(random_programs.Program, "__init__", changed)
    return campaign.run_part(PARTS[name], 1, first=SEED).findings


def expect_more(program):
    program.expected[0] = program.expected[0] + 1


def misspell(program):
    program.source = program.source.replace("gl.store", "gl.stored")


@pytest.mark.parametrize("name", PARTS)
def test_another_result_is_wrong(monkeypatch, name):
    (found,) = findings(monkeypatch, name, expect_more)
    assert (found.seed, found.kind) == (SEED, "wrong")
    assert found.what.startswith("another result than NumPy's: Mismatched elements: ")
    assert f"seed {SEED}" in found.input and "def program(" in found.input


def test_a_program_that_is_refused_is_wrong(monkeypatch):
    (found,) = findings(monkeypatch, "programs-gfx942", misspell)
    assert found.kind == "wrong" and "CompileError" in found.what and "stored" in found.what
