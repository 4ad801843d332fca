"""Tile IR as a tree of operations with their text, read line by line from what the compiler prints."""

import re
from dataclasses import dataclass, field


@dataclass
class Op:
    number: int
    text: str
    name: str
    results: list
    regions: list = field(default_factory=list)  # of lists of Ops
    arguments: list = field(default_factory=list)  # of the first region


def parse(text):
    """The operations of the function in `text`. Names in workers get a prefix, as their numbers repeat."""
    ops = parse_lines(text)
    for worker in [op for op in walk(ops) if op.name == "hk.worker"]:
        prefix = re.search(r'hk.worker "(\w+)"', worker.text)[1] + "_"
        worker.arguments = [name.replace("%", "%" + prefix) for name in worker.arguments]
        for op in walk(worker.regions[0]):
            op.text = op.text.replace("%", "%" + prefix)
            op.results = [name.replace("%", "%" + prefix) for name in op.results]
    return ops


def parse_lines(text):
    ops, stack, count = [], [], 0
    current = ops
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith(("#", "module", "func.func")):
            if line.startswith("func.func"):
                stack.append(None)
            continue
        if line.startswith("^bb0("):
            stack[-1].arguments = re.findall(r"%\w+", line)
            continue
        if line.startswith("}"):
            if not stack or stack[-1] is None:
                break
            if line.endswith("{"):  # another region: "} else {", "} workers {"
                stack[-1].regions.append([])
                current = stack[-1].regions[-1]
            else:
                stack.pop()
                current = stack[-1].regions[-1] if stack[-1] is not None else ops
            continue
        found = re.match(r"(?:(%[\w:, %]+) = )?\"?([\w.]+)", line)
        results = [name.split(":")[0] for name in re.findall(r"%\w+", found[1] or "")]
        op = Op(count, line, found[2], results)
        count += 1
        current.append(op)
        if line.endswith("{"):
            op.regions.append([])
            stack.append(op)
            current = op.regions[-1]
    return ops


def walk(ops):
    for op in ops:
        yield op
        for region in op.regions:
            yield from walk(region)
