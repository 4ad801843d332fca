"""Parses assembly text into instructions, basic blocks and loops.

.LBB0_4:                     a block begins at a label, and after a branch
        v_add_u32 ...
        s_cbranch_scc1 .LBB0_4      a back edge: the blocks from its target to here are a loop
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

_LABEL = re.compile(r"^([.$\w]+):")
#: Instructions after which control never continues at the next instruction: the end of a wave or thread, returns and
#: indirect branches.
_ENDS = re.compile(r"s_endpgm|s_setpc_b64|ret\b|exit\b|trap\b|brx\.idx|EXIT|RET\b|BRX")
_JUMP = re.compile(r"(?:s_branch|bra(?:\.uni)?|BRA(?:\.U)?)\s+([.$\w]+)$")
#: In SASS, the predicate of a branch precedes the mnemonic or is an operand.
_BRANCH = re.compile(
    r"(?:s_cbranch_\w+|@!?%\w+\s+bra(?:\.uni)?|@!?U?P\w+\s+BRA\S*(?:\s+!?U?P\w+,)?|BRA\S*\s+[!~]?U?[PR]\w+,)"
    r"\s+([.$\w]+)$"
)

#: `_POLL`: instructions that test an mbarrier. `_BESIDE_POLLS`: other instructions in loops that only poll an mbarrier.
_POLL = re.compile(r"(?:@!?U?P\w+\s+)?(?:mbarrier\.(?:try|test)_wait|SYNCS\S*TRYWAIT)")
_BESIDE_POLLS = re.compile(r"not\.pred|nanosleep|NANOSLEEP")


@dataclass
class Block:
    """A basic block: instructions that run one after another."""

    labels: list[str]
    instructions: list[str] = field(default_factory=list)


class Loop(NamedTuple):
    """A loop of the kernel.

    Attributes:
        blocks: indices of the loop's blocks in order of execution, from the header on. Blocks that precede the header
            in the text come last.
        depth: nesting depth, 1 for an outermost loop.
        is_innermost: True if the loop contains no other loop.
        instructions: instructions of all blocks, including those that some iterations skip.
        is_optional: for each instruction, True if a path through the loop skips the instruction.
    """

    blocks: tuple[int, ...]
    depth: int
    is_innermost: bool
    instructions: list[str]
    is_optional: list[bool]


def instructions_of_amd(text: str, kernel: str) -> list[str]:
    """Labels (with their colon) and instructions of `kernel` in AMD assembly, without comments and directives."""
    begin = re.search(rf"^{re.escape(kernel)}:", text, re.MULTILINE)
    if begin is None:
        return []
    end = text.find(".Lfunc_end", begin.end())
    return _cleaned(text[begin.end() : end if end >= 0 else len(text)].splitlines(), ";")


def instructions_of_ptx(text: str, kernel: str) -> list[str]:
    """Labels (with their colon) and instructions of `kernel` in PTX. The lines of an instruction that has several lines
    are joined."""
    begin = re.search(rf"\.entry\s+{re.escape(kernel)}\b", text)
    if begin is None:
        return []
    end = re.compile(r"^}", re.MULTILINE).search(text, begin.end())
    body = text[text.index("{", begin.end()) + 1 : end.start() if end else len(text)]
    found = []
    pending = ""
    for line in _cleaned(body.splitlines(), "//", is_directive=lambda line: False):
        if _LABEL.fullmatch(line):
            found.append(line)
            continue
        *ended, pending = f"{pending} {line}".split(";")
        # A leading brace opens or closes a PTX block. Braces of operand lists are never at the beginning.
        found += [instruction.lstrip("{} ") for instruction in ended]
    return [line for line in found if line and not line.startswith(".")]


#: An instruction in the output of nvdisasm. The address precedes the instruction, and a semicolon follows.
_SASS = re.compile(r"/\*[0-9a-f]+\*/\s+(.*?)\s*;")


def instructions_of_sass(text: str, kernel: str) -> list[str]:
    """Labels (with their colon) and instructions of `kernel` in the output of nvdisasm, without the quotes around
    labels."""
    begin = re.search(rf"^\.text\.{re.escape(kernel)}:", text, re.MULTILINE)
    if begin is None:
        return []
    end = re.compile(r"^//-----|^\t\.section", re.MULTILINE).search(text, begin.end())
    found = []
    for line in text[begin.end() : end.start() if end else len(text)].splitlines():
        if label := _LABEL.fullmatch(line.strip()):
            found.append(label[0])
        elif instruction := _SASS.search(line):
            found.append(re.sub(r"`\(([.$\w]+)\)", r"\1", instruction[1]))
    return found


def _cleaned(
    lines: list[str], comment: str, is_directive: Callable[[str], bool] = lambda line: line.startswith(".")
) -> list[str]:
    kept = []
    for line in lines:
        line = line.split(comment)[0].strip()
        if line and (_LABEL.fullmatch(line) or not is_directive(line)):
            kept.append(line)
    return kept


def blocks_of(lines: list[str]) -> list[Block]:
    """Returns the basic blocks of a kernel, from its labels and instructions."""
    blocks = [Block([])]
    for line in lines:
        if label := _LABEL.fullmatch(line):
            if blocks[-1].instructions:
                blocks.append(Block([]))
            blocks[-1].labels.append(label[1])
            continue
        blocks[-1].instructions.append(line)
        if _ENDS.match(line) or _JUMP.match(line) or _BRANCH.match(line):
            blocks.append(Block([]))
    return blocks


def _successors(blocks: list[Block]) -> list[list[int]]:
    places = {label: i for i, block in enumerate(blocks) for label in block.labels}
    result = []
    for i, block in enumerate(blocks):
        last = block.instructions[-1] if block.instructions else ""
        after = [i + 1] if i + 1 < len(blocks) else []
        if jump := _JUMP.match(last):
            after = [places[jump[1]]] if jump[1] in places else []
        elif branch := _BRANCH.match(last):
            after = ([places[branch[1]]] if branch[1] in places else []) + after
        elif _ENDS.match(last):
            after = []
        result.append(after)
    return result


def _back_edges(successors: list[list[int]]) -> list[tuple[int, int]]:
    """Returns the pairs (from, to) of all back edges. In a depth-first search, a back edge leads to a block on the
    current path."""
    edges = []
    done: set[int] = set()
    path: dict[int, None] = {}
    stack = [(0, iter(successors[0]))] if successors else []
    path[0] = None
    while stack:
        block, rest = stack[-1]
        following = next(rest, None)
        if following is None:
            stack.pop()
            path.pop(block)
            done.add(block)
        elif following in path:
            edges.append((block, following))
        elif following not in done:
            path[following] = None
            stack.append((following, iter(successors[following])))
    return edges


def _is_polling(body: set[int], blocks: list[Block]) -> bool:
    """Returns True if a loop only polls an mbarrier."""
    instructions = [line for block in body for line in blocks[block].instructions]
    patterns = (_POLL, _BESIDE_POLLS, _BRANCH, _JUMP)
    return any(map(_POLL.match, instructions)) and all(any(p.match(line) for p in patterns) for line in instructions)


def loops_of(lines: list[str]) -> list[Loop]:
    """Returns the loops of a kernel in program order. A loop that only polls an mbarrier counts as a wait of the
    enclosing loop."""
    blocks = blocks_of(lines)
    successors = _successors(blocks)
    predecessors: list[list[int]] = [[] for _ in blocks]
    for i, after in enumerate(successors):
        for block in after:
            predecessors[block].append(i)
    members: dict[int, set[int]] = {}
    latches: dict[int, list[int]] = {}
    for latch, header in _back_edges(successors):
        latches.setdefault(header, []).append(latch)
        body = members.setdefault(header, {header})
        waiting = [latch]
        while waiting:
            block = waiting.pop()
            if block not in body:
                body.add(block)
                waiting += predecessors[block]
    members = {header: body for header, body in members.items() if not _is_polling(body, blocks)}
    loops = []
    for header, body in sorted(members.items()):
        ordered = [i for i in sorted(body) if i >= header] + [i for i in sorted(body) if i < header]
        optional = {i for i in body if _can_avoid(i, header, latches[header], body, successors)}
        loops.append(
            Loop(
                tuple(ordered),
                sum(header in other for other in members.values()),
                not any(inner in body for inner in members if inner != header),
                [line for i in ordered for line in blocks[i].instructions],
                [i in optional for i in ordered for _ in blocks[i].instructions],
            )
        )
    return loops


def _can_avoid(block: int, header: int, latches: list[int], body: set[int], successors: list[list[int]]) -> bool:
    """Returns True if an iteration can reach the end of the loop from `header` without executing `block`."""
    if block == header:
        return False
    seen = {header, block}
    waiting = [header]
    while waiting:
        here = waiting.pop()
        if here in latches:
            return True
        for following in successors[here]:
            if following in body and following not in seen:
                seen.add(following)
                waiting.append(following)
    return False
