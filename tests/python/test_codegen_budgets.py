"""tests/codegen_budgets.py: counts within and above a budget, and the table that --update-codegen writes."""

import json

import pytest
from codegen_budgets import TABLE, Budgets

pytestmark = pytest.mark.quick


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "budgets.json"
    path.write_text(
        json.dumps({"loop": {"reason": "is hot", "budgets": {"sm_90a": {"all": 100, "vector": 5}, "old": {"all": 1}}}})
    )
    return path


def test_counts_within_the_slack_pass(table):
    Budgets(table).check("loop", "sm_90a", all=103, vector=5)


@pytest.mark.parametrize("counts", [{"all": 104, "vector": 0}, {"all": 0, "vector": 6}])
def test_more_instructions_fail_with_the_reason(table, counts):
    with pytest.raises(AssertionError, match=r"loop: sm_90a: \d+ of \w+, budget \d+\nwhy there is a budget: is hot"):
        Budgets(table).check("loop", "sm_90a", **counts)


@pytest.mark.parametrize(
    "group, case, name", [("other", "sm_90a", "all"), ("loop", "gfx950", "all"), ("loop", "sm_90a", "x")]
)
def test_what_has_no_budget_fails(table, group, case, name):
    with pytest.raises(AssertionError, match="has no"):
        Budgets(table).check(group, case, **{name: 0})


def test_an_update_writes_the_largest_counts_of_a_case(table):
    budgets = Budgets(table, is_updated=True)
    budgets.check("loop", "sm_90a", all=120, vector=3)
    budgets.check("loop", "sm_90a", all=110, vector=4)
    budgets.write()
    written = json.loads(table.read_text())
    assert written == {"loop": {"reason": "is hot", "budgets": {"sm_90a": {"all": 120, "vector": 4}}}}


def test_every_group_has_a_reason():
    groups = json.loads(TABLE.read_text())
    assert groups
    assert all(len(group["reason"]) > 20 and group["budgets"] for group in groups.values())
