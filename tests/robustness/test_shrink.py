"""Shrinking makes inputs smaller and keeps their failure."""

import campaign
import mutated_ir
from campaign import Finding
from shrink import shrink


def test_only_lines_that_cause_the_failure_are_left():
    matters = {"b", "y"}
    assert shrink(list("abcdefghijklmnopqrstuvwxyz"), lambda part: matters <= set(part)) == ["b", "y"]


def test_lines_that_cause_the_failure_are_kept():
    assert shrink(list("abc"), lambda part: len(part) == 3) == list("abc")


def test_patience_ends():
    tries = []
    shrink(list(range(1000)), lambda part: tries.append(part), patience=7)
    assert len(tries) == 7


def test_a_mutant_is_shrunk_for_the_same_reason(monkeypatch):
    """With a tool that crashes at one word and refuses everything else."""

    def run(command, text, seconds=None):
        return (-11, "LLVM ERROR: here") if "crash" in text else (1, "error: there")

    monkeypatch.setattr(mutated_ir, "run", run)
    monkeypatch.setattr(mutated_ir, "mutant", lambda seed: "first\ncrash here\nlast\n")
    monkeypatch.setattr(mutated_ir, "command_of", lambda seed: ["hocket-opt", "--cse"])
    [finding] = mutated_ir.run_batch(range(1, 2))
    assert mutated_ir.shrunk(finding).input == "hocket-opt --cse\ncrash here\n\nLLVM ERROR: here"
    hung = Finding(1, "hung", "--cse", "input")
    assert mutated_ir.shrunk(hung) == hung


def test_a_seed_is_tried_in_the_same_batch_again():
    batches = []
    part = campaign.Part("recorded", long=100, quick=10, batch=25, run=lambda seeds: batches.append(seeds) or [])
    campaign.run_part(part, 40, first=40)
    campaign.run_part(part, 1, first=62)
    assert batches == [range(40, 50), range(50, 75), range(75, 80), range(62, 63)]
