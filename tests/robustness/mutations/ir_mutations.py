"""Mutations of IR text that stay close enough to valid IR to get past the parser and verifiers.

A mutation works on the lines of one module: an operation is a line or a balanced block of lines. What makes mutants go
deep is that most edits are consistent: a size or a type is replaced everywhere, a duplicated operation gets results of
its own, operands are exchanged for values of the same type.
"""

import re

EXTREMES = [0, 1, -1, 2, 3, 5, 7, 8, 31, 33, 63, 64, 65, 128, 255, 1024, 1025, 4096, 65536, 2**20, 2**31 - 1, 2**31]
EXTREMES += [-(2**31), 2**32 - 1, 2**32, 2**32 + 1, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64]
SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096]
ELEMENTS = ["i1", "i8", "i16", "i32", "i64", "i128", "index", "f16", "bf16", "f32", "f64", "f8E5M2", "f8E4M3FN"]
TARGETS = ["sm_80", "sm_90a", "gfx942", "gfx950"]

INTEGER = re.compile(r"(?<![\w#%!@.])-?\d+\b(?!\.)|(?<=x)\d+(?=x)|(?<=<)\d+(?=x)")
ELEMENT = re.compile(r"\b(?:i1|i8|i16|i32|i64|index|f16|bf16|f32|f64|f8E5M2\w*|f8E4M3\w*)\b|(?<=x)(?:i\d+|b?f\d+)\b")
VALUE = re.compile(r"%[\w.$-]+")
ALIAS = re.compile(r"#(?!hk)\w+\b(?!\.)")
MNEMONIC = re.compile(r"\b(?:hk|hk_amd|hk_nv|prof|lane|arith|math|scf|llvm|nvvm|rocdl|cf|func)\.[\w.]+")
WORD_AFTER_OP = re.compile(r"(?<=\s)[a-z_]{2,12}(?=[ ,])")


def strip_comments(text):
    lines = (re.sub(r"\s*(?<!:)//.*", "", line).rstrip() for line in text.splitlines())
    return [line for line in lines if line]


def modules(text):
    """The modules of a lit file, each as lines without comments."""
    return [lines for chunk in re.split(r"^// -{3,}.*$", text, flags=re.M) if (lines := strip_comments(chunk))]


def block_at(lines, start):
    """The end of the operation that begins at `start`: the line after its closing brace."""
    depth = 0
    for end in range(start, len(lines)):
        depth += lines[end].count("{") - lines[end].count("}")
        if depth <= 0:
            return end + 1
    return start + 1


def body_lines(lines):
    """Numbers of the lines that are operations inside a function, as far as looks tell."""
    return [i for i, line in enumerate(lines) if line.startswith("  ") and not line.lstrip().startswith(("}", "^"))]


def sub_one(rng, pattern, lines, replace):
    """Replaces one occurrence of `pattern`, chosen evenly over the module."""
    places = [(i, match) for i, line in enumerate(lines) for match in pattern.finditer(line)]
    if places:
        i, match = rng.choice(places)
        lines[i] = lines[i][: match.start()] + replace(match.group()) + lines[i][match.end() :]


def sub_all(pattern, lines, old, new):
    for i, line in enumerate(lines):
        lines[i] = pattern.sub(lambda match: new if match.group() == old else match.group(), line)


def other_integer(rng, text):
    value = int(text)
    near = [value + 1, value - 1, value * 2, value // 2, -value]
    return str(rng.choice(near) if rng.random() < 0.5 else rng.choice(EXTREMES))


# Each of these edits `lines` in place; `corpus` is a list of modules to take pieces from.


def change_integer(rng, lines, corpus):
    sub_one(rng, INTEGER, lines, lambda text: other_integer(rng, text))


def change_size_everywhere(rng, lines, corpus):
    sizes = sorted({text for line in lines for text in INTEGER.findall(line)})
    if sizes:
        old = rng.choice(sizes)
        new = str(rng.choice(SIZES)) if rng.random() < 0.7 else other_integer(rng, old)
        sub_all(INTEGER, lines, old, new)


def change_element(rng, lines, corpus):
    sub_one(rng, ELEMENT, lines, lambda _: rng.choice(ELEMENTS))


def change_element_everywhere(rng, lines, corpus):
    elements = sorted({text for line in lines for text in ELEMENT.findall(line)})
    if elements:
        sub_all(ELEMENT, lines, rng.choice(elements), rng.choice(ELEMENTS))


def change_operand(rng, lines, corpus):
    values = [value for line in lines for value in VALUE.findall(line)]
    if values:
        sub_one(rng, VALUE, lines, lambda _: rng.choice(values))


def change_alias(rng, lines, corpus):
    aliases = [alias for line in lines for alias in ALIAS.findall(line)]
    if aliases:
        sub_one(rng, ALIAS, lines, lambda _: rng.choice(aliases))


def change_mnemonic(rng, lines, corpus):
    other = [name for line in rng.choice(corpus) for name in MNEMONIC.findall(line)]
    if other:
        sub_one(rng, MNEMONIC, lines, lambda _: rng.choice(other))


def change_word(rng, lines, corpus):
    words = [word for line in rng.choice(corpus) for word in WORD_AFTER_OP.findall(line)]
    if words:
        sub_one(rng, WORD_AFTER_OP, lines, lambda _: rng.choice(words))


def change_target(rng, lines, corpus):
    new = rng.choice(TARGETS)
    for i, line in enumerate(lines):
        lines[i] = re.sub(r'"(?:sm_\w+|gfx\w+)"', f'"{new}"', line)


def drop_attribute(rng, lines, corpus):
    sub_one(rng, re.compile(r"(?<=[{<,]) ?[\w.]+ = [^,{}<>\[\]]+,? ?"), lines, lambda _: "")


def add_attribute(rng, lines, corpus):
    """Takes a discardable attribute of another module."""
    found = [text for line in rng.choice(corpus) for text in re.findall(r"hk\.\w+ = [\w\" :.-]+|hk\.\w+(?=[,}])", line)]
    if found:
        sub_one(rng, re.compile(r"\{(?=\w+[.\w]* ?=|hk\.)"), lines, lambda _: "{" + rng.choice(found) + ", ")


def drop_operation(rng, lines, corpus):
    if body := body_lines(lines):
        start = rng.choice(body)
        del lines[start : block_at(lines, start)]


def renamed(rng, piece):
    """The piece with results of its own."""
    suffix = f"_{rng.randrange(10**6)}"
    defined = {name for line in piece for name in re.findall(r"(%[\w.$-]+)(?::\d+)?(?:, %[\w.$:-]+)* =", line)}
    return [VALUE.sub(lambda m: m.group() + suffix if m.group() in defined else m.group(), line) for line in piece]


def duplicate_operation(rng, lines, corpus):
    if body := body_lines(lines):
        start = rng.choice(body)
        end = block_at(lines, start)
        lines[end:end] = renamed(rng, lines[start:end])


def move_operation(rng, lines, corpus):
    if body := body_lines(lines):
        start = rng.choice(body)
        piece = lines[start : block_at(lines, start)]
        del lines[start : start + len(piece)]
        if body := body_lines(lines):
            lines[(at := rng.choice(body)) : at] = piece


def swap_neighbors(rng, lines, corpus):
    body = body_lines(lines)
    if len(body) > 1:
        first = rng.choice(body[:-1])
        lines[first], lines[first + 1] = lines[first + 1], lines[first]


def splice(rng, lines, corpus):
    """Inserts an operation of another module, with its aliases; its operands become values of this one."""
    other = rng.choice(corpus)
    body, other_body = body_lines(lines), body_lines(other)
    if not body or not other_body:
        return
    start = rng.choice(other_body)
    piece = renamed(rng, other[start : block_at(other, start)])
    if rng.random() < 0.7:
        known = [value for line in lines for value in VALUE.findall(line)]
        fresh = set(VALUE.findall(" ".join(line.split(" = ")[0] for line in piece if " = " in line)))
        if known:
            piece = [
                VALUE.sub(lambda m: m.group() if m.group() in fresh else rng.choice(known), line) for line in piece
            ]
    at = rng.choice(body)
    lines[at:at] = piece
    for alias in {alias for line in piece for alias in ALIAS.findall(line)}:
        mine = [line for line in lines if line.startswith(alias + " =")]
        lines[0:0] = [] if mine else [line for line in other if line.startswith(alias + " =")]


MUTATIONS = [change_integer, change_size_everywhere, change_element, change_element_everywhere, change_operand]
MUTATIONS += [change_alias, change_mnemonic, change_word, change_target, drop_attribute, add_attribute]
MUTATIONS += [drop_operation, duplicate_operation, move_operation, swap_neighbors, splice]


def mutate(rng, corpus):
    """A mutant of a module of `corpus`, as text."""
    lines = list(rng.choice(corpus))
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        if lines:
            rng.choice(MUTATIONS)(rng, lines, corpus)
    return "\n".join(lines) + "\n"
