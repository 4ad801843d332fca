"""benchmarks/results.py: what a file of results holds, as benchmarks/README.md describes it."""

import argparse
import ast
import json
import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture
def results_module(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("results", "interleave", "norms"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import results

    yield results
    for name in ("results", "interleave", "norms"):
        sys.modules.pop(name, None)


def saved(results, path):
    parser = argparse.ArgumentParser()
    results.add_option(parser)
    results.save(parser.parse_args(["--json", str(path)]))
    return json.loads(path.read_text())


def documented():
    """The example of README.md."""
    text = (FOLDER / "README.md").read_text()
    return json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])


def test_files_have_the_documented_keys(results_module, tmp_path):
    results = results_module.Results("attention", results_module.NORMAL, results_module.INTERLEAVED)
    table = results.table("forward", "attention forward", "TFLOP/s")
    times = {"cuDNN": 0.002, "Hocket": 0.001}
    table.add("float16 64x64", {name: 1 / time for name, time in times.items()}, seconds=times, dtype="float16")
    results.table("empty", "without rows", "us", better="lower")
    found, example = saved(results, tmp_path / "file.json"), documented()
    assert list(found) == list(example) and found["format"] == example["format"]
    (table,) = found["tables"]
    assert list(table) == list(example["tables"][0])
    assert list(table["rows"][0]) == list(example["tables"][0]["rows"][0])
    assert list(found["host"]) == list(example["host"])
    assert set(example["versions"]) <= set(found["versions"])
    assert table["rows"][0]["values"] == {"Hocket": 1000.0, "cuDNN": 500.0}
    assert list(table["rows"][0]["values"]) == ["Hocket", "cuDNN"], "ours are first"


def test_without_the_option_no_file_is_written(results_module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = results_module.Results("none", "", "")
    parser = argparse.ArgumentParser()
    results.add_option(parser)
    results.save(parser.parse_args([]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("better", "ratio"), [("higher", "2.00"), ("lower", "4.00")])
def test_shown_tables_compare_with_the_best_peer(results_module, capsys, better, ratio):
    table = results_module.Results("x", "", "").table("t", "title", "unit", better=better)
    table.add("row", {"slow": 4.0, "Hocket": 16.0, "fast": 8.0})
    table.add("alone", {"Hocket": 1.0})
    table.show()
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert lines == [
        ["title,", "unit"],
        ["Hocket", "slow", "fast", "of", "best", "peer"],
        ["row", "16", "4", "8", ratio],
        ["alone", "1", "-", "-", "-"],
    ]


def test_norms_records_become_tables(results_module):
    """The plan that `choose` takes is Hocket's; of repeated measurements the median counts, of softmax the best."""
    import norms

    def record(op, rival, seconds, **more):
        return {"op": op, "rows": 8, "columns": 4, "dtype": "bfloat16", "rival": rival, "seconds": seconds,
                "terabytes_per_second": 1 / seconds, **more}  # fmt: skip

    results = results_module.Results("norms", "", "")
    norms.add_tables(
        results,
        [
            record("rms_norm", "staged 4w", 4.0, plan={}, is_auto=True),
            record("rms_norm", "cluster 4w", 1.0, plan={}, is_auto=False),
            *(record("rms_norm", "torch", seconds) for seconds in (10.0, 8.0, 5.0)),
            record("softmax", "hocket 8", 2.0),
            record("softmax", "hocket 4", 1.0),
            record("softmax", "triton 4", 4.0),
        ],
    )
    rows = {table.name: table.rows[0]["values"] for table in results.tables if table.rows}
    assert rows == {"rms_norm": {"Hocket": 0.25, "PyTorch": 0.125}, "softmax": {"Hocket": 1.0, "Triton": 0.25}}


def test_lines_of_plots_have_enough_contrast(results_module):
    """They are drawn on white."""
    from norms_plot import COLORS

    from hocket.pictures.palette import CARD, contrast

    assert {name: color for name, color in COLORS.items() if contrast(color, CARD) < 3} == {}


def scripts():
    """The benchmarks; `sanitized.py` measures nothing."""
    paths = sorted(FOLDER.glob("*.py"))
    return [path for path in paths if '__name__ == "__main__"' in path.read_text() and path.stem != "sanitized"]


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.stem)
def test_every_benchmark_saves_its_results(script):
    """It makes results of its own name, takes their option, adds to a table and saves; README.md has a row for it."""
    tree = ast.parse(script.read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Results"]
    assert [call.args[0].value for call in made] == [script.stem]
    methods = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
    assert {"table", "add", "save"} <= methods and methods & {"options", "add_option"}
    assert f"`{script.name}`" in (FOLDER / "README.md").read_text()


def test_a_benchmark_without_a_gpu(tmp_path):
    path = tmp_path / "profiler.json"
    command = [sys.executable, str(FOLDER / "profiler.py"), "--records", "10000", "--rounds", "1", "--json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(path.read_text())
    assert found["benchmark"] == "profiler" and found["device"] is None
    (table,) = found["tables"]
    assert [row["name"] for row in table["rows"]] == ["decoded", "corrected", "paired", "all of it"]
    assert all(value > 0 for row in table["rows"] for value in row["values"].values())
