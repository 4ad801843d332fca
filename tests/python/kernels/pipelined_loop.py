"""Reads the ISA of a kernel with one loop: what runs in which stage of its warp pipeline."""

import itertools
import re
from dataclasses import dataclass

#: Reaches memory. Exchanges between lanes use the wires of LDS, not its memory.
MEMORY = r"(buffer|global|flat|scratch)_|ds_(?!bpermute|permute|swizzle)"
#: Instructions of the scalar unit, including branches, except those that only wait or set priorities.
SCALAR = r"s_(?!waitcnt|barrier|setprio|nop|sleep)"


def having(lines, pattern):
    return [line for line in lines if re.match(pattern, line)]


def instructions_of(text):
    """Without comments and labels."""
    lines = [line.split(";")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.endswith(":") and not line.startswith(".")]


def without_detours(lines):
    """Returns the instructions without those between a conditional jump and another jump to the same label, which few
    iterations execute."""
    text = re.sub(r"(s_cbranch_\w+ (\S+))\n.*?\ns_branch \2$", r"\1", "\n".join(lines), flags=re.DOTALL | re.MULTILINE)
    return text.split("\n")


@dataclass(frozen=True)
class PipelinedLoop:
    """A loop of the kernel, in the order of execution, and the instructions before and after it."""

    before: list[str]
    loop: list[str]
    after: list[str]

    @property
    def barriers(self):
        return [i for i, line in enumerate(self.loop) if line == "s_barrier"]

    @property
    def stages(self):
        """Instructions from one barrier to the next, without these; in the last place those after the last barrier."""
        cuts = [-1, *self.barriers, len(self.loop)]
        return [self.loop[begin + 1 : end] for begin, end in itertools.pairwise(cuts)]

    @property
    def waits_at_barriers(self):
        """Returns for each barrier the waits directly before it, with at most changes of priority between them."""
        found = []
        for barrier in self.barriers:
            first = barrier
            while first > 0 and self.loop[first - 1].startswith(("s_waitcnt", "s_setprio")):
                first -= 1
            found.append(having(self.loop[first:barrier], "s_waitcnt"))
        return found


def read_loop(code):
    """The kernel's first loop, that for tiles of which nothing is masked; for most kernels the only one."""
    return read_loops(code)[0]


def read_loops(code):
    """Returns the kernel's innermost loops, each with the instructions between it and the adjacent loops.

    Basic blocks of a loop may precede its header in the text: they run after the others.
    """
    code = code[: code.index("s_endpgm")]
    blocks = re.split(r"^(?=\.LBB|; %bb)", code, flags=re.MULTILINE)
    headers = [i for i, block in enumerate(blocks) if "Inner Loop Header" in block]
    text = lambda indices: "".join(blocks[i] for i in indices)  # noqa: E731
    members = []
    for header in headers:
        name = re.match(r"\.L(BB\d+_\d+)", blocks[header])[1]
        members.append([i for i, block in enumerate(blocks) if i == header or f"Header={name} " in block])
    outside = [i for i in range(len(blocks)) if not any(i in body for body in members)]
    loops = []
    for header, body, begin, end in zip(headers, members, [-1, *headers], [*headers[1:], len(blocks)], strict=False):
        ordered = [i for i in body if i >= header] + [i for i in body if i < header]
        loops.append(
            PipelinedLoop(
                instructions_of(text(i for i in outside if begin < i < header)),
                instructions_of(text(ordered)),
                instructions_of(text(i for i in outside if header < i < end)),
            )
        )
    return loops
