"""docs/warp_pipelines.md names tests that exist."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]


def test_every_test_of_the_tables_exists():
    rows = re.findall(r"^\| .* \| (`.*) \|$", (ROOT / "docs" / "warp_pipelines.md").read_text(), re.MULTILINE)
    named = [entry for row in rows for entry in re.findall(r"`([^`]+)`((?: \w+)*)", row)]
    assert len(named) > 40
    for path, names in named:
        text = (ROOT / "tests" / path).read_text()
        missing = [name for name in names.split() if not re.search(rf"(def |@|, ){name}[()]", text)]
        assert not missing, f"{path} has no {missing}"
