"""tools/check_links.py on this tree, and on small trees with each kind of dead link."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_check(root):
    command = [sys.executable, str(ROOT / "tools" / "check_links.py"), str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def check_pages(folder, **pages):
    """The check's answer on a tree of these pages; `docs__guide` is docs/guide.md."""
    for name, text in pages.items():
        path = folder / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return run_check(folder)


def test_this_tree_has_no_dead_links():
    assert run_check(ROOT) == (0, [])


def test_a_file_that_is_missing(tmp_path):
    answer = check_pages(tmp_path, README="# Top\n\nSee\n[the guide](docs/giude.md).\n")
    assert answer == (1, ["README.md:4: docs/giude.md leads nowhere: there is no docs/giude.md"])


def test_a_heading_that_is_missing(tmp_path):
    pages = {"README": "[a](docs/guide.md#two-words) [b](docs/guide.md#tow-words)", "docs__guide": "# `Two` Words!\n"}
    problem = "docs/guide.md#tow-words leads nowhere: guide.md has no heading #tow-words"
    assert check_pages(tmp_path, **pages) == (1, [f"README.md:1: {problem}"])


def test_headings_of_the_same_page_and_of_the_same_name(tmp_path):
    text = "[a](#more)\n[b](#more-1)\n[c](#more-2)\n\n# More\n\n# More\n\n```\n# More\n```\n"
    problem = "README.md:3: #more-2 leads nowhere: README.md has no heading #more-2"
    assert check_pages(tmp_path, README=text) == (1, [problem])


def test_pictures_of_html(tmp_path):
    text = (
        '<picture><source srcset="dark.svg">\n<img src="light.svg" alt="a"></picture>\n* b\n  ```\n  src="c"\n  ```\n'
    )
    problems = [
        f"README.md:{line}: {name} leads nowhere: there is no {name}"
        for line, name in ((1, "dark.svg"), (2, "light.svg"))
    ]
    assert check_pages(tmp_path, README=text) == (1, problems)


def test_a_page_that_nothing_links_to(tmp_path):
    pages = {"README": "# Top\n", "docs__guide": "[itself](guide.md)\n"}
    assert check_pages(tmp_path, **pages) == (1, ["docs/guide.md:1: no page links to this one"])


def test_tutorials_are_pages(tmp_path):
    tutorial = tmp_path / "tutorials" / "01_first.py"
    tutorial.parent.mkdir()
    tutorial.write_text("# %% [markdown]\n# # First\n# See [this](nothing.py).\n\n# %%\n# [code](is_not_read.py)\n")
    answer = check_pages(tmp_path, README="[first](tutorials/01_first.py#first)")
    assert answer == (1, ["tutorials/01_first.py:3: nothing.py leads nowhere: there is no nothing.py"])


def test_code_and_other_sites_are_not_looked_at(tmp_path):
    text = "`[a](b)` [site](https://example.com/nothing)\n```\n[c](d)\n```\n"
    assert check_pages(tmp_path, README=text) == (0, [])
