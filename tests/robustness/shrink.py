"""Makes an input that fails smaller: drops lines as long as it fails in the same way (delta debugging)."""


def shrink(lines, fails, patience=300):
    """A part of `lines` for which `fails(part)` holds, as it does for `lines`, after at most `patience` tries.

    Pieces are dropped from the end of the input to its beginning, half of it at first and single lines at last: what
    stands later is used by less.
    """
    size = max(1, len(lines) // 2)
    while patience > 0:
        end, dropped = len(lines), False
        while end > 0 and patience > 0:
            start = max(0, end - size)
            rest = lines[:start] + lines[end:]
            patience -= 1
            if rest and fails(rest):
                lines, dropped = rest, True
            end = start
        if size == 1 and not dropped:
            break
        size = max(1, size // 2)
    return lines
