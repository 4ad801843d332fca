"""Paths of the repository's pages and files on the site, and links rewritten for it."""

import os.path
import pathlib
import re
from collections.abc import Mapping

#: A fenced block or a piece of code, which has no links; or the target of a link or picture, also one of HTML.
CODE_OR_LINK = re.compile(
    r"^ *```.*?^ *```|`[^`\n]+`|(\]\(|\bsrc=\"|\bsrcset=\")([^()\"\s]+)(\)|\")", re.MULTILINE | re.DOTALL
)
LANGUAGES = {".py": "python", ".h": "cpp", ".cpp": "cpp", ".mlir": "mlir", ".md": "markdown", ".sh": "bash"}


class SiteLinks:
    """Maps paths in the repository to paths on the site. Collects the files that pages link to in `sources`."""

    def __init__(self, root: pathlib.Path, renamed: Mapping[str, str]):
        self.root = root
        self.renamed = renamed
        self.sources: set[str] = set()

    def site_path(self, path: str) -> str:
        """Returns the site's path for a path in the repository: pages of docs/ are at the site's root, tutorials are
        pages."""
        if path in self.renamed:
            return self.renamed[path]
        if path.startswith("docs/"):
            return path.removeprefix("docs/")
        if re.fullmatch(r"tutorials/\d\d_\w+\.py", path):
            return path.removesuffix(".py") + ".md"
        if path == "tutorials":
            return "tutorials/index.md"
        self.sources.add(path)
        return f"source/{path}.md"

    def rewrite(self, path: str, text: str) -> str:
        """The text of the page `path` with the links that it has on the site."""
        here = os.path.dirname(self.site_path(path))

        def rewritten(match: re.Match) -> str:
            target = match[2]
            if target is None or re.match(r"[a-z]+:|#", target):
                return match[0]
            file, hash_, anchor = target.partition("#")
            linked = os.path.normpath(os.path.join(os.path.dirname(path), file))
            if not (self.root / linked).exists():
                return match[0]  # MkDocs reports it
            return match[1] + os.path.relpath(self.site_path(linked), here or ".") + hash_ + anchor + match[3]

        return CODE_OR_LINK.sub(rewritten, text)

    def source_page(self, path: str) -> str:
        """A page with the text of a file, or with the names of a folder's files."""
        file = self.root / path
        if file.is_dir():
            names = sorted(entry.name for entry in file.iterdir() if not entry.name.startswith((".", "__")))
            return f"# {path}\n\n" + "".join(f"* `{name}`\n" for name in names)
        return f"# {path}\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text()}````\n"
