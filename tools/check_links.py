"""Checks that the links of the documentation lead to existing pages, files and headings, and that each page is linked.

Usage: python tools/check_links.py [ROOT]      ROOT: the repository (default: the one this file is in)
Reads the Markdown of the root, of docs/ and of the tutorials. Prints a line, `file:line: message`, for each dead link,
and for each page of docs/ that no other page links to. The exit status is 1 if there is such a line. Links to other
sites are not checked.
"""

from __future__ import annotations

import functools
import pathlib
import re
import sys

#: Matches code, which contains no links, or the target of a link or picture in Markdown or HTML.
CODE_OR_LINK = re.compile(
    r"^ *```.*?^ *```|`[^`\n]+`|\]\(\s*(?P<link>[^()\s]+)\s*\)|\b(?:src|srcset)=\"(?P<source>[^\"\s]+)\"",
    re.MULTILINE | re.DOTALL,
)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z]+:")
#: The start page of the documentation, which needs no link from another page.
ENTRY = "README.md"


def pages_of(root: pathlib.Path) -> list[pathlib.Path]:
    return [*sorted(root.glob("*.md")), *sorted(root.glob("docs/**/*.md")), *sorted(root.glob("tutorials/[0-9]*.py"))]


def markdown_of(page: pathlib.Path) -> str:
    """Returns the text of a page. For a tutorial, returns the text of its Markdown cells, with unchanged line
    numbers."""
    text = page.read_text()
    if page.suffix == ".md":
        return text
    lines, in_markdown = [], False
    for line in text.splitlines():
        if line.startswith("# %%"):
            in_markdown = "[markdown]" in line
        lines.append(re.sub("^# ?", "", line) if in_markdown and line.startswith("#") else "")
    return "\n".join(lines)


@functools.cache
def anchors_of(page: pathlib.Path) -> set[str]:
    """Returns the anchors of the headings of a page, as GitHub and the documentation site generate them."""
    anchors: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", markdown_of(page))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
        name, count = anchor, 0
        while name in anchors:
            count += 1
            name = f"{anchor}-{count}"
        anchors.add(name)
    return anchors


def check_link(page: pathlib.Path, link: str) -> str | None:
    """Returns a message if a link in `page` is dead, else None."""
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    if not target.exists():
        return f"{link} leads nowhere: there is no {file}"
    if anchor and target.suffix in (".md", ".py") and anchor not in anchors_of(target):
        return f"{link} leads nowhere: {target.name} has no heading #{anchor}"
    return None


def check_pages(root: pathlib.Path) -> list[str]:
    """Returns a message for each dead link below `root`, and for each page of docs/ that no other page links to."""
    problems, linked = [], {root / ENTRY}
    pages = pages_of(root)
    for page in pages:
        text = markdown_of(page)
        for match in CODE_OR_LINK.finditer(text):
            kind = match.lastgroup or "link"
            link = match[kind]
            if link is None or ELSEWHERE.match(link):
                continue
            linked |= {(page.parent / link.partition("#")[0]).resolve()} - {page}
            if problem := check_link(page, link):
                line = text.count("\n", 0, match.start(kind)) + 1
                problems.append(f"{page.relative_to(root)}:{line}: {problem}")
    for page in pages:
        if root / "docs" in page.parents and page not in linked:
            problems.append(f"{page.relative_to(root)}:1: no page links to this one")
    return problems


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    problems = check_pages(root)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
