"""The text of random kernels as nested blocks of lines, which programs edit before they are rendered."""


class Line:
    """A line of a block, or the header of one. Placed programs go without those that the compiler can place."""

    def __init__(self, text, body=None):
        self.text, self.body = text, body

    @property
    def is_jump(self):
        return self.text.startswith(("break", "continue", "return"))

    @property
    def is_synchronization(self):
        return any(word in self.text for word in ("commit_group", "wait_group", "mma_wait"))


class Block(list):
    """Lines that may use the numbers of the loops around them."""

    def __init__(self, lines=(), loops=()):
        super().__init__(lines)
        self.loops = tuple(loops)


def is_else(block, index):
    return index < len(block) and block[index].text == "else:"


def render(block, indent, lines, places, is_placed):
    """Adds the text of `block`; `places`: by number of the line, the block and the index in it."""
    empty = True
    for index, line in enumerate(block):
        if is_placed and line.is_synchronization:
            continue
        empty = False
        lines.append("    " * indent + line.text)
        places.append((block, index))
        if line.body is not None:
            render(line.body, indent + 1, lines, places, is_placed)
    if empty:
        lines.append("    " * indent + "pass")
        places.append((block, len(block)))
