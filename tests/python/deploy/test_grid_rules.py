"""Rules for the grid of an export."""

import pytest

from hocket.deploy.grid_rules import GridRule, parse_rules
from hocket.errors import LaunchError

NAMES = {"n": None, "m": None, "BLOCK": 256}


@pytest.mark.parametrize(
    ("rule", "value", "in_c"),
    [
        ("7", 7, "INT64_C(7)"),
        ("n", 1000, "(int64_t)n"),
        ("BLOCK", 256, "INT64_C(256)"),
        ("n - -BLOCK", 1256, "((int64_t)n - INT64_C(-256))"),
        ("-m + n", 997, "((INT64_C(0) - (int64_t)m_) + (int64_t)n)"),
        ("cdiv(n, BLOCK)", 4, "grid_cdiv((int64_t)n, INT64_C(256))"),
        ("hocket.cdiv(n, BLOCK) * m", 12, "(grid_cdiv((int64_t)n, INT64_C(256)) * (int64_t)m_)"),
        ("(n + m - 1) // m", 334, "grid_div((((int64_t)n + (int64_t)m_) - INT64_C(1)), (int64_t)m_)"),
        ("min(n % 7, max(m, 2))", 3, "grid_min(grid_mod((int64_t)n, INT64_C(7)), grid_max((int64_t)m_, INT64_C(2)))"),
    ],
)
def test_values_and_c(rule, value, in_c):
    rule = GridRule(rule, NAMES)
    assert rule({"n": 1000, "m": 3}) == value
    assert rule.c_expression({"n": "n", "m": "m_"}) == in_c


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("n +", "it is not an expression"),
        ("k", "`k` is not an integer parameter of the kernel, which has n, m, BLOCK"),
        ("1.5", "it contains `1.5`"),
        ("n / 2", "it contains `n / 2`"),
        ("True", "it contains `True`"),
        ("open('x')", r"it contains `open\('x'\)`"),
        ("n if n else m", "it contains `n if n else m`"),
        ("cdiv(n, b=2)", r"it contains `cdiv\(n, b=2\)`"),
        ("__import__('os')", "it contains"),
        ("n // 0", "it divides by zero"),
        ("cdiv(n, 0)", "it divides by zero"),
        ("n - 9223372036854775808", "9223372036854775808 is not an integer of 64 bits"),
    ],
)
def test_what_is_not_a_rule(rule, why):
    with pytest.raises(LaunchError, match=f"is not a rule: {why}"):
        GridRule(rule, NAMES)


@pytest.mark.parametrize(
    ("grid", "texts"),
    [
        (4, ["4", "1", "1"]),
        ("cdiv(n, 8), m", ["cdiv(n, 8)", "m", "1"]),
        (("n", 2, "m"), ["n", "2", "m"]),
    ],
)
def test_one_to_three_axes(grid, texts):
    assert [rule.text for rule in parse_rules(grid, NAMES)] == texts


@pytest.mark.parametrize("grid", [(), (1, 2, 3, 4), lambda meta: (1,), (1.5,), (True,), "1,2,3,4"])
def test_what_is_not_a_grid(grid):
    with pytest.raises(LaunchError, match="the grid of an export"):
        parse_rules(grid, NAMES)


def test_values_that_no_grid_has():
    with pytest.raises(LaunchError, match="the grid `n - m` has -5 blocks"):
        GridRule("n - m", NAMES)({"n": 0, "m": 5})
    with pytest.raises(LaunchError, match="divides by zero"):
        GridRule("cdiv(n, m)", NAMES)({"n": 0, "m": 0})


def test_divisors_in_c():
    rule = GridRule("n // (m % n) + cdiv(n, m) + n // 8", NAMES)
    assert rule.c_divisors({"n": "n", "m": "m"}) == ["(int64_t)n", "grid_mod((int64_t)m, (int64_t)n)", "(int64_t)m"]
