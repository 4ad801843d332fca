"""Rules for the grid of a bundle: expressions over the integer parameters of a kernel, such as "cdiv(n, 1024)".

A rule consists of integers, names of integer parameters and constants, + - * // %, parentheses, and the functions
cdiv, min and max. Python evaluates the rule at a launch, and C has the same expression. Values are 64-bit integers, of
which the number of blocks must not be negative. In C as in Python, // and % round to negative infinity, and a division
by zero is an error of the launch.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import LaunchError

_FUNCTIONS: dict[str, Callable[[int, int], int]] = {"cdiv": lambda a, b: -(-a // b), "min": min, "max": max}
_OPERATORS: dict[type, tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("+", lambda a, b: a + b),
    ast.Sub: ("-", lambda a, b: a - b),
    ast.Mult: ("*", lambda a, b: a * b),
    ast.FloorDiv: ("grid_div", lambda a, b: a // b),
    ast.Mod: ("grid_mod", lambda a, b: a % b),
}
_DIVISIONS = (ast.FloorDiv, ast.Mod, "cdiv")
_HINT = (
    "write integers, names of integer parameters, + - * // %, cdiv(a, b), min(a, b) and max(a, b), such as "
    '"cdiv(n, 1024)"'
)


class GridRule:
    """One axis of a grid.

    Args:
        text: an int, or the text of the rule.
        names: the names that the rule may use: integer parameters of the kernel, which are None, and constants.

    Raises: LaunchError if `text` is not a rule.
    """

    def __init__(self, text: str | int, names: Mapping[str, int | None]):
        self.text = str(text).strip()
        try:
            tree = ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError):
            raise self._error("it is not an expression") from None
        self._tree = self._resolved(tree, names)

    def __call__(self, arguments: Mapping[str, int]) -> int:
        """Returns the number of blocks for the values of the integer parameters."""
        try:
            blocks = self._value(self._tree, arguments)
        except ZeroDivisionError:
            raise LaunchError(f"the grid `{self.text}` divides by zero") from None
        if blocks < 0:
            raise LaunchError(f"the grid `{self.text}` has {blocks} blocks")
        return blocks

    def c_expression(self, names: Mapping[str, str]) -> str:
        """Returns the rule as an expression in C of type int64_t. `names`: the parameters' names in C."""
        return self._in_c(self._tree, names)

    def c_divisors(self, names: Mapping[str, str]) -> list[str]:
        """Returns the expressions in C that must not be zero, in the order of their evaluation."""
        return list(dict.fromkeys(self._in_c(node, names) for node in self._divisors(self._tree)))

    def _error(self, why: str) -> LaunchError:
        return LaunchError(f"the grid `{self.text}` is not a rule: {why}\n  hint: {_HINT}")

    def _resolved(self, node: ast.expr, names: Mapping[str, int | None]) -> Any:
        """Returns the rule as nested tuples: an int, the name of a parameter, or (operation, left, right)."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return self._checked(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            operand = self._resolved(node.operand, names)
            return -operand if isinstance(operand, int) else (ast.Sub, 0, operand)
        if isinstance(node, ast.Name):
            if node.id not in names:
                known = ", ".join(names) or "none"
                raise self._error(f"`{node.id}` is not an integer parameter of the kernel, which has {known}")
            value = names[node.id]
            return node.id if value is None else self._checked(value)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return self._operation(type(node.op), node.left, node.right, names)
        if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if function in _FUNCTIONS:
                return self._operation(function, node.args[0], node.args[1], names)
        raise self._error(f"it contains `{ast.unparse(node)}`")

    def _operation(self, operation: Any, left: ast.expr, right: ast.expr, names: Mapping[str, int | None]) -> Any:
        a, b = self._resolved(left, names), self._resolved(right, names)
        if operation in _DIVISIONS and b == 0:
            raise self._error("it divides by zero")
        return operation, a, b

    def _checked(self, value: int) -> int:
        if not -(2**63) < value < 2**63:
            raise self._error(f"{value} is not an integer of 64 bits")
        return value

    def _divisors(self, node: Any) -> Iterator[Any]:
        if isinstance(node, tuple):
            operation, left, right = node
            yield from self._divisors(left)
            yield from self._divisors(right)
            if operation in _DIVISIONS and not isinstance(right, int):
                yield right

    def _value(self, node: Any, arguments: Mapping[str, int]) -> int:
        if isinstance(node, int):
            return node
        if isinstance(node, str):
            return arguments[node]
        operation, left, right = node
        function = _FUNCTIONS[operation] if isinstance(operation, str) else _OPERATORS[operation][1]
        return function(self._value(left, arguments), self._value(right, arguments))

    def _in_c(self, node: Any, names: Mapping[str, str]) -> str:
        if isinstance(node, int):
            return f"INT64_C({node})"
        if isinstance(node, str):
            return f"(int64_t){names[node]}"
        operation, left, right = node
        a, b = self._in_c(left, names), self._in_c(right, names)
        name = f"grid_{operation}" if isinstance(operation, str) else _OPERATORS[operation][0]
        return f"{name}({a}, {b})" if name.startswith("grid_") else f"({a} {name} {b})"


def parse_rules(grid: object, names: Mapping[str, int | None]) -> list[GridRule]:
    """Returns one rule for each of three axes. `grid`: a rule, a tuple of one to three rules, or a text with one to
    three rules separated by commas. Raises LaunchError for other objects, such as functions."""
    if isinstance(grid, str):
        grid = _divided(grid)
    elif isinstance(grid, int):
        grid = (grid,)
    if not isinstance(grid, tuple | list) or not 1 <= len(grid) <= 3:
        raise LaunchError(
            f"the grid of an export is one to three numbers or rules, not {grid!r}\n  hint: {_HINT}; without a grid, "
            "the caller passes one at each launch"
        )
    for rule in grid:
        if isinstance(rule, bool) or not isinstance(rule, int | str):
            raise LaunchError(f"the grid of an export consists of numbers and rules, not {rule!r}\n  hint: {_HINT}")
    return [GridRule(rule, names) for rule in [*grid, 1, 1][:3]]


def _divided(text: str) -> tuple[str, ...]:
    """Divides a text at the commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return (*parts, text[start:])
