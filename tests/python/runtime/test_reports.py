"""hocket.testing.perf_report: tables, files and figures."""

import csv
import importlib.util

import pytest

from hocket.testing import Benchmark, perf_report

has_matplotlib = importlib.util.find_spec("matplotlib") is not None


def benchmark(**changes):
    given = {
        "x_names": ["m", "n"],
        "x_vals": [1, (2, 5)],
        "line_arg": "provider",
        "line_vals": ["a", "b"],
        "line_names": ["A", "B"],
        "plot_name": "speed",
        "args": {"k": 10},
        "ylabel": "GB/s",
        "x_log": True,
    }
    return Benchmark(**{**given, **changes})


@perf_report(benchmark())
def speed(m, n, k, provider, extra=0):
    value = float(m * n * k + extra)
    return value if provider == "a" else (2 * value, value, 3 * value)


def test_the_table(capsys):
    speed.run(print_data=True)
    assert capsys.readouterr().out.splitlines() == [
        "speed:",
        "m  n  A (GB/s)  B (GB/s)",
        "1  1        10        20",
        "2  5       100       200",
    ]


def test_arguments_of_run_reach_the_function(capsys):
    speed.run(print_data=True, extra=1)
    assert capsys.readouterr().out.splitlines()[-1] == "2  5       101       202"


def test_files(tmp_path):
    speed.run(save_path=tmp_path / "results")
    with open(tmp_path / "results" / "speed.csv") as file:
        rows = list(csv.reader(file))
    assert rows == [["m", "n", "A (GB/s)", "B (GB/s)"], ["1", "1", "10.0", "20.0"], ["2", "5", "100.0", "200.0"]]
    assert (tmp_path / "results" / "speed.png").exists() == has_matplotlib
    assert 'src="speed.png"' in (tmp_path / "results" / "results.html").read_text()


def test_frames():
    if importlib.util.find_spec("pandas") is None:
        with pytest.raises(RuntimeError, match="return_df=True needs pandas"):
            speed.run(return_df=True)
    else:
        assert list(speed.run(return_df=True).columns) == ["m", "n", "A (GB/s)", "B (GB/s)"]


def test_lines_have_names():
    with pytest.raises(ValueError, match="2 line_vals have 1 line_names"):
        benchmark(line_names=["A"])


def test_values_fit_the_names():
    with pytest.raises(ValueError, match=r"\(1, 2, 3\) of x_vals has 3 values for x_names \['m', 'n'\]"):
        benchmark(x_vals=[(1, 2, 3)]).points()
