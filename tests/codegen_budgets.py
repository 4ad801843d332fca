"""Budgets of instruction counts in generated code, all in one table: codegen_budgets.json.

    def test_a_block_takes_few_instructions(budgets):
        budgets.check("attention, pipelined", "gfx950 128", instructions=loop.instructions, vector=vector)

LLVM's selection and scheduling of instructions decide these counts, so they are upper bounds with a slack of 3 %, and
each group of the table says why the count matters. Counts that follow from a tile's shape are asserted by the tests.

`pytest -m codegen --update-codegen` writes the counts as they are now. Read the diff: a larger number is slower code.
"""

from __future__ import annotations

import json
import pathlib

TABLE = pathlib.Path(__file__).with_suffix(".json")
SLACK = 0.03


class Budgets:
    """The table; `measured` has the counts of this run, if it is to be rewritten."""

    def __init__(self, table: pathlib.Path = TABLE, is_updated: bool = False) -> None:
        self.path, self.is_updated = table, is_updated
        self.groups = json.loads(table.read_text())
        self.measured: dict[str, dict[str, dict[str, int]]] = {}

    def check(self, group: str, case: str, **counts: int) -> None:
        """Asserts that no count is above its budget in the table, plus the slack."""
        assert group in self.groups, f"{self.path.name} has no group {group!r}: add it, with its reason"
        kept = self.measured.setdefault(group, {}).setdefault(case, {})
        for name, count in counts.items():
            kept[name] = max(count, kept.get(name, 0))
        if self.is_updated:
            return
        budget = self.groups[group]["budgets"].get(case, {})
        missing = counts.keys() - budget.keys()
        assert not missing, f"{self.path.name} has no budget of {sorted(missing)} for {group}: {case}; --update-codegen"
        over = [
            f"{count} of {name}, budget {budget[name]}"
            for name, count in counts.items()
            if count > budget[name] + int(SLACK * budget[name])
        ]
        assert not over, (
            f"{group}: {case}: {'; '.join(over)}\nwhy there is a budget: {self.groups[group]['reason']}\n"
            "If the code is meant to be longer: pytest -m codegen --update-codegen, and say why in the commit."
        )

    def write(self) -> None:
        """Replaces the budgets of each group that was checked. Must follow a run of all tests of these groups."""
        for group, cases in self.measured.items():
            self.groups[group]["budgets"] = {case: cases[case] for case in sorted(cases)}
        self.path.write_text(json.dumps(self.groups, indent=1) + "\n")
