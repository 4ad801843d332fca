"""The pages of the documentation's site (tools/website): all are in its navigation, and their links lead on."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "website"))
from links import SiteLinks  # noqa: E402
from lists import indent_items  # noqa: E402

NAVIGATION = re.findall(r"^ +- (?:[^:\n]+: )?([\w./]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)


@pytest.fixture
def links():
    return SiteLinks(ROOT, {"README.md": "index.md"})


def test_every_page_is_in_the_navigation():
    docs = ROOT / "docs"
    pages = {str(path.relative_to(docs)) for path in docs.glob("**/*.md")} | {
        "index.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    }
    tutorials = {f"tutorials/{path.stem}.md" for path in (ROOT / "tutorials").glob("[0-9]*.py")}
    listed = [page for page in NAVIGATION if not page.startswith("api/")]
    assert sorted(listed) == sorted(pages | tutorials | {"tutorials/index.md"}), "list it in nav of mkdocs.yml"


def test_links_between_pages(links):
    text = "[a](docs/isa.md#the-ready-kernels) [b](tutorials/02_softmax.py) [c](tutorials)"
    expected = "[a](isa.md#the-ready-kernels) [b](tutorials/02_softmax.md) [c](tutorials/index.md)"
    assert links.rewrite("README.md", text) == expected
    assert links.rewrite("docs/isa.md", "[top](../README.md)") == "[top](index.md)"
    assert links.rewrite("tutorials/02_softmax.py", "[isa](../docs/isa.md)") == "[isa](../isa.md)"
    assert links.sources == set()


def test_pictures_of_html(links):
    text = '<picture><source srcset="docs/pictures/emulator.svg"><img src="docs/pictures/emulator.svg"></picture>'
    expected = '<picture><source srcset="pictures/emulator.svg"><img src="pictures/emulator.svg"></picture>'
    assert links.rewrite("README.md", text) == expected


def test_files_that_pages_link_to_become_pages(links):
    text = links.rewrite("docs/pytorch.md", "[it](../examples/pytorch_operator.py)")
    assert text == "[it](source/examples/pytorch_operator.py.md)"
    assert links.sources == {"examples/pytorch_operator.py"}
    page = links.source_page("examples/pytorch_operator.py")
    assert page.startswith("# examples/pytorch_operator.py\n\n````python\n")
    assert (ROOT / "examples" / "pytorch_operator.py").read_text() in page


def test_what_is_no_link_of_ours_stays(links):
    text = "`[a](docs/isa.md)` [b](https://example.com) [c](#below) [d](nothing.md)\n```\n[e](docs/isa.md)\n```\n"
    assert links.rewrite("README.md", text) == text


def test_items_of_lists_are_indented_by_four_columns():
    text = (
        "1. **A**\n   more\n\n   * one\n     two\n\n   ```\n   * code\n   ```\n2. B\n\n"
        "* c\n  d\n\nText\n```\n  * e\n```\n"
    )
    expected = (
        "1. **A**\n    more\n\n    * one\n        two\n\n    ```\n    * code\n    ```\n2. B\n\n"
        "* c\n    d\n\nText\n```\n  * e\n```\n"
    )
    assert indent_items(text) == expected


def test_results_of_a_notebook_are_shown(tmp_path):
    pytest.importorskip("latex2mathml")
    jupytext = pytest.importorskip("jupytext")
    from nbformat import v4
    from notebooks import notebook_page

    outputs = [
        v4.new_output("stream", text="\x1b[31mprinted\x1b[0m\n"),
        v4.new_output("display_data", {"text/html": "<p>\n\nshown</p>", "text/plain": "not shown"}),
        v4.new_output("display_data", {"image/png": "aGk=", "text/plain": "figure"}),
    ]
    cells = [v4.new_markdown_cell("# Title\n$$x^2$$"), v4.new_code_cell("show()", outputs=outputs)]
    jupytext.write(v4.new_notebook(cells=cells), tmp_path / "01_first.ipynb")
    page = notebook_page(tmp_path / "01_first.ipynb", tmp_path / "pictures")
    assert re.search(r"^# Title\n<math.*<msup>", page)
    assert "```python\nshow()\n```" in page
    assert "````text\nprinted\n````" in page
    assert "<p>\nshown</p>" in page
    assert "not shown" not in page
    assert '<img src="01_first_0.png" alt="figure">' in page
    assert (tmp_path / "pictures" / "01_first_0.png").read_bytes() == b"hi"
