"""Maps paths in the repository to paths on the site, and rewrites the links in pages."""

import os.path
import pathlib
import re
from collections.abc import Mapping

#: Matches code, which contains no links, or the target of a link or picture in Markdown or HTML.
CODE_OR_LINK = re.compile(
    r"^ *```.*?^ *```|`[^`\n]+`|(\]\(|\bsrc=\"|\bsrcset=\")([^()\"\s]+)(\)|\")", re.MULTILINE | re.DOTALL
)
LANGUAGES = {".py": "python", ".h": "cpp", ".cpp": "cpp", ".mlir": "mlir", ".md": "markdown", ".sh": "bash"}


class SiteLinks:
    """Maps paths in the repository to paths on the site. The set `sources` collects the paths of linked files that are
    not pages."""

    def __init__(self, root: pathlib.Path, renamed: Mapping[str, str]):
        self.root = root
        self.renamed = renamed
        self.sources: set[str] = set()

    def site_path(self, path: str) -> str:
        """Returns the path on the site for a path in the repository. Pages of docs/ are in the root of the site, and
        tutorials become Markdown pages."""
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
        """Returns `text`, the text of the page `path`, with all links to repository paths replaced by links to site
        paths."""
        here = os.path.dirname(self.site_path(path))

        def rewritten(match: re.Match) -> str:
            target = match[2]
            if target is None or re.match(r"[a-z]+:|#", target):
                return match[0]
            file, hash_, anchor = target.partition("#")
            linked = os.path.normpath(os.path.join(os.path.dirname(path), file))
            if not (self.root / linked).exists():
                return match[0]  # MkDocs reports the dead link
            return match[1] + os.path.relpath(self.site_path(linked), here or ".") + hash_ + anchor + match[3]

        return CODE_OR_LINK.sub(rewritten, text)

    def source_page(self, path: str) -> str:
        """Returns a page with the text of a file, or with the names of the files in a folder."""
        file = self.root / path
        if file.is_dir():
            names = sorted(entry.name for entry in file.iterdir() if not entry.name.startswith((".", "__")))
            return f"# {path}\n\n" + "".join(f"* `{name}`\n" for name in names)
        return f"# {path}\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text()}````\n"
