"""Builds the web site of the documentation; `make docs` runs this program.

    python tools/website [--notebooks FOLDER] [--without-notebooks]

The program writes Markdown pages to build/site_pages: the pages of docs/, the README, the executed tutorials in FOLDER
(from `python tools/run_tutorials.py --save FOLDER`), a reference of each public module, and each file of the repository
that a page links to. MkDocs then builds the site in build/site, as configured in mkdocs.yml. MkDocs fails if a link is
dead.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

from api_pages import api_page
from links import SiteLinks
from lists import indent_items
from notebooks import notebook_page

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "build" / "site_pages"
TUTORIALS = ROOT / "tutorials"
#: Pages in the root of the repository, with their file names on the site.
AT_ROOT = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}

STYLE = """\
.md-grid { max-width: 76rem; }
.output { overflow-x: auto; }
.output svg, .output img { max-width: 100%; height: auto; background: #fff; }
.output pre { font-size: .68rem; }
.output table:not([class]) th, .output table:not([class]) td { min-width: 0; padding: .1em .5em; }
.output table:not([class]) { display: table; border: none; font-size: inherit; background: none; }
.output table:not([class]) tr:hover { background: none; box-shadow: none; }
/* What outputs fold is no admonition: no box, no icon, the browser's own triangle. */
.md-typeset .output details { display: block; margin: 0; padding: 0; border: none; box-shadow: none;
  background: none; font-size: inherit; }
.md-typeset .output summary { display: list-item; margin: 0; padding: 0; border: none; background: none;
  font-weight: inherit; list-style: revert; }
.md-typeset .output summary::before, .md-typeset .output summary::after { content: none; display: none; }
.md-typeset math[display=block] { margin: 1em 0; }
"""


def write_page(path: str, text: str) -> None:
    target = PAGES / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def tutorial_pages(notebooks: pathlib.Path | None) -> dict[str, str]:
    """Returns the page of each tutorial by path in the repository. With notebooks=None, pages are made from the source
    files of tutorials, and have no output."""
    sources = sorted(TUTORIALS.glob("[0-9][0-9]_*.py"))
    pages = {}
    for source in sources:
        ran = notebooks / f"{source.stem}.ipynb" if notebooks else None
        if ran and not ran.exists():
            sys.exit(f"{ran} is missing; python tools/run_tutorials.py --save {notebooks} makes it")
        pages[f"tutorials/{source.name}"] = notebook_page(ran or source, PAGES / "tutorials")
    return pages


def index_of(tutorials: dict[str, str]) -> str:
    """Returns the page that lists the titles of the tutorials."""
    lines = ["# Tutorials", "", "Notebooks, in order. `make notebook` opens copies of them in JupyterLab.", ""]
    for path, text in tutorials.items():
        title = re.search(r"^# (.*)$", text, re.MULTILINE)[1]
        number, _, rest = title.partition(". ")
        lines.append(f"* {number}. [{rest}]({pathlib.PurePath(path).stem}.md)")
    return "\n".join(lines) + "\n"


def gather(notebooks: pathlib.Path | None) -> None:
    """Deletes build/site_pages and writes all pages again."""
    shutil.rmtree(PAGES, ignore_errors=True)
    tutorials = tutorial_pages(notebooks)
    links = SiteLinks(ROOT, AT_ROOT)
    write_page("tutorials/index.md", index_of(tutorials))
    pages = {path: (ROOT / path).read_text() for path in AT_ROOT}
    pages |= {str(path.relative_to(ROOT)): path.read_text() for path in sorted((ROOT / "docs").glob("**/*.md"))}
    for path, text in (pages | tutorials).items():
        write_page(links.site_path(path), indent_items(links.rewrite(path, text)))
    for path in sorted(links.sources):
        write_page(links.site_path(path), links.source_page(path))
    for module in re.findall(r"^ +- [\w.]+: api/([\w.]+)\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE):
        write_page(f"api/{module}.md", api_page(module))
    shutil.copytree(ROOT / "docs" / "pictures", PAGES / "pictures")
    write_page("site.css", STYLE)


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the documentation's site in build/site.")
    parser.add_argument("--notebooks", type=pathlib.Path, default=ROOT / "docs" / "notebooks", help="where they are")
    parser.add_argument("--without-notebooks", action="store_true", help="show only the tutorials' sources")
    options = parser.parse_args()
    gather(None if options.without_notebooks else options.notebooks)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--clean"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    if done.returncode == 0:
        print("the documentation: build/site/index.html; with search: python3 -m http.server --directory build/site")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
